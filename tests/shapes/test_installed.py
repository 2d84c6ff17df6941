"""Clusters of other shapes than the reference, installed on lab nodes one after the other, each trains one example.

From the first moment on their nodes have a gateway, as servers do: none of them asks it for anything.

Needs root, the bundle (built or in the cache) and 8 GiB of memory. `-k one_node` chooses a shape.
"""

from __future__ import annotations

import contextlib
import json
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.shapes.by_hand import played
from tests.shapes.way_out import ELSEWHERE, a_way_out, try_to_leave
from tests.system import harness
from tests.system.harness import Atoll, Portal
from tests.system.jobs import log, submit

HERE = Path(__file__).parent
SHAPES = ("one_node", "cpu_only", "local_storage", "three_storage")
IN_HOME = "/mnt/atoll/home/admin/ids"
PROGRAM = "print('ids', *open('/proc/self/uid_map').read().split())"


@pytest.fixture(params=SHAPES)
def atoll(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Atoll]:
    scratch = Path("/var/lib/atoll/test-shapes") / request.param
    monkeypatch.setattr(harness, "SCRATCH", scratch)
    file = HERE / f"{request.param}.yaml"
    atoll = Atoll(file)
    atoll("down", "-f", str(file), "--yes", ok=(0, 1, 65, 69))  # what an aborted run left
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    yield atoll
    atoll("down", "-f", str(file), "--yes")


@pytest.mark.timeout(1800)
def test_a_cluster_of_this_shape_is_installed_and_trains(atoll: Atoll) -> None:
    atoll("lab", "up", "-f", str(atoll.file))
    with a_way_out(atoll) as asked:
        trained(atoll)
        assert asked() == [], "nodes asked for what is not of the cluster"
        by_hand_nothing_is_left_to_do(atoll)
        assert asked() == []
        try_to_leave(atoll, yaml.safe_load(atoll.file.read_text("utf-8"))["nodes"][0]["name"])
        assert asked() == [f"{ELSEWHERE} udp 9"], "it would not have been seen"


def by_hand_nothing_is_left_to_do(atoll: Atoll) -> None:
    """By plain ansible-playbook every phase runs and changes nothing; with --check all roles say the same."""
    names = {node["name"] for node in yaml.safe_load(atoll.file.read_text("utf-8"))["nodes"]}
    for options in ((), ("--check",)):
        found = played(atoll, *options)
        assert found.keys() == names
        for node, (ok, *others) in found.items():
            assert others == [0, 0, 0], f"{node}: changed, unreachable, failed {options}"
            assert ok > 20
    assert atoll("plan", "-f", str(atoll.file), "-o", "json").json["steps"] == []


def trained(atoll: Atoll) -> None:
    """Install the cluster, and train on it."""
    cluster = yaml.safe_load(atoll.file.read_text("utf-8"))
    assert atoll("up", "-f", str(atoll.file), "-o", "json").finished["ok"]
    assert atoll("plan", "-f", str(atoll.file), "-o", "json").json["steps"] == []
    first = Portal(atoll)
    with contextlib.closing(first.client):
        current = yaml.safe_load(first.credentials_file.read_text("utf-8"))["password"]
        assert first.change_password(current, secrets.token_urlsafe(18)).is_success
    types = [card["type"] for node in cluster["nodes"] for card in node.get("accelerators", [])]
    device = types[0] if types else None
    portal = Portal(atoll)
    with contextlib.closing(portal.client):
        job = submit(portal, "digits", "examples/digits/train.py", device_type=device, devices=min(len(types), 1))
        task = portal.wait_state(job, {"finished", "failed", "error", "killed"}, 300)
        assert task["state"] == "finished", log(portal, job)[-2000:]
        told = user_namespaces(atoll)
        seen = ids_of_a_task(atoll, portal, device)
        if cluster.get("storage", {}).get("driver") == "local":
            assert told == {"": "true"}, "on a disk each node of the lab can give them"
        else:
            assert "false" in told.values()
            assert all("has no idmapped mounts (/mnt/atoll/home)" in why for why in told if why)
        begins, length = seen[1:]
        own = set(told.values()) == {"true"}
        assert (begins != "0", length == "65536") == (own, own), seen
    servers = [node["name"] for node in cluster["nodes"] if "storage" in node.get("roles", [])]
    if len(servers) > 1:
        user_data_survive(atoll, servers[-1])


def user_data_survive(atoll: Atoll, server: str) -> None:
    """A file that was written while this server was away is on it once it is back."""
    atoll.node(server, "systemctl", "stop", "glusterd")
    atoll.node(
        "worker1", "sh", "-c", "head -c 8M /dev/urandom > /mnt/atoll/logs/survives && sync /mnt/atoll/logs/survives"
    )
    written = atoll.node("worker1", "sha256sum", "/mnt/atoll/logs/survives").out.split()[0]
    atoll.node(server, "systemctl", "start", "glusterd")
    brick = "/srv/atoll/storage/data/logs/survives"

    def healed() -> bool:
        return atoll.node(server, "sha256sum", brick, ok=(0, 1)).out.startswith(written)

    harness.wait_for("the file on the server that was away", healed, 180)
    atoll("verify", "-f", str(atoll.file))


def user_namespaces(atoll: Atoll) -> dict[str, str]:
    """What the nodes say of them, by the reason."""
    found = [node["metadata"] for node in json.loads(atoll.kubectl("get", "nodes", "-o", "json").out)["items"]]
    return {
        each.get("annotations", {}).get("atoll.io/no-user-namespaces", ""): each["labels"]["atoll.io/user-namespaces"]
        for each in found
    }


def ids_of_a_task(atoll: Atoll, portal: Portal, device: str | None) -> list[str]:
    """The ids that a task has of its node's: the first inside, where they begin on the node, and how many."""
    node = yaml.safe_load(atoll.file.read_text("utf-8"))["nodes"][0]["name"]
    atoll.node(node, "sh", "-c", f'mkdir -p {IN_HOME} && echo "{PROGRAM}" > {IN_HOME}/ids.py')
    job = submit(portal, "ids", "ids/ids.py", device_type=device)
    task = portal.wait_state(job, {"finished", "failed", "error", "killed"}, 300)
    said = log(portal, job)
    assert task["state"] == "finished", said[-2000:]
    return next(line.split()[1:] for line in said.splitlines() if line.startswith("ids "))
