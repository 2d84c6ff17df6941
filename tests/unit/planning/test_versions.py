"""Versions that do not fit what stands are refused before anything is changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from installer.cluster import Cluster, loads
from installer.planning import Digests, Observations, Record, Seen, done, plan
from installer.planning.versions import API_SERVER, kubernetes_of

MORE_MASTERS = """\
  - {name: master2, address: 10.0.0.12, roles: [master]}
  - {name: master3, address: 10.0.0.13, roles: [master]}
"""


def with_kubernetes(digests: Digests, version: str) -> Digests:
    return replace(digests, artifacts={**digests.artifacts, f"{API_SERVER}{version}": f"digest of {version}"})


def standing(cluster: Cluster, digests: Digests, kubernetes: str = "v1.36.3") -> Observations:
    seen = done(plan(cluster, None, Observations(), digests), Observations())
    nodes: Mapping[str, Seen] = {
        name: replace(
            node,
            records={phase: replace(record, version=digests.version) for phase, record in node.records.items()},
            kubernetes=kubernetes if "control_plane" in node.records else "",
        )
        for name, node in seen.nodes.items()
    }
    return Observations(nodes, seen.cluster)


@pytest.mark.parametrize("other", ["v1.37.0", "v1.35.9", "v2.36.3"])
def test_another_minor_version_of_kubernetes_is_refused(cluster: Cluster, digests: Digests, other: str) -> None:
    seen = standing(cluster, with_kubernetes(digests, "v1.36.3"))
    made = plan(cluster, None, seen, with_kubernetes(digests, other))
    assert made.steps
    (problem,) = made.blocked
    assert all(word in problem for word in ("`master1`", "v1.36.3", other, "upgrade", "bundle"))
    assert made.only(phases=["container_runtime"]).blocked, "a part of it is refused as well"


def test_another_patch_of_kubernetes_is_allowed_and_told(cluster: Cluster, digests: Digests) -> None:
    seen = standing(cluster, with_kubernetes(digests, "v1.36.3"))
    made = plan(cluster, None, seen, with_kubernetes(digests, "v1.36.4"))
    assert made.steps
    assert not made.blocked
    assert "stays at Kubernetes v1.36.3" in made.warnings[0]


def test_a_master_is_not_added_with_another_patch(text: str, cluster: Cluster, digests: Digests) -> None:
    seen = standing(cluster, with_kubernetes(digests, "v1.36.3"))
    grown = loads(text + MORE_MASTERS, installed=True)
    assert not plan(grown, None, seen, with_kubernetes(digests, "v1.36.3")).blocked
    (problem,) = plan(grown, None, seen, with_kubernetes(digests, "v1.36.4")).blocked
    assert "`master2` is new" in problem


def test_without_a_bundle_or_a_control_plane_nothing_is_refused(cluster: Cluster, digests: Digests) -> None:
    assert kubernetes_of(digests) == ""
    assert not plan(cluster, None, standing(cluster, digests), digests, every_phase=True).blocked
    assert not plan(cluster, None, Observations(), with_kubernetes(digests, "v1.37.0")).blocked


@pytest.mark.parametrize(
    ("tree", "refused"), [("0.9.9", True), ("0.10.0rc1", True), ("0.10.0", False), ("0.10.1", False), ("1.0.0", False)]
)
def test_atoll_does_not_go_back(cluster: Cluster, digests: Digests, tree: str, refused: bool) -> None:
    seen = standing(cluster, replace(digests, version="0.10.0"))
    made = plan(cluster, None, seen, replace(digests, version=tree), every_phase=True)
    assert bool(made.blocked) is refused
    if refused:
        assert all(word in made.blocked[0] for word in ("Atoll 0.10.0", tree, "`master1`"))


def test_one_record_of_the_cluster_is_enough(cluster: Cluster, digests: Digests) -> None:
    seen = Observations(cluster=Seen(records={"queue": Record("", "0.2.0")}))
    (problem,) = plan(cluster, None, seen, digests).blocked
    assert "phase `queue` of the cluster" in problem


@pytest.mark.parametrize(("today", "told"), [("2031-08-23", False), ("2031-08-24", True), ("2032-01-01", True)])
def test_certificates_of_kubeadm_that_end_are_told_in_time(
    cluster: Cluster, digests: Digests, today: str, told: bool
) -> None:
    seen = standing(cluster, digests)
    master = replace(seen.node("master1"), certificates_end="2031-11-21")
    made = plan(cluster, None, replace(seen, nodes={**seen.nodes, "master1": master}), replace(digests, today=today))
    assert any("`master1` end on 2031-11-21" in warning for warning in made.warnings) is told
    assert not made.steps
