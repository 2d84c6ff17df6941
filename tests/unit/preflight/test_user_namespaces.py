"""Whether tasks will run in user namespaces is told in one sentence for the cluster. Needs nothing."""

from __future__ import annotations

import pytest

from installer.cluster import loads
from installer.preflight.checks import Finding
from installer.preflight.node_checks import NodeFacts
from installer.preflight.user_namespaces import check_user_namespaces

ONE = "name: house\nnodes: [{name: all1, address: 192.0.2.11, roles: [master, worker, storage]}]\n"


def told(more: str, kernel: str = "6.12.9-amd64") -> list[Finding]:
    cluster = loads(ONE + more, installed=False)
    return check_user_namespaces(cluster, [NodeFacts(cluster, cluster.nodes[0], {"kernel": kernel}, 0.0)])


@pytest.mark.parametrize(
    ("more", "kernel", "said"),
    [
        ("", "6.12.9-amd64", "tasks do not run in user namespaces of their own: GlusterFS has no idmapped mounts"),
        ("storage: {driver: local}", "6.1.0-37-amd64", "a kernel is too old: `all1` has 6.1.0-37-amd64"),
        ("storage: {driver: local}", "6.3.0", "tasks run in user namespaces of their own where every node can"),
    ],
)
def test_it_is_good_to_know_and_nothing_to_mend(more: str, kernel: str, said: str) -> None:
    (found,) = told(more, kernel)
    assert found.severity == "note"
    assert said in found.evidence
    assert found.remedy


def test_who_has_switched_it_off_is_not_told() -> None:
    assert told("platform: {user_namespaces: never}") == []
