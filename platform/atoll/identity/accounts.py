"""Making accounts."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.base import now
from atoll.database.identifiers import new_id
from atoll.identity import models, names
from atoll.identity.codes import NoUidLeft, ProtectedAccount
from atoll.identity.models import NO_UID_LEFT, UserRow
from atoll.identity.repository import IdentityRepository
from atoll.web.errors import Conflict
from atoll.web.told import ChangedMeanwhile

ADMIN = "admin"  # whom the installation makes


async def add_account(
    session: AsyncSession,
    name: str,
    password_hash: str,
    *,
    nickname: str = "",
    phone: str = "",
    email: str = "",
    must_change_password: bool = True,
    field: str = "name",
) -> UserRow:
    """Add an account without any rights. Raises Conflict when no uid is left for it, or the name is or was another's.

    `field`: where the name stands in the request.
    """
    user = UserRow(
        name=name,
        nickname=nickname or name,
        phone=phone,
        email=email,
        password_hash=password_hash,
        must_change_password=must_change_password,
    )
    session.add(user)
    try:
        await names.flush(session, name, field)
    except DBAPIError as error:
        if names.sqlstate(error) == NO_UID_LEFT:
            raise Conflict(NoUidLeft()) from error
        raise
    return user


async def add_accounts(session: AsyncSession, people: Sequence[Mapping[str, Any]]) -> list[str]:
    """Add many accounts without any rights, each of `name`, `nickname`, `phone`, `email`, `password_hash`; their ids.

    They must change their passwords. Raises Conflict when no uid is left, or somebody took one of the names just now.
    """
    made = {"must_change_password": True, "active": True, "created_at": now(), "version": 1}
    rows = [{"id": new_id(), **person, **made} for person in people]
    try:
        await IdentityRepository(session).add_users(rows)
    except DBAPIError as error:
        match names.sqlstate(error):
            case names.UNIQUE_VIOLATION:
                raise Conflict(ChangedMeanwhile()) from error
            case models.NO_UID_LEFT:
                raise Conflict(NoUidLeft()) from error
            case _:
                raise
    return [row["id"] for row in rows]


def refuse_protected(user: UserRow) -> None:
    """Raise Conflict for the account that installation made: so there is always somebody who may do everything."""
    if user.name == ADMIN:
        raise Conflict(ProtectedAccount(name=user.name))
