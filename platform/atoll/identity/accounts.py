"""Making accounts."""

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.identity import passwords
from atoll.identity.codes import NoUidLeft
from atoll.identity.models import NO_UID_LEFT, UserRow
from atoll.web.errors import Conflict


async def add_account(
    session: AsyncSession, name: str, password: str, *, roles: list[str], nickname: str = ""
) -> UserRow:
    """Add an account that must change its password. Raises Conflict when no uid is left for it."""
    user = UserRow(name=name, nickname=nickname or name, password_hash=await passwords.hashed(password), roles=roles)
    session.add(user)
    try:
        await session.flush()
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) == NO_UID_LEFT:
            raise Conflict(NoUidLeft()) from error
        raise
    return user
