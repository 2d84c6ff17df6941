"""Idempotency keys: a request that is sent again with its key makes nothing new."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Annotated, Protocol, TypeVar

from fastapi import Header
from pydantic import BaseModel, SecretStr
from pydantic_core import to_jsonable_python
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.web import told
from atoll.web.errors import Conflict
from atoll.web.repository import IdempotencyRepository

KEPT = timedelta(days=7)
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=8, max_length=128, description="The same key with the same request makes nothing new"),
]


class Identified(Protocol):
    """What is read again by its id."""

    @property
    def id(self) -> str:
        """Its own."""


Made = TypeVar("Made", bound=Identified)


async def once(
    session: AsyncSession,
    user_id: str,
    key: str | None,
    request: BaseModel,
    make: Callable[[], Awaitable[Made]],
    read: Callable[[str], Awaitable[Made]],
) -> Made:
    """What `make` makes, once per key of a user; when the request is sent again, what `read` finds under that id.

    A second request with the same key waits here until the first one's transaction ends. Raises Conflict for the key of
    another request.
    """
    if key is None:
        return await make()
    digest = _digest(request)
    keys = IdempotencyRepository(session)
    claimed = await keys.claim(user_id, key, digest)
    row = await keys.get(user_id, key)
    if claimed and row is not None:
        made = await make()
        row.object_id = made.id
        return made
    if row is None or row.request_hash != digest or row.object_id is None:
        raise Conflict(told.IdempotencyKeyReused())
    return await read(row.object_id)


async def forget(session: AsyncSession, _: Configuration) -> bool:
    """Remove the keys that nobody sends again."""
    await IdempotencyRepository(session).forget(now() - KEPT)
    return False


def _digest(request: BaseModel) -> str:
    """What tells one request from another one, their secrets too."""
    told_of = {type(request).__name__: request.model_dump()}
    return hashlib.sha256(json.dumps(told_of, default=_revealed, sort_keys=True).encode()).hexdigest()


def _revealed(value: object) -> object:
    return value.get_secret_value() if isinstance(value, SecretStr) else to_jsonable_python(value)
