"""The contract of the control service, and its two clients held against it. Needs nothing."""

import argparse
import importlib.util
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from atoll.control.client import ControlClient
from atoll.control.schemas import RunEvent
from atoll.web.errors import NotFound

from installer.cluster import TREE
from installer.control import contract
from tests.unit.control.from_contract import CONTRACT, Json, answer, check_request, events, instances, resolved

specification = importlib.util.spec_from_file_location("service_ctl", TREE / "service_ctl.py")
assert specification
assert specification.loader
service_ctl = importlib.util.module_from_spec(specification)
specification.loader.exec_module(service_ctl)


def test_the_written_contract_is_that_of_the_code() -> None:
    assert contract.FILE.read_text("utf-8") == contract.text(), "run `python -m installer.control.contract`"


def test_every_operation_has_a_name_and_every_answer_a_closed_shape() -> None:
    named = [(path, one) for path, methods in CONTRACT["paths"].items() for one in methods.values()]
    names = [one["operationId"] for _, one in named]
    assert len(names) == len({*names})
    for path, one in named:
        shapes = [*events(one).values()]
        if "application/json" in one["responses"]["200"]["content"]:
            shapes.append(answer(one))
        assert shapes, path
        assert all(shape.get("additionalProperties") is False for shape in shapes), path


class Recorder:
    """Stands for the control service in front of `service_ctl`: knows the contract only, and answers from it."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def get(self, path: str, **query: Any) -> Any:
        found = check_request("GET", path, query, None, {"Accept": "application/json"})
        self.asked.append(found["operationId"])
        return [*instances(answer(found))][-1]

    def events(self, method: str, path: str, body: Any = None, **query: Any) -> Iterator[tuple[str, Any]]:
        found = check_request(method, path, query, body, {"Accept": "text/event-stream"})
        self.asked.append(found["operationId"])
        for name, shape in events(found).items():
            for value in instances(shape):
                yield name, value


COMMANDS = {
    ("list",): {"services_list"},
    ("status",): {"services_list"},
    ("status", "api"): {"services_get"},
    ("start", "api"): {"services_act"},
    ("stop", "api"): {"services_act"},
    ("restart", "api"): {"services_act"},
    ("restart", "api", "-f", "cluster.example.yaml"): {"services_act"},
    ("restart", "control"): {"about", "services_act"},
    ("logs", "api"): {"services_logs"},
    ("logs", "api", "-f", "-n", "10000"): {"services_logs"},
    ("config", "api"): {"services_config"},
    ("operations",): {"operations_list"},
    ("operations", "20261122T100000Z-0001"): {"operations_events"},
}


@pytest.mark.parametrize("output", ["text", "json"])
@pytest.mark.parametrize("words", COMMANDS)
def test_service_ctl_asks_what_the_contract_has_and_understands_what_it_answers(
    words: tuple[str, ...], output: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(TREE)
    monkeypatch.setattr(service_ctl, "_wait_until_back", lambda *_: None)
    recorder = Recorder()
    options = service_ctl.parser().parse_args([*words, "-o", output])
    options.run(recorder, options)
    assert {*recorder.asked} == COMMANDS[words]


def test_every_command_of_service_ctl_is_held_against_the_contract() -> None:
    actions = next(one for one in service_ctl.parser()._actions if isinstance(one, argparse._SubParsersAction))
    assert {words[0] for words in COMMANDS} == {*actions.choices}


def test_a_parameter_that_the_contract_lacks_is_found() -> None:
    with pytest.raises(AssertionError, match="knows no parameter `tail`"):
        Recorder().get("/services/api/logs", tail=3)
    with pytest.raises(AssertionError, match="no GET /pods"):
        Recorder().get("/pods")


# Each request of the platform's client -> the operation of the contract
REQUESTS: dict[str, tuple[str, tuple[Any, ...]]] = {
    "services": ("services_list", ("ada",)),
    "ports": ("ports_list", ("ada",)),
    "restart": ("services_act", ("api", "ada")),
    "logs": ("services_logs", ("api", 5000, "ada")),
    "runs": ("runs_list", (1000, "20260101T000000Z-0001", "ada")),
    "run": ("runs_get", ("20260101T000000Z-0001", "ada")),
    "images": ("images_list", ("ada",)),
    "image": ("images_describe", ("imported/tool", "1", "ada")),
}


class Wired:
    """A ControlClient whose requests arrive here."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.answer: Any = None
        self.sent = ""
        self.client = ControlClient.__new__(ControlClient)
        self.client._http = httpx.AsyncClient(base_url="https://control", transport=httpx.MockTransport(self._take))

    def _take(self, request: httpx.Request) -> httpx.Response:
        own = {name: value for name, value in request.headers.items() if name in {"last-event-id", "atoll-user"}}
        body = json.loads(request.content) if request.content else None
        assert own.get("atoll-user") == "ada", "it does not say for whom it asks"
        found = check_request(request.method, request.url.path, dict(request.url.params), body, own)
        self.asked.append(found["operationId"])
        if self.sent:
            return httpx.Response(200, text=self.sent, headers={"Content-Type": "text/event-stream"})
        return httpx.Response(200, json=self.answer)


