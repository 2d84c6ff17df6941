"""What each caller of the control service may do, with real certificates over real TLS."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from installer.control.app import create_app
from installer.control.callers import CALLERS, READS
from tests.unit.control.conftest import Running, as_caller

WAYS = {
    "health": "/healthz",
    "about": "/about",
    "nodes_list": "/nodes",
    "ports_list": "/ports",
    "services_list": "/services",
    "services_get": "/services/api",
    "services_config": "/services/api/config",
    "services_logs": "/services/registry/logs",
    "operations_list": "/operations",
    "operations_get": "/operations/none",
    "operations_events": "/operations/none/events",
    "runs_list": "/runs",
    "runs_get": "/runs/none",
    "runs_events": "/runs/none/events",
    "images_list": "/images",
    "images_describe": "/images/described?repository=a&tag=b",
}
ADA = {"Atoll-User": "ada"}


@pytest.fixture
def platform(control: Running) -> Iterator[httpx.Client]:
    with as_caller(control, "platform") as client:
        yield client


def refused(answer: httpx.Response, code: str = "not_for_caller") -> bool:
    return answer.status_code == 403 and answer.json()["code"] == code


def test_each_route_is_tried_and_given_to_somebody(control: Running) -> None:
    ways = create_app(control.settings).openapi()["paths"].values()
    routes = {operation["operationId"] for way in ways for operation in way.values()}
    assert routes == {*WAYS, "services_act"} == CALLERS["administrator"].operations
    assert CALLERS["platform"].operations == READS | {"services_act"}
    assert set(CALLERS) == {"administrator", "platform"}


@pytest.mark.parametrize("name", ["platform", "administrator", "master1", "a-stranger"])
def test_a_certificate_reads_what_the_table_says_and_nothing_else(control: Running, name: str) -> None:
    may = CALLERS[name].operations if name in CALLERS else frozenset()
    with as_caller(control, name) as client:
        for operation, way in WAYS.items():
            assert refused(client.get(way)) is (operation not in may), operation
        if name not in CALLERS:
            assert refused(client.post("/services/api/restart", headers=ADA))


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
