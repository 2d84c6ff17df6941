"""Time zones by their IANA names. Pure."""

import functools
import zoneinfo

# What systems have among their zones and what is no zone of the world.
_NONE = frozenset({"Factory", "localtime", "posixrules"})


@functools.cache
def _known() -> frozenset[str]:
    return frozenset(zoneinfo.available_timezones()) - _NONE


def is_zone(name: str) -> bool:
    """Whether there is a time zone of that name, also one that has another name by now (`Asia/Calcutta`)."""
    return name in _known()
