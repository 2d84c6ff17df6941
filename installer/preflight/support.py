"""What a cluster.yaml may say and no role carries out yet: told before anything is changed, not found afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from installer.cluster import Cluster, support
from installer.preflight.checks import Check, Finding, Problem, run_all

WHERE = "cluster.yaml"


def _refused(cluster: Cluster) -> Iterator[Problem]:
    return (Problem(found.message, found.remedy) for found in support.refused(cluster))


def _without_effect(cluster: Cluster) -> Iterator[Problem]:
    return (Problem(found.message, found.remedy) for found in support.without_effect(cluster))


CHECKS = (
    Check("cluster.supported", "not supported", "error", _refused),
    Check("cluster.effect", "without effect", "warning", _without_effect),
)


def check_support(cluster: Cluster) -> list[Finding]:
    """Return what this version does not do for the cluster."""
    return run_all(CHECKS, WHERE, cluster)
