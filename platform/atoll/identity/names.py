"""Names that are unique: what makes two of them the same, and what is told of one that is taken."""

import unicodedata

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.identity.codes import NameTaken, NameTakenField
from atoll.web.errors import Conflict

UNIQUE_VIOLATION = "23505"


def key(name: str) -> str:
    """A name of a role or group, however it is written: `Ops`, `ops` and `ｏｐｓ` are one."""
    return unicodedata.normalize("NFKC", name).casefold()


def taken(name: str, field: str = "name") -> Conflict:
    """What is told of a name that somebody or something has; `field`: where it stands in the request."""
    return Conflict(NameTaken(name=name), errors=[NameTakenField().at(field)])


# Each system of each task has these, with rights or files of their own.
RESERVED = frozenset({"nobody", "root"})


async def flush(session: AsyncSession, name: str, field: str = "name") -> None:
    """Write what has that name. Raises Conflict when something else got it in between."""
    try:
        await session.flush()
    except DBAPIError as error:
        if sqlstate(error) == UNIQUE_VIOLATION:
            raise taken(name, field) from error
        raise


def sqlstate(error: DBAPIError) -> str | None:
    """PostgreSQL's code for what went wrong."""
    found: str | None = getattr(error.orig, "sqlstate", None)
    return found
