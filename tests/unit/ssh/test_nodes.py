"""What a node answers is a stranger's word: how much of it is read, and for how long. `ssh` is a program of ours."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from installer.ssh.nodes import MOST_BYTES, NodeNotBelieved, NodeUnreachable, SshNode, ask_all, shown
from tests.system.harness import wait_for

Program = Callable[[str], SshNode]


@pytest.fixture
def node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """A node that answers as the lines of a shell say, which find their folder in `$here`."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def make(lines: str) -> SshNode:
        program = tmp_path / "ssh"
        program.write_text(f'#!/bin/sh\nhere="$(dirname "$0")"\necho $$ > "$here/pid"\n{lines}\n')
        program.chmod(0o755)
        return SshNode("worker1", "10.0.0.1", "root", tmp_path / "key", tmp_path / "known_hosts")

    return make


def has_ended(folder: Path) -> bool:
    return not Path("/proc", (folder / "pid").read_text().strip()).exists()


@pytest.mark.parametrize("to", ["", ">&2"], ids=["output", "errors"])
def test_of_an_answer_without_end_so_much_is_read_and_ssh_is_ended(node: Program, tmp_path: Path, to: str) -> None:
    # It does end, for a reader who reads all of it.
    endless = node(f'head -c {8 << 20} /dev/zero {to}\n: > "$here/said-all"\nsleep 8')
    began = time.monotonic()
    with pytest.raises(NodeNotBelieved, match=r"`worker1` is not believed: it has more than 1024 KiB"):
        endless.ask(["cat"], timeout_s=15, most_bytes=1 << 20)
    assert time.monotonic() - began < 5, "ssh is waited for"
    assert has_ended(tmp_path)
    assert not (tmp_path / "said-all").exists()


def test_output_and_errors_count_together_and_as_much_as_may_be_is_read(node: Program) -> None:
    both = node("head -c 600 /dev/zero; head -c 600 /dev/zero >&2; exit 3")
    code, output, errors = both.ask(["cat"], most_bytes=1200)
    assert (code, len(output), len(errors)) == (3, 600, 600)
    with pytest.raises(NodeNotBelieved):
        both.ask(["cat"], most_bytes=1199)
    assert MOST_BYTES == 16 << 20


@pytest.mark.parametrize(
    "lines",
    ["for _ in $(seq 80); do echo x; sleep 0.1; done", "exec >&- 2>&-; exec sleep 8", "exec sleep 8"],
    ids=["says a little all the time", "has closed what it says", "says nothing"],
)
def test_the_time_counts_for_the_whole_answer(node: Program, tmp_path: Path, lines: str) -> None:
    slow = node(lines)
    began = time.monotonic()
    with pytest.raises(NodeUnreachable, match="no answer within 1 s"):
        slow.ask(["cat"], timeout_s=1)
    assert time.monotonic() - began < 5
    wait_for("ssh has ended", lambda: has_ended(tmp_path), 5)


def test_much_is_given_while_much_is_said(node: Program) -> None:
    given = os.urandom(3 << 20).hex().encode()
    assert node("exec cat").ask(["cat"], given)[1].encode() == given
    interrupts = "head -c 8192 > /dev/null; timeout 5 head -c 1000000 /dev/zero; exec cat > /dev/null"
    assert len(node(interrupts).ask(["cat"], given)[1]) == 1000000, "neither goes on"
    assert node("echo done; exec true").ask(["cat"], given)[:2] == (0, "done\n"), "who does not listen is heard"


def test_a_failure_of_ssh_is_told_and_moves_no_terminal(node: Program) -> None:
    with pytest.raises(NodeUnreachable) as told:
        node(r"printf '\033[2Jrefused\377' >&2; exit 255").ask(["cat"])
    assert "�[2Jrefused�" in told.value.message
    assert len(shown("x" * 100_000)) < 3000


def test_a_node_that_is_not_believed_keeps_no_answer_of_others_back(node: Program, tmp_path: Path) -> None:
    one = node('case "$*" in *10.0.0.2*) exec head -c 2000 /dev/zero;; *) echo fine;; esac')
    other = SshNode("worker2", "10.0.0.2", "root", tmp_path / "key", tmp_path / "known_hosts")
    answers = ask_all([one, other], lambda asked: asked.ask(["cat"], most_bytes=1000))
    assert answers["worker1"] == (0, "fine\n", "")
    assert isinstance(answers["worker2"], NodeNotBelieved)
