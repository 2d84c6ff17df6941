"""What an administrator does on a master with service_ctl."""

from __future__ import annotations

import json
import re
import secrets
import threading
from collections.abc import Callable
from typing import Any

import httpx
import pytest
import yaml

from tests.system.harness import CLUSTER_FILE, NAME, Atoll, Portal, postgresql, wait_for
from tests.system.jobs import request

AS_THE_PLATFORM = """
import http.client, json, ssl, sys
pki = f"/var/lib/atoll/clusters/{sys.argv[1]}/pki/control/"
context = ssl.create_default_context(cafile=pki + "ca.crt")
context.load_cert_chain(pki + "platform.crt", pki + "platform.key")
connection = http.client.HTTPSConnection("127.0.0.1", 7444, context=context, timeout=200)
method, path, *users = sys.argv[2:]
connection.request(method, path, headers={"Atoll-User": user for user in users})
answer = connection.getresponse()
print(json.dumps({"status": answer.status, "said": json.load(answer)}))
"""


def service_ctl(atoll: Atoll, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
    return atoll.node("master1", "service_ctl", *arguments, ok=ok).out


def another(memory: str) -> str:
    """A limit that does not stand, also where these tests were run before."""
    return "78Gi" if memory == "79Gi" else "79Gi"


def states(atoll: Atoll) -> dict[str, str]:
    rows = json.loads(service_ctl(atoll, "list", "-o", "json", ok=(0, 1)))["services"]
    return {row["name"]: row["state"] for row in rows}


def while_asking(portal: Portal, act: Callable[[], str]) -> str:
    """What `act` returns; meanwhile somebody asks the portal as often as one may, and writes, and is answered.

    What is written is one task, with one key: however often it is sent, there is one in the end.
    """
    answers: list[str] = []
    written: list[str] = []
    tasks: set[str] = set()
    over = threading.Event()
    key = {"Idempotency-Key": secrets.token_hex(16)}
    wanted = request(portal, "meanwhile", "examples/devices/hold.py", device_type="huawei_npu_amd64", devices=8)

    def ask() -> None:
        while not over.is_set():
            try:
                answers.append(str(portal.client.get("/tasks").status_code))
            except httpx.HTTPError as error:
                answers.append(repr(error))
            over.wait(0.12)  # 25 times a second

    def write() -> None:
        while not over.is_set():
            try:
                answer = portal.client.post("/trainings", json=wanted, headers=key)
                written.append(str(answer.status_code))
                tasks.add(str(answer.json().get("id")))
            except (httpx.HTTPError, ValueError) as error:
                written.append(repr(error))
            over.wait(0.25)

    asking = [*(threading.Thread(target=ask) for _ in range(3)), threading.Thread(target=write)]
    for thread in asking:
        thread.start()
    try:
        said = act()
        over.wait(8)  # the pod before is told to end once the new one is there, and serves on for 5 s
    finally:
        over.set()
        for thread in asking:
            thread.join()
    assert len(answers) > 100
    assert set(answers) == {"200"}, sorted(set(answers))
    assert len(written) > 10
    assert set(written) <= {"200", "201", "202"}, sorted(set(written))
    (task,) = tasks
    portal.client.post(f"/tasks/{task}/stop").raise_for_status()
    return said


def test_every_service_runs_also_on_the_worker_that_joined(atoll: Atoll) -> None:
    wanted = {"api", "jobs", "files", "gateway", "database", "registry", "queue", "monitoring", "control"}
    assert wanted <= set(states(atoll))
    wait_for("every service runs", lambda: set(states(atoll).values()) == {"running"}, 180, 5)
    assert "worker3" in service_ctl(atoll, "status", "container_runtime")


@pytest.mark.timeout(900)
@pytest.mark.feature("23b", "24a", 25, "27b")
def test_a_changed_resource_limit_takes_effect_with_the_restart_of_the_api(atoll: Atoll, portal: Portal) -> None:
    path = f"/var/lib/atoll/clusters/{NAME}/cluster.yaml"
    cluster = yaml.safe_load(atoll.node("master1", "cat", path).out)
    limits = cluster["resource_limit"]["nvidia_gpu_amd64"]
    memory = another(limits["ceiling"]["memory"])
    limits["ceiling"] = {"cpu": "21", "memory": memory}
    assert memory not in service_ctl(atoll, "config", "api", "-o", "json")
    assert "Choose between" not in estimated(portal, cpu="21.5"), "it is above the ceiling of before"
    script = "import sys; open(sys.argv[1], 'w').write(sys.argv[2])"
    atoll.node("master1", "python3", "-c", script, path, yaml.safe_dump(cluster, sort_keys=False))
    said = while_asking(portal, lambda: service_ctl(atoll, "restart", "api"))
    assert "api" in said
    assert memory in json.dumps(json.loads(service_ctl(atoll, "config", "api", "-o", "json")))
    options = portal.client.get("/trainings/options").json()
    (gpu,) = [d for d in options["virtual_clusters"][0]["devices"] if d["type"] == "nvidia_gpu_amd64"]
    assert gpu["limits"]["ceiling"] == {"cpu": "21", "memory": memory}
    assert re.search(r"Choose between \S+ and 21\.", estimated(portal, cpu="21.5")), "a task may have more than that"
    assert "Choose between" not in estimated(portal, cpu="21")


def estimated(portal: Portal, cpu: str) -> str:
    """What is told of a task with that limit before it is started."""
    body = request(portal, "between", "examples/devices/hold.py", devices=1, limits={"cpu": cpu, "memory": "1Gi"})
    return portal.client.post("/trainings/estimate", json=body).text


@pytest.mark.timeout(300)
def test_a_revision_made_on_the_master_is_not_overwritten_silently(
    atoll: Atoll, edit_cluster: Callable[[Callable[[dict[str, Any]], None]], None]
) -> None:
    refused = atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json", ok=(1, 65))
    assert "revision" in refused.out + refused.err

    path = f"/var/lib/atoll/clusters/{NAME}/cluster.yaml"
    there = yaml.safe_load(atoll.node("master1", "cat", path).out)["resource_limit"]["nvidia_gpu_amd64"]["ceiling"]

    def same(cluster: dict[str, Any]) -> None:
        cluster["resource_limit"]["nvidia_gpu_amd64"]["ceiling"] = there

    edit_cluster(same)
    assert atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json").finished["ok"]


@pytest.mark.timeout(600)
def test_settings_of_the_database_that_need_a_restart_reach_a_standing_cluster(
    atoll: Atoll, edit_cluster: Callable[[Callable[[dict[str, Any]], None]], None]
) -> None:
    """Before anybody is let in again."""
    connections = int(postgresql(atoll, "SHOW max_connections")) + 10

    def more(cluster: dict[str, Any]) -> None:
        cluster.setdefault("database", {})["max_connections"] = connections

    edit_cluster(more)
    assert atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json").finished["ok"]
    assert postgresql(atoll, "SHOW max_connections") == str(connections)
    limit = "SELECT rolconnlimit FROM pg_roles WHERE rolname = 'atoll_api'"
    assert postgresql(atoll, limit) == str(connections * 9 // 20)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("service", ["files", "registry", "accelerators"])
def test_a_service_is_stopped_and_started_again(atoll: Atoll, service: str) -> None:
    """A Deployment, a systemd unit and DaemonSets."""
    service_ctl(atoll, "stop", service)
    wait_for(f"{service} is stopped", lambda: states(atoll)[service] == "stopped", 60, 2)
    service_ctl(atoll, "start", service)
    assert states(atoll)[service] == "running"
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0,)).json["steps"] == []


