"""What a verification asks: plans whose steps change nothing. Pure."""

from __future__ import annotations

from installer.cluster import Cluster
from installer.planning.phases import BY_NAME, Scope
from installer.planning.plan import ASKED, Plan, Step
from installer.planning.projection import nodes_of
from installer.planning.verbs import VERIFICATION

TOUCHED = "was applied"


def everything(cluster: Cluster) -> Plan:
    """Return the plan that asks every phase on every node where it belongs, but for nodes in maintenance."""
    return _asking(cluster, ASKED)


def touched(cluster: Cluster, done: Plan) -> Plan:
    """Return the plan that asks what an apply touched: all phases of its nodes, and of the whole cluster its own."""
    nodes = {step.node for step in done.steps if step.action != "join" and BY_NAME[step.phase].on is not Scope.CLUSTER}
    applied = {step.phase for step in done.steps if step.action == "apply"}
    asked = _asking(cluster, TOUCHED)
    return Plan(
        cluster.name,
        tuple(
            step
            for step in asked.steps
            if (step.phase in applied if BY_NAME[step.phase].on is Scope.CLUSTER else step.node in nodes)
        ),
    )


def _asking(cluster: Cluster, reason: str) -> Plan:
    steps = [
        Step(phase.name, node.name, "verify", reason)
        for phase in VERIFICATION.phases
        for node in nodes_of(phase, cluster)
        if not node.maintenance
    ]
    return Plan(cluster.name, tuple(steps))
