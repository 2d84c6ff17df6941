"""Needs nothing. What the probe sees is judged: every check has a case that it must catch."""

from __future__ import annotations

import copy
import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import Cluster, loads
from installer.preflight.checks import Finding, run_all
from installer.preflight.node_checks import CHECKS, NodeFacts, needed_bytes
from installer.preflight.nodes import check_together, of_no_fault
from installer.preflight.seen import Seen

GIB = 1 << 30
_PROBE = Path(sys.modules["installer.preflight.nodes"].__file__ or "").with_name("probe.py")
CLUSTER = """
name: house
nodes:
  - {name: m1, address: 192.0.2.11, roles: [master]}
  - name: w1
    address: 192.0.2.21
    accelerators: [{type: nvidia_gpu_amd64, count: 2}]
    data_disks: [{device: /dev/disk/by-id/data, mount: /var/lib/containerd}]
  - {name: s1, address: 192.0.2.31, roles: [storage]}
"""


@pytest.fixture
def cluster() -> Cluster:
    return loads(CLUSTER, installed=False)


def sound(cluster: Cluster, name: str) -> dict[str, Any]:
    node = cluster.node(name)
    return {
        "arch": "x86_64",
        "kernel": "6.1.0-37-amd64",
        "os": {"id": "debian", "version": "12", "name": "Debian GNU/Linux 12 (bookworm)"},
        "uid": 0,
        "init": "systemd",
        "container": False,
        "machine_id": f"id-{name}",
        "product_uuid": f"uuid-{name}",
        "memory_bytes": 8 * GIB,
        "cpus": 4,
        "swaps": [],
        "directories": [
            {
                "path": path,
                "device": 1,
                "bytes": 200 * GIB,
                "free_bytes": 100 * GIB,
                "free_files": 1_000_000,
                "read_only": False,
            }
            for path in needed_bytes(cluster, node)
        ],
        "missing_devices": [],
        "listening": {"22": "sshd"},
        "ssh_client": "192.0.2.1",
        "cgroup": {"version": 2, "controllers": ["cpu", "cpuset", "memory", "pids", "io"]},
        "features": dict.fromkeys(("overlay", "fuse", "nftables", "nft_connlimit", "br_netfilter", "ipip"), True),
        "processes": ["systemd", "sshd"],
        "kubernetes": [],
        "ours": [],
        "clusters": [],
        "networks": ["127.0.0.1/8", f"{node.address}/24"],
        "routes": ["192.0.2.0/24"],
        "unreachable": [],
        "cards": {"seen": {"nvidia": 2, "ascend": 0}, "ready": {"nvidia": 2, "ascend": 0}},
    }


def judged(cluster: Cluster, name: str = "m1", skew_s: float = 0.0, **changes: Any) -> list[Finding]:
    seen = copy.deepcopy(sound(cluster, name)) | changes
    return run_all(CHECKS, name, NodeFacts(cluster, cluster.node(name), seen, skew_s))


def test_every_check_has_a_case_that_it_must_catch() -> None:
    """By its name, which stands in such a case and nowhere else here."""
    cases = Path(__file__).read_text(encoding="utf-8")
    assert [check.id for check in CHECKS if f'"{check.id}"' not in cases] == []


def test_a_master_whose_firewall_lets_a_node_in_by_this_apply_only_is_no_fault(cluster: Cluster) -> None:
    """A newcomer, or one that was shut out: SSH is open to administrators and nodes alone where networks are named."""
    silent = {"unreachable": [[f"{cluster.node('m1').address}:22", "no answer within 3 s"]]}

    def left(master: dict[str, Any], worker: dict[str, Any], reruled: set[str]) -> list[Any]:
        facts = [
            NodeFacts(cluster, cluster.node(name), sound(cluster, name) | seen, 0.0)
            for name, seen in (("m1", master), ("w1", silent | worker))
        ]
        found: list[Any] = of_no_fault(facts, reruled)[1].seen["unreachable"]
        return found

    installed = {"ours": ["host.json"]}
    assert left({}, {}, set()) == silent["unreachable"], "on a first install there is no firewall of ours"
    assert left(installed, {}, set()) == []
    assert left(installed, installed, set()) == silent["unreachable"]
    assert left(installed, installed, {"m1"}) == []


