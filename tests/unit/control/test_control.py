"""The control service over real TLS, and service_ctl against it. Needs nothing but this machine."""

import json
import ssl
import subprocess
import sys
import threading
import time
from typing import Any

import httpx
import pytest

from installer.cluster import TREE, state_directory
from installer.control.routers import services as routes
from installer.running.lock import ClusterLock
from installer.services.actions import ActionFailed, act
from tests.unit.control.conftest import Authority, Running


def ctl(control: Running, *arguments: str, code: int = 0) -> str:
    done = subprocess.run(
        [sys.executable, str(TREE / "service_ctl.py"), *arguments, "--config", str(control.client_file)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == code, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def rendered(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str | None]]:
    """Stand in for the playbook: remember what was rendered, as the one writer."""
    calls: list[tuple[str, str | None]] = []

    def render(cluster: str, service: Any, revision: str | None, say: Any) -> int:
        with ClusterLock(state_directory(cluster), "1", "restart"):
            calls.append((service.name, revision))
            say("rendered: 2 changes")
            return 2

    monkeypatch.setattr(routes, "render_service", render)
    return calls


def test_nobody_gets_in_without_a_certificate_of_the_control_ca(control: Running) -> None:
    context = ssl.create_default_context(cafile=str(control.authority.file))
    with pytest.raises((httpx.HTTPError, ssl.SSLError)):
        httpx.get(control.url + "/healthz", verify=context, trust_env=False)
    folder = control.settings.state.parent / "other"
    folder.mkdir()
    certificate, key = Authority(folder, "stranger-ca").issue("administrator")
    context.load_cert_chain(certificate, key)
    with pytest.raises((httpx.HTTPError, ssl.SSLError)):
        httpx.get(control.url + "/healthz", verify=context, trust_env=False)


def test_services_have_the_shape_that_the_portal_shows(client: httpx.Client) -> None:
    from atoll.control.schemas import Services

    answer = client.get("/services").json()
    listed = {one.name: one for one in Services.model_validate(answer).items}
    assert listed["api"].state == "running"
    assert listed["api"].version == "0.1.0"
    assert listed["registry"].state == "running"
    assert listed["database"].state == "failed"
    assert "does not exist" in listed["database"].message


def test_a_service_that_is_a_unit_has_the_version_that_its_program_says(control: Running, client: httpx.Client) -> None:
    for name, said in {
        "registry": "registry github.com/distribution/distribution/v3 v3.1.2",
        "containerd": "containerd github.com/containerd/containerd/v2 2.2.1 abc123",
        "haproxy": "HAProxy version 2.6.12-1+deb12u2 2024/01/01 - https://haproxy.org/",
    }.items():
        program = control.nodes / name
        program.write_text(f"#!/bin/sh\necho '{said}'\n")
        program.chmod(0o755)
    listed = {one["name"]: one for one in client.get("/services").json()["items"]}
    versions = {name: listed[name]["version"] for name in ("registry", "container_runtime", "load_balancer")}
    assert versions == {"registry": "v3.1.2", "container_runtime": "2.2.1", "load_balancer": "2.6.12"}
    assert listed["registry"]["state"] == "running"


def test_a_program_that_says_no_version_keeps_the_state_of_its_unit(control: Running, client: httpx.Client) -> None:
    (control.nodes / "registry").write_text("#!/bin/sh\nexit 1\n")
    (control.nodes / "registry").chmod(0o755)
    (control.nodes / "atoll-registry.service").write_text("failed")
    registry = client.get("/services/registry").json()
    assert (registry["state"], registry["version"]) == ("failed", "")


def test_what_can_be_known_without_the_api_server_is_known_without_it(control: Running, client: httpx.Client) -> None:
    control.kubernetes.down = True
    listed = {one["name"]: one for one in client.get("/services").json()["items"]}
    assert listed["api"]["state"] == "unknown"
    assert "API server" in listed["api"]["message"]
    assert listed["container_runtime"]["state"] == "running"
    assert client.get("/services/api/logs").status_code == 503
    assert client.get("/services/api/logs").json()["code"] == "kubernetes_unavailable"
    assert client.post("/services/load_balancer/restart").json()["ok"] is False  # rendering is not possible here


def test_the_table_of_ports_is_held_against_what_listens(control: Running, client: httpx.Client) -> None:
    from atoll.control.schemas import Ports

    heard = [
        'tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=1,fd=3))',
        'tcp LISTEN 0 128 0.0.0.0:4444 0.0.0.0:* users:(("nc",pid=2,fd=3))',
    ]
    program = control.nodes / "ss"
    program.write_text("#!/bin/sh\ncat <<'END'\n" + "\n".join(heard) + "\nEND\n")
    program.chmod(0o755)
    found = Ports.model_validate(client.get("/ports").json())
    assert found.firewall
    assert {(one.port, one.program) for one in found.without_row} == {(4444, "nc")}
    rows = {row.ports: row for row in found.rows if row.on == "masters" or row.what == "SSH"}
    assert rows["22"].who == ["everybody"]
    assert rows["2379"].who == ["masters"]
    assert rows["2379"].who_ipv6 == []
    (files,) = [row for row in found.rows if row.program == "atoll-system/files"]
    assert (files.who, files.callers) == (["pods"], ["api", "jobs", "prometheus"])


def test_a_port_that_leads_to_a_pod_is_named(control: Running, client: httpx.Client) -> None:
    program = control.nodes / "ss"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    spec = {"ports": [{"port": 80, "nodePort": 31080}]}
    control.kubernetes.services.append({"metadata": {"namespace": "site", "name": "door"}, "spec": spec})
    answer = client.get("/ports").json()
    assert answer["silent"] == []
    assert {(one["node"], one["port"], one["program"]) for one in answer["without_row"]} == {
        (node, 31080, "site/door") for node in ("master1", "worker1", "worker2", "storage1")
    }


def test_an_api_server_that_does_not_say_which_ports_lead_to_pods_is_named(
    control: Running, client: httpx.Client
) -> None:
    program = control.nodes / "ss"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    control.kubernetes.down = True
    answer = client.get("/ports").json()
    assert answer["without_row"] == []
    (told,) = answer["silent"]
    assert told["message"].startswith("Which ports lead to pods is not known: the API server answered 503")


def test_a_node_that_does_not_say_what_listens_is_named(control: Running, client: httpx.Client) -> None:
    (control.nodes / "ss").write_text("#!/bin/sh\necho 'no such program' >&2; exit 1\n")
    (control.nodes / "ss").chmod(0o755)
    answer = client.get("/ports").json()
    assert answer["without_row"] == []
    assert answer["silent"]
    assert all("no such program" in one["message"] for one in answer["silent"])


def test_an_unknown_service_and_an_impossible_action_are_problems_with_a_remedy(client: httpx.Client) -> None:
    assert client.get("/services/nonsense").json()["code"] == "no_such_service"
    problem = client.post("/services/network/stop")
    assert problem.status_code == 405
    assert problem.headers["content-type"].startswith("application/problem+json")
    assert "restart" in problem.json()["remedy"]


def test_restart_renders_waits_and_tells(control: Running, rendered: list[tuple[str, str | None]]) -> None:
    before = control.kubernetes.workloads["deployments", "atoll-system", "api"]["metadata"]["generation"]
    began = time.monotonic()
    said = ctl(control, "restart", "api")
    assert time.monotonic() - began > 0.5, "it waited for the rollout"
    assert rendered == [("api", None)]
    assert "rendered: 2 changes" in said
    assert "OK: api is running (1/1)" in said
    assert control.kubernetes.workloads["deployments", "atoll-system", "api"]["metadata"]["generation"] == before + 1


def test_restart_with_a_file_sends_the_new_revision(control: Running, rendered: list[tuple[str, str | None]]) -> None:
    ctl(control, "restart", "api", "-f", str(TREE / "cluster.example.yaml"))
    assert rendered[0][1] == (TREE / "cluster.example.yaml").read_text()


def test_a_service_that_does_not_get_healthy_fails_with_its_reason(
    control: Running, rendered: list[tuple[str, str | None]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("installer.services.actions.HEALTH_SECONDS", 1.0)
    monkeypatch.setattr(act, "__defaults__", (1.0,))
    control.kubernetes.broken.add("api")
    said = ctl(control, "restart", "api", code=1)
    assert "FAILED: api is not as wanted after 1 s" in said
    assert "CrashLoopBackOff, last exit code 3" in ctl(control, "status", "api", code=1)


def test_mistakes_in_rendering_reach_the_person(control: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    def render(*_: Any) -> int:
        raise ActionFailed("cluster.yaml:14: no such device type")

    monkeypatch.setattr(routes, "render_service", render)
    assert "cluster.yaml:14: no such device type" in ctl(control, "restart", "api", code=1)


def test_stop_and_start_a_deployment_and_a_daemonset(control: Running, rendered: list[tuple[str, str | None]]) -> None:
    for name in ("jobs", "gateway"):
        assert f"OK: {name} is stopped" in ctl(control, "stop", name)
        assert json.loads(ctl(control, "status", name, "-o", "json", code=1))["state"] == "stopped"
        assert f"OK: {name} is running" in ctl(control, "start", name)


def test_nothing_is_stopped_while_a_run_changes_the_cluster(
    control: Running, rendered: list[tuple[str, str | None]]
) -> None:
    with ClusterLock(control.settings.state, "run-7", "apply"):
        assert "run run-7 (`apply`" in ctl(control, "stop", "jobs", code=1)
    assert json.loads(ctl(control, "status", "jobs", "-o", "json"))["state"] == "running"


def test_restart_of_a_unit_goes_from_node_to_node(control: Running, rendered: list[tuple[str, str | None]]) -> None:
    said = ctl(control, "restart", "load_balancer")
    assert said.count("haproxy.service: restart done") == 4
    assert (control.nodes / "calls").read_text().count("restart haproxy.service") == 4


def test_actions_that_exclude_each_other_are_refused_while_one_goes_on(
    control: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def render(*_: Any) -> int:
        begun.set()
        may_end.wait(20)
        return 0

    monkeypatch.setattr(routes, "render_service", render)
    first = threading.Thread(target=client.post, args=("/services/api/restart",))
    first.start()
    begun.wait(20)
    said = ctl(control, "restart", "jobs", code=3)
    assert "`restart api`, asked for by administrator, goes on" in said
    may_end.set()
    first.join()


def test_services_that_share_nothing_restart_side_by_side_and_are_in_the_book(
    control: Running, client: httpx.Client, rendered: list[tuple[str, str | None]]
) -> None:
    control.kubernetes.broken.add("api")
    answers: list[httpx.Response] = []
    first = threading.Thread(target=lambda: answers.append(client.post("/services/api/restart")))
    first.start()
    deadline = time.monotonic() + 20
    while not (going := client.get("/operations").json()["items"]) or "rollout" not in going[0]["message"]:
        assert time.monotonic() < deadline, going
        if going and going[0]["message"].startswith("rendered"):
            break
        time.sleep(0.05)
    assert "OK: registry is running" in ctl(control, "restart", "registry")
    assert client.get(f"/operations/{going[0]['id']}").json()["state"] == "running"
    control.kubernetes.broken.clear()
    first.join(20)
    assert answers[0].json()["ok"] is True
    assert answers[0].headers["location"] == f"/operations/{going[0]['id']}"
    book = json.loads(ctl(control, "operations", "-o", "json"))["operations"]
    assert [(one["service"], one["state"], one["caller"]) for one in book] == [
        ("registry", "succeeded", "administrator"),
        ("api", "succeeded", "administrator"),
    ]
    assert "restart registry" in ctl(control, "operations")
    followed = ctl(control, "operations", going[0]["id"])
    assert "rendered: 2 changes" in followed
    assert "OK: api is running (1/1)" in followed
    missing = client.get("/operations/..%2f..%2fsecrets")
    assert missing.status_code == 404
    assert client.get("/operations/none").json()["code"] == "no_such_control_operation"
    assert client.get("/operations", params={"limit": 0}).json()["code"] == "invalid_request"


def test_operations_that_render_take_turns(
    control: Running, client: httpx.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, may_end, at_once = threading.Event(), threading.Event(), []

    def render(cluster: str, service: Any, *_: Any) -> int:
        with ClusterLock(state_directory(cluster), service.name, "restart"):  # a second writer would be refused
            at_once.append(service.name)
            begun.set()
            may_end.wait(20)
            return 0

    monkeypatch.setattr(routes, "render_service", render)
    first = threading.Thread(target=client.post, args=("/services/api/restart",))
    first.start()
    begun.wait(20)
    with client.stream("POST", "/services/registry/restart", headers={"Accept": "text/event-stream"}) as answer:
        lines = answer.iter_lines()
        assert "waits until another operation" in next(line for line in lines if line.startswith("data:"))
        assert at_once == ["api"]
        may_end.set()
        assert '"ok": true' in [line for line in lines if line.startswith("data:")][-1]
    first.join(20)
    assert at_once == ["api", "registry"]


def test_an_action_goes_on_when_the_one_who_asked_has_gone(
    client: httpx.Client, rendered: list[tuple[str, str | None]]
) -> None:
    headers = {"Accept": "text/event-stream"}
    with client.stream("POST", "/services/files/restart", headers=headers) as answer:
        next(answer.iter_lines())
    deadline = time.monotonic() + 20
    while client.post("/services/api/restart").status_code == 409:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    assert rendered[0][0] == "files"


def test_logs_of_the_past_and_followed(control: Running) -> None:
    assert ctl(control, "logs", "api", "-n", "2").splitlines() == ["second", "third"]
    following = subprocess.Popen(
        [sys.executable, str(TREE / "service_ctl.py"), "logs", "api", "-f", "--config", str(control.client_file)],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert following.stdout
    assert [following.stdout.readline().strip() for _ in range(3)] == ["first", "second", "third"]
    control.kubernetes.log_lines.append("a new one with Correct-Horse-77")
    assert following.stdout.readline().strip() == "a new one with ••••••"
    following.kill()
    following.wait()
    following.stdout.close()


def test_the_configuration_in_force_is_shown_without_secrets(control: Running) -> None:
    said = ctl(control, "config", "api")
    assert "# ConfigMap atoll-system/api-config: config.yaml" in said
    assert "service: api" in said
    assert "Correct-Horse-77" not in said


def test_list_is_a_table_for_people_and_json_for_programs(control: Running) -> None:
    assert ctl(control, "list").splitlines()[0].split() == ["NAME", "STATE", "READY", "VERSION", "ACTIONS"]
    names = {one["name"] for one in json.loads(ctl(control, "list", "-o", "json"))["services"]}
    assert {"api", "jobs", "files", "portal", "gateway", "database", "registry", "queue", "monitoring"} <= names


def test_the_control_service_that_is_down_is_told_with_a_remedy(control: Running) -> None:
    content = json.loads(control.client_file.read_text())
    control.client_file.write_text(json.dumps({**content, "urls": ["https://127.0.0.1:1"]}))
    assert "the control service does not answer" in ctl(control, "list", code=69)
