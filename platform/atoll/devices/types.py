"""A device type: a row that the installer writes (`devices` of config.yaml), and every rule that holds for it.

Nobody else asks what a device type is called or who makes it: what differs is a column here.
"""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

Count = Annotated[int, Field(ge=0)]


class DeviceType(BaseModel):
    """A kind of card in machines of one architecture."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    type: str
    title: str = Field(description="What people call it; the architecture is told beside it")
    vendor: str
    kind: str = Field(description="`gpu`, `npu`, …; in capitals it is what people call one card")
    arch: str = Field(description="Of the machines that have such cards")
    resource: str = Field(description="What pods ask Kubernetes for")
    counts: tuple[Count, ...] = Field(description="What a task may ask for per machine")
    distributed_counts: tuple[Count, ...] = Field(description="The same for a task on several machines")
    group: int = Field(ge=1, description="Cards of a task lie in one group of so many, or are whole groups; 1: any")
    visible_devices: str = Field(description="The variable by which the vendor's runtime tells a program its cards")

    @model_validator(mode="before")
    @classmethod
    def _of_this_version(cls, row: Any) -> Any:
        missing = cls.model_fields.keys() - row.keys() if isinstance(row, Mapping) else ()
        if missing:
            raise ValueError(
                f"the row of `{row.get('type', '?')}` lacks {', '.join(sorted(missing))}: another version of Atoll "
                "wrote it. Bring the phase `platform` up to this version (`./atoll apply`)."
            )
        return row

    @model_validator(mode="after")
    def _counts_fit_groups(self) -> "DeviceType":
        odd = [count for count in (*self.counts, *self.distributed_counts) if not _fits_groups(count, self.group)]
        if odd:
            raise ValueError(
                f"{', '.join(map(str, odd))} of `{self.type}` lie neither in a group of {self.group} nor in whole ones"
            )
        return self

    @property
    def card(self) -> str:
        """What people call one card."""
        return self.kind.upper()

    def allowed(self, *, distributed: bool) -> list[int]:
        """Cards per machine that a task may ask for."""
        return list(self.distributed_counts if distributed else self.counts)


def choose(free: frozenset[int], count: int, group: int) -> tuple[int, ...] | None:
    """Cards of one machine for a task, None when they do not fit.

    Cards are wired in groups of `group`. Up to that many come from one group, the fullest that still fits, so that
    whole groups stay free for others; more than that are whole groups.
    """
    if count == 0:
        return ()
    groups: dict[int, list[int]] = {}
    for index in sorted(free):
        groups.setdefault(index // group, []).append(index)
    if count <= group:
        fitting = [cards for cards in groups.values() if len(cards) >= count]
        return tuple(min(fitting, key=lambda cards: (len(cards), cards))[:count]) if fitting else None
    whole = [index for cards in groups.values() if len(cards) == group for index in cards]
    return tuple(whole[:count]) if _fits_groups(count, group) and len(whole) >= count else None


def _fits_groups(count: int, group: int) -> bool:
    return count <= group or count % group == 0


def _distinct(rows: tuple[DeviceType, ...]) -> tuple[DeviceType, ...]:
    names = [row.type for row in rows]
    if len(set(names)) < len(names):
        raise ValueError("a device type is there twice")
    if len({(row.resource, row.arch) for row in rows}) < len(rows):
        raise ValueError("two device types of one architecture have the same resource: nothing tells them apart")
    return rows


DeviceTypes = Annotated[tuple[DeviceType, ...], AfterValidator(_distinct)]


def by_type(rows: Iterable[DeviceType]) -> dict[str, DeviceType]:
    """The rows by the name of their type."""
    return {row.type: row for row in rows}


def card_of(resource: str, rows: Iterable[DeviceType]) -> str | None:
    """What people call one card of a resource of Kubernetes, None where it is of no row."""
    return next((row.card for row in rows if row.resource == resource), None)
