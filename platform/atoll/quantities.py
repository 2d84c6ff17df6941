"""CPU and memory as Kubernetes writes them (`2`, `500m`, `400Mi`), exact. Ki, Mi and Gi count by 1024 everywhere."""

import re
from decimal import ROUND_CEILING, Decimal
from typing import Annotated

from pydantic import AfterValidator, StringConstraints

_SUFFIXES = {
    "": Decimal(1),
    "m": Decimal("0.001"),
    **{letter + "i": Decimal(1024) ** power for power, letter in enumerate("KMGT", start=1)},
    **{letter: Decimal(1000) ** power for power, letter in enumerate("kMGT", start=1)},
}
_PATTERN = re.compile(r"^(\d{1,15}(?:\.\d{1,9})?)(m|[KMGT]i|[kMGT])?$")


def parse(text: str) -> Decimal:
    """The amount in cores or bytes. Raises ValueError for what is not a quantity."""
    match = _PATTERN.match(text)
    if match is None:
        raise ValueError(f"`{text}` is not a quantity; write for example 2, 500m, 400Mi or 80Gi")
    return Decimal(match[1]) * _SUFFIXES[match[2] or ""]


def _checked(text: str) -> str:
    parse(text)
    return text


Quantity = Annotated[str, StringConstraints(max_length=24), AfterValidator(_checked)]


def cpu_text(cores: Decimal) -> str:
    """Cores in the shortest exact form, rounded up to a thousandth."""
    milli = int((cores * 1000).to_integral_value(ROUND_CEILING))
    return str(milli // 1000) if milli % 1000 == 0 else f"{milli}m"


def memory_text(amount_bytes: Decimal) -> str:
    """Bytes in the largest binary unit that is exact, rounded up to a whole byte."""
    whole = int(amount_bytes.to_integral_value(ROUND_CEILING))
    for suffix, size in (("Gi", 1 << 30), ("Mi", 1 << 20), ("Ki", 1 << 10)):
        if whole and whole % size == 0:
            return f"{whole // size}{suffix}"
    return str(whole)
