"""Making accounts."""

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.identity import names
from atoll.identity.codes import NoUidLeft, ProtectedAccount
from atoll.identity.models import NO_UID_LEFT, UserRow
from atoll.web.errors import Conflict

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


def refuse_protected(user: UserRow) -> None:
    """Raise Conflict for the account that installation made: so there is always somebody who may do everything."""
    if user.name == ADMIN:
        raise Conflict(ProtectedAccount(name=user.name))
