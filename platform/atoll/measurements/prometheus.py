"""A client of the Prometheus HTTP API."""

import asyncio
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from atoll.measurements.codes import MonitoringUnavailable
from atoll.web import siblings
from atoll.web.errors import Unavailable

ANSWER_S = 10.0  # for the whole answer: httpx alone waits so long for each of its bytes


@dataclass(frozen=True)
class Line:
    """One series."""

    labels: dict[str, str]
    times: list[float]
    values: list[float]


class Prometheus:
    """Range queries."""

    def __init__(self, url: str, answer_s: float = ANSWER_S, authority: Path | None = None) -> None:
        """Raise ConfigurationError where the authority of its certificate cannot be read."""
        self._http = siblings.client(url, authority, timeout=answer_s)
        self._answer_s = answer_s

    async def close(self) -> None:
        """Give connections back."""
        await self._http.aclose()

    async def range(self, query: str, since: float, until: float, *, step_s: int) -> list[Line]:
        """Series of `query` over time. Raises Unavailable."""
        body = {"query": query, "start": f"{since:.0f}", "end": f"{until:.0f}", "step": str(step_s)}
        try:
            async with asyncio.timeout(self._answer_s):
                answer = await self._http.post("/api/v1/query_range", data=body)
            content = answer.json()
            if answer.is_success and content["status"] == "success":
                return [_line(series) for series in content["data"]["result"]]
            why = f"a query is refused: {content.get('error', answer.status_code)}"
        except (httpx.HTTPError, TimeoutError) as error:
            raise Unavailable(MonitoringUnavailable(why=f"no answer ({type(error).__name__})")) from error
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            raise Unavailable(MonitoringUnavailable(why=f"it answers something else ({answer.status_code})")) from error
        raise Unavailable(MonitoringUnavailable(why=why))


def _line(series: dict[str, Any]) -> Line:
    points = [(float(at), float(value)) for at, value in series["values"]]
    points = [point for point in points if math.isfinite(point[1])]
    return Line(series["metric"], [point[0] for point in points], [point[1] for point in points])
