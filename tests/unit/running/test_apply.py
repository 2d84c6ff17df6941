"""apply and the rendering of a service with the real Ansible and inventory; `ssh` is a program that stays here."""

import json
import os
import shlex
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from installer import cluster as clusters
from installer.cluster import TREE, Cluster
from installer.planning import Observations, Record, Seen, collect
from installer.planning import plan as make_plan
from installer.planning.verification import everything
from installer.progress.stages import Progress
from installer.running import accepted, rendering, runs, unverified
from installer.running import apply as applying
from installer.running.apply import Blocked, Wish, apply
from installer.running.checking import NotReady, check_before
from installer.running.errors import Busy, RunError
from installer.running.lock import ClusterLock, holder
from installer.running.observe import observe
from installer.services.actions import ActionFailed
from installer.services.table import BY_NAME
from installer.ssh.nodes import SshNode

FAKE_SSH = '#!/bin/sh\nfor last; do :; done\nexec sh -c "$last"\n'
TEXT = (TREE / "cluster.example.yaml").read_text()


def with_days(days: int) -> str:
    """The reference cluster, but for one value."""
    content = yaml.safe_load(TEXT)
    content["database"] = {**content.get("database", {}), "backup_days": days}
    return yaml.safe_dump(content, sort_keys=False)


def task(line: str) -> dict[str, object]:
    return {"name": "Something is as wanted", "ansible.builtin.shell": line}


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cluster:
    """The reference cluster, whose nodes are all this machine, and whose playbook only touches a file."""
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ATOLL_BUNDLE", str(tmp_path / "bundle"))
    programs = tmp_path / "programs"
    programs.mkdir()
    (programs / "ssh").write_text(FAKE_SSH)
    (programs / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", f"{programs}:{os.environ['PATH']}")
    monkeypatch.setattr(accepted, "ON_MASTERS", tmp_path / "masters")
    playbooks = tmp_path / "tree" / "playbooks"
    playbooks.mkdir(parents=True)
    plays = [
        {"hosts": f"phase_{name}", "gather_facts": False, "tasks": [task(f"echo {name} >> {tmp_path}/done")]}
        for name in ("host", "platform")
    ]
    for name in ("apply.yml", "services.yml"):
        (playbooks / name).write_text(json.dumps(plays))
    monkeypatch.setattr(applying, "TREE", tmp_path / "tree")
    monkeypatch.setattr(applying, "observe", lambda *_: Observations())
    monkeypatch.setattr(applying, "_check", lambda *_: None)
    monkeypatch.setattr(applying, "verified", lambda _cluster, _made, _after, outcome, _progress, _again: outcome)
    return clusters.loads(TEXT)


@pytest.fixture
def state(cluster: Cluster) -> Path:
    return clusters.state_directory(cluster)


def test_apply_does_the_plan_accepts_the_revision_and_hands_it_to_the_masters(
    cluster: Cluster, state: Path, tmp_path: Path
) -> None:
    outcome = apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    assert outcome.ok
    assert dict(outcome.evaluated_tasks) == {"master1": 1, "worker1": 1, "worker2": 1, "storage1": 1}
    assert [(phase.name, phase.changed) for phase in outcome.phases] == [("host", 4)]
    assert (state / "cluster.yaml").read_text() == TEXT
    assert (tmp_path / "masters" / "demo" / "cluster.yaml").read_text() == TEXT
    (run,) = runs.runs(state)
    assert (run.verb, run.state, run.changed) == ("apply", "succeeded", 4)


def test_what_follows_the_nodes_is_handed_to_the_masters_and_only_when_it_differs(
    cluster: Cluster, state: Path, tmp_path: Path
) -> None:
    of_worker = (
        "secrets.yaml",
        "ssh/known_hosts",
        "pki/registry/nodes/worker3.key",
        "pki/kubernetes/kubelets/worker3.key",
    )
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    for name in of_worker:
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).write_text(f"of worker3: {name}")
    (state / "pki" / "ca.key").write_text("the role `control` copies it")
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    theirs = tmp_path / "masters" / "demo"
    for name in of_worker:
        assert (theirs / name).read_text() == f"of worker3: {name}"
        assert (theirs / name).stat().st_mode & 0o777 == 0o600
    assert not (theirs / "pki" / "ca.key").exists()
    assert len(list(theirs.glob("runs/*/journal.jsonl"))) == 2
    written = (theirs / "ssh" / "known_hosts").stat().st_mtime_ns
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    assert (theirs / "ssh" / "known_hosts").stat().st_mtime_ns == written


