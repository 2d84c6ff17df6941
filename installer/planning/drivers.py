"""A driver that stands and is no longer wanted: what it holds does not move by itself. Pure.

Cards are another matter: their plug-ins are objects of one phase, which replaces those of one driver by another's.
"""

from __future__ import annotations

from collections.abc import Iterator

from installer.cluster import Cluster
from installer.planning.observations import Observations
from installer.planning.phases import BY_NAME, Phase
from installer.planning.projection import Digests, input_hash, nodes_of, project

# By key: the phase in whose record a node says which driver it was made for, and what would stay behind.
_HELD = {
    "storage.driver": ("storage_client", "homes, data sets and models would stay where the old driver keeps them"),
    "registry.driver": ("container_runtime", "images that people pushed would stay in the old registry"),
}


def _made_for_another(key: str, phase: Phase, wanted: Cluster, seen: Observations, digests: Digests) -> list[str]:
    """The nodes whose record of a phase has another value of a key, which is the same for all of them."""
    nodes = nodes_of(phase, wanted)
    if not nodes:
        return []
    now = [part for part in input_hash(project(phase, wanted, nodes[0], digests)).split() if part.startswith(f"{key}=")]
    records = ((node.name, seen.node(node.name).records.get(phase.name)) for node in nodes)
    return [
        name
        for name, record in records
        if record is not None and f"{key}=" in record.input_hash and not {*now} & {*record.input_hash.split()}
    ]


def swapped(wanted: Cluster, standing: Cluster | None, seen: Observations, digests: Digests) -> Iterator[str]:
    """Yield each driver that nodes were made for and that is now another, with what to do about it."""
    for key, (name, loss) in _HELD.items():
        phase, (section, _, field) = BY_NAME[name], key.partition(".")
        others = _made_for_another(key, phase, wanted, seen, digests)
        if others:
            now = getattr(getattr(wanted, section), field)
            before = getattr(getattr(standing, section), field) if standing else now
            back = f"Put `{key}: {before}` back" if before != now else f"Put the `{key}` back that it was made with"
            yield (
                f"`{key}` is now `{now}`, but {', '.join(f'`{node}`' for node in others[:3])} and what lies there were "
                f"made for another: {loss}. {back}; with `{now}` set up a new cluster and copy what you need."
            )


def moved(wanted: Cluster, seen: Observations) -> Iterator[str]:
    """Yield that the registry stands on a node that is no longer its host: another one would begin empty.

    A host in maintenance may be lost for good, with its images: then another one is what is left to do.
    """
    hosts = [node.name for node in wanted.registry_nodes]
    for node in wanted.nodes:
        stands = {"registry", "container_runtime"} <= seen.node(node.name).records.keys()
        if hosts and stands and node.name not in hosts and not node.left_out:
            yield (
                f"The registry stands on `{node.name}` and would now be on `{hosts[0]}`, where it begins empty: images "
                f"that people imported or pushed would be lost. Say `registry: {{nodes: [{node.name}]}}`; for another "
                "host set up a new cluster and import them there."
            )
