"""CPU, memory and room on disks as Kubernetes writes them (`2`, `500m`, `400Mi`).

Ki, Mi and Gi count by 1024 everywhere.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from installer.cluster.mistakes import refuse

_SUFFIXES = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    **{letter + "i": Decimal(1024) ** power for power, letter in enumerate("KMGTP", start=1)},
    **{letter: Decimal(1000) ** power for power, letter in enumerate("kMGTP", start=1)},
}
_PATTERN = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(m|[KMGTP]i|[kMGTP])?")
# The shares of a volume and the sizes that `home_quotas.py` of the role `storage` reads.
_ROOM = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)([KMGTP]i|[kMGTP])?")
_SHARE = re.compile(r"(\d{1,3}(?:\.\d{1,3})?)%")
_LEAST_ROOM = "16Mi"  # a home with its examples, and a task's log
_LEAST_FILES = 200  # a home with its examples, and a task's logs
_MOST_FILES = 10**12
REMEDY = "Write CPU as `2` or `500m` (thousandths of a core) and memory as `400Mi` or `80Gi`."
ROOM_REMEDY = (
    f"Write a size of at least {_LEAST_ROOM}, like `200Gi`, or a share of the volume above 0 %, like `50%`; "
    "`null` is no limit."
)

FILES_REMEDY = f"Write a number of at least {_LEAST_FILES}, like `5000000`; `null` is no limit."


def amount(text: str) -> Decimal:
    """Return cores or bytes. Raises ValueError for what is not a quantity."""
    match = _PATTERN.fullmatch(text)
    if match is None:
        raise ValueError(f"`{text}` is not a quantity")
    return Decimal(match[1]) * _SUFFIXES[match[2] or ""]


def _checked(value: Any) -> str:
    # YAML reads `cpu: 2` as a number; as a quantity it means the same as "2".
    text = str(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else None
    if text is None or _PATTERN.fullmatch(text) is None:
        raise refuse(f"`{value}` is not a quantity of CPU or memory.", REMEDY)
    if amount(text) <= 0:
        raise refuse(f"`{text}` is not above zero.", REMEDY)
    return text


Quantity = Annotated[
    str,
    BeforeValidator(_checked),
    WithJsonSchema({"type": ["string", "number"], "pattern": f"^{_PATTERN.pattern}$", "examples": ["2", "400Mi"]}),
]


def _room(value: Any) -> str:
    text = str(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else ""
    share = _SHARE.fullmatch(text)
    size = amount(text) if _ROOM.fullmatch(text) else 0
    if not (0 < Decimal(share[1]) <= 100 if share else size >= amount(_LEAST_ROOM)):
        raise refuse(f"`{value}` is no room that files of a user can be given.", ROOM_REMEDY)
    return text


Room = Annotated[
    str,
    BeforeValidator(_room),
    WithJsonSchema(
        {"type": ["string", "number"], "pattern": f"^({_ROOM.pattern}|{_SHARE.pattern})$", "examples": ["200Gi", "50%"]}
    ),
]


def _file_count(value: Any) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not _LEAST_FILES <= value <= _MOST_FILES:
        raise refuse(f"`{value}` is no number of files that a user can be given.", FILES_REMEDY)
    return value


FileCount = Annotated[
    int,
    BeforeValidator(_file_count),
    WithJsonSchema({"type": "integer", "minimum": _LEAST_FILES, "maximum": _MOST_FILES}),
]
