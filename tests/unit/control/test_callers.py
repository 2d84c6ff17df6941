"""What each caller of the control service may do, with real certificates over real TLS."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator

import httpx
import pytest
import yaml

from installer.cluster import TREE as ROOT
from installer.control import accounts, trail
from installer.control.app import create_app
from installer.control.callers import CALLERS
from installer.redaction import Redactor
from installer.running.journal import Journal
from installer.services.table import SERVICES
from tests.unit.control.conftest import Running, as_caller

# Each operation of the contract: who may. A new route without a row is red; so is a row that says less or more.
BOTH, ADMINISTRATOR = {"administrator", "platform"}, {"administrator"}
RIGHTS = {
    "health": ADMINISTRATOR,
    "about": ADMINISTRATOR,
    "nodes_list": ADMINISTRATOR,
    "ports_list": BOTH,
    "services_list": BOTH,
    "services_get": ADMINISTRATOR,
    "services_config": ADMINISTRATOR,
    "services_logs": BOTH,
    "services_act": BOTH,
    "operations_list": ADMINISTRATOR,
    "operations_get": ADMINISTRATOR,
    "operations_events": ADMINISTRATOR,
    "runs_list": BOTH,
    "runs_get": BOTH,
    "runs_events": BOTH,
    "images_list": BOTH,
    "images_describe": BOTH,
}
# Of `services_act`: what each may tell a service to do.
ACTIONS = {"administrator": {"start", "stop", "restart"}, "platform": {"restart"}}
# Of nothing that is there: who is let in changes nothing.
SAMPLES = {"name": "none", "identifier": "none", "run_id": "none", "action": "restart"}
CONTRACT = json.loads((ROOT / "installer/control/openapi.json").read_text("utf-8"))["paths"]
ASKED = [
    (
        operation["operationId"],
        method.upper(),
        path.format(**SAMPLES),
        {one["name"]: "a" for one in operation.get("parameters", ()) if one["in"] == "query" and one.get("required")},
    )
    for path, ways in CONTRACT.items()
    for method, operation in ways.items()
]
# Certificates of the control service's authority that Atoll makes, a master's own among them, and one of nobody's.
VARIABLES = yaml.safe_load((ROOT / "roles/certificates/vars/main.yml").read_text("utf-8"))
NAMES = sorted(
    {
        one["name"].removeprefix("control/").removeprefix("servers/").replace("{{ atoll_node.name }}", "master1")
        for rows in VARIABLES.values()
        if isinstance(rows, list)
        for one in rows
        if isinstance(one, dict) and one.get("name", "").startswith("control/")
    }
    | {"atoll-administrator", "atoll:installer", "system:node:master1", "a-stranger", "Administrator"}
)
ADA = {"Atoll-User": "ada"}


@pytest.fixture
def platform(control: Running) -> Iterator[httpx.Client]:
    with as_caller(control, "platform") as client:
        yield client


def refused(answer: httpx.Response, code: str = "not_for_caller") -> bool:
    return answer.status_code == 403 and answer.json()["code"] == code


def test_each_route_of_the_contract_has_a_row(control: Running) -> None:
    routes = {operation["operationId"] for ways in CONTRACT.values() for operation in ways.values()}
    assert routes == RIGHTS.keys()
    served = create_app(control.settings).openapi()["paths"].values()
    assert {operation["operationId"] for ways in served for operation in ways.values()} == routes
    assert {"administrator", "platform", "master1"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_certificate_may_what_its_row_says_on_every_route_and_nothing_else(control: Running, name: str) -> None:
    with as_caller(control, name) as client:
        let_in = {
            operation
            for operation, method, path, query in ASKED
            if not refused(client.request(method, path, params=query, headers=ADA))
        }
    wanted = {operation for operation, who in RIGHTS.items() if name in who}
    assert let_in == wanted, f"let in beyond its row: {sorted(let_in - wanted)}"


@pytest.mark.parametrize("name", NAMES)
def test_a_certificate_tells_a_service_what_its_row_says_and_nothing_else(control: Running, name: str) -> None:
    actions = sorted({action for service in SERVICES for action in service.actions})
    with as_caller(control, name) as client:
        let_in = {action for action in actions if not refused(client.post(f"/services/api/{action}", headers=ADA))}
        chosen = not refused(client.post("/services/api/restart", headers=ADA, json={"revision": "none"}))
    assert let_in == ACTIONS.get(name, set())
    assert chosen is (name == "administrator"), "chose what is rendered"


def test_the_platform_restarts_for_a_user_and_does_nothing_else(control: Running, platform: httpx.Client) -> None:
    for action in ("stop", "start"):
        assert refused(platform.post(f"/services/api/{action}", headers=ADA)), action
    assert refused(platform.post("/services/api/restart", headers=ADA, json={"revision": "1"}))
    assert refused(platform.post("/services/api/restart"), "no_acting_user")
    for name in ("", "a", "Ada", "ada lovelace", "../ada", "ada;x", "a" * 33):
        assert refused(platform.post("/services/api/restart", headers={"Atoll-User": name}), "no_acting_user"), name
    with as_caller(control, "administrator") as administrator:
        assert administrator.get("/operations").json()["items"] == [], "nothing of this was begun"
        platform.post("/services/control-like/restart", headers=ADA)  # there is no such service: nothing is begun
        assert platform.post("/services/api/restart", headers=ADA).status_code == 200
        (begun,) = administrator.get("/operations").json()["items"]
        assert begun["caller"] == "ada by platform"
        # Who is somebody on their own acts for nobody.
        administrator.post("/services/api/restart", headers=ADA)
        assert administrator.get("/operations").json()["items"][0]["caller"] == "administrator"


def test_the_platform_acts_for_administrators_that_the_database_knows_and_for_nobody_else(
    control: Running, platform: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    assert refused(platform.post("/services/api/restart", headers={"Atoll-User": "mallory"}), "user_not_allowed")
    assert "mallory" in caplog.text
    (control.nodes / "database-is-away").touch()
    unknown = platform.post("/services/api/restart", headers=ADA)
    assert (unknown.status_code, unknown.json()["code"]) == (503, "users_unavailable")
    with as_caller(control, "administrator") as administrator:
        assert administrator.get("/operations").json()["items"] == [], "nothing of this was begun"
        # Whoever has the administrator's certificate needs no user, nor the database.
        assert administrator.post("/services/api/restart").status_code == 200
    (control.nodes / "database-is-away").unlink()
    assert platform.post("/services/api/restart", headers=ADA).status_code == 200


READ_FOR_USERS = [
    (method, path, query)
    for operation, method, path, query in ASKED
    if method == "GET" and operation in CALLERS["platform"].operations
]


@pytest.mark.parametrize(("method", "path", "query"), READ_FOR_USERS)
def test_the_platform_reads_for_a_user_who_may_and_for_nobody_else(
    control: Running, platform: httpx.Client, method: str, path: str, query: dict[str, str]
) -> None:
    def ask(**headers: str) -> httpx.Response:
        return platform.request(method, path, params=query, headers={"Atoll-User": headers["user"]} if headers else {})

    assert refused(ask(), "no_acting_user"), "read for nobody"
    for name in ("", "a", "Ada", "../ada", "ada;x", "a" * 33):
        assert refused(ask(user=name), "no_acting_user"), name
    assert refused(ask(user="mallory"), "user_not_allowed"), "read for a name"
    of_everybody = path.startswith("/images")
    assert refused(ask(user="bob"), "user_not_allowed") is not of_everybody, "bob is no administrator"
    assert ask(user="ada").status_code != 403
    # What is found for one speaks for no other, nor for more than it was asked for.
    assert refused(ask(user="mallory"), "user_not_allowed")
    assert refused(platform.get("/services", headers={"Atoll-User": "bob"}), "user_not_allowed")


def test_what_was_found_of_a_user_is_believed_for_a_moment_and_for_reads_alone(
    control: Running, platform: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(3):
        assert platform.get("/services", headers=ADA).status_code == 200
    book = control.nodes / "asked-of-database"
    assert book.read_text() == "ada services:read,administration\n", "the database is asked each time"
    (control.nodes / "administrators/ada").unlink()
    assert refused(platform.post("/services/api/restart", headers=ADA), "user_not_allowed"), "restarted for a memory"
    assert refused(platform.get("/services", headers=ADA), "user_not_allowed"), "a refusal is forgotten"
    (control.nodes / "administrators/ada").touch()
    assert platform.get("/services", headers=ADA).status_code == 200
    (control.nodes / "administrators/ada").unlink()
    monkeypatch.setattr(accounts, "BELIEVED_S", 0.0)
    assert refused(platform.get("/services", headers=ADA), "user_not_allowed"), "believed for ever"


def test_a_database_that_does_not_end_or_does_not_answer_lets_nobody_in(
    control: Running, platform: httpx.Client
) -> None:
    for how in ("database-is-away", "database-has-no-end"):
        (control.nodes / how).touch()
        unknown = platform.get("/services", headers=ADA)
        assert (unknown.status_code, unknown.json()["code"]) == (503, "users_unavailable"), how
        (control.nodes / how).unlink()


def test_who_reads_logs_and_runs_is_told_once_in_a_while_and_lists_are_not(
    control: Running, platform: httpx.Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    caplog.set_level(logging.INFO)
    run = "20260101T000000Z-0001"
    with Journal(control.settings.state / "runs" / run, Redactor()) as journal:
        journal.write("started", verb="apply")

    def told() -> list[str]:
        return [one.message for one in caplog.records if one.name == trail.__name__]

    def read(*paths: str) -> None:
        for path in paths:
            assert platform.get(path, headers=ADA).status_code == 200, path

    read("/services", "/ports", "/runs", "/services")
    assert told() == []
    read("/services/api/logs", f"/runs/{run}", "/services/api/logs", "/services/jobs/logs")
    lines = [f"ada by platform reads {what}" for what in ("the log of api", f"run {run}", "the log of jobs")]
    assert told() == lines
    monkeypatch.setattr(trail, "AGAIN_S", 0.0)
    read("/services/api/logs")
    assert told() == [*lines, lines[0]]


def test_refusals_do_not_fill_the_log(
    control: Running, platform: httpx.Client, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        platform.get("/services", headers={"Atoll-User": "mallory"})
    assert sum("mallory" in one.message for one in caplog.records) == 1
