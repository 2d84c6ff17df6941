"""What was applied and did not keep what it promises when it was asked last, kept until it does.

The records of phases say that they were applied, so without this the next apply would find nothing to do.
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from installer.cluster import Cluster
from installer.planning.plan import Plan
from installer.planning.verification import everything
from installer.running.failures import Failure

FILE = Path("records") / "unverified.json"
Part = tuple[str, str]  # phase, node


def recall(state: Path) -> dict[Part, str]:
    """Return what is kept, each with what was broken; empty words where the asking did not come to its end."""
    try:
        content = json.loads((state / FILE).read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return {}
    return {(one["phase"], one["node"]): one["message"] for one in content}


def begin(state: Path, asked: Plan) -> None:
    """Keep what is about to be asked behind an apply: a kill on the way must not leave it for sound."""
    _keep(state, dict.fromkeys(_parts(asked), "") | recall(state))


def settle(state: Path, asked: Plan, failures: Iterable[Failure]) -> None:
    """Drop what was asked, keep what is broken."""
    before = recall(state)
    after = {part: words for part, words in before.items() if part not in _parts(asked)}
    after |= {(failure.phase, failure.node): failure.message.partition("\n")[0] for failure in failures}
    if after != before:
        _keep(state, after)


def of(cluster: Cluster, state: Path) -> dict[Part, str]:
    """Return what is kept of parts that the cluster still has."""
    there = _parts(everything(cluster))
    return {part: words for part, words in recall(state).items() if part in there}


def told(cluster: Cluster, state: Path) -> tuple[str, ...]:
    """Say what is kept, for people."""
    return tuple(
        f"Node `{node}`, `{phase}`: "
        + (f"was broken when it was verified last: {words.rstrip('.')}." if words else "its verification did not end.")
        + " `./atoll verify` asks again."
        for (phase, node), words in sorted(of(cluster, state).items())
    )


def _parts(asked: Plan) -> set[Part]:
    return {(step.phase, step.node) for step in asked.steps}


def _keep(state: Path, parts: Mapping[Part, str]) -> None:
    file = state / FILE
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    content = [{"phase": phase, "node": node, "message": words} for (phase, node), words in sorted(parts.items())]
    handle, name = tempfile.mkstemp(dir=file.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as draft:
            draft.write(json.dumps(content, indent=1) + "\n")
        Path(name).replace(file)
    finally:
        Path(name).unlink(missing_ok=True)  # there still if the disk is full
