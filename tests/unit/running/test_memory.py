"""A node that does not answer is known by what was seen of it last."""

from __future__ import annotations

from pathlib import Path

from installer.cluster import reference
from installer.planning import Digests, Observations, Seen, done, plan
from installer.running.memory import FILE, completed, recall, remember
from installer.running.observe import understood


def test_a_node_that_was_installed_and_is_down_has_nothing_to_do(tmp_path: Path) -> None:
    cluster, digests = reference(), Digests()
    remember(tmp_path, done(plan(cluster, Observations(), digests), Observations()))
    known = recall(tmp_path)
    nodes = {**known.nodes, "worker1": Seen(reachable=False, problem="No route to host")}
    made = plan(cluster, completed(tmp_path, Observations(nodes, known.cluster)), digests)
    assert not made.steps
    assert not made.blocked
    assert "worker1" in made.warnings[0]
    assert recall(tmp_path).node("worker1").records


def test_the_clusters_own_records_are_known_while_the_master_is_down(tmp_path: Path) -> None:
    cluster, digests = reference(), Digests()
    remember(tmp_path, done(plan(cluster, Observations(), digests), Observations()))
    known = recall(tmp_path)
    nodes = {**known.nodes, "master1": Seen(reachable=False)}
    made = plan(cluster, completed(tmp_path, Observations(nodes, Seen(reachable=False))), digests)
    assert not made.steps


def test_nothing_is_known_of_a_cluster_that_was_never_seen(tmp_path: Path) -> None:
    assert recall(tmp_path) == Observations()
    (tmp_path / FILE).parent.mkdir()
    (tmp_path / FILE).write_text('{"nodes": {"a"')
    assert recall(tmp_path) == Observations()


def test_the_kubernetes_of_a_master_is_remembered(tmp_path: Path) -> None:
    found = {"records": {}, "cluster_records": {}, "managed": [], "drifted": {}, "kubernetes": "v1.36.3"} | {
        "certificates_end": ""
    }
    seen = understood(reference(), {"master1": {"event": "runner_on_ok", "event_data": {"res": found}}})
    remember(tmp_path, done(plan(reference(), seen, Digests()), seen))
    later = completed(tmp_path, Observations({"master1": Seen(reachable=False)}, Seen(reachable=False)))
    assert later.node("master1").kubernetes == "v1.36.3"
