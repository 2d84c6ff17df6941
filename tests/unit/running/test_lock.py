"""One writer per cluster, and what a killed one leaves behind. Needs nothing but this machine."""

import ast
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from installer import exit_codes
from installer.progress.stages import PlainProgress, Progress
from installer.running import journal, lock_file, runs
from installer.running.errors import Busy, RunError
from installer.running.lock import ClusterLock, holder
from installer.running.mirror import PROGRAM
from installer.running.playbook import Playbook
from installer.running.processes import ProcessId, end, marked
from installer.running.run import writing
from tests.unit.running.conftest import command

TREE = Path(__file__).resolve().parents[3]


def test_a_second_writer_is_refused_and_told_who_writes(state: Path) -> None:
    with ClusterLock(state, "run-1", "apply"), pytest.raises(Busy, match=r"run-1.*apply.*process \d+"):
        ClusterLock(state, "run-2", "apply").__enter__()
    assert holder(state) is None
    with ClusterLock(state, "run-3", "apply") as lock:
        assert lock.broken_run is None
        assert (holder(state) or {})["run"] == "run-3"


def test_every_writer_has_a_higher_fence(state: Path) -> None:
    fences = []
    for number in range(3):
        with ClusterLock(state, f"run-{number}", "apply") as lock:
            fences.append(lock.fence)
    assert fences == [1, 2, 3]


def test_a_torn_lock_file_does_not_stop_the_next_writer(state: Path) -> None:
    (state / "lock").write_text('{"run": "run-1", "fe')
    with ClusterLock(state, "run-2", "apply") as lock:
        assert lock.broken_run is None


def test_the_rest_of_a_longer_content_behind_the_first_is_left_out(state: Path) -> None:
    (state / "lock").write_text('{"run": "run-1", "fence": 7, "done": true}\n"rest": 3}')
    with ClusterLock(state, "run-2", "apply") as lock:
        assert lock.fence == 8


@pytest.mark.parametrize("stopped_by", [KeyboardInterrupt, TimeoutError])
def test_who_is_stopped_while_it_ends_its_processes_leaves_them_to_the_next_writer(
    state: Path, stopped_by: type[BaseException]
) -> None:
    child = subprocess.Popen(["sleep", "60"], env={**os.environ, "ATOLL_RUN": "run-1"})
    try:
        with pytest.raises(stopped_by), ClusterLock(state, "run-1", "apply"):
            raise stopped_by
        with ClusterLock(state, "run-2", "apply") as lock:
            assert lock.broken_run == "run-1"
            assert [process.pid for process in lock.left_behind] == [child.pid]
    finally:
        child.kill()
        child.wait()


def test_a_run_that_failed_in_order_leaves_nothing_to_the_next_writer(state: Path) -> None:
    with pytest.raises(RunError), ClusterLock(state, "run-1", "apply"):
        raise RunError("a node failed", "mend it")
    with ClusterLock(state, "run-2", "apply") as lock:
        assert lock.broken_run is None


def test_a_pid_that_was_given_away_again_is_left_alone() -> None:
    child = subprocess.Popen(["sleep", "60"])
    try:
        real = ProcessId.of(child.pid)
        assert real
        assert (
            end([ProcessId(real.pid, real.started - 1, real.boot), ProcessId(real.pid, real.started, "other boot")])
            == []
        )
        assert real.alive()
        assert end([real]) == [real]
        assert not real.alive()
    finally:
        child.kill()
        child.wait()


def test_a_process_that_ignores_sigterm_is_killed() -> None:
    child = subprocess.Popen(
        ["bash", "-c", "trap '' TERM; echo ready; while :; do sleep 1; done"], stdout=subprocess.PIPE
    )
    assert child.stdout
    child.stdout.readline()
    process = ProcessId.of(child.pid)
    assert process
    assert end([process], grace_seconds=0.3) == [process]
    assert child.wait() == -signal.SIGKILL
    child.stdout.close()


WRITER = """
import sys
from pathlib import Path
from installer.running.playbook import Playbook
from installer.progress.stages import Progress
from installer.running.run import writing
with writing(Path(sys.argv[1]), "apply", "0.1.0", Progress()) as writer:
    writer.play(Playbook(Path(sys.argv[2]), Path(sys.argv[3]), {}), [], Progress())
"""


def wait_for(condition: Callable[[], object], seconds: float = 30) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "condition did not come true"
        time.sleep(0.05)


