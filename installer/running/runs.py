"""What is known of earlier runs and of the one that goes on now, from their journals."""

from __future__ import annotations

import datetime as dt
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal

from installer.planning.verbs import FACTS, VERDICT
from installer.running.journal import FILE_NAME, is_being_written, read
from installer.running.lock import holder

RunState = Literal["running", "succeeded", "failed", "interrupted"]
PhaseState = Literal["waiting", "running", "succeeded", "failed", "skipped"]


@dataclass
class RunPhase:
    """A phase of a run, on the nodes where it ran or will run."""

    name: str
    state: PhaseState = "waiting"
    nodes: dict[str, str] = field(default_factory=dict)
    seconds: float | None = None
    changed: int = 0


@dataclass
class Run:
    """A run with its phases."""

    id: str
    verb: str = ""
    state: RunState = "interrupted"
    started_at: str = ""
    finished_at: str | None = None
    seconds: float | None = None
    changed: int = 0
    failed: int = 0
    message: str = ""
    phases: list[RunPhase] = field(default_factory=list)

    def summary(self) -> dict[str, Any]:
        """Return it as one line of a list."""
        return {name: value for name, value in asdict(self).items() if name not in {"phases", "message"}}

    def to_json(self) -> dict[str, Any]:
        """Return all of it."""
        return asdict(self)


def moment(at: float) -> str:
    """Write a time the way the API does."""
    return dt.datetime.fromtimestamp(at, dt.UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def runs(cluster_state: Path, newest: int | None = None, before: str | None = None) -> list[Run]:
    """Return the runs of a cluster, the latest first; with `before` only those that are older than that one."""
    folders = [path for path in _folders(cluster_state) if before is None or path.name < before]
    return [run(path) for path in folders[:newest]]


def find(cluster_state: Path, run_id: str) -> Path | None:
    """Return the folder of a run, None if there is none of that name."""
    folder = cluster_state / "runs" / run_id
    return folder if "/" not in run_id and run_id not in {"", ".", ".."} and (folder / FILE_NAME).exists() else None


def run(folder: Path) -> Run:
    """Read a run from its journal.

    A run without an end is running only if it holds the lock of its cluster, or, where it needs none, its journal.
    """
    told = Run(folder.name)
    phases: dict[str, RunPhase] = {}
    ended = False
    for line in read(folder):
        match line["event"]:
            case "started":
                told.verb, told.started_at = line["verb"], moment(line["at"])
            case "plan":
                for step in line["steps"]:
                    phase = phases.setdefault(step["phase"], RunPhase(step["phase"]))
                    phase.nodes[step["node"]] = "waiting"
            case "phase":
                phases.setdefault(line["phase"], RunPhase(line["phase"])).state = "running"
            case "task":
                phase = phases.setdefault(line["phase"], RunPhase(line["phase"]))
                _take_task(phase, line)
                told.changed += line["outcome"] == "changed"
            case "phase_finished":
                _finish(phases[line["phase"]], line)
            case "failure":
                told.failed += 1
                told.message = told.message or _sentence(line)
            case "finished":
                ended = True
                told.seconds, told.finished_at = line["seconds"], moment(line["at"])
                told.state = line["state"]
            case _:
                pass
    if not ended:
        held = holder(folder.parent.parent)
        goes_on = (held is not None and held.get("run") == folder.name) or is_being_written(folder)
        told.state = "running" if goes_on else "interrupted"
    told.phases = [phase for phase in phases.values() if phase.name not in {FACTS, VERDICT}]
    if told.state != "running":
        _settle(told)
    return told


def _take_task(phase: RunPhase, line: dict[str, Any]) -> None:
    node, outcome = line["node"], line["outcome"]
    phase.changed += outcome == "changed"
    if outcome in {"failed", "unreachable"}:
        phase.nodes[node] = outcome
    elif phase.nodes.get(node) not in {"failed", "unreachable", "changed"}:
        phase.nodes[node] = "changed" if outcome == "changed" else "ok"


def _finish(phase: RunPhase, line: dict[str, Any]) -> None:
    phase.seconds = round((phase.seconds or 0.0) + line["seconds"], 2)
    phase.state = "succeeded" if line["ok"] else "failed"


def _settle(told: Run) -> None:
    """A run that is over has no waiting and no running phases."""
    for phase in told.phases:
        if phase.state == "waiting":
            phase.state = "skipped"
        elif phase.state == "running":
            phase.state = "failed"
        phase.nodes = {node: "skipped" if seen == "waiting" else seen for node, seen in phase.nodes.items()}


def _sentence(line: dict[str, Any]) -> str:
    where = f"{line['phase']} on {line['node']}, {line['task']}: " if line.get("node") else ""
    return f"{where}{line['message']}"


def forget_old(cluster_state: Path, kept: int) -> None:
    """Delete the oldest runs, so that `kept` remain."""
    for folder in _folders(cluster_state)[kept:]:
        shutil.rmtree(folder)


def _folders(cluster_state: Path) -> list[Path]:
    directory = cluster_state / "runs"
    if not directory.is_dir():
        return []
    return sorted((path for path in directory.iterdir() if (path / FILE_NAME).exists()), reverse=True)
