"""Looking at nodes with the real Ansible and probe; `ssh` is a program that stays here."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from installer.cluster import TREE, loads
from installer.running import observe as observing
from installer.running.observe import observe


def test_a_node_that_hangs_is_told_and_the_others_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    cluster = loads((TREE / "cluster.example.yaml").read_text("utf-8"))
    programs, playbooks = tmp_path / "programs", tmp_path / "tree" / "playbooks"
    programs.mkdir()
    playbooks.mkdir(parents=True)
    hanging = cluster.node("worker2").address
    lines = [
        "#!/bin/sh",
        f'case "$*" in *{hanging}*) exec sleep 50;; esac',
        "for last; do :; done",
        'exec sh -c "$last"',
    ]
    (programs / "ssh").write_text("\n".join(lines) + "\n")
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    text = (TREE / "playbooks" / "observe.yml").read_text("utf-8")
    assert "timeout: 120" in text
    (playbooks / "observe.yml").write_text(text.replace("timeout: 120", "timeout: 15"))
    monkeypatch.setattr(observing, "TREE", tmp_path / "tree")
    # Two looks were killed, or go on: one long ago, one just now.
    state = tmp_path / "state" / cluster.name
    for name in ("old", "new"):
        (state / f".look-{name}").mkdir(parents=True)
    os.utime(state / ".look-old", (0, 0))
    seen = observe(cluster)
    assert [path.name for path in state.glob(".look-*")] == [".look-new"]
    assert not seen.node("worker2").reachable
    assert "imed out" in seen.node("worker2").problem
    assert all(seen.node(name).reachable for name in ("master1", "worker1", "storage1"))


def test_a_node_that_talks_without_end_is_told_and_the_others_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    cluster = loads((TREE / "cluster.example.yaml").read_text("utf-8"))
    said_all = tmp_path / "said-all"
    # It does end, for a reader who reads all of it.
    talks = f"cat > /dev/null; head -c {8 << 20} /dev/zero && : > {said_all}; exit 0"
    lines = [
        "#!/bin/sh",
        f'case "$*" in *{cluster.node("worker2").address}*) {talks};; esac',
        # As the shared connection of ssh does, something holds what it was given.
        "sleep 8 &",
        "for last; do :; done",
        'exec sh -c "$last"',
    ]
    (tmp_path / "ssh").write_text("\n".join(lines) + "\n")
    (tmp_path / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    seen = observe(cluster)
    assert not said_all.exists(), "Ansible reads all that a node says"
    assert not seen.node("worker2").reachable
    assert "the answer of the node is not believed: it has more than 1 MiB" in seen.node("worker2").problem
    assert all(seen.node(name).reachable for name in ("master1", "worker1", "storage1"))