@pytest.fixture
def wired() -> Wired:
    return Wired()


def operation_named(name: str) -> Json:
    every = [one for methods in CONTRACT["paths"].values() for one in methods.values()]
    return next(one for one in every if one["operationId"] == name)


@pytest.mark.parametrize("request_name", REQUESTS)
async def test_the_platform_asks_what_the_contract_has_and_reads_whatever_it_may_answer(
    wired: Wired, request_name: str
) -> None:
    name, arguments = REQUESTS[request_name]
    values = [*instances(answer(operation_named(name)))]
    assert values
    for wired.answer in values:
        await getattr(wired.client, request_name)(*arguments)
    assert {*wired.asked} == {name}


async def test_the_events_of_a_run_are_passed_on_as_the_contract_has_them(wired: Wired) -> None:
    shape = events(operation_named("runs_events"))["run"]
    values = [*instances(shape)]
    wired.sent = "".join(
        f": a comment\r\nevent: run\r\nid: {number}\r\ndata: {json.dumps(value)}\r\n\r\n"
        for number, value in enumerate(values, 1)
    )
    passed = [event async for event in wired.client.run_events("20260101T000000Z-0001", "7", "ada")]
    assert wired.asked == ["runs_events"]
    assert [(event.event, event.id) for event in passed] == [("run", str(n)) for n in range(1, len(values) + 1)]
    read = [RunEvent.model_validate_json(str(event.data)) for event in passed]
    assert [one.data for one in read] == [value["data"] for value in values]


async def test_a_refusal_that_tells_no_parameters_at_all_is_passed_on_in_its_own_words() -> None:
    said = {"code": "no_such_service", "detail": "There is no such service.", "params": None}
    client = ControlClient.__new__(ControlClient)
    transport = httpx.MockTransport(lambda _: httpx.Response(404, json=said))
    client._http = httpx.AsyncClient(base_url="https://control", transport=transport)
    with pytest.raises(NotFound, match="There is no such service"):
        await client.restart("api", "ada")


def test_every_request_of_the_platform_is_held_against_the_contract() -> None:
    public = {name for name in vars(ControlClient) if not name.startswith("_")}
    assert public - {"close"} == {*REQUESTS, "run_events"}


def test_instances_have_every_word_and_every_alternative() -> None:
    runs = [*instances({"$ref": "#/components/schemas/RunSummary"})]
    assert {run["state"] for run in runs} == {"running", "succeeded", "failed", "interrupted"}
    assert {run["finished_at"] for run in runs} == {None, "2026-11-22T10:00:00.000Z"}
    assert resolved({"$ref": "#/components/schemas/Run"})["properties"]["phases"]["type"] == "array"