@pytest.mark.parametrize("name", ["m1", "w1", "s1"])
def test_a_sound_node_has_no_findings(cluster: Cluster, name: str) -> None:
    assert judged(cluster, name) == []


@pytest.mark.parametrize(
    ("check", "changes", "evidence"),
    [
        ("node.root", {"uid": 1000}, "not root"),
        ("node.init", {"init": "runit"}, "runit"),
        ("node.arch", {"arch": "aarch64"}, "it is arm64, cluster.yaml says amd64"),
        ("node.system", {"os": {"id": "debian", "version": "13", "name": "Debian 13"}}, "Debian 13"),
        ("node.system", {"os": {"id": "", "version": "", "name": ""}}, "unknown"),
        ("node.kernel", {"kernel": "5.10.0-28-amd64"}, "5.10"),
        ("node.cgroups", {"cgroup": {"version": 2, "controllers": ["cpu", "cpuset", "pids"]}}, "memory"),
        ("node.memory", {"memory_bytes": GIB}, "1.0 GiB"),
        ("node.cpus", {"cpus": 1}, "1 CPU"),
        ("node.data_disks", {"missing_devices": ["/dev/disk/by-id/data"]}, "/dev/disk/by-id/data"),
        ("node.foreign", {"processes": ["dockerd", "containerd"]}, "Docker runs"),
        ("node.foreign", {"kubernetes": ["/etc/kubernetes/admin.conf"]}, "/etc/kubernetes/admin.conf"),
        ("node.other_cluster", {"clusters": ["house", "mansion"]}, "mansion"),
        ("node.firewall", {"processes": ["firewalld"]}, "firewalld"),
        ("node.swap", {"swaps": ["/dev/sda2"]}, "/dev/sda2"),
        ("node.address", {"networks": ["10.0.0.5/24"]}, "192.0.2.11"),
        ("node.overlap", {"routes": ["10.244.3.0/24"]}, "10.244.3.0/24"),
        ("node.peers", {"unreachable": [["192.0.2.21:22", "No route to host"]]}, "No route to host"),
        ("node.cgroup_version", {"cgroup": {"version": 1, "controllers": ["cpu", "cpuset", "memory", "pids"]}}, "v1"),
    ],
)
def test_what_is_wrong_is_named_with_a_remedy(
    cluster: Cluster, check: str, changes: dict[str, Any], evidence: str
) -> None:
    (found,) = judged(cluster, **changes)
    assert found.check == check
    assert evidence in found.evidence
    assert found.remedy


@pytest.mark.parametrize(
    ("more", "key"),
    [
        ("platform: {task_local_disk: 201Gi}", "201Gi (`platform.task_local_disk`)"),
        ("resource_limit: {nvidia_gpu_amd64: {local_disk: 1Ti}}", "1Ti (`resource_limit.nvidia_gpu_amd64.local_disk`)"),
    ],
)
def test_a_limit_that_no_disk_holds_is_told_on_the_machines_that_run_such_tasks(more: str, key: str) -> None:
    larger = loads(CLUSTER + more, installed=False)
    found = judged(larger, "w1")
    assert {(one.check, one.severity) for one in found} == {("node.disk_of_tasks", "warning")}
    assert key in found[-1].evidence
    assert "has 200.0 GiB" in found[-1].evidence
    assert judged(larger, "m1") == []
    elsewhere = loads(CLUSTER + "resource_limit: {huawei_npu_arm64: {local_disk: 1Ti}}", installed=False)
    assert judged(elsewhere, "w1") == []


@pytest.mark.parametrize("feature", ["overlay", "nftables", "nft_connlimit", "br_netfilter", "fuse"])
def test_a_missing_kernel_feature_is_named(cluster: Cluster, feature: str) -> None:
    (found,) = judged(cluster, features=sound(cluster, "m1")["features"] | {feature: False})
    assert found.check == "node.features"
    assert feature in found.evidence


