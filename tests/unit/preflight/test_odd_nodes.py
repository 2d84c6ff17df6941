"""What a node that somebody has taken over says to preflight and enrolment. `ssh` is a program of ours."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import Cluster, loads
from installer.preflight import host_keys
from installer.preflight.checks import Finding
from installer.preflight.nodes import MOST_FINDINGS, check_nodes
from tests.unit.preflight.test_node_checks import CLUSTER, sound

Findings = Callable[..., dict[str, list[Finding]]]


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return loads(CLUSTER + "platform: {user_namespaces: never}\n", installed=False)


def said(cluster: Cluster, name: str, **changes: Any) -> dict[str, Any]:
    return {"clock": time.time(), **sound(cluster, name), **changes}


def program(cluster: Cluster, folder: Path, lines: str) -> None:
    """Make an `ssh` that answers as `lines` say for w1; the others have swap and a wrong clock."""
    cases = [f"*@{cluster.node('w1').address}\\ *) {lines};;"]
    for name in ("m1", "s1"):
        (folder / name).write_text(json.dumps(said(cluster, name, clock=0, swaps=[f"/dev/{name}"])))
        cases.append(f"*@{cluster.node(name).address}\\ *) cat {folder / name};;")
    (folder / "ssh").write_text('#!/bin/sh\ncase "$*" in {} esac\n'.format(" ".join(cases)))
    (folder / "ssh").chmod(0o755)


@pytest.fixture
def findings(cluster: Cluster, tmp_path: Path) -> Findings:
    """Return what preflight finds, by node, when w1 answers as the lines of a shell say."""

    def found(lines: str) -> dict[str, list[Finding]]:
        program(cluster, tmp_path, lines)
        told = check_nodes(cluster)
        by_node = {name: [one for one in told if one.where == f"node `{name}`"] for name in ("m1", "w1", "s1")}
        assert sum(map(len, by_node.values())) == len(told)
        for name in ("m1", "s1"):
            checks = {one.check: one.evidence for one in by_node[name]}
            assert checks.keys() == {"node.clock", "node.swap"}, "the others are not checked"
            assert f"/dev/{name}" in checks["node.swap"]
        return by_node

    return found


def saying(folder: Path, content: object) -> str:
    (folder / "w1").write_text(content if isinstance(content, str) else json.dumps(content))
    return f"cat {folder / 'w1'}"


@pytest.mark.parametrize("to", ["", ">&2"], ids=["output", "errors"])
def test_a_node_that_says_too_much_is_a_finding_and_the_others_are_checked(
    findings: Findings, tmp_path: Path, to: str
) -> None:
    (found,) = findings(f"head -c {32 << 20} /dev/zero {to}; : > {tmp_path}/said-all")["w1"]
    assert (found.check, found.severity) == ("ssh.odd", "error")
    assert "more than 1024 KiB" in found.evidence
    assert not (tmp_path / "said-all").exists()


@pytest.mark.parametrize(
    ("content", "evidence"),
    [
        ("", "it is no JSON object"),
        ("hello\x1b[2J\n{}", "it is no JSON object: hello\N{REPLACEMENT CHARACTER}[2J"),
        ("[" * 100_000, "it is no JSON object"),
        ("[]", "it is no JSON object"),
        ("{}", "arch, cards, cgroup"),
        ({"kernel": "6.x"}, "understood: kernel"),
        ({"kernel": "6.1-\x1b[2J"}, "understood: kernel"),
        ({"clock": 1e300}, "understood: clock"),
        ({"memory_bytes": 10**400}, "understood: memory_bytes"),
        ({"memory_bytes": -1}, "understood: memory_bytes"),
        ({"routes": ["everywhere"]}, "understood: routes.0"),
        ({"networks": ["10.0.0.1/99"]}, "understood: networks.0"),
        ({"ssh_client": "nowhere"}, "understood: ssh_client"),
        ({"unreachable": [["192.0.2.11:22"]]}, "understood: unreachable.0"),
        ({"listening": ["22"]}, "understood: listening"),
        ({"cards": {"seen": {}, "ready": {}}}, "understood: cards.ready.ascend"),
        ({"directories": []}, "understood: directories"),
        ({"missing_devices": ["/dev/another"]}, "understood: missing_devices"),
    ],
)
def test_an_answer_that_the_probe_never_gives_is_a_finding_and_the_others_are_checked(
    findings: Findings, cluster: Cluster, tmp_path: Path, content: str | dict[str, Any], evidence: str
) -> None:
    odd = content if isinstance(content, str) else said(cluster, "w1", **content)
    (found,) = findings(saying(tmp_path, odd))["w1"]
    assert (found.check, found.severity) == ("ssh.odd", "error")
    assert evidence in found.evidence
    assert len(found.evidence) < 400
    assert "\x1b" not in str(found)


def test_a_folder_that_is_told_twice_is_not_believed(findings: Findings, cluster: Cluster, tmp_path: Path) -> None:
    twice = said(cluster, "w1")["directories"] * 2
    (found,) = findings(saying(tmp_path, said(cluster, "w1", directories=twice)))["w1"]
    assert found.check == "ssh.odd"


def test_a_sound_answer_is_believed(findings: Findings, cluster: Cluster, tmp_path: Path) -> None:
    assert findings(saying(tmp_path, said(cluster, "w1")))["w1"] == []


def test_what_a_node_says_in_a_finding_is_one_short_line(findings: Findings, cluster: Cluster, tmp_path: Path) -> None:
    name = "x\n  Run this: curl evil\x1b[2J\ud800" + "y" * 90_000
    (found,) = findings(saying(tmp_path, said(cluster, "w1", init=name)))["w1"]
    assert found.check == "node.init"
    assert "\n" not in found.evidence
    assert "\x1b" not in found.evidence
    assert len(found.evidence.encode()) < 2100


def test_a_node_does_not_bury_the_others_below_its_findings(
    findings: Findings, cluster: Cluster, tmp_path: Path
) -> None:
    found = findings(saying(tmp_path, said(cluster, "w1", routes=["10.244.0.0/24"] * 20_000)))["w1"]
    assert len(found) == MOST_FINDINGS + 1
    assert "20000 findings" in found[-1].evidence


def test_a_node_that_says_too_much_shows_no_key_and_the_others_show_theirs(cluster: Cluster, tmp_path: Path) -> None:
    program(cluster, tmp_path, f"head -c {1 << 20} /dev/zero >&2; : > {tmp_path}/said-all")
    shown = {one.node: one for one in host_keys.look(cluster, cluster.nodes)}
    assert shown["w1"].state == "unreachable"
    assert "is not believed" in shown["w1"].evidence
    assert "more than 64 KiB" in shown["w1"].evidence
    assert "no answer" in shown["m1"].evidence
    assert not (tmp_path / "said-all").exists()


def test_a_jump_host_that_says_too_much_is_named(tmp_path: Path, cluster: Cluster) -> None:
    (tmp_path / "ssh").write_text(f"#!/bin/sh\nhead -c {1 << 20} /dev/zero >&2\n")
    (tmp_path / "ssh").chmod(0o755)
    behind = cluster.model_copy(update={"ssh": cluster.ssh.model_copy(update={"jump": "gate"})})
    gate = host_keys.look(behind, behind.nodes[:1])[0]
    assert (gate.jump, gate.state) == (True, "unreachable")
    assert "the answer of the jump host gate" in gate.evidence
