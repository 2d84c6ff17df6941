"""What routes depend on: configuration, a transaction, places in a list; who asks is `identity.dependencies`."""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.web.platform import Platform


def platform(request: Request) -> Platform:
    """The process's parts."""
    held: Platform = request.app.state.platform
    return held


def configured(request: Request) -> Configuration:
    """The configuration of this process."""
    return platform(request).configuration


Parts = Annotated[Platform, Depends(platform)]
Configured = Annotated[Configuration, Depends(configured)]


async def transaction(parts: Parts) -> AsyncIterator[AsyncSession]:
    """One transaction per request: committed before the answer leaves, rolled back when the route raises."""
    async with parts.sessions() as session, session.begin():
        yield session


Transaction = Annotated[AsyncSession, Depends(transaction, scope="function")]


Limit = Annotated[int, Query(ge=1, le=200, description="Items per page")]
Cursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before")]
