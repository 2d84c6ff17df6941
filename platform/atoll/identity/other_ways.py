"""Other ways into accounts than passwords: the room that has them lies a floor above, and says how they end."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession


@dataclass(frozen=True, slots=True)
class OtherWays:
    """A part of the API's process.

    `end_all_of`: end all ways into the account of a user's id beside its password, and name them, in order.
    """

    end_all_of: Callable[[AsyncSession, str], Awaitable[list[str]]]
