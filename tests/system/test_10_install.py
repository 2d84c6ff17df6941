"""From nothing to a portal, killed on the way; then again on top, and nothing changes."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest

from installer.cluster import load
from installer.planning.phases import PHASES
from installer.planning.projection import nodes_of
from installer.testing.bench import record
from tests.system.harness import CLUSTER_FILE, NAME, SCRATCH, Atoll, test_cluster, write_cluster


def kill_when(atoll: Atoll, arguments: tuple[str, ...], stage: str, after_s: float) -> bool:
    """Start the command, wait for the stage to begin, then `after_s`, and kill -9. False if it ended before that."""
    process = atoll.start(*arguments)
    assert process.stdout is not None
    with process:
        for line in process.stdout:
            event = json.loads(line) if line.startswith("{") else {}
            if event.get("event") == "begin" and event.get("stage") == stage:
                break
        else:
            return False
        time.sleep(after_s)  # a random moment is the point
        if process.poll() is not None:
            return False
        os.kill(process.pid, signal.SIGKILL)
        return True


def evaluated_tasks(atoll: Atoll) -> Counter[str]:
    """Tasks per node of every phase, in the run that began it last: what was killed counts once, like what was not.

    A phase killed between its last task and its end has left its records, and is not begun again.
    """
    last: dict[str, Counter[str]] = {}
    for journal in sorted((atoll.state / "runs").glob("*/journal.jsonl")):
        events = [json.loads(line) for line in journal.read_text("utf-8").splitlines()]
        if events[0]["verb"] == "verify":
            continue
        for event in events:
            if event["event"] == "phase":
                tasks = last[event["phase"]] = Counter()
            elif event["event"] == "task":
                tasks[event["node"]] += 1
    assert set(last) >= {phase.name for phase in PHASES if nodes_of(phase, load(atoll.file))}
    return sum(last.values(), Counter())


def test_the_lab_starts_from_nothing(atoll: Atoll) -> None:
    atoll("down", "-f", str(atoll.file), "--yes", ok=(0, 1, 65))
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    write_cluster(test_cluster())
    atoll("lab", "up", "-f", str(CLUSTER_FILE))
    assert not (SCRATCH / "clusters" / NAME / "records").exists()


@pytest.mark.timeout(2700)
def test_a_run_killed_at_random_moments_goes_on_where_it_was(atoll: Atoll, seed: random.Random) -> None:
    started = time.monotonic()
    early = seed.choice(["host", "certificates", "registry", "container_runtime"])
    assert kill_when(atoll, ("up", "-f", str(CLUSTER_FILE), "-o", "json"), early, seed.uniform(0.5, 5))
    assert kill_when(atoll, ("apply", "-f", str(CLUSTER_FILE), "-o", "json"), "control_plane", seed.uniform(3, 20))
    late = seed.choice(["images", "queue", "database", "platform"])
    kill_when(atoll, ("apply", "-f", str(CLUSTER_FILE), "-o", "json"), late, seed.uniform(0.5, 8))
    ended = atoll("up", "-f", str(CLUSTER_FILE), "-o", "json").finished
    assert ended["ok"]
    assert ended["failed"] == 0
    record("up_cached", time.monotonic() - started, "s", "lab, 4 nodes, killed three times on the way")
    record("tasks_first_install", max(evaluated_tasks(atoll).values()), "tasks", "lab, 4 nodes")
    ran = subprocess.run(["pgrep", "-fa", "ansible-playbook"], capture_output=True, text=True, check=False).stdout
    left = [line for line in ran.splitlines() if f"{atoll.state}/" in line]
    assert left == [], "a killed run's processes are still there"


def test_up_on_top_changes_nothing_and_says_so(atoll: Atoll) -> None:
    ran = atoll("up", "-f", str(CLUSTER_FILE), "-o", "json")
    assert ran.finished["ok"]
    assert ran.finished["changed"] == 0
    record("up_again", ran.seconds, "s", "lab, 4 nodes")


def test_there_is_nothing_to_plan(atoll: Atoll) -> None:
    assert atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(0,)).json["steps"] == []


def test_apply_with_nothing_to_do_is_quick(atoll: Atoll) -> None:
    ran = atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json")
    assert ran.finished["changed"] == 0
    record("apply_nothing", ran.seconds, "s", "lab, 4 nodes")


def managed_files(atoll: Atoll) -> dict[str, str]:
    """Digests of every file that a phase manages, by node and path."""
    script = (
        "import glob,hashlib,json,os;"
        "paths=[p for f in glob.glob('/var/lib/atoll/managed/*.json') for p in json.load(open(f)).get('files',{})];"
        "print(json.dumps({p: hashlib.sha256(open(p,'rb').read()).hexdigest() for p in paths if os.path.isfile(p)}))"
    )
    found: dict[str, str] = {}
    for node in ("master1", "worker1", "worker2", "storage1"):
        digests = json.loads(atoll.node(node, "python3", "-c", script).out)
        assert digests, f"{node} has no managed files"
        found.update({f"{node}:{path}": digest for path, digest in digests.items()})
    return found


@pytest.mark.timeout(1200)
def test_every_phase_run_again_changes_nothing(atoll: Atoll) -> None:
    before = managed_files(atoll)
    ran = atoll("apply", "-f", str(CLUSTER_FILE), "--every-phase", "-o", "json")
    changed = [phase["name"] for phase in ran.finished["phases"] if phase["changed"]]
    assert (changed, ran.finished["changed"]) == ([], 0)
    assert managed_files(atoll) == before
    busiest = max(ran.finished["evaluated_tasks"].values())
    record("apply_every_phase", ran.seconds - ran.finished["verify_seconds"], "s", "lab, 4 nodes")
    record("verify_every_phase", ran.finished["verify_seconds"], "s", "lab, 4 nodes")
    record("tasks_every_phase", busiest, "tasks", "lab, 4 nodes")
    assert busiest <= 40, ran.finished["evaluated_tasks"]


@pytest.mark.timeout(600)
def test_a_byte_changed_by_hand_is_planned_as_drifted_and_mended(atoll: Atoll) -> None:
    path = "/etc/haproxy/haproxy.cfg"
    wanted = atoll.node("worker1", "sha256sum", path).out
    atoll.node("worker1", "sed", "-i", "1s/^/#/", path)
    (step,) = atoll("plan", "-f", str(CLUSTER_FILE), "-o", "json", ok=(2,)).json["steps"]
    assert (step["phase"], step["node"]) == ("load_balancer", "worker1")
    assert "drifted" in step["reason"]
    assert path in json.dumps(step)
    atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json")
    assert atoll.node("worker1", "sha256sum", path).out == wanted


def test_the_inventory_works_from_elsewhere(atoll: Atoll, tmp_path: Path) -> None:
    from tests.system.harness import ROOT

    graph = subprocess.run(
        [str(ROOT / ".venv/bin/ansible-inventory"), "-i", str(CLUSTER_FILE), "--graph"],
        cwd=tmp_path,
        env={**atoll.environment, "ANSIBLE_CONFIG": str(ROOT / "ansible.cfg")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "@workers:" in graph.stdout
    assert "worker2" in graph.stdout