def test_connections_are_counted_by_the_firewall_of_masters_only(cluster: Cluster) -> None:
    lacks = {"features": sound(cluster, "w1")["features"] | {"nft_connlimit": False}}
    assert judged(cluster, "w1", **lacks) == []
    off = loads(CLUSTER + "firewall: {enabled: false}\n", installed=False)
    assert judged(off, "m1", **lacks) == []
    told = [found.evidence for found in judged(cluster, "m1", **lacks)]
    assert len(told) == 1, f"not told of nft_connlimit: {told}"
    assert "firewall" in told[0]


@pytest.mark.parametrize(
    ("skew_s", "severity"), [(-90.0, "error"), (90.0, "error"), (5.0, "warning"), (1.0, None), (-1.9, None)]
)
def test_a_clock_is_judged_by_how_far_it_is_off(cluster: Cluster, skew_s: float, severity: str | None) -> None:
    found = judged(cluster, skew_s=skew_s)
    assert [one.severity for one in found] == ([severity] if severity else [])
    names = {"error": "node.clock", "warning": "node.clock_drift"}
    assert [one.check for one in found] == ([names[severity]] if severity else [])


def test_folders_of_one_disk_need_their_sum_and_are_named_together(cluster: Cluster) -> None:
    needs = needed_bytes(cluster, cluster.node("m1"))
    directories = sound(cluster, "m1")["directories"]
    enough = sum(needs.values())
    assert judged(cluster, directories=[{**folder, "free_bytes": enough} for folder in directories]) == []
    (found,) = judged(cluster, directories=[{**folder, "free_bytes": enough - 1} for folder in directories])
    assert all(path in found.evidence for path in needs)


def test_a_node_that_is_installed_needs_less_disk_and_its_ports_are_its_own(cluster: Cluster) -> None:
    directories = [{**folder, "free_bytes": GIB} for folder in sound(cluster, "m1")["directories"]]
    ours = ["/var/lib/atoll/records/host.json"]
    listening = {"6443": "kube-apiserver", "10250": "kubelet"}
    running = ["kubelet", "containerd"]
    assert judged(cluster, directories=directories, ours=ours, listening=listening, processes=running) == []
    (found,) = judged(cluster, directories=[{**folder, "free_bytes": 0} for folder in directories], ours=ours)
    assert found.check == "node.disk"


def test_a_disk_without_inodes_and_one_that_is_read_only_are_named(cluster: Cluster) -> None:
    folders = sound(cluster, "m1")["directories"]
    (found,) = judged(cluster, directories=[{**folder, "free_files": 12} for folder in folders])
    assert "12 more files" in found.evidence
    (found,) = judged(cluster, directories=[{**folder, "read_only": True} for folder in folders])
    assert "read-only" in found.evidence


def test_a_folder_on_a_data_disk_is_not_measured_before_the_disk_is_mounted(cluster: Cluster) -> None:
    assert "/var/lib/containerd" not in needed_bytes(cluster, cluster.node("w1"))
    assert "/var/lib/containerd" in needed_bytes(cluster, cluster.node("m1"))


@pytest.mark.parametrize(
    ("port", "needing"),
    [
        (80, {"m1"}),
        (443, {"m1"}),
        (2379, {"m1"}),
        (2380, {"m1"}),
        (6443, {"m1"}),
        (7444, {"m1"}),
        (10257, {"m1"}),
        (24007, {"s1"}),
        (5443, {"s1"}),
        (179, {"m1", "w1", "s1"}),
        (9100, {"m1", "w1", "s1"}),
        (10250, {"m1", "w1", "s1"}),
        (22, set()),
        (50000, set()),
    ],
)
def test_only_the_ports_of_what_will_listen_on_a_node_must_be_free(
    cluster: Cluster, port: int, needing: set[str]
) -> None:
    found = {name: judged(cluster, name, listening={str(port): "nginx"}) for name in ("m1", "w1", "s1")}
    assert {one.check for findings in found.values() for one in findings} <= {"node.ports"}
    assert {name for name, findings in found.items() if findings} == needing


