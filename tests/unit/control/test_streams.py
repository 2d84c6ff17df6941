"""How much each certificate may follow and ask at a time, with real certificates over real TLS."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import pytest

from installer.control.callers import CALLERS
from installer.control.current import Current
from installer.control.routers import services
from installer.control.turns import MOST_WAITING
from installer.redaction import Redactor
from installer.running.journal import Journal
from installer.services.actions import Say
from installer.services.logs import follow
from installer.services.stop import Stop
from installer.services.table import BY_NAME
from tests.system.harness import wait_for
from tests.unit.control.conftest import Running, as_caller

LOG = "/services/api/logs?follow=true"
RUN = "20260101T000000Z-0001"


@pytest.fixture
def run(control: Running) -> Iterator[str]:
    """The events of a run that goes on."""
    with Journal(control.settings.state / "runs" / RUN, Redactor()) as journal:
        journal.write("started", verb="apply")
        yield f"/runs/{RUN}/events"


@pytest.fixture
def operation(control: Running, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The events of an operation that goes on, and has said something."""
    end = threading.Event()

    def render(cluster: str, service: object, revision: str | None, say: Say) -> int:
        say("rendering")
        end.wait()
        return 0

    monkeypatch.setattr(services, "render_service", render)  # there is no bundle to render from
    with as_caller(control, "administrator") as client, ThreadPoolExecutor(1) as pool:
        asked = pool.submit(client.post, "/services/api/restart")

        def begun() -> str:
            return next((one["id"] for one in client.get("/operations").json()["items"] if one["message"]), "")

        try:
            wait_for("it goes on", lambda: bool(begun()), 20)
            yield f"/operations/{begun()}/events"
        finally:
            end.set()
            asked.result(60)


def opened(client: httpx.Client, path: str, open_ones: ExitStack) -> None:
    """A stream whose first event has arrived, open as long as `open_ones`."""
    answer = open_ones.enter_context(client.stream("GET", path))
    assert answer.status_code == 200, answer.read()
    lines = answer.iter_lines()
    open_ones.callback(lambda: lines)  # whoever lets go of the lines ends the stream
    assert any(line.startswith("data:") for line in lines)


def told(client: httpx.Client, path: str) -> tuple[int, dict[str, Any]]:
    """How a stream is answered, with the problem if it is refused."""
    with client.stream("GET", path) as answer:
        if answer.is_success:
            return answer.status_code, {}
        answer.read()
        return answer.status_code, answer.json()


@pytest.mark.parametrize(
    ("caller", "what", "most"),
    [
        ("administrator", "services_logs", 16),
        ("administrator", "operations_events", 64),
        ("administrator", "runs_events", 32),
        ("platform", "runs_events", 32),
    ],
)
def test_a_caller_follows_as_much_as_its_share_and_gets_a_place_back_when_one_ends(
    control: Running, request: pytest.FixtureRequest, caller: str, what: str, most: int
) -> None:
    made = {"operations_events": "operation", "runs_events": "run"}
    path = str(request.getfixturevalue(made[what])) if what in made else LOG
    with ExitStack() as open_ones, as_caller(control, caller, "ada") as client:
        first = open_ones.enter_context(ExitStack())
        opened(client, path, first)
        for _ in range(most - 1):
            opened(client, path, open_ones)
        status, problem = told(client, path)
        assert status == 429, "one more than its share"
        assert (problem["code"], problem["params"]) == ("too_many_streams", {"limit": str(most)})
        assert "End one" in problem["remedy"]
        # What is answered at once needs no place.
        assert client.get("/services/api/logs?lines=1").status_code == 200
        first.close()  # the reader has gone, in the middle of its stream
        wait_for("a place of its own", lambda: told(client, path)[0] == 200, 20)


