"""Tasks are let out to what their virtual cluster opens and to nothing of the cluster, and are root where all say so.

Real network policies, real admission; a host of the house is a name space on the lab's bridge that listens.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from typing import Any

import pytest

from installer.cluster import Cluster, load
from installer.services.listening import ASKED, understood
from tests.system.harness import CLUSTER_FILE, Atoll, Portal, wait_for
from tests.system.jobs import log, request
from tests.system.people import Browser, User, people
from tests.system.scanning import Target, at_further, further_addresses, of_nodes, of_services, scan, scanned
from tests.system.shares import TYPE, Share
from tests.system.test_57_home_quotas import as_owner

HOUSE, ADDRESS, LINKS = "atoll-house", "10.79.0.198", ("house0", "eth0")
OPENED, SHUT = 8080, 8081
HOLD = "import time\ntime.sleep(900)\n"
# CHOWN, DAC_OVERRIDE, FOWNER, KILL, SETGID and SETUID as the kernel numbers them.
POWERS = sum(1 << each for each in (0, 1, 3, 5, 6, 7))
SMALL = {"cpu": "500m", "memory": "400Mi"}
LISTEN = f"""
import selectors, socket

chosen = selectors.DefaultSelector()
for port in ({OPENED}, {SHUT}):
    chosen.register(socket.create_server(("", port), backlog=64), selectors.EVENT_READ)
print("LISTENS", flush=True)
while True:
    for key, _ in chosen.select():
        key.fileobj.accept()[0].close()
"""
# Looks again and again; what it says last is what is so.
WATCH = "import time\nLOOK = %r\nwhile True:\n    exec(LOOK, {})\n    time.sleep(1)\n"
ROOT = """
import os, subprocess, time

status = dict(line.split(":", 1) for line in open("/proc/self/status"))
power = [status[name].strip() for name in ("NoNewPrivs", "CapEff")]
open("/etc/made-by-root", "w").close()
open(os.path.expanduser("~/made-by-root"), "w").close()
os.chown("/tmp", 1234, 1234)
refused = []
for name, step in {
    "device": lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(8, 0)),
    "mount": lambda: subprocess.run(["mount", "-t", "tmpfs", "none", "/mnt"], check=True, capture_output=True),
}.items():
    try:
        step()
    except (OSError, subprocess.CalledProcessError):
        refused.append(name)
print("ROOT", os.getuid(), os.getgid(), *power, *refused, flush=True)
"""


@pytest.fixture(scope="module")
def cluster() -> Cluster:
    return load(CLUSTER_FILE)


@pytest.fixture
def two(atoll: Atoll, portal: Portal) -> Iterator[tuple[User, User]]:
    with people(atoll, portal) as make:
        yield make("ada"), make("bob")


@pytest.fixture
def house(atoll: Atoll, cluster: Cluster) -> Iterator[None]:
    """A host on the nodes' network that listens; it knows the way back to pods, should they come as themselves."""

    def ip(*words: str, ok: bool = True) -> None:
        subprocess.run(["ip", *words], check=ok, capture_output=True)

    assert cluster.lab is not None
    ip("netns", "delete", HOUSE, ok=False)
    ip("link", "delete", LINKS[0], ok=False)
    ip("netns", "add", HOUSE)
    try:
        ip("link", "add", LINKS[0], "type", "veth", "peer", "name", LINKS[1], "netns", HOUSE)
        ip("link", "set", LINKS[0], "master", cluster.lab.bridge, "up")
        ip("-n", HOUSE, "address", "add", f"{ADDRESS}/24", "dev", LINKS[1])
        ip("-n", HOUSE, "link", "set", LINKS[1], "up")
        for node in atoll.kubectl("get", "nodes", "-o", "json").json["items"]:
            via = cluster.node(node["metadata"]["name"]).address
            ip("-n", HOUSE, "route", "add", node["spec"]["podCIDR"], "via", via)
        argv = ["ip", "netns", "exec", HOUSE, sys.executable, "-c", LISTEN]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as running:
            try:
                assert running.stdout is not None
                assert running.stdout.readline() == "LISTENS\n"
                yield
            finally:
                running.kill()
    finally:
        ip("netns", "delete", HOUSE, ok=False)


def everything(atoll: Atoll, cluster: Cluster) -> list[Target]:
    """Whatever listens on a node or as a Service, and both ports of the house."""
    listening = {node.name: list(understood(atoll.node(node.name, *ASKED).out)) for node in cluster.nodes}
    services = atoll.kubectl("get", "services", "-A", "-o", "json").json["items"]
    addresses = {node.name: node.address for node in cluster.nodes}
    of_all = of_nodes(cluster, listening, addresses)
    further = at_further(cluster, listening, further_addresses(atoll, cluster))
    own: list[Target] = [(f"house {port}", ADDRESS, port, "tcp") for port in (OPENED, SHUT)]
    return [*of_all, *further, *of_services(services), *own]


