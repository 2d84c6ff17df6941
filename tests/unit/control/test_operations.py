"""Operations of the control service: side by side, in a journal, forgotten by no restart. Needs nothing."""

import asyncio
import contextlib
import json
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from installer.cluster import TREE
from installer.control.operations import Event, Operation, Operations, Work
from installer.control.routers.operations import routes
from installer.redaction import Redactor
from installer.running.errors import Busy
from installer.running.journal import Journal
from installer.running.lock import ClusterLock
from installer.services.actions import ActionResult, Say

OPERATING = Path(__file__).with_name("operating.py")


def fine(service: str) -> ActionResult:
    return ActionResult(service, "restart", True, True, f"{service} is running (1/1)", 0.5)


@pytest.fixture
def state(tmp_path: Path) -> Path:
    (tmp_path / "secrets.yaml").write_text("database_password: Correct-Horse-77\n")
    return tmp_path


def events(operation: Operation, after: int = 0) -> list[str]:
    return [event["event"] for event in followed(operation, after)]


def followed(operation: Operation, after: int = 0) -> list[Event]:
    async def follow() -> list[Event]:
        return [event async for _, event in operation.follow(after)]

    return asyncio.run(follow())


def test_operations_that_share_nothing_go_side_by_side_and_others_are_refused_by_name(state: Path) -> None:
    book, together = Operations(state), threading.Barrier(3, timeout=20)

    def work(service: str) -> ActionResult:
        together.wait()  # passes only if both are here at the same time
        return fine(service)

    def of(service: str) -> Work:
        return lambda _: work(service)

    going = [book.begin(name, "restart", "ada", of(name)) for name in ("api", "monitoring")]
    with pytest.raises(Busy, match="`restart monitoring`, asked for by ada, goes on"):
        book.begin("monitoring", "stop", "bob", lambda _: fine("monitoring"))
    together.wait()
    assert [one.result()["ok"] for one in going] == [True, True]
    assert book.begin("monitoring", "stop", "bob", lambda _: fine("monitoring")).result()["ok"]


def test_nothing_begins_while_another_process_applies(state: Path) -> None:
    holding = (
        "import sys, pathlib; from installer.running.lock import ClusterLock\n"
        "with ClusterLock(pathlib.Path(sys.argv[1]), 'run-7', 'apply'): print('held', flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", holding, str(state)], cwd=TREE, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout
    assert other.stdout.readline() == "held\n"
    book = Operations(state)
    with pytest.raises(Busy, match="`apply`, asked for by run run-7, goes on"):
        book.begin("api", "restart", "ada", lambda _: fine("api"))
    assert book.page(10) == ([], None), "what was refused is no operation"
    other.communicate("")
    with ClusterLock(state, "run-8", "restart monitoring"):  # rendering of an operation of this very process
        assert book.begin("api", "restart", "ada", lambda _: fine("api")).result()["ok"]


def test_an_operation_is_on_the_disk_before_it_acts_and_without_secrets(state: Path) -> None:
    book, seen = Operations(state), []

    def work(say: Say) -> ActionResult:
        seen.extend(Operations(state).page(10)[0])
        say("the password is Correct-Horse-77")
        return fine("api")

    operation = book.begin("api", "restart", "ada", work)
    assert operation.result()["message"] == "api is running (1/1)"
    assert [one.id for one in seen] == [operation.id]
    written = (state / "operations" / operation.id / "journal.jsonl").read_text()
    assert "Correct-Horse-77" not in written
    assert "the password is ••••••" in [event.get("text") for event in followed(operation)]
    assert [json.loads(line)["event"] for line in written.splitlines()] == ["begun", "message", "finished"]


def test_a_defect_ends_the_operation_and_frees_its_place(state: Path) -> None:
    book = Operations(state)

    def work(_: Say) -> ActionResult:
        raise ZeroDivisionError("a defect")

    assert book.begin("api", "restart", "ada", work).result()["message"] == "a defect"
    assert [one.to_json()["state"] for one in book.page(10)[0]] == ["failed"]
    assert book.begin("api", "restart", "ada", lambda _: fine("api")).result()["ok"]


