"""What routes depend on: configuration, a transaction, places in a list; who asks is `identity.dependencies`.

All of it is `async`: what is not runs in a thread of its own, for each request, and on a busy machine each way there
and back takes longer than the work.
"""

from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Depends, Query, Request
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.web.platform import Platform


async def platform(request: Request) -> Platform:
    """The process's parts."""
    held: Platform = request.app.state.platform
    return held


Parts = Annotated[Platform, Depends(platform)]


async def configured(parts: Parts) -> Configuration:
    """The configuration of this process."""
    return parts.configuration


Configured = Annotated[Configuration, Depends(configured)]


async def transaction(parts: Parts) -> AsyncIterator[AsyncSession]:
    """One transaction per request: committed before the answer leaves, rolled back when the route raises."""
    async with parts.sessions() as session, session.begin():
        yield session


Transaction = Annotated[AsyncSession, Depends(transaction, scope="function")]


Limit = Annotated[int, Query(ge=1, le=200, description="Items per page")]
Cursor = Annotated[str | None, Query(max_length=512, description="`next_cursor` of the page before")]
