"""What a cluster.yaml may say and no role carries out yet: told before anything is changed, not found afterwards."""

from __future__ import annotations

from collections.abc import Iterator

from installer.cluster import Cluster
from installer.cluster.drivers import DEVICES, REGISTRY, STORAGE
from installer.preflight.checks import Check, Finding, Problem, run_all

WHERE = "cluster.yaml"


def _refused(cluster: Cluster) -> Iterator[Problem]:
    for driver in (STORAGE[cluster.storage.driver], REGISTRY[cluster.registry.driver]):
        for words in driver.refusal(cluster):
            yield Problem(*words)
    if cluster.kubernetes.virtual_address is not None:
        yield Problem(
            "`kubernetes.virtual_address` is not carried out yet",
            "Remove it: every node has its own load balancer for the API; browsers use the first master's address.",
        )


def _without_effect(cluster: Cluster) -> Iterator[Problem]:
    used = {card.effective_driver for node in cluster.nodes for card in node.accelerators}
    real = sorted(name for name in used if DEVICES[name].plugin is None)
    if real:
        yield Problem(
            f"cards with driver {', '.join(real)}: nodes get their labels, the vendor's device plugin is not in this "
            "version's bundle",
            "Install the vendor's plugin with `./atoll kubectl apply`, or set `driver: simulated` to try the platform.",
        )
    if cluster.smtp.host is not None:
        yield Problem("`smtp` is read by no service yet", "Nothing is to be done; no mail is sent.")


CHECKS = (
    Check("cluster.supported", "not supported", "error", _refused),
    Check("cluster.effect", "without effect", "warning", _without_effect),
)


def check_support(cluster: Cluster) -> list[Finding]:
    """Return what this version does not do for the cluster."""
    return run_all(CHECKS, WHERE, cluster)