def test_a_killed_control_service_forgets_no_operation(state: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, str(OPERATING), str(state)], cwd=TREE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.kill()
    process.wait()
    process.stdout.close()
    torn = next(iter((state / "operations").glob("*/journal.jsonl")))
    with torn.open("a") as journal:
        journal.write('{"at": 1, "event": "mess')  # a line that the kill left incomplete

    book = Operations(state)

    told = {one.to_json()["service"]: one.to_json() for one in book.page(10)[0]}
    assert {name: one["state"] for name, one in told.items()} == {
        "queue": "succeeded",
        "api": "interrupted",
        "monitoring": "interrupted",
    }
    assert "service_ctl status api" in told["api"]["message"]
    assert told["api"]["finished_at"] is not None
    interrupted = book.find(told["monitoring"]["id"])
    assert interrupted
    assert events(interrupted) == ["begun", "message", "finished"]
    assert interrupted.result()["ok"] is False
    again = Operations(state)
    assert [one.to_json() for one in again.page(10)[0]] == [one.to_json() for one in book.page(10)[0]]
    assert again.begin("api", "restart", "ada", lambda _: fine("api")).result()["ok"], "nothing holds its place"


def test_an_operation_of_a_process_that_is_in_another_container_is_not_ended(state: Path) -> None:
    """Its numbers of processes are others there: that its journal is held is what tells that it goes on."""
    folder = state / "operations" / "20261122T120000.000000Z-aaaa"
    foreign = {"pid": 1, "started": 1, "boot": "another"}
    with Journal(folder, Redactor()) as held:
        held.write("begun", service="api", action="restart", caller="ada", writer=foreign)
        book = Operations(state)
        assert [one.to_json()["state"] for one in book.page(10)[0]] == ["running"]
    assert [one.to_json()["state"] for one in book.page(10)[0]] == ["interrupted"]
    assert [one.to_json()["state"] for one in Operations(state).page(10)[0]] == ["interrupted"]


def test_operations_come_in_pages_and_the_oldest_are_forgotten(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("installer.control.operations.KEPT", 3)
    monkeypatch.setattr("installer.control.operations.new_id", iter([f"{number:03}" for number in range(5)]).__next__)
    book = Operations(state)
    for _ in range(5):
        book.begin("api", "restart", "ada", lambda _: fine("api")).result()
    first, more = book.page(2)
    second, end = book.page(2, more)
    assert [one.id for one in (*first, *second)] == ["004", "003", "002"]
    assert end is None
    assert book.find("000") is None


def test_who_comes_back_gets_what_is_new_and_a_number_too_high_ends_at_once(state: Path) -> None:
    operation = Operations(state).begin("api", "restart", "ada", lambda say: say("x") or fine("api"))  # type: ignore[func-returns-value]
    operation.result()
    assert events(operation, 1) == ["message", "finished"]
    assert events(operation, 99) == []


def test_an_operation_whose_first_line_never_reached_the_disk_hides_no_other(state: Path) -> None:
    operations = Operations(state)
    operations.begin("api", "restart", "ada", lambda say: ActionResult("api", "restart", True, True, "", 0.1)).result()
    empty = state / "operations" / "99990101T000000.000000Z-0000"
    empty.mkdir()
    (empty / "journal.jsonl").touch()
    found, _ = operations.page(10)
    assert [one.to_json()["service"] for one in found] == ["api"]
    assert operations.find(empty.name) is None


@contextlib.contextmanager
def serving(operations: Operations) -> Iterator[str]:
    """The routes of operations alone, for the administrator; gives the address."""
    app = FastAPI()
    app.include_router(routes(operations))

    async def as_administrator(scope: Scope, receive: Receive, send: Send) -> None:
        await app({**scope, "state": {**scope.get("state", {}), "caller": "administrator"}}, receive, send)

    server = uvicorn.Server(uvicorn.Config(as_administrator, port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)


async def test_many_followers_of_an_operation_keep_nobody_else_from_an_answer(state: Path) -> None:
    book, goes_on = Operations(state), threading.Event()
    operation = book.begin("api", "restart", "ada", lambda _: (goes_on.wait(60), fine("api"))[1])
    unlimited = httpx.Limits(max_connections=None)
    with serving(book) as url:
        try:
            async with httpx.AsyncClient(base_url=url, timeout=20, limits=unlimited) as client:

                async def follow() -> str:
                    return (await client.get(f"/operations/{operation.id}/events")).text

                followers = [asyncio.create_task(follow()) for _ in range(32)]
                gone = [asyncio.create_task(follow()) for _ in range(32)]
                await asyncio.sleep(1)
                for one in gone:
                    one.cancel()
                listed = await client.get("/operations", timeout=5)
                assert [one["state"] for one in listed.json()["items"]] == ["running"]
                goes_on.set()
                assert all("event: finished" in text for text in await asyncio.gather(*followers))
        finally:
            goes_on.set()
