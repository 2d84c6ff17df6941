"""Which records are asked for."""

from dataclasses import dataclass, fields
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import Depends, Query
from pydantic import AwareDatetime

Outcome = Literal["done", "denied", "failed"]


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
    return Filters(since, until, actor or None, action or None, object or None, outcome, address or None)


Asked = Annotated[Filters, Depends(asked)]
