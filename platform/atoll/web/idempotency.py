"""Idempotency keys: a request that is sent again with its key makes nothing new."""

import hashlib
import json
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from typing import Annotated, Protocol, TypeVar

from fastapi import Header
from pydantic import BaseModel, SecretStr
from pydantic_core import to_jsonable_python
from sqlalchemy import ForeignKey, delete
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from atoll.database.base import Table, now
from atoll.web import told
from atoll.web.errors import Conflict

KEPT = timedelta(days=7)
IdempotencyKey = Annotated[
    str | None,
    Header(min_length=8, max_length=128, description="The same key with the same request makes nothing new"),
]


class IdempotencyRow(Table):
    """What a request with a key made."""

    __tablename__ = "idempotency_keys"

    user_id: Mapped[str] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    key: Mapped[str] = mapped_column(primary_key=True)
    request_hash: Mapped[str]
    object_id: Mapped[str | None]
    created_at: Mapped[datetime] = mapped_column(default=now, index=True)


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
    claim = insert(IdempotencyRow).values(user_id=user_id, key=key, request_hash=digest)
    claimed = await session.scalar(claim.on_conflict_do_nothing().returning(IdempotencyRow.key)) is not None
    row = await session.get(IdempotencyRow, (user_id, key))
    if claimed and row is not None:
        made = await make()
        row.object_id = made.id
        return made
    if row is None or row.request_hash != digest or row.object_id is None:
        raise Conflict(told.IdempotencyKeyReused())
    return await read(row.object_id)


async def forget(session: AsyncSession) -> None:
    """Remove the keys that nobody sends again."""
    await session.execute(delete(IdempotencyRow).where(IdempotencyRow.created_at < now() - KEPT))


def _digest(request: BaseModel) -> str:
    """What tells one request from another one, their secrets too."""
    told_of = {type(request).__name__: request.model_dump()}
    return hashlib.sha256(json.dumps(told_of, default=_revealed, sort_keys=True).encode()).hexdigest()


def _revealed(value: object) -> object:
    return value.get_secret_value() if isinstance(value, SecretStr) else to_jsonable_python(value)