def reached(browser: Browser, task: str) -> Callable[[], set[str] | None]:
    def last() -> set[str] | None:
        lines = [line for line in log(browser, task).splitlines() if line.startswith("SCANNED ")]
        return set(scanned(lines[-1])["reached"]) if lines else None

    return last


def comes_to(browser: Browser, task: str, wanted: set[str]) -> None:
    look = reached(browser, task)
    wait_for(f"{sorted(wanted)} and nothing else reached", lambda: look() == wanted, 90)


def single(ports: tuple[int, int]) -> list[dict[str, Any]]:
    return [{"protocol": "tcp", "first": ports[0], "last": ports[1]}]


@pytest.mark.timeout(900)
@pytest.mark.feature(305)
@pytest.mark.usefixtures("house")
def test_a_virtual_cluster_is_opened_and_closed_for_tasks_that_run_and_never_to_the_cluster(
    atoll: Atoll, portal: Portal, cluster: Cluster, two: tuple[User, User]
) -> None:
    share, other = Share(atoll, portal), Share(atoll, portal)
    (ada, bob), targets = two, everything(atoll, cluster)
    assert share.members(ada).is_success
    assert other.members(bob).is_success
    wait_for("the queues of both", lambda: share.of_member(ada) and other.of_member(bob), 60)
    program = WATCH % scan(targets)
    with closing(ada.browser()) as of_ada, closing(bob.browser()) as of_bob:
        hers, his = Browser(ada, of_ada), Browser(bob, of_bob)
        task = hers.run(atoll, "watch", program, virtual_cluster=share.name, device_type=TYPE, limits=SMALL)
        foreign = his.run(atoll, "watch", program, virtual_cluster=other.name, device_type=TYPE, limits=SMALL)
        look, theirs = reached(hers, task), reached(his, foreign)
        before: set[str] = wait_for("a first look", look, 240)
        elsewhere: set[str] = wait_for("a first look elsewhere", theirs, 240)
        assert {label.split()[0] for label in before} <= {"kube-system/kube-dns"}, "a task is let out unasked"

        one = {"network": f"{ADDRESS}/32", "ports": single((OPENED, OPENED))}
        assert share.edit(egress=[one]).is_success
        comes_to(hers, task, before | {f"house {OPENED}"})
        # Around it lies the whole cluster: its nodes are left out of what is opened.
        around = {"network": "10.79.0.0/24", "ports": single((1, 65535))}
        assert share.edit(egress=[around]).is_success
        comes_to(hers, task, before | {f"house {OPENED}", f"house {SHUT}"})
        everywhere = {"network": "0.0.0.0/0", "ports": single((1, 65535))}
        assert share.edit(egress=[everywhere]).is_success
        wait_for("it is taken over", lambda: share.standing() == "ready", 60)
        comes_to(hers, task, before | {f"house {OPENED}", f"house {SHUT}"})
        assert theirs() == elsewhere, "what is opened to one virtual cluster is opened to another"

        for address in (cluster.first_master.address, cluster.storage_nodes[0].address):
            refused = share.edit(egress=[{"network": f"{address}/32", "ports": single((1, 65535))}])
            assert refused.status_code == 422, refused.text
            assert [each["code"] for each in refused.json()["errors"]] == ["network_of_the_cluster"]
        assert share.edit(egress=[]).is_success
        comes_to(hers, task, before)
        for browser, made in ((of_ada, task), (of_bob, foreign)):
            browser.post(f"/tasks/{made}/stop")
        hers.wait_state(task, {"killed"}, 120)
        his.wait_state(foreign, {"killed"}, 120)
    share.delete()
    other.delete()


def privileged(browser: Browser, share: Share, name: str) -> Any:
    body = request(browser, name, f"{name}/main.py", virtual_cluster=share.name, device_type=TYPE, privileged=True)
    return browser.client.post("/trainings", json=body)


