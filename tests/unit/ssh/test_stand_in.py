"""What stands for `ssh` in Ansible's runs: all of ssh goes through, but for an answer without end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from installer.cluster import TREE
from installer.planning.inventory import STAND_INS
from installer.ssh.stand_in import MOST_BYTES
from tests.system.harness import wait_for

Start = Callable[..., "subprocess.Popen[bytes]"]
Run = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture
def start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Start:
    """Start a stand-in of a program that does as the lines of a shell say, which find their folder in `$here`."""
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")

    def make(lines: str, *arguments: str, name: str = "ssh") -> subprocess.Popen[bytes]:
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\nhere="$(dirname "$0")"\necho $$ > "$here/pid"\n{lines}\n')
        program.chmod(0o755)
        pipe = subprocess.PIPE
        return subprocess.Popen([STAND_INS / name, *arguments], stdin=pipe, stdout=pipe, stderr=pipe)

    return make


@pytest.fixture
def run(start: Start) -> Run:
    """Run one to its end."""

    def make(lines: str, *arguments: str, given: bytes = b"", name: str = "ssh") -> subprocess.CompletedProcess[bytes]:
        with start(lines, *arguments, name=name) as process:
            said = process.communicate(given, timeout=20)
        return subprocess.CompletedProcess(process.args, process.returncode, *said)

    return make


def runs(process: int) -> bool:
    """Whether it does something: it is nobody's child that somebody may have to wait for."""
    try:
        return Path("/proc", str(process), "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False


def has_ended(folder: Path) -> bool:
    return not Path("/proc", (folder / "pid").read_text().strip()).exists()


@pytest.mark.parametrize("name", ["ssh", "sftp", "scp"])
def test_arguments_input_output_and_the_exit_code_go_through(run: Run, name: str) -> None:
    module = os.urandom(3 << 20)
    done = run('cat; printf "<%s>" "$@" >&2; exit 7', "-o", "User=a b", "", given=module, name=name)
    assert (done.returncode, done.stdout, done.stderr) == (7, module, b"<-o><User=a b><>")


def test_a_program_that_a_signal_ended_is_told_as_a_shell_tells_it(run: Run) -> None:
    assert run("kill -9 $$").returncode == 128 + 9


def test_a_program_that_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    done = subprocess.run([STAND_INS / "ssh", "node"], capture_output=True, check=False)
    assert (done.returncode, done.stdout) == (255, b"")
    assert b"`ssh` cannot be run: No such file" in done.stderr


def test_the_connection_that_ssh_leaves_behind_keeps_nobody_waiting(run: Run, tmp_path: Path) -> None:
    # The end that waits is not the pipe's: what was said last, right before the end, comes all the same.
    done = run('sleep 12 & echo $! > "$here/left"; head -c 300000 /dev/zero; echo last >&2; exit 4')
    left = int((tmp_path / "left").read_text())
    assert runs(left), "the answer came when the connection had ended"
    os.kill(left, signal.SIGKILL)
    assert (done.returncode, len(done.stdout), done.stderr) == (4, 300000, b"last\n")


@pytest.mark.parametrize(("to", "most"), [("", "8 MiB"), (">&2", "1 MiB")], ids=["output", "errors"])
def test_of_an_answer_without_end_so_much_goes_through_and_ssh_is_ended(
    run: Run, tmp_path: Path, to: str, most: str
) -> None:
    done = run(f'head -c {40 << 20} /dev/zero {to} && : > "$here/said-all"\nsleep 12')
    assert not (tmp_path / "said-all").exists(), "all of it is read"
    assert done.returncode == 255
    assert done.stderr.endswith(f"atoll: the answer of the node is not believed: it has more than {most}\n".encode())
    assert len(done.stdout) <= MOST_BYTES[1]
    assert len(done.stderr) <= MOST_BYTES[2] + 200
    assert has_ended(tmp_path)


def test_as_much_as_may_be_said_goes_through(run: Run) -> None:
    done = run(f"head -c {MOST_BYTES[1]} /dev/zero; head -c {MOST_BYTES[2]} /dev/zero >&2; exit 3")
    assert (done.returncode, len(done.stdout), len(done.stderr)) == (3, MOST_BYTES[1], MOST_BYTES[2])


def test_a_run_that_asks_for_less_says_so(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOLL_ANSWER_MIB", "2")
    done = run(f"head -c {2 << 20} /dev/zero")
    assert (done.returncode, len(done.stdout)) == (0, 2 << 20)
    done = run(f"head -c {(2 << 20) + 1} /dev/zero")
    assert done.returncode == 255
    assert b"it has more than 2 MiB" in done.stderr


def test_one_that_does_not_heed_its_end_is_killed(run: Run, tmp_path: Path) -> None:
    assert run(f"trap '' TERM PIPE; head -c {40 << 20} /dev/zero; while :; do sleep 1; done").returncode == 255
    assert has_ended(tmp_path), "who does not heed its end goes on"


def test_who_ends_the_stand_in_ends_ssh(start: Start, tmp_path: Path) -> None:
    with start("trap 'exit 9' TERM; echo up; while :; do sleep 0.1; done") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        process.terminate()
        assert process.wait(10) == 9
    assert has_ended(tmp_path)


def test_who_writes_to_ssh_learns_of_its_end_when_the_code_is_there(start: Start) -> None:
    """Ansible, whose writing fails, tells of a broken pipe and not of what ssh said, if ssh seems to run on."""
    with start("exec < /dev/null; echo refused >&2; while :; do sleep 0.1; done") as process:
        assert process.stdin is not None
        assert process.stderr is not None
        assert process.stderr.readline() == b"refused\n"
        try:
            os.write(process.stdin.fileno(), b"a module")  # nobody reads it, and nobody refuses it
        finally:
            process.terminate()
        assert process.wait(10) == 128 + signal.SIGTERM


def test_where_nobody_listens_any_more_ssh_is_ended(start: Start, tmp_path: Path) -> None:
    with start("while :; do echo more; sleep 0.1; done") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(10) == 255
    wait_for("the end of ssh", lambda: has_ended(tmp_path), timeout_s=5)


def test_it_runs_by_the_machines_own_python_without_packages() -> None:
    first = (TREE / "installer" / "ssh" / "stand_in.py").read_text("utf-8").splitlines()[0]
    assert first == "#!/usr/bin/python3 -IS"
    assert {(STAND_INS / name).resolve() for name in ("ssh", "sftp", "scp")} == {TREE / "installer/ssh/stand_in.py"}
    assert sys.version_info >= (3, 9)