def test_logs_of_a_service_are_shown(atoll: Atoll) -> None:
    assert service_ctl(atoll, "logs", "api").strip()


def test_an_unknown_service_is_refused_by_name(atoll: Atoll) -> None:
    ran = atoll.node("master1", "service_ctl", "restart", "nonsense", ok=(1, 2, 64, 65))
    assert ran.code != 0
    assert "nonsense" in ran.out + ran.err


def as_the_platform(atoll: Atoll, method: str, path: str, *user: str) -> tuple[int, str]:
    """With the certificate that the API has, as whoever took it over: the status, and the code of a refusal."""
    answer = json.loads(atoll.node("master1", "python3", "-c", AS_THE_PLATFORM, NAME, method, path, *user).out)
    return answer["status"], answer["said"].get("code", "")


def test_the_platform_restarts_for_an_administrator_who_is_signed_in_and_for_no_name(
    atoll: Atoll, portal: Portal
) -> None:
    """The portal's own way is tried beside it."""
    restart = ("POST", "/services/files/restart")
    assert as_the_platform(atoll, *restart, "mallory") == (403, "user_not_allowed")
    assert portal.client.post("/services/files/restart", timeout=300).status_code == 200
    assert as_the_platform(atoll, *restart, portal.user)[0] == 200


def test_the_platform_reads_for_an_administrator_who_is_signed_in_and_for_no_name(atoll: Atoll, portal: Portal) -> None:
    for path in ("/services", "/services/api/logs?lines=5", "/ports", "/runs", "/images"):
        assert as_the_platform(atoll, "GET", path) == (403, "no_acting_user"), path
        assert as_the_platform(atoll, "GET", path, "mallory") == (403, "user_not_allowed"), path
        assert as_the_platform(atoll, "GET", path, portal.user)[0] == 200, path
    assert portal.client.get("/services/api/logs", params={"lines": 5}).status_code == 200
    assert f"{portal.user} by platform reads the log of api" in service_ctl(atoll, "logs", "control", "-n", "200")