def test_nobody_is_root_as_it_is_shipped(atoll: Atoll, portal: Portal, two: tuple[User, User]) -> None:
    share = Share(atoll, portal)
    refused = share.edit(pod_security="baseline")
    assert (refused.status_code, refused.json()["errors"][0]["code"]) == (422, "privileged_jobs_off"), refused.text
    assert share.members(two[0]).is_success
    with closing(two[0].browser()) as client:
        browser = Browser(two[0], client)
        answer = privileged(browser, share, "root")
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (422, "privileged_jobs_off"), answer.text
        assert client.get("/settings").json()["privileged_jobs_refused"] == "installation"
    room = f"vc-{share.name}-root"
    as_jobs = ("--as", "system:serviceaccount:atoll-system:jobs")
    named = f"atoll.io/virtual-cluster-name={share.name}"
    level = "pod-security.kubernetes.io/enforce=baseline"
    space = json.loads(atoll.kubectl("get", "namespace", f"vc-{share.name}", "-o", "json").out)
    labels = dict(space["metadata"]["labels"]) | dict(each.split("=") for each in (named, level))
    labels.pop("kubernetes.io/metadata.name")
    file = CLUSTER_FILE.parent / "room.json"
    wanted = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": room, "labels": labels}}
    file.write_text(json.dumps(wanted), encoding="utf-8")
    tried = atoll.kubectl("apply", "--server-side", "-f", str(file), *as_jobs, ok=(1,))
    assert "atoll-virtual-clusters" in tried.err, tried.err
    share.delete()


@pytest.fixture
def lenient(atoll: Atoll, edit_cluster: Callable[[Callable[[dict[str, Any]], None]], None]) -> Iterator[None]:
    """The installation lets jobs be root; afterwards not any more."""

    def apply(allowed: bool) -> None:
        edit_cluster(lambda wanted: wanted["platform"].update(privileged_jobs=allowed))
        assert atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json").finished["ok"]

    apply(True)
    try:
        yield
    finally:
        apply(False)


@pytest.mark.timeout(1800)
@pytest.mark.feature(306)
@pytest.mark.usefixtures("lenient")
def test_who_may_is_root_of_a_container_where_all_say_so_and_of_nothing_else(
    atoll: Atoll, portal: Portal, two: tuple[User, User]
) -> None:
    share, ada = Share(atoll, portal), two[0]
    assert share.members(ada).is_success
    with closing(ada.browser()) as client:
        browser = Browser(ada, client)
        usual = browser.run(atoll, "root", ROOT, virtual_cluster=share.name, device_type=TYPE, limits=SMALL)
        assert browser.wait_state(usual, {"finished", "failed"}, 240)["state"] == "failed", "everybody is root"

        def refused_for() -> str:
            return str(privileged(browser, share, "root").json()["errors"][0]["code"])

        assert refused_for() == "privileged_not_yours"
        role = {"name": f"root {share.name}", "description": "of a test", "grants": ["tasks:privileged"]}
        made = portal.client.post("/roles", json=role)
        assert made.status_code == 201, made.text
        given = portal.client.post(f"/roles/{made.json()['id']}/users", json={"users": [share.id_of(ada)]})
        assert given.is_success, given.text
        assert refused_for() == "privileged_not_here"
        assert share.edit(pod_security="baseline").is_success
        wait_for("room for it", lambda: share.standing() == "ready", 120)
        assert refused_for() == "privileged_switched_off"
        assert client.put("/settings", json={"privileged_jobs": True}).is_success
        answer = privileged(browser, share, "root")
        assert answer.status_code == 201, answer.text
        task = answer.json()["id"]
        browser.wait_state(task, {"finished"}, 240)
        (line,) = [each for each in log(browser, task).splitlines() if each.startswith("ROOT ")]
        uid, gid, no_new, powers, *refused = line.split()[1:]
        assert (uid, int(powers, 16), no_new, refused) == ("0", POWERS, "1", ["device", "mount"]), line
        left = f"/mnt/atoll/home/{ada.name}/made-by-root"
        assert atoll.node("worker1", "stat", "--format", "%g", left).out.strip() == gid, "what it leaves is nobody's"
        assert as_owner(atoll, ada.name, "sh", "-c", f"echo mine >> {left} && rm {left}").code == 0
        holds = browser.run(atoll, "hold", HOLD, virtual_cluster=share.name, device_type=TYPE, limits=SMALL)
        browser.wait_state(holds, {"running"}, 240)
        closing_it = share.edit(pod_security="restricted")
        assert closing_it.json()["code"] == "virtual_cluster_in_use", closing_it.text
        client.post(f"/tasks/{holds}/stop")
        browser.wait_state(holds, {"killed"}, 120)
    room = f"vc-{share.name}-root"
    assert share.edit(pod_security="restricted").is_success
    wait_for("no room", lambda: room not in atoll.kubectl("get", "namespaces", "-o", "name").out, 120)
    share.delete()
    assert share.left() == []
