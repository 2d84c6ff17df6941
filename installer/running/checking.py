"""What must hold before anything is changed: all that does not is told at once, each with the way to mend it."""

from __future__ import annotations

import json
from collections.abc import Sequence

from installer import exit_codes
from installer.cluster import Cluster, bundle_directory
from installer.planning import Plan
from installer.planning.plan import CHANGED
from installer.preflight.bundle import check_bundle
from installer.preflight.checks import Finding
from installer.preflight.nodes import check_nodes
from installer.preflight.support import check_support
from installer.progress.stages import Progress
from installer.running.errors import RunError


class NotReady(RunError):
    """Preflight found what forbids to go on."""

    exit_code = exit_codes.UNAVAILABLE


def check_before(cluster: Cluster, made: Plan, progress: Progress) -> None:
    """Check the bundle, and the nodes that have steps. Raises NotReady."""
    busy = made.nodes()
    with progress.stage("preflight"):
        findings = check_support(cluster) + _bundle(cluster)
        reruled = {step.node for step in made.of("host", "apply") if step.reason == CHANGED}
        findings += check_nodes(cluster, [node for node in cluster.nodes if node.name in busy], reruled)
        refuse(findings, progress)


def refuse(findings: Sequence[Finding], progress: Progress) -> None:
    """Tell what is not grave; raise NotReady with all that is, at once."""
    for finding in findings:
        if finding.severity == "warning":
            progress.say(str(finding))
    grave = [str(finding) for finding in findings if finding.severity == "error"]
    if grave:
        raise NotReady("\n".join(grave), "Nothing was changed. `./atoll preflight` checks again.")


def _bundle(cluster: Cluster) -> list[Finding]:
    index = bundle_directory() / "index.json"
    if not index.exists():
        remedy = "Build it with `./atoll bundle build`; `./atoll up` does so by itself."
        return [Finding("bundle.index", "bundle", "error", "bundle", f"{index} does not exist", remedy)]
    return check_bundle(json.loads(index.read_text("utf-8")), cluster, bundle_directory())