@pytest.fixture
def writer(
    state: Path, tmp_path: Path, playbook: Callable[..., Playbook]
) -> Callable[[], tuple["subprocess.Popen[bytes]", str]]:
    """Start a real run in a process of its own, whose first task tells that it runs and then takes long."""
    started = tmp_path / "started"
    made = playbook({"hosts": "phase_one", "tasks": [command("long", f"touch {started}; sleep 300")]})

    def start() -> tuple["subprocess.Popen[bytes]", str]:
        process = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(WRITER), str(state), str(made.path), str(made.inventory)],
            cwd=TREE,
            start_new_session=True,
        )
        wait_for(started.exists)
        return process, json.loads((state / "lock").read_text())["run"]

    return start


def test_after_kill_nine_the_next_writer_ends_what_was_left_and_closes_the_journal(
    state: Path,
    writer: Callable[[], tuple["subprocess.Popen[bytes]", str]],
    playbook: Callable[..., Playbook],
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    process, run_id = writer()
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert marked(run_id), "ansible-playbook lives on: that is what this lock is for"
    assert runs.run(state / "runs" / run_id).state == "interrupted"

    with writing(state, "apply", "0.1.0", PlainProgress(sys.stdout)) as next_writer:
        assert marked(run_id) == []
        outcome = next_writer.play(playbook({"hosts": "phase_one", "tasks": [command("t", "true")]}), [], Progress())
    assert outcome.ok
    assert f"Run {run_id} was cut off; ended" in capsys.readouterr().out
    last = list(journal.read(state / "runs" / run_id))[-1]
    assert (last["event"], last["state"]) == ("finished", "interrupted")
    assert not (state / "runs" / run_id / "ansible").exists()
    assert list((tmp_path / "home").glob(".ansible/tmp/ansible-local-*")) == []
    assert [run.state for run in runs.runs(state)] == ["succeeded", "interrupted"]


def test_two_runs_never_overlap(state: Path, writer: Callable[[], tuple["subprocess.Popen[bytes]", str]]) -> None:
    process, run_id = writer()
    try:
        with pytest.raises(Busy, match=run_id), writing(state, "apply", "0.1.0", Progress()):
            pass
        assert runs.run(state / "runs" / run_id).state == "running"
    finally:
        process.kill()
        process.wait()
        end(marked(run_id))


def test_sigterm_ends_ansible_and_closes_the_journal(
    state: Path, writer: Callable[[], tuple["subprocess.Popen[bytes]", str]]
) -> None:
    process, run_id = writer()
    process.terminate()
    assert process.wait(30) != 0
    assert marked(run_id) == []
    assert runs.run(state / "runs" / run_id).state == "interrupted"
    assert json.loads((state / "lock").read_text())["done"] is True


def on_a_master(folder: Path, run: str, wait_seconds: float = 5.0) -> subprocess.Popen[str]:
    words = [sys.executable, "-I", "-c", PROGRAM, str(folder), run, "apply", str(wait_seconds)]
    return subprocess.Popen(words, cwd="/", stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_what_a_master_runs_is_the_lock_of_this_machine_and_needs_nothing_but_an_old_python(state: Path) -> None:
    tree = ast.parse(PROGRAM, feature_version=(3, 8))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert imported <= sys.stdlib_module_names
    assert next(node for node in tree.body if isinstance(node, ast.ImportFrom)).module == "__future__"
    mirrored = on_a_master(state, "run-1")
    assert mirrored.stdout
    assert mirrored.stdout.readline() == "ready\n"
    held = holder(state) or {}
    assert (held["run"], held["writer"]["pid"], held["fence"]) == ("run-1", mirrored.pid, 1)
    with pytest.raises(Busy, match="run-1"):
        ClusterLock(state, "run-2", "apply").__enter__()
    assert mirrored.communicate('{"event": "started"}\n')[0] == ""
    assert (state / "runs" / "run-1" / "journal.jsonl").read_text() == '{"event": "started"}\n'
    with ClusterLock(state, "run-2", "apply") as lock:
        assert (lock.broken_run, lock.fence) == (None, 2)
        refused = on_a_master(state, "run-3", 0.1)
        assert refused.communicate()[0].startswith('busy {"run": "run-2"')
        assert refused.returncode == exit_codes.BUSY
        same = on_a_master(state, "run-2")
        assert same.communicate("")[0] == "ready\n", "the run itself, on this very master"
    assert lock_file.BUSY == exit_codes.BUSY


def test_a_mirror_that_is_killed_gives_the_lock_back_and_its_run_is_known_as_cut_off(state: Path) -> None:
    mirrored = on_a_master(state, "run-1")
    assert mirrored.stdout
    assert mirrored.stdout.readline() == "ready\n"
    mirrored.kill()
    mirrored.communicate()
    assert holder(state) is None
    with ClusterLock(state, "run-2", "apply") as lock:
        assert lock.broken_run == "run-1"