@pytest.mark.parametrize(
    ("came_from", "shut_out"),
    [
        ("203.0.113.9", True),
        ("2001:db8::9", True),
        ("192.0.2.31", False),
        ("10.1.2.3", False),
        ("::ffff:10.1.2.3", False),
        ("", False),
    ],
)
def test_rules_that_would_shut_the_installer_out_are_refused(came_from: str, *, shut_out: bool) -> None:
    cluster = loads(CLUSTER + "firewall: {administrators: [10.1.0.0/16]}\n", installed=False)
    found = judged(cluster, ssh_client=came_from)
    assert [one.check for one in found] == ["node.way_in"] * shut_out
    assert all(came_from in one.evidence for one in found)
    for open_to_all in ("", "firewall: {enabled: false, administrators: [10.1.0.0/16]}\n"):
        assert judged(loads(CLUSTER + open_to_all, installed=False), ssh_client=came_from) == []


def test_the_probe_knows_from_where_ssh_came_also_when_sudo_dropped_it() -> None:
    source = _PROBE.read_text("utf-8").partition("\n\nprint(")[0] + "\nprint(ssh_client())"
    for inner in ([], ["env", "--ignore-environment"]):
        # A shell between both, as between `sshd` and `sudo`; the last word keeps it from giving its place away.
        line = shlex.join([*inner, sys.executable, "-I", "-c", source, "{}"]) + "; true"
        told = {"SSH_CONNECTION": "198.51.100.7 50022 192.0.2.11 22"}
        done = subprocess.run(["sh", "-c", line], env=told, capture_output=True, text=True, timeout=60, check=True)
        assert done.stdout == "198.51.100.7\n"


def test_cards_and_their_driver_are_counted(cluster: Cluster) -> None:
    (found,) = judged(cluster, "w1", cards={"seen": {"nvidia": 1}, "ready": {"nvidia": 1}})
    assert found.check == "node.cards"
    assert "1 cards" in found.evidence
    (found,) = judged(cluster, "w1", cards={"seen": {"nvidia": 2}, "ready": {"nvidia": 0}})
    assert "0 of 2" in found.evidence


def facts(cluster: Cluster, name: str, **changes: Any) -> NodeFacts:
    return NodeFacts(cluster, cluster.node(name), sound(cluster, name) | changes, 0.0)


def test_one_machine_under_two_names_is_found(cluster: Cluster) -> None:
    (found,) = check_together([facts(cluster, "m1"), facts(cluster, "w1", machine_id="id-m1")])
    assert found.where == "node `w1`"
    assert "node `m1`" in found.evidence
    (found,) = check_together([facts(cluster, "m1"), facts(cluster, "w1", product_uuid="uuid-m1")])
    assert found.check == "node.product_uuid"
    contained = [facts(cluster, name, product_uuid="same", container=True) for name in ("m1", "w1")]
    assert check_together(contained) == []


def test_subnets_need_a_tunnel_and_the_kernel_for_it(cluster: Cluster) -> None:
    away = {"networks": [f"{cluster.node('w1').address}/28"]}
    assert check_together([facts(cluster, "m1"), facts(cluster, "w1", **away)]) == []
    features = sound(cluster, "w1")["features"] | {"ipip": False}
    (found,) = check_together([facts(cluster, "m1"), facts(cluster, "w1", **away, features=features)])
    assert "ipip" in found.remedy


def test_the_probe_answers_on_this_machine_with_what_the_checks_read(cluster: Cluster, tmp_path: Path) -> None:
    wanted = {"directories": [str(tmp_path / "not/there/yet")], "devices": ["/dev/none"], "peers": [["127.0.0.1", 1]]}
    with _PROBE.open() as program:
        done = subprocess.run(
            [sys.executable, "-I", "-", json.dumps(wanted)], stdin=program, capture_output=True, timeout=60, check=True
        )
    seen = json.loads(done.stdout)
    assert sound(cluster, "m1").keys() <= seen.keys()
    Seen.model_validate(seen)
    assert seen["directories"][0]["bytes"] > seen["directories"][0]["free_bytes"] > 0
    assert seen["missing_devices"] == ["/dev/none"]
    assert seen["unreachable"][0][0] == "127.0.0.1:1"
    run_all(CHECKS, "m1", NodeFacts(cluster, cluster.node("m1"), seen, 0.0))
