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
# Whose homes there are, and whatever names the other (%r), to a task that looks everywhere it may; and a link to them.
LOOK_AROUND = """
import json, os

OTHER = %r
named = [f"{key}={value}" for key, value in os.environ.items() if OTHER in f"{key}{value}"]
named += [line for line in open("/proc/mounts") if OTHER in line]
os.symlink("../" + OTHER, os.path.expanduser("~/theirs"))
print("SEES " + json.dumps({"homes": sorted(os.listdir("/home")), "of_the_other": named}), flush=True)
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


def archived(owner: Browser, directory: str) -> str:
    """The operation that has made an archive of that directory."""
    answer = owner.client.post("/home/archives", json={"path": directory})
    assert answer.status_code == 202, answer.text
    made = str(answer.json()["id"])
    wait_for("the archive", lambda: owner.client.get(f"/operations/{made}").json()["state"] == "finished", 120)
    assert owner.client.get("/home/files/content", params={"path": f"{directory}.tar.gz"}).is_success
    return made


def shows_nothing_of_a_task(asker: Browser, own: str, theirs: str) -> None:
    """It is not there: not to be seen, stopped, removed, or found in a list."""
    client = asker.client
    nowhere = {client.get(f"/tasks/{secrets.token_hex(16)}").status_code}
    for path in ("", "/log/content?rank=0", "/events", "/files", "/files/content?path=main.py"):
        assert {client.get(f"/tasks/{theirs}{path}").status_code} == nowhere == {404}, path
    assert client.post(f"/tasks/{theirs}/stop").status_code == 404
    assert client.delete(f"/tasks/{theirs}").status_code == 404
    listed = [task["id"] for task in client.get("/tasks").json()["items"]]
    assert (own in listed, theirs in listed) == (True, False)


def shows_nothing_of_files(asker: Browser, cluster: str, owner: str, directory: str, archive: str) -> None:
    """Neither a path that climbs, nor a link that a task has made, nor an archive's name leads to the owner's."""
    client = asker.client
    assert client.get(f"/operations/{archive}").status_code == 404
    assert client.post(f"/operations/{archive}/cancel").status_code == 404
    assert archive not in [each["id"] for each in client.get("/operations").json()["items"]]
    assert client.get("/operations", params={"owner": "all"}).status_code == 403
    for path in (f"../{owner}", f"../{owner}/{directory}", f"x/../../{owner}"):
        for address in ("/home/files", "/home/files/content"):
            assert client.get(address, params={"path": path}).status_code == 422, (address, path)
        for body in ({"path": path}, {"path": directory, "target": f"{path}/x.tar.gz"}):
            assert client.post("/home/archives", json=body).status_code == 422, body
    assert client.get("/home/files/content", params={"path": f"{directory}.tar.gz"}).status_code == 404
    assert client.get("/home/files", params={"path": f"/mnt/atoll/home/{owner}"}).status_code == 404
    for path in (f"theirs/{directory}", f"theirs/{directory}/main.py"):
        refused = client.get("/home/files", params={"path": path})
        assert (refused.status_code, refused.json()["code"]) == (403, "path_leads_out"), refused.text
    refused = client.get("/home/files/content", params={"path": f"theirs/{directory}/main.py"})
    assert (refused.status_code, refused.json()["code"]) == (403, "path_leads_out"), refused.text
    asked = request(asker, "x", "main.py", virtual_cluster=cluster, code_directory=f"../{owner}/{directory}")
    refused = client.post("/trainings", json=asked)
    assert refused.status_code == 422, refused.text
    assert [each["field"] for each in refused.json()["errors"]] == ["code_directory"], "refused for something else"


@pytest.mark.timeout(600)
@pytest.mark.feature(72, on="simulated")
def test_who_is_in_another_virtual_cluster_reaches_nothing_that_is_private_in_this_one(
    atoll: Atoll, portal: Portal
) -> None:
    """In both directions: tasks reach neither each other nor the other's home, and the platform shows neither of it."""
    share = Share(atoll, portal)
    with people(atoll, portal) as make:
        here, there = make("victim"), make("stranger", virtual_clusters=[])
        assert share.members(there).is_success
        wait_for("the queue", lambda: share.of_member(there), 60)
        with closing(here.browser()) as first, closing(there.browser()) as second:
            victim, stranger = Browser(here, first), Browser(there, second)
            listens = victim.run(atoll, "listen", LISTEN, limits=SMALL)
            address, mac = json.loads(told(victim, listens, "LISTENS"))
            targets = [("IPv4", address, PORT, "tcp"), ("IPv6", link_local(mac), PORT, "tcp")]
            program = scan(targets) + LOOK_AROUND % here.name + LISTEN
            of_stranger = stranger.run(atoll, "scan", program, virtual_cluster=share.name, limits=SMALL)
            address, mac = json.loads(told(stranger, of_stranger, "LISTENS"))
            targets = [("IPv4", address, PORT, "tcp"), ("IPv6", link_local(mac), PORT, "tcp")]
            program = scan(targets) + LOOK_AROUND % there.name + "import time; time.sleep(600)\n"
            looks = victim.run(atoll, "look", program, limits=SMALL)
            for browser, task in ((stranger, of_stranger), (victim, looks)):
                assert json.loads(told(browser, task, "SCANNED"))["reached"] == []
                # Of all homes it sees its owner's; nothing that it was given is the other's.
                seen = json.loads(told(browser, task, "SEES"))
                assert (seen["homes"], seen["of_the_other"]) == ([browser.user], [])
            # Nor does the platform show, stop, copy or use what is the other's.
            shows_nothing_of_a_task(stranger, of_stranger, listens)
            shows_nothing_of_a_task(victim, listens, of_stranger)
            shows_nothing_of_files(stranger, share.name, here.name, "listen", archived(victim, "listen"))
            shows_nothing_of_files(victim, "default", there.name, "scan", archived(stranger, "scan"))
            assert [victim.task(each)["state"] for each in (listens, looks)] == ["running"] * 2
            assert second.post(f"/tasks/{of_stranger}/stop").is_success
            stranger.wait_state(of_stranger, {"killed", "finished"}, 120)
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
