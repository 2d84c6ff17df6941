"""A node that does not answer is known by what was seen of it last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from installer.cluster import reference
from installer.planning import Digests, Observations, Record, Seen, done, plan
from installer.running.memory import FILE, completed, recall, remember
from installer.running.observe import understood


def test_a_node_that_was_installed_and_is_down_has_nothing_to_do(tmp_path: Path) -> None:
    cluster, digests = reference(), Digests()
    remember(tmp_path, done(plan(cluster, None, Observations(), digests), Observations()))
    known = recall(tmp_path)
    nodes = {**known.nodes, "worker1": Seen(reachable=False, problem="No route to host")}
    made = plan(cluster, None, completed(tmp_path, Observations(nodes, known.cluster)), digests)
    assert not made.steps
    assert not made.blocked
    assert "worker1" in made.warnings[0]
    assert recall(tmp_path).node("worker1").records


def test_the_clusters_own_records_are_known_while_the_master_is_down(tmp_path: Path) -> None:
    cluster, digests = reference(), Digests()
    remember(tmp_path, done(plan(cluster, None, Observations(), digests), Observations()))
    known = recall(tmp_path)
    nodes = {**known.nodes, "master1": Seen(reachable=False)}
    made = plan(cluster, None, completed(tmp_path, Observations(nodes, Seen(reachable=False))), digests)
    assert not made.steps


def test_nothing_is_known_of_a_cluster_that_was_never_seen(tmp_path: Path) -> None:
    assert recall(tmp_path) == Observations()
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text('{"nodes": {"a"')
    assert recall(tmp_path) == Observations()


def test_the_kubernetes_of_a_master_is_remembered(tmp_path: Path) -> None:
    found = {"records": {}, "cluster_records": {}, "managed": [], "drifted": {}, "kubernetes": "v1.36.3"} | {
        "certificates_end": "",
        "nodes": ["master1"],
    }
    seen = understood(reference(), {"master1": {"event": "runner_on_ok", "event_data": {"res": found}}})
    remember(tmp_path, done(plan(reference(), None, seen, Digests()), seen))
    later = completed(tmp_path, Observations({"master1": Seen(reachable=False)}, Seen(reachable=False)))
    assert later.node("master1").kubernetes == "v1.36.3"


def test_a_node_that_kubernetes_lost_is_planned_with_all_that_is_noted_on_its_object() -> None:
    cluster, digests = reference(), Digests()
    known = done(plan(cluster, None, Observations(), digests), Observations())

    def told(nodes: list[str] | None) -> list[tuple[str, str]]:
        results = {}
        for node in cluster.nodes:
            kept = {phase: {"input_hash": each.input_hash} for phase, each in known.node(node.name).records.items()}
            of_cluster = {phase: {"input_hash": each.input_hash} for phase, each in known.cluster.records.items()}
            found = {"records": kept, "cluster_records": of_cluster, "managed": list(kept), "drifted": {}} | {
                "kubernetes": "",
                "certificates_end": "",
                "nodes": nodes if node.is_master else None,
            }
            results[node.name] = {"event": "runner_on_ok", "event_data": {"res": found}}
        steps = plan(cluster, None, understood(cluster, results), digests).steps
        assert all("Kubernetes does not know this node" in step.detail for step in steps)
        return [(step.phase, step.node) for step in steps]

    every = [node.name for node in cluster.nodes]
    assert told(every) == []
    assert told(None) == [], "the API server does not answer: nothing is known"
    assert told([name for name in every if name != "worker2"]) == [("node", "worker2"), ("storage_client", "worker2")]
    assert told([name for name in every if name != "master1"]) == [], "no phase makes a master's"


def test_a_node_in_maintenance_is_not_forgotten_for_not_being_looked_at(tmp_path: Path) -> None:
    cluster, digests = reference(), Digests()
    remember(tmp_path, done(plan(cluster, None, Observations(), digests), Observations()))
    known = recall(tmp_path)
    skipped = understood(cluster, {"worker1": {"event": "runner_on_skipped", "event_data": {"host": "worker1"}}})
    completed(tmp_path, Observations({**known.nodes, **skipped.nodes}, known.cluster))
    assert recall(tmp_path).node("worker1").records == known.node("worker1").records


def test_a_machine_without_a_memory_of_a_cluster_that_stands_takes_no_silent_node_for_a_new_one(tmp_path: Path) -> None:
    master = Seen(records={"control_plane": Record("x")})
    silent = Seen(reachable=False)
    assert not completed(tmp_path, Observations({"m": master, "w": silent})).node("w").known
    assert not completed(tmp_path, Observations({"m": master, "w": silent}), ["w"]).node("w").known
    # Named in cluster.yaml afterwards, with a mistake in its address: nothing came to be there.
    assert completed(tmp_path, Observations({"m": master, "n": silent})).node("n").known


USUAL = {
    "records": {"host": {"input_hash": "1", "version": "0.1.0"}},
    "cluster_records": {},
    "managed": ["host"],
    "drifted": {},
    "kubernetes": "",
    "certificates_end": "",
}


@pytest.mark.parametrize(
    ("odd", "where"),
    [
        ({"records": {"host": "1"}}, "records.host"),
        ({"records": {"host": {}}}, "records.host.input_hash"),
        ({"records": ["host"]}, "records"),
        ({"drifted": {"host": 3}}, "drifted.host"),
        ({"kubernetes": {"a": 1}}, "kubernetes"),
        ({"managed": None}, "managed"),
    ],
)
def test_what_a_node_makes_up_of_itself_is_told_and_the_others_are_seen(odd: dict[str, Any], where: str) -> None:
    said = {"worker1": USUAL | odd, "worker2": USUAL, "master1": USUAL}
    events = {name: {"event": "runner_on_ok", "event_data": {"res": res}} for name, res in said.items()}
    seen = understood(reference(), events)
    assert not seen.node("worker1").reachable
    assert where in seen.node("worker1").problem
    assert seen.node("worker2").records["host"].input_hash == "1"
    assert seen.cluster.reachable
    events["master1"] = events["worker1"]
    assert not understood(reference(), events).cluster.reachable
