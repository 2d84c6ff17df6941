"""What a master that somebody has taken over says to an apply. `ssh` is a program of ours."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import loads, state_directory
from installer.errors import ToldError
from installer.running import accepted
from installer.running import apply as applying
from installer.running.accepted import Revision, of_cluster, refuse_foreign
from installer.running.errors import RunError
from installer.running.handing_over import hand_to
from installer.services.access import Access
from installer.ssh.nodes import MOST_BYTES, NodeNotBelieved, SshNode

TEXT = "name: real\nstorage: {driver: local}\nnodes: [{name: m1, address: 192.0.2.11, roles: [master, worker]}]\n"
RECORD: dict[str, Any] = {"number": 3, "digest": "sha256:x", "at": "today", "by": "elsewhere", "history": []}


@pytest.fixture
def master(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SshNode:
    """The one master; `ssh` shows the file `said`."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    (tmp_path / "ssh").write_text(f"#!/bin/sh\nexec cat {tmp_path}/said\n")
    (tmp_path / "ssh").chmod(0o755)
    cluster = loads(TEXT, installed=False)
    state_directory(cluster).mkdir(parents=True)
    return Access(cluster).node("m1")


@pytest.mark.parametrize(
    "said",
    [
        "",
        "odd \x1b[2J",
        "[" * 100_000,
        "[]",
        "3",
        json.dumps(RECORD | {"history": 7}),
        json.dumps(RECORD | {"number": "three"}),
        json.dumps(RECORD | {"number": -3}),
        json.dumps(RECORD | {"number": 10**30}),
        json.dumps(RECORD).replace("3", "1e999"),
    ],
)
def test_a_revision_that_is_none_is_told_and_nothing_is_overwritten(master: SshNode, tmp_path: Path, said: str) -> None:
    (tmp_path / "said").write_text(said)
    with pytest.raises(RunError, match="on `m1` says nothing that can be read") as told:
        of_cluster(master, "real")
    assert "\x1b" not in str(told.value)
    assert len(str(told.value)) < 1000


def test_a_master_that_says_too_much_is_told_and_no_master_that_does_not_answer(
    master: SshNode, tmp_path: Path
) -> None:
    with (tmp_path / "said").open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    with pytest.raises(RunError, match="`m1` is not believed"):
        applying._theirs(loads(TEXT, installed=False))


CANNOT = {
    "permission": (1, "cat: revision.json: Permission denied"),
    "disk": (1, "cat: revision.json: Input/output error"),
    "sudo": (1, "sudo: a password is required"),
    "no program": (127, "env: 'cat': No such file or directory"),
    "killed": (137, ""),
    "terminal": (1, "\x1b[2J: No such file or directory!"),
}


@pytest.mark.parametrize(("code", "errors"), CANNOT.values(), ids=CANNOT)
def test_a_revision_that_cannot_be_read_is_told_and_nothing_is_overwritten(
    master: SshNode, tmp_path: Path, code: int, errors: str
) -> None:
    (tmp_path / "errors").write_text(errors)
    (tmp_path / "ssh").write_text(f"#!/bin/sh\ncat {tmp_path}/errors >&2\nexit {code}\n")
    with pytest.raises(RunError, match="on `m1` cannot be read") as told:
        of_cluster(master, "real")
    assert "\x1b" not in str(told.value)


def test_where_no_revision_is_there_is_none_whatever_the_master_speaks(
    master: SshNode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "de_DE.UTF-8")
    warns = "echo 'sudo: unable to resolve host m1: Name or service not known' >&2"
    (tmp_path / "ssh").write_text(f'#!/bin/sh\n{warns}\nfor last; do :; done\nexec sh -c "$last"\n')
    monkeypatch.setattr(accepted, "ON_MASTERS", tmp_path / "masters")
    assert of_cluster(master, "real") is None
    (tmp_path / "masters").write_text("no folder")
    with pytest.raises(RunError, match="cannot be read"):
        of_cluster(master, "real")
    (tmp_path / "masters").unlink()
    accepted.accept(tmp_path / "masters" / "real", "name: real")
    found = of_cluster(master, "real")
    assert found
    assert found.number == 1


@pytest.mark.parametrize("content", ["[" * 5000, "a: 2001-99-99", "nodes: &a [*a]"])
def test_what_a_revision_says_is_refused_without_a_trace_of_it_in_the_terminal(
    master: SshNode, tmp_path: Path, content: str
) -> None:
    odd = RECORD | {"at": "\x1b[2J", "by": "x" * 90_000, "content": content}
    (tmp_path / "said").write_text(json.dumps(odd))
    theirs = of_cluster(master, "real")
    assert isinstance(theirs, Revision)
    with pytest.raises(RunError, match="revision 3") as told:
        refuse_foreign(theirs, tmp_path, "name: real", None)
    assert "\x1b" not in str(told.value)
    assert len(str(told.value)) < 1000


@pytest.mark.parametrize(
    "path",
    ["", "/etc/shadow", "{folder}", "{folder}/given/../../../etc/shadow", "odd \x1b[2J", "{folder}x/cluster.yaml"],
)
def test_files_that_a_master_was_not_asked_for_are_told_and_the_next_one_gets_its_own(
    master: SshNode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(accepted, "ON_MASTERS", tmp_path / "masters")
    state = tmp_path / "state" / "real"
    accepted.accept(state, "name: real")
    (tmp_path / "said").write_text(f"{'0' * 64}  {path.format(folder=tmp_path / 'masters' / 'real')}\n")

    def arguments(node: SshNode, command: list[str]) -> list[str]:
        return ["ssh"] if node.name == "odd" else list(command)

    monkeypatch.setattr(SshNode, "arguments", arguments)
    with pytest.raises(NodeNotBelieved, match="`odd` is not believed") as told:
        hand_to([replace(master, name="odd"), master], "real", state, set())
    assert isinstance(told.value, ToldError)
    assert "\x1b" not in str(told.value)
    assert (tmp_path / "masters" / "real" / "cluster.yaml").is_file()
