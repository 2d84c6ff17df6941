"""Checks of a cluster.yaml that look at several values at once. Pure; each finding has its place and a remedy."""

from installer.cluster.checks import nodes, sections
from installer.cluster.checks.finding import Circumstances, Finding
from installer.cluster.schema import Cluster

__all__ = ["Circumstances", "Finding", "findings"]


def findings(cluster: Cluster, circumstances: Circumstances) -> list[Finding]:
    """Run every check."""
    return [finding for check in (*nodes.CHECKS, *sections.CHECKS) for finding in check(cluster, circumstances)]
