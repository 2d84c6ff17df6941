"""Charts."""

from typing import Literal

from atoll.web.schema import Schema


class Series(Schema):
    """One line of a chart."""

    labels: dict[str, str]
    times: list[float]
    values: list[float]


class Chart(Schema):
    """A named chart with its lines."""

    name: str
    unit: Literal["percent", "bytes", "bytes_per_second", "cores", "count"]
    series: list[Series]
