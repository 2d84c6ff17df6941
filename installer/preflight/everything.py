"""All checks before an installation, in one go: this machine, the bundle, the nodes."""

from __future__ import annotations

import json

from installer import lab
from installer.cluster import Cluster, bundle_directory
from installer.preflight.bundle import check_bundle
from installer.preflight.checks import Finding
from installer.preflight.machine import WHERE, check_machine
from installer.preflight.nodes import check_nodes
from installer.preflight.support import check_support
from installer.progress.stages import Progress


def check_all(cluster: Cluster, progress: Progress) -> list[Finding]:
    """Return everything that is in the way of installing `cluster`, and what is good to know. Changes nothing."""
    with progress.stage("preflight", 3):
        findings = check_support(cluster) + check_machine(cluster)
        progress.advance("this machine")
        findings += _bundle(cluster)
        progress.advance("bundle")
        findings += _nodes(cluster)
        progress.advance("nodes")
    return findings


def _bundle(cluster: Cluster) -> list[Finding]:
    directory = bundle_directory()
    index = directory / "index.json"
    if index.exists():
        return check_bundle(json.loads(index.read_text("utf-8")), cluster, directory)
    remedy = "`./atoll up` builds it; by itself: `./atoll bundle build`."
    return [Finding("bundle.index", "bundle", "note", "bundle", f"none was built yet in {directory}", remedy)]


def _nodes(cluster: Cluster) -> list[Finding]:
    if cluster.lab is not None and all(node.state == "absent" for node in lab.status(cluster)):
        remedy = "`./atoll up` makes them; by themselves: `./atoll lab up`."
        return [Finding("lab.absent", "nodes", "note", WHERE, "the nodes of the lab are not made yet", remedy)]
    return check_nodes(cluster)
