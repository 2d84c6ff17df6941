"""A client of the Prometheus HTTP API."""

import math
from dataclasses import dataclass

import httpx

from atoll.measurements.codes import MonitoringUnavailable
from atoll.web.errors import Unavailable
from atoll.web.siblings import KEPT_OPEN


@dataclass(frozen=True)
class Line:
    """One series."""

    labels: dict[str, str]
    times: list[float]
    values: list[float]


class Prometheus:
    """Range queries."""

    def __init__(self, url: str) -> None:
        self._http = httpx.AsyncClient(base_url=url, timeout=10, limits=KEPT_OPEN)

    async def close(self) -> None:
        """Give connections back."""
        await self._http.aclose()

    async def range(self, query: str, since: float, until: float, *, step_s: int) -> list[Line]:
        """Series of `query` over time. Raises Unavailable."""
        body = {"query": query, "start": f"{since:.0f}", "end": f"{until:.0f}", "step": str(step_s)}
        try:
            answer = await self._http.post("/api/v1/query_range", data=body)
            content = answer.json()
        except (httpx.HTTPError, ValueError) as error:
            raise Unavailable(MonitoringUnavailable(why=f"no answer ({type(error).__name__})")) from error
        if answer.is_error or content.get("status") != "success":
            raise Unavailable(
                MonitoringUnavailable(why=f"a query is refused: {content.get('error', answer.status_code)}")
            )
        lines = []
        for series in content["data"]["result"]:
            points = [(float(at), float(value)) for at, value in series["values"]]
            points = [point for point in points if math.isfinite(point[1])]
            lines.append(Line(series["metric"], [point[0] for point in points], [point[1] for point in points]))
        return lines
