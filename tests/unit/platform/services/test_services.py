"""Services and runs by the API, with a real control service behind it over mutual TLS. Needs nothing else."""

from typing import Any

import pytest

from installer.control.routers import services as routes
from tests.unit.control.conftest import Running, control, kubernetes
from tests.unit.platform.conftest import RunningPlatform

__all__ = ["control", "kubernetes"]


@pytest.fixture
def different(control: Running) -> dict[str, Any]:
    """The platform has its own certificate for the control service, whose database knows the platform's users."""
    for who in ("administrators/admin", "users/ada"):
        (control.nodes / who).touch()
    certificate, key = control.authority.issue("platform")
    ca = control.authority.file
    return {"control": {"url": control.url, "certificate": certificate, "key": key, "ca": ca}}


# Names as people send them, of which none may become another address of the control service, or an error of ours.
ODD = ("a%00b", "a%0Ab", "%7F", "a%3Fb", "a%23b", "%2E%2E", "api%2E", "%C3%A4", "a%25b", "a%5Bb")


@pytest.fixture(autouse=True)
def rendered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Stand in for the playbook, which renders nothing here."""
    monkeypatch.setattr(routes, "render_service", lambda *_: 0)


async def test_services_are_told_as_the_control_service_sees_them(platform: RunningPlatform, control: Running) -> None:
    (control.nodes / "atoll-registry.service").write_text("failed")
    answer = await (await platform.admin()).get("/services")
    assert answer.status_code == 200, answer.text
    listed = {one["name"]: one for one in answer.json()["items"]}
    assert listed["api"]["state"] == "running"
    assert listed["registry"]["state"] == "failed"
    assert "restart" in listed["api"]["actions"]


async def test_a_restart_is_done_for_the_administrator_who_asks_and_kept(
    platform: RunningPlatform, control: Running
) -> None:
    admin = await platform.admin()
    of = ("deployments", "atoll-system", "jobs")
    before = control.kubernetes.workloads[of]["metadata"]["generation"]
    (control.nodes / "administrators" / "admin").unlink()
    refused = await admin.post("/services/jobs/restart")
    assert (refused.status_code, refused.json()["code"]) == (403, "user_not_allowed")
    assert control.kubernetes.workloads[of]["metadata"]["generation"] == before
    (control.nodes / "administrators" / "admin").touch()
    done = await admin.post("/services/jobs/restart")
    assert (done.status_code, done.json()["ok"]) == (200, True), done.text
    assert control.kubernetes.workloads[of]["metadata"]["generation"] == before + 1
    kept = (await admin.get("/audit", params={"action": "service.restart"})).json()["items"]
    assert [(row["outcome"], row["object_name"]) for row in kept] == [("done", "jobs"), ("failed", "jobs")]


async def test_the_restart_of_what_has_an_odd_name_is_refused_and_kept(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    for name in ("a%00b", "a%0Ab", "%2E%2E"):
        refused = await admin.post(f"/services/{name}/restart")
        assert (refused.status_code, refused.json()["code"]) == (404, "no_such_service"), refused.text
    kept = (await admin.get("/audit", params={"action": "service.restart"})).json()["items"]
    assert [(row["outcome"], row["object_name"]) for row in kept] == [
        ("failed", ".."),
        ("failed", "a\nb"),
        ("failed", "a\ufffdb"),
    ]


async def test_what_is_not_there_is_told_in_the_words_of_the_platform(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    for name in ("nothing", *ODD):
        for way, code in ((f"/services/{name}/logs", "no_such_service"), (f"/runs/{name}", "no_such_run")):
            answer = await admin.get(way)
            assert (answer.status_code, answer.json()["code"]) == (404, code), f"{way}: {answer.text}"
    assert (await admin.get("/runs")).json()["items"] == []


async def test_that_kubernetes_does_not_answer_the_control_service_is_told(
    platform: RunningPlatform, control: Running
) -> None:
    control.kubernetes.down = True
    answer = await (await platform.admin()).get("/services/api/logs")
    assert (answer.status_code, answer.json()["code"]) == (503, "kubernetes_unavailable")