def test_nothing_to_do_is_a_success_without_a_run(
    cluster: Cluster, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    everything = make_plan(cluster, None, Observations(), collect(cluster))
    at = {(step.node, step.phase): Record(step.input_hash) for step in everything.steps}
    nodes = {
        node.name: Seen(records={phase: record for (name, phase), record in at.items() if name == node.name})
        for node in cluster.nodes
    }
    seen = Observations(nodes, nodes["master1"])
    monkeypatch.setattr(applying, "observe", lambda *_: seen)
    with pytest.raises(RunError, match=r"stands already.*lacks secrets.yaml and pki/kubernetes/ca.crt"):
        apply(cluster, Wish(TEXT), Progress())
    assert not (state / "cluster.yaml").exists()
    for name in ("secrets.yaml", "pki/kubernetes/ca.crt"):
        (state / name).parent.mkdir(parents=True, exist_ok=True)
        (state / name).write_text("")
    outcome = apply(cluster, Wish(TEXT), Progress())
    assert outcome.to_json() | {"seconds": 0} == {
        "ok": True,
        "changed": 0,
        "failed": 0,
        "evaluated_tasks": {},
        "phases": [],
        "seconds": 0,
        "verify_seconds": 0.0,
        "run": None,
        "failures": [],
    }
    assert runs.runs(state) == []


def test_what_was_broken_when_it_was_verified_is_named_and_asked_again_though_nothing_is_to_be_applied(
    cluster: Cluster, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []

    def verified(*given: object) -> object:
        asked.append(given[-1])
        return given[3]

    monkeypatch.setattr(applying, "verified", verified)
    unverified.begin(state, everything(cluster).only(["queue", "platform"]))
    said: list[str] = []
    progress = Progress()
    monkeypatch.setattr(progress, "say", said.append)
    apply(cluster, Wish(TEXT, phases=["platform"]), progress)
    apply(cluster, Wish(TEXT, phases=["platform", "queue"]), Progress())
    assert asked == [{("platform", "master1")}, {("platform", "master1"), ("queue", "master1")}]
    assert [line.partition(":")[0] for line in said[:2]] == ["Node `master1`, `platform`", "Node `master1`, `queue`"]


def test_a_node_that_does_not_answer_stops_apply_before_anything_is_changed(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = Observations({"worker1": Seen(reachable=False, problem="no route to host")})
    monkeypatch.setattr(applying, "observe", lambda *_: gone)
    with pytest.raises(Blocked, match=r"worker1.*no route to host"):
        apply(cluster, Wish(TEXT), Progress())
    assert not (tmp_path / "done").exists()


def test_everything_that_is_in_the_way_is_told_at_once_before_anything_is_changed(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "_check", check_before)
    (tmp_path / "programs" / "ssh").write_text('#!/bin/sh\necho "Permission denied (publickey)." >&2; exit 255\n')
    with pytest.raises(NotReady) as refused:
        apply(cluster, Wish(TEXT), Progress())
    assert "index.json does not exist" in refused.value.message
    assert refused.value.message.count("does not accept the key") == 4
    assert refused.value.exit_code == 69
    assert not (tmp_path / "done").exists()


def test_without_a_bundle_nothing_is_changed_on_nodes_that_are_sound(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "_check", check_before)
    with pytest.raises(NotReady, match=r"index.json does not exist"):
        apply(cluster, Wish(TEXT), Progress())
    assert not (tmp_path / "done").exists()


def test_a_saved_plan_is_done_only_while_it_fits(cluster: Cluster, tmp_path: Path) -> None:
    file = tmp_path / "plan.json"
    make_plan(cluster, None, Observations(), collect(cluster)).only(["host"], ["worker1"]).save(file)
    outcome = apply(cluster, Wish(TEXT, plan_file=file), Progress())
    assert dict(outcome.evaluated_tasks) == {"worker1": 1}
    content = json.loads(file.read_text())
    content["steps"][0]["input_hash"] = "another"
    file.write_text(json.dumps(content))
    with pytest.raises(RunError, match="has changed since this plan was made"):
        apply(cluster, Wish(TEXT, plan_file=file), Progress())


def test_a_revision_that_this_machine_never_saw_is_not_overwritten(
    cluster: Cluster, tmp_path: Path, state: Path
) -> None:
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    theirs = tmp_path / "masters" / "demo"
    theirs_text, mine = with_days(21), with_days(22)
    revision = accepted.accept(theirs, theirs_text)
    assert revision.number == 2
    with pytest.raises(RunError, match=r"revision 2.*does not know"):
        apply(cluster, Wish(mine, phases=["host"]), Progress())
    assert (state / "cluster.yaml").read_text() == TEXT
    apply(cluster, Wish(mine, phases=["host"], over=2), Progress())
    found = accepted.accepted(theirs)
    assert found
    assert found.number == 3


def test_a_master_that_is_silent_for_a_moment_is_given_no_revision(cluster: Cluster, tmp_path: Path) -> None:
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    accepted.accept(tmp_path / "masters" / "demo", with_days(21))
    (tmp_path / "once").touch()
    once = f"rm {tmp_path}/once 2>/dev/null && {{ echo 'Connection reset' >&2; exit 255; }}"
    (tmp_path / "programs" / "ssh").write_text(FAKE_SSH.replace("\n", f"\n{once}\n", 1))
    with pytest.raises(RunError, match="Connection reset\nSo it is not known which revision"):
        apply(cluster, Wish(with_days(22), phases=["host"]), Progress())
    assert not (tmp_path / "once").exists()
    assert (tmp_path / "masters" / "demo" / "cluster.yaml").read_text() == with_days(21)


def test_the_same_text_is_the_same_revision_and_a_former_one_a_new_one(tmp_path: Path) -> None:
    texts = ("a: 1\nb: 2", "# why\nb: 2\na: 1", "a: 2", "a: 1\nb: 2")
    assert [accepted.accept(tmp_path, text).number for text in texts] == [1, 1, 2, 3]
    assert (tmp_path / "cluster.yaml").read_text() == texts[-1]


def without(node: str) -> str:
    """The reference cluster without a node."""
    content = yaml.safe_load(TEXT)
    content["nodes"] = [one for one in content["nodes"] if one["name"] != node]
    return yaml.safe_dump(content, sort_keys=False)


def test_a_node_that_stands_is_not_forgotten_by_an_apply_without_it(
    cluster: Cluster, state: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    before = (tmp_path / "done").read_text()
    installed = Observations({"worker2": Seen(records={"host": Record("x")})})
    monkeypatch.setattr(applying, "observe", lambda *_: installed)
    for _ in range(2):
        with pytest.raises(Blocked, match=r"`worker2` .*stands, and is no longer in cluster.yaml"):
            apply(clusters.loads(without("worker2")), Wish(without("worker2"), phases=["host"]), Progress())
    assert (state / "cluster.yaml").read_text() == TEXT
    assert (tmp_path / "masters" / "demo" / "cluster.yaml").read_text() == TEXT
    assert (tmp_path / "done").read_text() == before


def test_a_role_that_left_a_standing_node_is_refused_before_the_revision_is_accepted(
    cluster: Cluster, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    installed = Observations({"worker2": Seen(records={"volume": Record("x")})})
    monkeypatch.setattr(applying, "observe", lambda *_: installed)
    with pytest.raises(Blocked, match=r"`worker2` was set up with `volume`"):
        apply(cluster, Wish(TEXT + "# another text\n", phases=["host"]), Progress())
    assert (state / "cluster.yaml").read_text() == TEXT


def test_a_node_that_another_machine_added_is_not_forgotten_with_its_revision(
    cluster: Cluster, state: Path, tmp_path: Path
) -> None:
    mine = without("worker2")
    apply(clusters.loads(mine), Wish(mine, phases=["host"]), Progress())
    theirs = accepted.accept(tmp_path / "masters" / "demo", TEXT)
    with pytest.raises(Blocked, match=r"`worker2` .*stands in revision 2 of the masters"):
        apply(clusters.loads(mine), Wish(mine, phases=["host"], over=theirs.number), Progress())
    assert (state / "cluster.yaml").read_text() == mine


def test_a_restart_of_a_service_forgets_no_node_either(cluster: Cluster, state: Path, tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "index.json").write_text("{}")
    accepted.accept(state, TEXT)
    with pytest.raises(ActionFailed, match="has no `worker2` any more"):
        rendering.render_service("demo", BY_NAME["api"], without("worker2"), print)
    (state / "cluster.yaml").write_text(without("worker2"))
    with pytest.raises(ActionFailed, match="has no `worker2` any more"):
        rendering.render_service("demo", BY_NAME["api"], None, print)


def test_a_service_is_rendered_by_its_own_phases_only(cluster: Cluster, state: Path, tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "index.json").write_text("{}")
    accepted.accept(state, TEXT)
    said: list[str] = []
    assert rendering.render_service("demo", BY_NAME["api"], None, said.append) == 1
    assert (tmp_path / "done").read_text().split() == ["platform"]
    assert runs.runs(state)[0].verb == "restart api"
    assert "rendered: 1 changes" in said


def test_a_new_revision_is_checked_before_it_is_accepted(cluster: Cluster, state: Path, tmp_path: Path) -> None:
    (tmp_path / "bundle").mkdir()
    (tmp_path / "bundle" / "index.json").write_text("{}")
    accepted.accept(state, TEXT)
    with pytest.raises(clusters.ClusterError):
        rendering.render_service("demo", BY_NAME["api"], TEXT + "\nnonsense: 1\n", print)
    with pytest.raises(ActionFailed, match="other"):
        rendering.render_service("demo", BY_NAME["api"], TEXT.replace("name: demo", "name: other", 1), print)
    assert (state / "cluster.yaml").read_text() == TEXT
    said: list[str] = []
    rendering.render_service("demo", BY_NAME["api"], with_days(9), said.append)
    assert "cluster.yaml: revision 2 is accepted" in said
    assert (state / "cluster.yaml").read_text() == with_days(9)


def test_the_real_probe_looks_at_every_node(cluster: Cluster) -> None:
    seen = observe(cluster)
    assert set(seen.nodes) == {node.name for node in cluster.nodes}
    assert all(node.reachable for node in seen.nodes.values())


def test_a_node_that_refuses_ssh_is_told_with_its_words(cluster: Cluster, tmp_path: Path) -> None:
    address = cluster.node("worker2").address
    refusing = f'#!/bin/sh\ncase "$*" in *{address}*) echo "Host key verification failed." >&2; exit 255;; esac\n'
    (tmp_path / "programs" / "ssh").write_text(refusing + FAKE_SSH.partition("\n")[2])
    seen = observe(cluster)
    assert not seen.node("worker2").reachable
    assert "Host key verification failed" in seen.node("worker2").problem
    assert seen.node("worker1").reachable


def test_ssh_is_asked_with_pinned_keys_and_never_asks_back(tmp_path: Path) -> None:
    node = SshNode("n", "10.0.0.1", "ops", tmp_path / "key", tmp_path / "known", 2222, become=True, jump="me@gate")
    words: Sequence[str] = node.arguments(["systemctl", "show", "a b"])
    assert "StrictHostKeyChecking=yes" in words
    assert "BatchMode=yes" in words
    assert f"UserKnownHostsFile={tmp_path / 'known'}" in words
    (way,) = [shlex.split(word) for word in words if word.startswith("ProxyCommand=")]
    assert way[-3:] == ["-W", "[%h]:%p", "me@gate"]
    assert {"StrictHostKeyChecking=yes", f"UserKnownHostsFile={tmp_path / 'known'}", str(tmp_path / "key")} <= {*way}
    assert words[-2:] == ["ops@10.0.0.1", "sudo -n systemctl show 'a b'"]


def test_the_master_gets_the_journal_while_the_run_goes_on_and_its_lock_is_held(
    cluster: Cluster, state: Path, tmp_path: Path
) -> None:
    master = tmp_path / "masters" / "demo"
    playbook = tmp_path / "tree" / "playbooks" / "apply.yml"
    wait = task(f"while ! grep -q phase {master}/runs/*/journal.jsonl; do sleep 0.1; done; cat {master}/lock")
    playbook.write_text(json.dumps([{"hosts": "phase_host", "gather_facts": False, "tasks": [wait]}]))
    outcome = apply(cluster, Wish(TEXT, phases=["host"], nodes=["worker1"]), Progress())
    assert outcome.ok
    assert outcome.run_id
    mirrored = master / "runs" / outcome.run_id / "journal.jsonl"
    assert mirrored.read_text() == (state / "runs" / outcome.run_id / "journal.jsonl").read_text()
    told = json.loads((master / "lock").read_text())
    assert (told["run"], told["done"]) == (outcome.run_id, True)
    assert holder(master) is None


def test_while_the_control_service_acts_apply_waits_and_then_says_who(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("installer.running.mirror.LOCK_WAIT_SECONDS", 0.3)
    with ClusterLock(tmp_path / "masters" / "demo", "run-9", "restart api"), pytest.raises(Busy, match=r"restart api"):
        apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    assert not (tmp_path / "done").exists()


def test_journals_that_the_master_lacks_are_handed_over(cluster: Cluster, state: Path, tmp_path: Path) -> None:
    old = state / "runs" / "20260101T000000Z-0001" / "journal.jsonl"
    old.parent.mkdir(parents=True)
    old.write_text('{"event": "started", "at": 1, "verb": "apply"}\n')
    apply(cluster, Wish(TEXT, phases=["host"]), Progress())
    assert (tmp_path / "masters" / "demo" / "runs" / old.parent.name / "journal.jsonl").exists()


def test_keys_that_cluster_yaml_no_longer_names_go_with_the_apply(
    cluster: Cluster, state: Path, tmp_path: Path
) -> None:
    copies = [state / "given" / "0123456789abcdef", tmp_path / "masters" / "demo" / "given" / "0123456789abcdef"]
    for copy in copies:
        copy.parent.mkdir(parents=True)
        copy.write_text("a key of before")
    playbook = tmp_path / "tree" / "playbooks" / "apply.yml"
    for line, left in (("false", copies), ("true", [])):
        playbook.write_text(json.dumps([{"hosts": "phase_host", "gather_facts": False, "tasks": [task(line)]}]))
        apply(cluster, Wish(TEXT, phases=["host"], nodes=["worker1"]), Progress())
        assert [copy for copy in copies if copy.exists()] == left
