"""What a task of an ordinary user has of another user's on the same node: nothing. And what it may take of the node."""

from __future__ import annotations

import ipaddress
import json
import secrets
from collections.abc import Iterator
from contextlib import closing

import pytest
import yaml

from tests.system.harness import ROOT, SMALL_DISK, Atoll, Portal, wait_for
from tests.system.jobs import log, request
from tests.system.people import Browser, User, people
from tests.system.scanning import scan
from tests.system.shares import Share

PORT = 29500  # of the first replica of distributed tasks
# Listens in both families; says where it is, and that it is reached there by itself.
LISTEN = f"""
import json, socket

server = socket.create_server(("::", {PORT}), family=socket.AF_INET6, dualstack_ipv6=True, backlog=64)
address = socket.gethostbyname(socket.gethostname())
socket.create_connection((address, {PORT}), timeout=5).close()
mac = open("/sys/class/net/eth0/address").read().strip()
print("LISTENS " + json.dumps([address, mac]), flush=True)
while True:
    one, who = server.accept()
    one.close()
"""
# Whose homes there are, and whatever names the victim, to a task that looks everywhere it may.
LOOK_AROUND = """
import os, time

named = [f"{key}={value}" for key, value in os.environ.items() if "victim" in f"{key}{value}"]
named += [line for line in open("/proc/mounts") if "victim" in line]
print("SEES " + json.dumps({"homes": sorted(os.listdir("/home")), "of_the_victim": named}), flush=True)
time.sleep(600)
"""
SMALL = {"cpu": "500m", "memory": "400Mi"}
# Starts threads, which count as processes, until it is refused.
MULTIPLY = """
import threading

threading.stack_size(65536)
end, many = threading.Event(), 0
try:
    while many < 100000:
        threading.Thread(target=end.wait, daemon=True).start()
        many += 1
except RuntimeError:
    pass
print("STARTED", many, flush=True)
end.set()
"""
# Twice what its pod may take of the node's disk.
FILL = """
import time

with open("/tmp/filled", "wb") as file:
    for _ in range(256):
        file.write(bytes(1 << 20))
print("FILLED", file.name, flush=True)
time.sleep(900)
"""


@pytest.fixture
def two(atoll: Atoll, portal: Portal) -> Iterator[tuple[User, User]]:
    with people(atoll, portal) as make:
        yield make("victim"), make("neighbour")


def link_local(mac: str) -> str:
    """The address that a link has by itself (RFC 4291, appendix A)."""
    first, *rest = bytes.fromhex(mac.replace(":", ""))
    suffix = bytes([first ^ 2, *rest[:2], 0xFF, 0xFE, *rest[2:]])
    return str(ipaddress.IPv6Address(bytes.fromhex("fe80000000000000") + suffix))


def told(as_: Browser, task: str, word: str) -> str:
    """What the task says behind that word, once it does."""
    lines = wait_for(
        f"{word} in the log of {task}",
        lambda: [line for line in log(as_, task).splitlines() if line.startswith(word + " ")],
        120,
    )
    return str(lines[0].removeprefix(word + " "))


def node_of(as_: Browser, task: str) -> str:
    (replica,) = as_.task(task)["attempts"][-1]["replicas"]
    return str(replica["node"])


def test_a_task_reaches_no_task_of_another_user_on_its_node_in_either_family(
    atoll: Atoll, two: tuple[User, User]
) -> None:
    with closing(two[0].browser()) as first, closing(two[1].browser()) as second:
        victim, neighbour = Browser(two[0], first), Browser(two[1], second)
        theirs = victim.run(atoll, "listen", LISTEN, limits=SMALL)
        address, mac = json.loads(told(victim, theirs, "LISTENS"))
        node = node_of(victim, theirs)
        reach = f"import socket; socket.create_connection(('{address}', {PORT}), timeout=5); print('reached')"
        assert "reached" in atoll.node(node, "python3", "-c", reach).out, "its node, as the kubelet, reaches it"
        targets = [("IPv4", address, PORT, "tcp"), ("IPv6", link_local(mac), PORT, "tcp")]
        program = scan(targets) + "import time; time.sleep(600)\n"
        for number in range(4):  # the emptier node takes the first one
            own = neighbour.run(atoll, f"scan{number}", program, limits=SMALL)
            reached = json.loads(told(neighbour, own, "SCANNED"))["reached"]
            if node_of(neighbour, own) == node:
                break
        else:
            pytest.fail("none of them came to the victim's node")
        assert reached == []
        assert victim.task(theirs)["state"] == "running"


