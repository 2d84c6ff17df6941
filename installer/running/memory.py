"""What was seen last of a cluster, for nodes that do not answer now: without it, all would have to be done there."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from installer.planning import Observations, Record, Seen

FILE = Path("records") / "seen.json"


def completed(state: Path, seen: Observations) -> Observations:
    """Return the observations with the last known records of what does not answer, and remember them."""
    known = recall(state)
    nodes = {
        name: node if node.reachable else replace(known.node(name), reachable=False, problem=node.problem)
        for name, node in seen.nodes.items()
    }
    of_cluster = seen.cluster if seen.cluster.reachable else replace(seen.cluster, records=known.cluster.records)
    complete = Observations(nodes, of_cluster)
    remember(state, complete)
    return complete


def remember(state: Path, seen: Observations) -> None:
    """Keep the records of all nodes."""
    content = {
        "nodes": {name: _plain(node) for name, node in seen.nodes.items()},
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
    return {phase: asdict(record) for phase, record in seen.records.items()}


def _seen(records: Mapping[str, Mapping[str, str]], kubernetes: str = "") -> Seen:
    return Seen(records={phase: Record(**record) for phase, record in records.items()}, kubernetes=kubernetes)
