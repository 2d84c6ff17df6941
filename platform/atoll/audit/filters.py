"""Which records are asked for."""

from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Query
from pydantic import AwareDatetime

Outcome = Literal["done", "denied", "failed"]
# Nothing was recorded before or behind these; moments near the ends of the calendar have no room for another time zone.
_FIRST, _LAST = datetime(1971, 1, 1, tzinfo=UTC), datetime(9998, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Filters:
    """What all of them have; None is everything."""

    since: datetime | None = None  # at that moment or later
    until: datetime | None = None  # before it
    actor: str | None = None
    action: str | None = None
    object: str | None = None
    outcome: Outcome | None = None
    address: str | None = None

    def told(self) -> dict[str, Any]:
        """Those that there are, as JSON has them."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {
            name: value.isoformat() if isinstance(value, datetime) else value
            for name, value in found.items()
            if value is not None
        }


async def asked(
    since: Annotated[AwareDatetime | None, Query(description="At this moment or later")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Before this moment")] = None,
    actor: Annotated[str | None, Query(max_length=256, description="Name of the user, as it was recorded")] = None,
    action: Annotated[
        str | None, Query(max_length=64, description="For example task.create, or task for all that is done to tasks")
    ] = None,
    object: Annotated[
        str | None, Query(max_length=256, description="Id of what it was done to, or how its name begins")
    ] = None,
    outcome: Outcome | None = None,
    address: Annotated[str | None, Query(max_length=256, description="Where the request came from")] = None,
) -> Filters:
    """The filters in the address of a request; what is empty is none."""
    return Filters(
        _recorded(since), _recorded(until), actor or None, action or None, object or None, outcome, address or None
    )


def _recorded(moment: datetime | None) -> datetime | None:
    """The moment, or the nearest one at which something may have been recorded."""
    return None if moment is None else min(max(moment, _FIRST), _LAST)


Asked = Annotated[Filters, Depends(asked)]
