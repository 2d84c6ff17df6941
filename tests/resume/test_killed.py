"""An install that is killed in every phase, against one that never was. Needs what the suite `system` needs.

Both are installed one after the other on the same lab: what is compared is what is there in the end (`states.py`).
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from installer.planning.phases import PHASES
from tests.resume.states import differences, state_of
from tests.system import harness
from tests.system.harness import SEED, Atoll, wait_for

SCRATCH_RESUME = Path("/var/lib/atoll/test-resume")


@pytest.fixture
def atoll(monkeypatch: pytest.MonkeyPatch) -> Iterator[Atoll]:
    monkeypatch.setattr(harness, "SCRATCH", SCRATCH_RESUME)
    file = SCRATCH_RESUME / "cluster.yaml"
    monkeypatch.setattr(harness, "CLUSTER_FILE", file)
    atoll = Atoll(file)
    from_nothing(atoll)
    yield atoll
    atoll("down", "-f", str(file), "--yes")
    shutil.rmtree(SCRATCH_RESUME)


def from_nothing(atoll: Atoll) -> None:
    """No lab, no state, and a cluster file."""
    SCRATCH_RESUME.mkdir(parents=True, exist_ok=True)
    harness.write_cluster(harness.test_cluster())
    atoll("down", "-f", str(atoll.file), "--yes", ok=(0, 1, 65, 69))
    shutil.rmtree(SCRATCH_RESUME)
    SCRATCH_RESUME.mkdir(parents=True)
    harness.write_cluster(harness.test_cluster())


def journal(run: Path) -> list[dict[str, Any]]:
    """What a run wrote, without a line that the kill tore."""
    lines = (run / "journal.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines if line.endswith("}")]


def interrupted(run: Path) -> str | None:
    """The phase that had begun and not ended when the run did."""
    open_phase = None
    for event in journal(run):
        if event["event"] == "phase":
            open_phase = str(event["phase"])
        elif event["event"] == "phase_finished":
            open_phase = None
    return open_phase


def runs(atoll: Atoll) -> list[Path]:
    """All runs, oldest first."""
    return sorted((atoll.state / "runs").iterdir()) if (atoll.state / "runs").exists() else []


def processes_of(atoll: Atoll, killed: list[Path]) -> list[str]:
    """What still works for runs that were killed, on this machine."""
    said = subprocess.run(
        ["pgrep", "--full", "--list-full", str(atoll.state)], capture_output=True, text=True, check=False
    )
    return [line for line in said.stdout.splitlines() if any(run.name in line for run in killed)]


def kubeadm_runs(atoll: Atoll) -> bool:
    """Whether `kubeadm init` is at work on the first master."""
    return atoll.node("master1", "pgrep", "--full", "^[^ ]*kubeadm init", ok=(0, 1)).code == 0


def kill_in(atoll: Atoll, phase: str, after_s: float, killed: list[Path]) -> None:
    """Begin an install and kill it in this phase; who it hit instead, if anything, is told."""
    process = atoll.start("up", "-f", str(atoll.file), "-o", "json")
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            event = json.loads(line) if line.startswith("{") else {}
            if (event.get("event"), event.get("stage")) == ("begin", phase):
                break
        else:
            pytest.fail(f"the install ended before {phase} began: {process.stderr and process.stderr.read()[-3000:]}")
        assert processes_of(atoll, killed) == [], "a new run goes on beside what a killed one left"
        if phase == "control_plane":
            wait_for("kubeadm init", lambda: kubeadm_runs(atoll), 60, every_s=0.1)
            time.sleep(after_s / 4)  # within it, where that is
            assert kubeadm_runs(atoll), "kubeadm had ended before the kill"
        else:
            time.sleep(after_s)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, f"the run had ended before it was killed in {phase}"
    run = runs(atoll)[-1]
    assert interrupted(run) == phase, f"it was to be killed in {phase}"
    killed.append(run)


@pytest.mark.timeout(3400)
def test_an_install_that_was_killed_in_every_phase_is_the_one_that_was_never_killed(atoll: Atoll) -> None:
    chance = random.Random(SEED)
    whole = atoll("up", "-f", str(atoll.file), "-o", "json").finished
    took = {each["name"]: each["seconds"] for each in whole["phases"]}
    phases = [phase.name for phase in PHASES if phase.name in took]
    assert len(phases) > 12
    never_killed = settled(atoll)
    from_nothing(atoll)
    killed: list[Path] = []
    for phase in phases:
        kill_in(atoll, phase, chance.uniform(0.05, 0.5) * took[phase], killed)
    assert len(killed) == len(phases)
    assert atoll("up", "-f", str(atoll.file), "-o", "json").finished["ok"]
    assert processes_of(atoll, killed) == [], "a killed run's processes are still there"
    assert atoll("plan", "-f", str(atoll.file), "-o", "json").json["steps"] == []
    differing = differences(never_killed, settled(atoll))
    assert differing == [], f"seed {SEED}:\n" + "\n".join(differing)


def settled(atoll: Atoll) -> dict[str, Any]:
    """The state once all pods that should run do, and what was only begun has ended."""

    def rests() -> bool:
        pods = atoll.kubectl("get", "pods", "--all-namespaces", "--output", "json").json["items"]
        return all(
            pod["status"]["phase"] == "Succeeded"
            or (
                "deletionTimestamp" not in pod["metadata"]
                and all(each["ready"] for each in pod["status"].get("containerStatuses", [{"ready": False}]))
            )
            for pod in pods
        )

    wait_for("all pods are ready", rests, 240, every_s=2)
    return state_of(atoll)
