"""Of which virtual clusters somebody is a member: the room that has them lies a floor above, and says it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, SQLColumnExpression


@dataclass(frozen=True, slots=True)
class Memberships:
    """A part of the API's process, which goes into the one question for a session.

    `of`: for a user's id the virtual clusters of the user as one value, `[{"id", "name"}, …]` by name.
    """

    of: Callable[[SQLColumnExpression[str]], ColumnElement[Any]]
