"""Run mode service: ports, readiness, and that it never finishes."""

from __future__ import annotations

from typing import Any

import pytest
from atoll.engines.base import Phase

from tests.engines.bench import Bench, Started

PORT = {"name": "web", "number": 8080, "protocol": "http"}
SERVES = """
import http.server, os, time
time.sleep(2)
class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == '/ready' else 404); self.end_headers()
        self.wfile.write(os.environ['ATOLL_TASK_ID'].encode())
    def log_message(self, *_): pass
http.server.HTTPServer(('0.0.0.0', int(os.environ['ATOLL_PORT_WEB'])), Answers).serve_forever()
"""
BECOMES_READY = """
import os, time
time.sleep(2)
open(os.environ['ATOLL_OUTPUT_DIR'] + '/ready', 'w').close()
time.sleep(600)
"""
BY_FILE = {"by": "command", "command": ("sh", "-c", 'test -e "$ATOLL_OUTPUT_DIR/ready"')}


def service(readiness: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"mode": "service", "ports": [PORT], "readiness": readiness, **more}


@pytest.mark.parametrize(
    ("source", "readiness"),
    [
        (SERVES, {"by": "http", "port": "web", "path": "/ready"}),
        (SERVES, {"by": "tcp", "port": "web"}),
        (BECOMES_READY, BY_FILE),
    ],
    ids=["http", "tcp", "command"],
)
async def test_it_runs_only_once_it_is_ready(start: Started, source: str, readiness: dict[str, Any]) -> None:
    attempt = await start(source, **service(readiness))
    seen = await attempt.until(Phase.RUNNING)
    assert [replica.ready for replica in seen.replicas] == [True]
    starting = [item for item in attempt.seen if item.phase is Phase.STARTING and item.reason is not None]
    assert "not_ready" in {item.reason.code for item in starting if item.reason is not None}
    assert all(replica.ready is False for item in starting for replica in item.replicas)


@pytest.mark.long
async def test_what_answers_something_else_is_not_ready(bench: Bench, start: Started) -> None:
    attempt = await start(SERVES, **service({"by": "http", "port": "web", "path": "/nowhere"}))
    other = await start(SERVES, **service({"by": "http", "port": "web", "path": "/ready"}))
    await other.until(Phase.RUNNING)
    await attempt.until(Phase.STARTING)


async def test_its_ports_are_told_while_it_runs(bench: Bench, start: Started) -> None:
    attempt = await start(SERVES, **service({"by": "tcp", "port": "web"}))
    await attempt.until(Phase.RUNNING)
    (endpoint,) = bench.engine.endpoints(attempt.id)
    assert (endpoint.rank, endpoint.port) == (0, "web")
    assert await bench.reach(endpoint, "/ready") == attempt.submission.task_id
    await bench.restart()
    assert list(bench.engine.endpoints(attempt.id)) == [endpoint]
    await attempt.stop()
    assert list(bench.engine.endpoints(attempt.id)) == []


@pytest.mark.long
async def test_it_never_succeeds(start: Started) -> None:
    attempt = await start("import time; time.sleep(1)", **service({"by": "command", "command": ("true",)}))
    seen = await attempt.until(Phase.FAILED)
    assert seen.reason is not None
    assert seen.reason.code == "service_ended"


@pytest.mark.long
async def test_a_batch_task_may_have_ports_and_ends_by_itself(start: Started) -> None:
    attempt = await start("import os; assert int(os.environ['ATOLL_PORT_WEB'])", ports=[PORT])
    seen = await attempt.until(Phase.SUCCEEDED)
    assert [replica.ready for replica in seen.replicas] == [None]
