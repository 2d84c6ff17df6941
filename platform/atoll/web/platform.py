"""What a running API process holds: configuration, database, and what the manifests of domains add to that."""

from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy.ext.asyncio import AsyncEngine

from atoll.configuration import Configuration
from atoll.database.connection import Sessions
from atoll.database.notifications import Listener

Held = TypeVar("Held")


@dataclass(slots=True)
class Platform:
    """One per process; kept in `app.state.platform`."""

    configuration: Configuration
    database: AsyncEngine
    sessions: Sessions
    listener: Listener
    held: dict[type[Any], Any] = field(default_factory=dict)

    def find(self, kind: type[Held]) -> Held | None:
        """The part of that type, None where it is not configured."""
        found: Held | None = self.held.get(kind)
        return found

    def part(self, kind: type[Held]) -> Held:
        """The part of that type, which every process of the API has."""
        found: Held = self.held[kind]
        return found