@pytest.mark.feature(72, on="simulated")
def test_who_is_in_another_virtual_cluster_reaches_nothing_that_is_private_in_this_one(
    atoll: Atoll, portal: Portal, two: tuple[User, User]
) -> None:
    share = Share(atoll, portal)
    share.members(two[1])
    wait_for("the queue", lambda: share.of_member(two[1]), 60)
    with closing(two[0].browser()) as first, closing(two[1].browser()) as second:
        victim, stranger = Browser(two[0], first), Browser(two[1], second)
        theirs = victim.run(atoll, "listen", LISTEN, limits=SMALL)
        address, mac = json.loads(told(victim, theirs, "LISTENS"))
        targets = [("IPv4", address, PORT, "tcp"), ("IPv6", link_local(mac), PORT, "tcp")]
        own = stranger.run(atoll, "scan", scan(targets) + LOOK_AROUND, virtual_cluster=share.name, limits=SMALL)
        assert json.loads(told(stranger, own, "SCANNED"))["reached"] == []
        # Of all homes it sees its owner's; nothing that it was given is the other's.
        seen = json.loads(told(stranger, own, "SEES"))
        assert (seen["homes"], seen["of_the_victim"]) == ([two[1].name], [])
        # Nor does the platform show, stop, copy or use what is the other's.
        nowhere = {second.get(f"/tasks/{secrets.token_hex(16)}").status_code}
        for path in ("", "/log/content?rank=0", "/events"):
            assert {second.get(f"/tasks/{theirs}{path}").status_code} == nowhere == {404}, path
        assert second.post(f"/tasks/{theirs}/stop").status_code == 404
        assert second.delete(f"/tasks/{theirs}").status_code == 404
        listed = [task["id"] for task in second.get("/tasks").json()["items"]]
        assert (own in listed, theirs in listed) == (True, False)
        asked = request(stranger, "x", "scan/main.py", code_directory=f"../{two[0].name}/listen")
        assert second.post("/trainings", json=asked).status_code == 422
        assert victim.task(theirs)["state"] == "running"
        second.post(f"/tasks/{own}/stop")
        stranger.wait_state(own, {"killed", "finished"}, 120)
    share.delete()


def test_a_task_has_only_so_many_processes_and_its_node_the_rest(atoll: Atoll, two: tuple[User, User]) -> None:
    settings = yaml.safe_load((ROOT / "group_vars/kubernetes.yml").read_text("utf-8"))
    most = settings["kubernetes"]["max_processes_per_pod"]
    with closing(two[0].browser()) as client:
        browser = Browser(two[0], client)
        task = browser.run(atoll, "multiply", MULTIPLY, limits=SMALL)
        started = int(told(browser, task, "STARTED"))
        assert most // 2 < started < most
        browser.wait_state(task, {"finished"}, 60)


@pytest.mark.timeout(400)
def test_a_task_that_fills_its_nodes_disk_is_ended_with_the_reason_and_nobody_else(
    atoll: Atoll, two: tuple[User, User]
) -> None:
    device_type, _ = SMALL_DISK
    with closing(two[0].browser()) as client:
        browser = Browser(two[0], client)
        task = browser.run(atoll, "fill", FILL, device_type=device_type, devices=1)
        told(browser, task, "FILLED")
        node = node_of(browser, task)
        # The kubelet looks at volumes once a minute.
        ended = browser.wait_state(task, {"failed"}, 180)
        assert "ephemeral local storage" in ended["reason"]["message"], ended["reason"]
        pods = json.loads(atoll.kubectl("get", "pods", "--all-namespaces", "--output", "json").out)["items"]
        evicted = [pod for pod in pods if pod["status"].get("reason") == "Evicted"]
        assert {pod["metadata"]["namespace"] for pod in evicted} <= {"vc-default"}
        pressed = 'jsonpath={.status.conditions[?(@.type=="DiskPressure")].status}'
        assert atoll.kubectl("get", "node", node, "--output", pressed).out == "False"
