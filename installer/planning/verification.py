"""What a verification asks: plans whose steps change nothing. Pure."""

from __future__ import annotations

from collections.abc import Collection

from installer.cluster import Cluster
from installer.planning.observations import Observations
from installer.planning.phases import BY_NAME, Scope
from installer.planning.plan import ASKED, Plan, Step
from installer.planning.projection import nodes_of
from installer.planning.verbs import VERIFICATION

TOUCHED = "was applied"


def everything(cluster: Cluster) -> Plan:
    """Return the plan that asks every phase on every node where it belongs, but for nodes in maintenance."""
    return _asking(cluster, ASKED)


def touched(
    cluster: Cluster, done: Plan, after: Observations, again: Collection[tuple[str, str]] = frozenset()
) -> Plan:
    """Return the plan that asks what an apply touched: all phases that its nodes have, of the whole cluster its own.

    `after` is what is seen once it was done: a phase that a node does not have yet has promised nothing. `again` are
    phases and nodes that are asked in any case.
    """
    nodes = {step.node for step in done.steps if BY_NAME[step.phase].on is not Scope.CLUSTER}
    applied = {step.phase for step in done.steps if step.action == "apply"}
    asked = _asking(cluster, TOUCHED)
    return Plan(
        cluster.name,
        tuple(
            step
            for step in asked.steps
            if (step.phase, step.node) in again
            or (
                step.phase in applied
                if BY_NAME[step.phase].on is Scope.CLUSTER
                else step.node in nodes and step.phase in after.node(step.node).records
            )
        ),
    )


def _asking(cluster: Cluster, reason: str) -> Plan:
    steps = [
        Step(phase.name, node.name, "verify", reason)
        for phase in VERIFICATION.phases
        for node in nodes_of(phase, cluster)
        if not node.left_out
    ]
    return Plan(cluster.name, tuple(steps))
