"""A verification with the real Ansible: tells all that is broken, changes nothing, keeps nobody from working."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner

from installer.cluster import TREE, Cluster, reference, state_directory
from installer.planning import Plan, Step
from installer.planning.observations import Observations, Record, Seen
from installer.planning.playbook import _VERDICT
from installer.planning.verification import everything, touched
from installer.progress.stages import Progress
from installer.running import accepted, runs, unverified
from installer.running import verify as verifying
from installer.running.errors import Busy, Interrupted, RunError
from installer.running.failures import Failure
from installer.running.lock import ClusterLock
from installer.running.playbook import Playbook
from installer.running.run import Outcome
from installer.running.verify import verified, verify
from installer.running.verify_command import verify as verify_command

Play = dict[str, object]
TEXT = (TREE / "cluster.example.yaml").read_text()


def part(phase: str, line: str) -> Play:
    """A play as playbooks/verify.yml has them."""
    kept = {"ansible.builtin.set_fact": {"atoll_broken": "{{ atoll_broken | default([]) + ['" + phase + "'] }}"}}
    asked = {"name": "It is as promised", "ansible.builtin.shell": line}
    return {
        "hosts": f"phase_{phase}",
        "tasks": [{"block": [asked], "rescue": [{"name": "Kept in mind", **kept}]}],
    }


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ATOLL_BUNDLE", str(tmp_path / "bundle"))
    return reference()


@pytest.fixture
def parts(
    playbook: Callable[..., Playbook], tmp_path: Path, cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., None]:
    """Make a tree whose verify.yml asks these parts on nodes that are this machine."""

    def make(*plays: Play) -> None:
        (tmp_path / "playbooks").mkdir()
        made = playbook(*plays, *yaml.safe_load(_VERDICT))
        made.path.rename(tmp_path / "playbooks" / "verify.yml")
        with made.inventory.open("a") as inventory:
            inventory.write("[planned]\nn1\nn2\n")
        monkeypatch.setattr(verifying, "TREE", tmp_path)
        state = state_directory(cluster)
        accepted.accept(state, TEXT)
        monkeypatch.setattr(accepted, "FILE", str(made.inventory))

    return make


def test_all_that_is_broken_is_told_and_no_part_keeps_another_from_being_asked(
    parts: Callable[..., None], cluster: Cluster
) -> None:
    parts(part("one", "echo the mount is gone >&2; false"), part("two", "echo no answer >&2; false"))
    outcome = verify(cluster, [], [], Progress())
    assert not outcome.ok
    assert sorted((failure.phase, failure.node) for failure in outcome.failures) == [
        ("one", "n1"),
        ("one", "n2"),
        ("two", "n1"),
        ("two", "n2"),
    ]
    assert "the mount is gone" in outcome.failures[0].message
    (run,) = runs.runs(state_directory(cluster))
    assert (run.verb, run.state) == ("verify", "failed")
    assert [phase.name for phase in run.phases if phase.name in {"one", "two", "verdict"}] == ["one", "two"]


def test_when_all_is_as_promised_it_says_so(parts: Callable[..., None], cluster: Cluster) -> None:
    parts(part("one", "true"), part("two", "true"))
    told = CliRunner().invoke(verify_command, ["-o", "json"])
    assert told.exit_code == 0
    finished = json.loads(told.stdout.splitlines()[-1])
    assert (finished["event"], finished["ok"], finished["failures"]) == ("finished", True, [])


def test_a_broken_part_ends_the_command_with_code_1_and_words(parts: Callable[..., None], cluster: Cluster) -> None:
    parts(part("one", "true"), part("two", "echo the registry does not answer >&2; false"))
    told = CliRunner().invoke(verify_command, [])
    assert told.exit_code == 1
    assert "BROKEN: node `n1`, two:" in told.stderr
    assert "the registry does not answer" in told.stderr


def test_a_verification_takes_no_lock_and_is_seen_to_run(parts: Callable[..., None], cluster: Cluster) -> None:
    state = state_directory(cluster)
    parts(part("one", f"cat {state}/runs/*/journal.jsonl; flock --wait 5 {state}/lock true"))
    (state / "lock").touch()
    seen: list[str] = []

    class Watching(Progress):
        def _show(self, what: str, stage: object, ok: bool = True) -> None:
            seen.extend(run.state for run in runs.runs(state))

    assert verify(cluster, [], [], Watching()).ok
    assert set(seen) == {"running"}


def test_while_somebody_changes_the_cluster_nothing_is_told_as_broken(cluster: Cluster) -> None:
    state = state_directory(cluster)
    accepted.accept(state, TEXT)
    with ClusterLock(state, "run-9", "apply"), pytest.raises(Busy, match="run-9"):
        verify(cluster, [], [], Progress())


def test_what_was_never_installed_cannot_be_asked(cluster: Cluster) -> None:
    with pytest.raises(RunError, match="is not installed"):
        verify(cluster, [], [], Progress())


def test_a_node_that_was_not_applied_yet_is_no_broken_one(
    parts: Callable[..., None], cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(part("one", "true"))
    new = cluster.node("worker2").model_copy(update={"name": "worker3", "address": "10.77.0.13"})
    bigger = cluster.model_copy(update={"nodes": [*cluster.nodes, new]})
    with pytest.raises(
        RunError, match=r"`worker3`: in cluster\.yaml, and not applied yet, so there is nothing"
    ) as told:
        verify(bigger, [], ["worker3"], Progress())
    assert "./atoll apply" in told.value.remedy
    assert runs.runs(state_directory(cluster)) == []
    said: list[str] = []
    progress = Progress()
    monkeypatch.setattr(progress, "say", said.append)
    assert verify(bigger, [], [], progress).ok
    assert said == ["`worker3`: in cluster.yaml, and not applied yet; the others are asked."]


def having(*phases: str) -> Observations:
    """worker1 with the records of phases."""
    return Observations({"worker1": Seen(records={phase: Record("hash") for phase in phases})}, Seen())


def test_a_phase_that_a_node_does_not_have_yet_is_not_asked_after_an_apply_of_a_part() -> None:
    part_of_it = Plan("demo", (Step("host", "worker1", "apply", "new"),))
    asked = touched(reference(), part_of_it, having("host"))
    assert [(step.phase, step.node) for step in asked.steps] == [("host", "worker1")]


def test_what_an_apply_left_broken_makes_it_fail(
    parts: Callable[..., None], cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts(part("one", "echo it does not listen >&2; false"))
    done = Plan("demo", (Step("host", "worker1", "apply", "new"),))
    applied = Outcome(ok=True, seconds=1, run_id="run-1", changed=3, evaluated_tasks={"worker1": 7})
    outcome = verified(cluster, done, having("host"), applied, Progress())
    assert not outcome.ok
    assert (outcome.run_id, outcome.changed, outcome.evaluated_tasks) == ("run-1", 3, {"worker1": 7})
    assert "it does not listen" in outcome.failures[0].message
    failed = SimpleNamespace(ok=False)
    assert verified(cluster, done, having("host"), failed, Progress()) is failed  # type: ignore[arg-type,comparison-overlap]


def broken_host(cluster: Cluster) -> Outcome:
    """An apply of phase `host`, whose verification tells `host` on worker1 to be broken."""
    done = Plan("demo", (Step("host", "worker1", "apply", "new"),))
    return verified(cluster, done, having("host"), Outcome(ok=True, seconds=1, run_id="run-1"), Progress())


def test_what_is_broken_behind_an_apply_is_named_until_it_is_verified(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_directory(cluster)
    accepted.accept(state, TEXT)
    failure = Failure("host", "worker1", "Settings", "vm.max_map_count is 1, not 2\nmore", "Mend it.")
    seen = Outcome(ok=False, seconds=5, failures=[failure])
    monkeypatch.setattr(verifying, "_asked", lambda *_: seen)
    outcome = broken_host(cluster)
    assert (outcome.ok, outcome.seconds, outcome.verify_seconds) == (False, 1, 5)
    (told,) = unverified.told(cluster, state)
    assert told.startswith(
        "Node `worker1`, `host`: was broken when it was verified last: vm.max_map_count is 1, not 2."
    )
    # Nothing is left to apply; it is asked again all the same.
    nothing = Plan("demo", ())
    asked: list[tuple[str, str]] = []

    def green(made: Plan, *_: object) -> Outcome:
        asked.extend((step.phase, step.node) for step in made.steps)
        return Outcome(ok=True, seconds=5)

    monkeypatch.setattr(verifying, "_asked", green)
    done = Outcome(ok=True, seconds=1)
    assert verified(cluster, nothing, Observations(), done, Progress(), unverified.of(cluster, state)).ok
    assert asked == [("host", "worker1")]
    assert unverified.told(cluster, state) == ()


def test_a_verification_that_was_cut_off_is_not_taken_for_a_green_one(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = state_directory(cluster)
    accepted.accept(state, TEXT)

    def cut_off(*_: object) -> Outcome:
        raise Interrupted("ended")

    monkeypatch.setattr(verifying, "_asked", cut_off)
    with pytest.raises(Interrupted):
        broken_host(cluster)
    assert "`host`: its verification did not end" in unverified.told(cluster, state)[0]
    # Asked by hand it is known again.
    monkeypatch.setattr(verifying, "_asked", lambda *_: Outcome(ok=True, seconds=5))
    assert verify(cluster, ["queue"], [], Progress()).ok
    assert unverified.recall(state)
    assert verify(cluster, [], [], Progress()).ok
    assert unverified.recall(state) == {}


def test_what_keeps_an_apply_from_being_verified_is_told_as_that(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted.accept(state_directory(cluster), TEXT)

    def full(*_: object) -> Outcome:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(verifying, "_asked", full)
    with pytest.raises(RunError, match=r"All was applied; .* could not be asked: .*No space left on device"):
        broken_host(cluster)


def test_an_apply_asks_the_nodes_that_it_touched_and_of_the_whole_cluster_what_it_applied() -> None:
    cluster = reference()
    steps = (
        Step("host", "worker1", "apply", "new"),
        Step("queue", "master1", "apply", "input changed"),
    )
    has = having("host", "certificates", "node", "storage_client")
    asked = {(step.phase, step.node) for step in touched(cluster, Plan("demo", steps), has).steps}
    assert {node for phase, node in asked if phase != "queue"} == {"worker1"}
    assert {phase for phase, node in asked if node == "worker1"} == {"host", "certificates", "node", "storage_client"}
    assert ("queue", "master1") in asked
    assert ("database", "master1") not in asked


def test_everything_is_every_phase_where_it_belongs_but_on_nodes_in_maintenance() -> None:
    cluster = reference()
    worker = cluster.node("worker1").model_copy(update={"maintenance": True})
    nodes = [worker if node.name == "worker1" else node for node in cluster.nodes]
    asked = everything(cluster.model_copy(update={"nodes": nodes}))
    assert {step.action for step in asked.steps} == {"verify"}
    assert "worker1" not in asked.nodes()
