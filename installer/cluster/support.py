"""What a cluster.yaml may say and this version does not do: refused, or told to be without effect. Pure.

A key that nothing reads yet says so where it is declared (`unused` in sections.py), with what holds in its place.
"""

from __future__ import annotations

from collections.abc import Iterator

from pydantic import BaseModel

from installer.cluster.checks.finding import Finding
from installer.cluster.defaults import section_models
from installer.cluster.drivers import DEVICES, REGISTRY, STORAGE
from installer.cluster.schema import Cluster
from installer.cluster.sections import unused_because
from installer.cluster.source import Where, path_text


def refused(cluster: Cluster) -> Iterator[Finding]:
    """Yield what no role carries out yet: it must not be installed."""
    for section, driver in (
        ("storage", STORAGE[cluster.storage.driver]),
        ("registry", REGISTRY[cluster.registry.driver]),
    ):
        for words in driver.refusal(cluster):
            yield Finding((section, "driver"), *words)
    if cluster.kubernetes.virtual_address is not None:
        yield Finding(
            ("kubernetes", "virtual_address"),
            "`kubernetes.virtual_address` is not carried out yet",
            "Remove it: every node has its own load balancer for the API; browsers use the first master's address.",
        )


def without_effect(cluster: Cluster) -> Iterator[Finding]:
    """Yield what is installed without it: it does no harm, but not what somebody expects of it either."""
    used = {card.effective_driver for node in cluster.nodes for card in node.accelerators}
    real = sorted(name for name in used if DEVICES[name].plugin is None)
    if real:
        yield Finding(
            ("nodes",),
            f"cards with driver {', '.join(real)}: nodes get their labels, the vendor's device plugin is not in this "
            "version's bundle",
            "Install the vendor's plugin with `./atoll kubectl apply`, or set `driver: simulated` to try the platform.",
        )
    for name in section_models():
        yield from _unused(getattr(cluster, name), (name,))


def _unused(section: BaseModel, where: Where) -> Iterator[Finding]:
    """What differs from its default; the example repeats all defaults, and nobody asked for those."""
    for key, field in type(section).model_fields.items():
        value, why = getattr(section, key), unused_because(field)
        if why and value != field.get_default(call_default_factory=True):
            yield Finding((*where, key), f"`{path_text((*where, key))}` is not used by this version", why)
        elif isinstance(value, BaseModel):
            yield from _unused(value, (*where, key))
