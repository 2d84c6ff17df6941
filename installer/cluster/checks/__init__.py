"""Checks of a cluster.yaml that look at several values at once. Pure; each finding has its place and a remedy."""

from installer.cluster.checks import nodes, sections, sign_in
from installer.cluster.checks.finding import Circumstances, Finding
from installer.cluster.schema import Cluster

__all__ = ["Circumstances", "Finding", "findings"]


def findings(cluster: Cluster, circumstances: Circumstances) -> list[Finding]:
    """Run every check."""
    checks = (*nodes.CHECKS, *sections.CHECKS, *sign_in.CHECKS)
    return [finding for check in checks for finding in check(cluster, circumstances)]
