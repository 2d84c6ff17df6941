"""What was seen last of a cluster, for nodes that do not answer now: without it, all would have to be done there."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from installer.planning import Observations, Record, Seen

FILE = Path("records") / "seen.json"


def completed(state: Path, seen: Observations, leaving: Collection[str] = ()) -> Observations:
    """Return the observations with the last known records of what could not be looked at, and remember them."""
    known = recall(state)
    nodes = {
        name: node if node.reachable else _recalled(name, node, known, seen, leaving)
        for name, node in seen.nodes.items()
    }
    of_cluster = seen.cluster if seen.cluster.reachable else replace(seen.cluster, records=known.cluster.records)
    complete = Observations(nodes, of_cluster)
    remember(state, complete)
    return complete


def _recalled(name: str, node: Seen, known: Observations, seen: Observations, leaving: Collection[str]) -> Seen:
    """Return what is remembered of a node. Only of a newcomer, to remember nothing means that nothing is there."""
    # A machine that has no memory of a cluster that stands cannot tell who is new in it.
    remembers = bool(known.nodes) or not any("control_plane" in other.records for other in seen.nodes.values())
    newcomer = remembers and name not in leaving
    return replace(known.node(name), reachable=False, problem=node.problem, known=name in known.nodes or newcomer)


def remember(state: Path, seen: Observations) -> None:
    """Keep the records of all nodes."""
    content = {
        "nodes": {name: _plain(node) for name, node in seen.nodes.items() if node.known},
        "cluster": _plain(seen.cluster),
        "kubernetes": {name: node.kubernetes for name, node in seen.nodes.items() if node.kubernetes},
    }
    file = state / FILE
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as draft:
        draft.write(json.dumps(content, indent=1) + "\n")
    Path(draft.name).replace(file)


def recall(state: Path) -> Observations:
    """Return what was remembered; nothing if there is nothing, or what a power cut left is no JSON."""
    try:
        content = json.loads((state / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return Observations()
    versions = content.get("kubernetes", {})
    nodes = {name: _seen(records, versions.get(name, "")) for name, records in content["nodes"].items()}
    return Observations(nodes, _seen(content["cluster"]))


def _plain(seen: Seen) -> dict[str, Any]:
    # Nothing can be done about what began and never ended while its node is silent; earlier versions know no such mark.
    return {
        phase: {name: value for name, value in asdict(record).items() if name != "begun"}
        for phase, record in seen.records.items()
    }


def _seen(records: Mapping[str, Mapping[str, Any]], kubernetes: str = "") -> Seen:
    return Seen(records={phase: Record(**record) for phase, record in records.items()}, kubernetes=kubernetes)
