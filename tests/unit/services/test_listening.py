"""What `ss` says of nodes is held against the table of ports."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from rich.console import Console

from installer.cluster import TREE, Cluster, load
from installer.control.answers import Ports
from installer.running.ports import show_ports
from installer.services.access import Access
from installer.services.listening import Socket, table, understood, without_row

SEEN = """\
tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("sshd",pid=61,fd=3))
tcp LISTEN 0 128 [::]:22 [::]:* users:(("sshd",pid=61,fd=4))
tcp LISTEN 0 4096 *:10250 *:* users:(("kubelet",pid=9,fd=12))
tcp LISTEN 0 4096 127.0.0.1:41235 0.0.0.0:* users:(("containerd",pid=8,fd=7))
udp UNCONN 0 0 127.0.0.1:323 0.0.0.0:* users:(("chronyd",pid=7,fd=5))
"""
STRAYS = """\
tcp LISTEN 0 4096 10.77.0.21:50051 0.0.0.0:* users:(("kube-router",pid=30,fd=9))
tcp LISTEN 0 4096 *:24007 *:* users:(("glusterd",pid=31,fd=9))
tcp LISTEN 0 4096 *:10250 *:* users:(("socat",pid=32,fd=5))
tcp LISTEN 0 4096 *:10248 *:* users:(("kubelet",pid=9,fd=13))
udp UNCONN 0 0 [fe80::1]%eth0:546 [::]:*
"""


@pytest.fixture
def cluster() -> Cluster:
    return load(TREE / "cluster.example.yaml")


def test_what_has_a_row_is_found_by_port_program_and_address(cluster: Cluster) -> None:
    assert without_row(cluster, cluster.node("worker1"), list(understood(SEEN))) == []


def test_a_stray_a_part_of_another_role_a_foreign_program_and_a_wider_address_have_no_row(cluster: Cluster) -> None:
    assert without_row(cluster, cluster.node("worker1"), list(understood(SEEN + STRAYS))) == [
        Socket("tcp", "10.77.0.21", 50051, "kube-router"),
        Socket("tcp", "*", 24007, "glusterd"),
        Socket("tcp", "*", 10250, "socat"),
        Socket("tcp", "*", 10248, "kubelet"),
        Socket("udp", "[fe80::1]", 546, ""),
    ]


def test_a_person_is_told_which_pods_may_come_where_not_all_of_the_system_may() -> None:
    row = {"what": "", "program": "", "protocol": "tcp", "binds": "pod network", "on": "all", "who_ipv6": []}
    rows = [
        {**row, "ports": "8002", "who": ["pods"], "callers": ["api", "jobs"]},
        {**row, "ports": "10250", "who": ["nodes", "pods"], "callers": []},
    ]
    console = Console(file=io.StringIO(), width=200)
    show_ports({"firewall": True, "rows": rows, "without_row": [], "silent": []}, console)
    assert isinstance(console.file, io.StringIO)
    _, named, all_of_them = console.file.getvalue().splitlines()
    assert "pods (api, jobs)" in named
    assert "nodes, pods " in all_of_them


ODD = [
    "tcp LISTEN",
    "tcp LISTEN 0 128 0.0.0.0:* 0.0.0.0:*",
    "tcp LISTEN 0 128 0.0.0.0:99999 0.0.0.0:*",
    "tcp LISTEN 0 128 somewhere:22 0.0.0.0:*",
    "sctp LISTEN 0 128 0.0.0.0:22 0.0.0.0:*",
    "tcp ESTAB 0 0 10.0.0.1:22 10.0.0.2:4000",
    'tcp LISTEN 0 128 0.0.0.0:22 0.0.0.0:* users:(("\x1b[2J",pid=61,fd=3))',
    "Cannot open netlink socket",
    "",
]


@pytest.mark.parametrize("line", ODD)
def test_a_line_that_ss_does_not_say_is_no_line_that_is_left_out(line: str) -> None:
    with pytest.raises(ValueError, match="says no such line"):
        list(understood(f"{SEEN}{line}\n"))


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ("tcp LISTEN 0 128 0.0.0.0:* 0.0.0.0:*", "says no such line: tcp LISTEN"),
        ("\n".join(f"tcp LISTEN 0 1 *:{port} *:*" for port in range(1, 2002)), "more than 2000 sockets"),
        ("x" * (2 << 20), "it has more than 1024 KiB"),
    ],
    ids=["an odd line", "a socket too many", "without end"],
)
def test_a_node_that_is_not_understood_is_told_as_silent_and_the_others_are_as_ever(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, said: str, why: str
) -> None:
    (tmp_path / "odd").write_text(f"{said}\n")
    (tmp_path / "usual").write_text('tcp LISTEN 0 4096 *:24007 *:* users:(("glusterd",pid=31,fd=9))\n')
    address = cluster.node("worker1").address
    lines = f'#!/bin/sh\ncd "$(dirname "$0")"\ncase "$*" in *@{address}\\ *) cat odd;; *) cat usual;; esac\n'
    (tmp_path / "ssh").write_text(lines)
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    answer = Ports.model_validate(table(Access(cluster, tmp_path / "none")))
    # There is no API server here, which is told without a node.
    assert [one.node for one in answer.silent if one.node] == ["worker1"], "it hides what listens"
    (message,) = [one.message for one in answer.silent if one.node]
    assert "`worker1` is not believed" in message
    assert why in message
    assert {one.node for one in answer.without_row} >= {"worker2"}
    assert "worker1" not in {one.node for one in answer.without_row}