def test_no_caller_takes_the_place_of_another(control: Running, run: str) -> None:
    with ExitStack() as open_ones, as_caller(control, "platform", "ada") as platform:
        for _ in range(CALLERS["platform"].streams["runs_events"]):
            opened(platform, run, open_ones)
        assert told(platform, run)[0] == 429
        with as_caller(control, "administrator") as administrator:
            assert [told(administrator, path)[0] for path in (run, LOG)] == [200, 200]


def test_the_platform_follows_no_log(control: Running) -> None:
    with as_caller(control, "platform", "ada") as platform:
        status, problem = told(platform, LOG)
        assert status == 403, "followed it"
        assert problem["code"] == "not_for_caller"


HELD_SSH = """#!/bin/sh
here="$(dirname "$0")"
touch "$here/asked/$$"
while [ -e "$here/held" ]; do /bin/sleep 0.05; done
"""


def test_what_the_platform_asks_keeps_no_administrator_from_an_answer(control: Running) -> None:
    asked, held = control.nodes / "asked", control.nodes / "held"
    asked.mkdir()
    held.touch()
    (control.nodes / "ssh").write_text(HELD_SSH)
    platform, administrator = (as_caller(control, name, "ada") for name in ("platform", "administrator"))

    def ask() -> int:
        return platform.get("/services/container_runtime/logs").status_code

    with platform, administrator, ThreadPoolExecutor(60) as pool:
        waiting = [pool.submit(ask) for _ in range(60)]
        try:
            wait_for("many are asked", lambda: len([*asked.iterdir()]) >= CALLERS["platform"].at_once, 20)
            try:
                answered = administrator.get("/operations", timeout=10).status_code
            except httpx.TimeoutException:
                answered = 0
            assert answered == 200, "the administrator waits for what the platform asks"
        finally:
            held.unlink()
        assert {one.result(60) for one in waiting} == {200}


def test_of_more_requests_than_may_wait_the_next_one_is_refused_and_another_caller_is_served(control: Running) -> None:
    held = control.nodes / "held"
    (control.nodes / "asked").mkdir()
    held.touch()
    (control.nodes / "ssh").write_text(HELD_SSH)
    platform, administrator = (as_caller(control, name, "ada") for name in ("platform", "administrator"))
    answers: list[httpx.Response] = []

    def ask() -> None:
        answers.append(platform.get("/services/container_runtime/logs", timeout=150))

    with platform, administrator, ThreadPoolExecutor(MOST_WAITING + 1) as pool:
        asked = [pool.submit(ask) for _ in range(MOST_WAITING + 1)]
        try:
            wait_for("the one too many is answered", lambda: len(answers) > 0 or any(one.done() for one in asked), 30)
            ((status, problem),) = [(one.status_code, one.json()) for one in answers]
            assert (status, problem["code"]) == (429, "too_many_requests")
            assert problem["remedy"] == "Try again in some seconds."
            # As many wait: whatever this certificate asks for is refused, and what another one asks for is answered.
            assert platform.get("/services").status_code == 429
            assert administrator.get("/operations", timeout=10).status_code == 200
        finally:
            held.unlink()
        for one in asked:
            one.result()
    assert sorted(one.status_code for one in answers) == [200] * MOST_WAITING + [429]


def test_who_writes_a_log_that_nobody_reads_any_more_ends(control: Running) -> None:
    control.kubernetes.log_lines += [f"line {number}" for number in range(30_000)]
    before, stop = {*threading.enumerate()}, Stop()
    access = Current(control.settings).for_reading()
    lines = follow(access, BY_NAME["api"], 10_000_000, stop)
    next(lines)
    writers = [one for one in threading.enumerate() if one not in before and "pump" in one.name]
    assert writers
    wait_for("full", lambda: lines.gi_frame.f_locals["arriving"].full(), 20)  # type: ignore[attr-defined]
    stop.set()
    for writer in writers:
        writer.join(20)
    assert not any(writer.is_alive() for writer in writers), "waits for a reader that has gone"
    with suppress(StopIteration):
        next(lines)
