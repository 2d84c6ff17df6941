"""Charts and the client of Prometheus, against a server on loopback that answers as it is told."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any
from urllib.parse import parse_qsl

import pytest
from atoll.measurements.prometheus import Prometheus
from atoll.monitoring.charts import POINTS, ChartName, chart
from atoll.web.errors import Unavailable
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse

from tests.unit.platform.conftest import serving

Answer = Callable[[dict[str, str]], Response]


@contextlib.asynccontextmanager
async def prometheus(answer: Answer, answer_s: float = 5) -> AsyncIterator[Prometheus]:
    app = FastAPI()

    @app.post("/api/v1/query_range")
    async def query_range(request: Request) -> Response:
        return answer(dict(parse_qsl((await request.body()).decode())))

    async with serving(app) as port:
        client = Prometheus(f"http://127.0.0.1:{port}", answer_s)
        try:
            yield client
        finally:
            await client.close()


def matrix(*series: dict[str, Any]) -> Response:
    return JSONResponse({"status": "success", "data": {"resultType": "matrix", "result": list(series)}})


async def refused(answer: Answer, answer_s: float = 5) -> Unavailable:
    async with prometheus(answer, answer_s) as client:
        with pytest.raises(Unavailable) as told:
            await chart(client, ChartName.NODE_CPU, minutes=60, node=None)
    assert told.value.code == "monitoring_unavailable"
    return told.value


@pytest.mark.parametrize("name", list(ChartName))
@pytest.mark.parametrize("node", [None, "worker1"])
async def test_a_chart_is_one_query_of_its_table_for_all_nodes_or_one(name: ChartName, node: str | None) -> None:
    asked: list[dict[str, str]] = []

    def answer(query: dict[str, str]) -> Response:
        asked.append(query)
        return matrix({"metric": {"node": "worker1"}, "values": [[1000, "1.5"], [1015, "NaN"], [1030, "+Inf"]]})

    async with prometheus(answer) as client:
        made = await chart(client, name, minutes=24 * 60, node=node)
    (query,) = asked
    assert (made.name, len(made.series)) == (name, 1)
    assert (made.series[0].labels, made.series[0].times, made.series[0].values) == ({"node": "worker1"}, [1000], [1.5])
    assert ('node="worker1"' in query["query"]) is (node is not None)
    assert "$" not in query["query"]
    for opened, closed in ("()", "{}"):
        assert query["query"].count(opened) == query["query"].count(closed)
    assert int(query["end"]) - int(query["start"]) == 24 * 60 * 60
    assert (int(query["end"]) - int(query["start"])) / int(query["step"]) <= POINTS


async def test_nothing_measured_is_a_chart_without_lines() -> None:
    async with prometheus(lambda _: matrix()) as client:
        assert (await chart(client, ChartName.DEVICE_MEMORY, minutes=1, node=None)).series == []


async def test_what_prometheus_refuses_is_told_in_its_words() -> None:
    wrong = {"status": "error", "errorType": "bad_data", "error": "parse error"}
    told = await refused(lambda _: JSONResponse(wrong, 400))
    assert "parse error" in told.detail


@pytest.mark.parametrize(
    "answer",
    [
        lambda: PlainTextResponse("Service Unavailable", 503),
        lambda: PlainTextResponse("<html>", 200),
        lambda: JSONResponse([]),
        lambda: JSONResponse({"status": "success"}),
        lambda: JSONResponse({"status": "success", "data": {"result": [{"metric": {}}]}}),
        lambda: matrix({"metric": {}, "values": [["soon", "much"]]}),
    ],
    ids=["503", "html", "list", "no data", "no values", "no numbers"],
)
async def test_what_is_no_answer_of_prometheus_is_told_as_such(answer: Callable[[], Response]) -> None:
    assert "something else" in (await refused(lambda _: answer())).detail


async def test_an_answer_that_takes_too_long_is_not_waited_for_even_if_it_comes_byte_by_byte() -> None:
    async def drips() -> AsyncIterator[bytes]:
        while True:
            yield b" "
            await asyncio.sleep(0.05)

    async with asyncio.timeout(10):
        assert "TimeoutError" in (await refused(lambda _: StreamingResponse(drips()), answer_s=0.5)).detail


async def test_where_nobody_listens_is_told() -> None:
    async with prometheus(lambda _: matrix()) as client:
        pass
    client = Prometheus("http://127.0.0.1:1")
    with pytest.raises(Unavailable, match="ConnectError"):
        await chart(client, ChartName.NODE_CPU, minutes=60, node=None)
    await client.close()
