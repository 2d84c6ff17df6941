"""What each caller of the control service may do, with real certificates over real TLS."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx
import pytest
import yaml

from installer.cluster import TREE as ROOT
from installer.control.app import create_app
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
    (control.nodes / "administrators/ada").touch()
    with as_caller(control, name) as client:
        let_in = {
            operation
            for operation, method, path, query in ASKED
            if not refused(client.request(method, path, params=query, headers=ADA))
        }
    assert let_in == {operation for operation, who in RIGHTS.items() if name in who}


@pytest.mark.parametrize("name", NAMES)
def test_a_certificate_tells_a_service_what_its_row_says_and_nothing_else(control: Running, name: str) -> None:
    (control.nodes / "administrators/ada").touch()
    actions = sorted({action for service in SERVICES for action in service.actions})
    with as_caller(control, name) as client:
        let_in = {action for action in actions if not refused(client.post(f"/services/api/{action}", headers=ADA))}
        chosen = not refused(client.post("/services/api/restart", headers=ADA, json={"revision": "none"}))
    assert let_in == ACTIONS.get(name, set())
    assert chosen is (name == "administrator"), "chose what is rendered"


def test_the_platform_restarts_for_a_user_and_does_nothing_else(control: Running, platform: httpx.Client) -> None:
    (control.nodes / "administrators/ada").touch()
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
    (control.nodes / "administrators/ada").touch()
    (control.nodes / "database-is-away").touch()
    unknown = platform.post("/services/api/restart", headers=ADA)
    assert (unknown.status_code, unknown.json()["code"]) == (503, "users_unavailable")
    with as_caller(control, "administrator") as administrator:
        assert administrator.get("/operations").json()["items"] == [], "nothing of this was begun"
        # Whoever has the administrator's certificate needs no user, nor the database.
        assert administrator.post("/services/api/restart").status_code == 200
    (control.nodes / "database-is-away").unlink()
    assert platform.post("/services/api/restart", headers=ADA).status_code == 200
