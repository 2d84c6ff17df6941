"""Needs root. What is wrong with nodes is named, with its remedy, and nothing is changed by looking."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.system.machines import Machines, shell

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="lab nodes need root")


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Machines]:
    them = Machines(tmp_path_factory.mktemp("preflight"), name="preflight", bridge="atollpre", network="10.78.9")
    them("lab", "down")
    them.started()
    yield them
    them("lab", "down")


def findings(machines: Machines) -> list[dict[str, str]]:
    """Return what is wrong with nodes; the bundle of whoever runs the tests is not the point here."""
    found: list[dict[str, str]] = machines.json("preflight", ok=(0, 69))["findings"]
    return [one for one in found if one["where"].startswith("node") and one["severity"] != "note"]


def the_one(machines: Machines) -> dict[str, str]:
    found = findings(machines)
    assert len(found) == 1, found
    assert found[0]["remedy"]
    return found[0]


def changed_files(machines: Machines, since: float) -> list[str]:
    """Return files on the nodes that changed, but for logs of signing in."""
    quiet = "-not -path '/var/log/*' -not -path '/run/*' -not -path '/proc/*' -not -path '/sys/*'"
    found = [
        machines.run(node, "sh", "-c", f"find / -xdev -newermt @{since} -type f {quiet}") for node in machines.nodes
    ]
    return "".join(found).split()


def test_sound_nodes_have_no_findings_and_are_not_changed(machines: Machines) -> None:
    time.sleep(1)  # times of files are not finer than that everywhere
    since = time.time()
    assert findings(machines) == []
    assert changed_files(machines, since) == []


def test_a_node_that_is_down_is_named(machines: Machines) -> None:
    machines("lab", "poweroff", "two")
    try:
        found = the_one(machines)
        assert (found["check"], found["where"]) == ("ssh.reachable", "node `two`")
        assert machines.address("two") in found["evidence"]
        assert machines("preflight", ok=(69,)).count("does not answer") == 1
    finally:
        machines("lab", "start", "two")


def test_a_wrong_ssh_key_is_named_with_the_line_to_add(machines: Machines, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shell("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", other)
    machines.extra = {"ssh": {"key_file": str(other)}}
    try:
        found = findings(machines)
        assert [one["check"] for one in found] == ["ssh.key", "ssh.key"]
        assert str(other) in found[0]["evidence"]
        assert "authorized_keys" in found[0]["remedy"]
    finally:
        machines.extra = {}


def test_a_changed_host_key_is_refused_until_it_is_forgotten_on_purpose(machines: Machines) -> None:
    pinned = machines.known_hosts.read_text("utf-8")
    machines.run(
        "two", "sh", "-c", "rm /etc/ssh/ssh_host_*; ssh-keygen -q -t ed25519 -N '' -f /etc/ssh/ssh_host_ed25519_key"
    )
    machines.run("two", "systemctl", "restart", "ssh")
    shown = machines.run("two", "ssh-keygen", "-lf", "/etc/ssh/ssh_host_ed25519_key.pub").split()[1]
    found = the_one(machines)
    assert (found["check"], found["where"]) == ("ssh.host_key", "node `two`")
    assert shown in found["evidence"]
    assert "--forget two" in found["remedy"]

    refused = machines.json("enrol", "--accept", shown, ok=(69,))
    assert {node["node"]: node["state"] for node in refused["nodes"]} == {"one": "pinned", "two": "changed"}
    assert machines.known_hosts.read_text("utf-8") == pinned

    machines("enrol", "--forget", "two")
    assert the_one(machines)["title"] == "host key"
    asked = machines.json("enrol", "two", ok=(69,))
    assert asked["nodes"][0]["fingerprint"] == shown
    assert "two" not in {line.split()[0] for line in machines.known_hosts.read_text("utf-8").splitlines()}
    machines("enrol", "two", "--accept", "SHA256:" + 43 * "A", ok=(69,))
    machines("enrol", "two", "--accept", shown)
    assert findings(machines) == []


def test_a_key_that_cluster_yaml_names_has_the_last_word(machines: Machines) -> None:
    machines.write()
    before = machines.known_hosts.read_text("utf-8")
    key = " ".join(before.splitlines()[1].split()[1:3])
    machines.extra = {
        "nodes": [{"name": "one", "address": machines.address("one"), "roles": ["master", "storage"], "host_key": key}]
    }
    try:
        found = the_one(machines)
        assert found["check"] == "ssh.host_key"
    finally:
        machines.extra = {}
        machines.known_hosts.write_text(before, encoding="utf-8")


def test_a_full_disk_is_named_with_its_folder(machines: Machines) -> None:
    machines.run("one", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/var/lib/containerd")
    try:
        found = the_one(machines)
        assert (found["check"], found["where"]) == ("node.disk", "node `one`")
        assert "/var/lib/containerd" in found["evidence"]
        assert "0.0 GiB free" in found["evidence"]
    finally:
        machines.run("one", "umount", "/var/lib/containerd")


def test_a_read_only_disk_is_named(machines: Machines) -> None:
    machines.run("one", "mount", "-t", "tmpfs", "-o", "ro", "tmpfs", "/var/lib/etcd")
    try:
        assert "read-only" in the_one(machines)["evidence"]
    finally:
        machines.run("one", "umount", "/var/lib/etcd")


@pytest.fixture
def foreign_server(machines: Machines) -> Iterator[None]:
    server = machines.start("lab", "exec", "one", "--", "python3", "-m", "http.server", "6443")
    for _ in range(100):
        if "6443" in machines.run("one", "ss", "-ltn"):
            break
        time.sleep(0.1)
    yield
    machines.run("one", "pkill", "-f", "http.server", ok=(0, 1, 127))
    machines.run("one", "sh", "-c", "kill $(ss -ltnp | sed -n 's/.*:6443 .*pid=\\([0-9]*\\).*/\\1/p')", ok=(0, 1, 2))
    server.communicate(timeout=10)


@pytest.mark.usefixtures("foreign_server")
def test_a_port_that_is_taken_is_named_with_its_holder(machines: Machines) -> None:
    found = the_one(machines)
    assert found["check"] == "node.ports"
    assert "6443" in found["evidence"]
    assert "python3" in found["evidence"]


def test_remains_of_another_kubernetes_are_named(machines: Machines) -> None:
    machines.run("one", "sh", "-c", "mkdir -p /etc/kubernetes && touch /etc/kubernetes/kubelet.conf")
    try:
        found = the_one(machines)
        assert found["check"] == "node.foreign"
        assert "/etc/kubernetes/kubelet.conf" in found["evidence"]
    finally:
        machines.run("one", "rm", "-r", "/etc/kubernetes")


def test_a_copied_machine_is_named(machines: Machines) -> None:
    own = machines.run("two", "cat", "/etc/machine-id")
    other = machines.run("one", "cat", "/etc/machine-id").strip()
    machines.run("two", "sh", "-c", f"rm /etc/machine-id; echo {other} > /etc/machine-id")
    try:
        found = the_one(machines)
        assert (found["check"], found["where"]) == ("node.machine_id", "node `two`")
    finally:
        machines.run("two", "sh", "-c", f"echo {own.strip()} > /etc/machine-id")


def test_a_user_who_may_not_become_root_is_named(machines: Machines) -> None:
    machines.extra = {"ssh": {"user": "admin"}}
    machines("lab", "poweroff", "two")
    machines("lab", "start", "two")
    machines.extra = {"ssh": {"user": "root"}}
    machines("lab", "start", "one")
    rows: list[dict[str, Any]] = [
        {"name": "one", "address": machines.address("one"), "roles": ["master"]},
        {"name": "two", "address": machines.address("two"), "roles": ["storage"], "ssh": {"user": "admin"}},
    ]
    machines.extra = {"nodes": rows}
    try:
        assert findings(machines) == []  # sudo is used for everyone but root
        machines.run("two", "mv", "/etc/sudoers.d/atoll-lab", "/root/")
        found = the_one(machines)
        assert found["check"] == "ssh.sudo"
        assert "sudoers.d" in found["remedy"]
    finally:
        machines.run("two", "mv", "/root/atoll-lab", "/etc/sudoers.d/", ok=(0, 1))
        machines.extra = {}


def test_all_problems_are_told_at_once(machines: Machines) -> None:
    machines("lab", "poweroff", "two")
    machines.run("one", "mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", "/var/lib/etcd")
    try:
        assert {one["check"] for one in findings(machines)} == {"ssh.reachable", "node.disk"}
    finally:
        machines.run("one", "umount", "/var/lib/etcd")
        machines("lab", "start", "two")


def test_nodes_in_maintenance_are_left_out_and_not_missed_by_the_others(machines: Machines) -> None:
    machines("lab", "poweroff", "two")
    away = {"roles": ["master"], "maintenance": True}
    rows: list[dict[str, Any]] = [
        {"name": "one", "address": machines.address("one"), "roles": ["master", "storage"]},
        {"name": "two", "address": machines.address("two"), **away},
        {"name": "three", "address": f"{machines.network}.13", **away},
    ]
    machines.extra = {"nodes": rows}
    try:
        assert findings(machines) == []
    finally:
        machines.extra = {}
        machines("lab", "start", "two")
