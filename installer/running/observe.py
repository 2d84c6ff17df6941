"""Looks at all nodes at once, the way Ansible reaches them: records of phases, and what differs from them now."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, BaseModel, ValidationError

from installer.cluster import Cluster, state_directory
from installer.planning import BY_NAME, PHASES, Managed, Observations, Record, Scope, Seen, acting_master
from installer.planning.standing import leaving
from installer.preflight.access import pin_declared
from installer.running.errors import RunError
from installer.running.events import COLOURS, TREE
from installer.running.failures import failure_of
from installer.running.journal import new_run_id
from installer.running.memory import completed
from installer.running.playbook import Event, Playbook, listen
from installer.ssh.nodes import printable, shown

OF_CLUSTER = frozenset(phase.name for phase in PHASES if phase.on is Scope.CLUSTER)
# What these do is noted on the node's object, too.
NOTED_ON_NODES = frozenset({"node", "storage_client"})
FORKS_AT_MOST = 50
PREFIX = ".look-"
LONGEST_LOOK_S = 3600
# Of one node, to installer/ssh/stand_in.py: names and digests, some ten KiB. All nodes answer at the same time here,
# also those that somebody else has, and are to be fenced by what is seen.
LONGEST_ANSWER_MIB = 1


def observe(cluster: Cluster, standing: Cluster | None = None) -> Observations:
    """Return what is on the nodes, those that stand and are not wanted included. Raises RunError.

    A node that does not answer is told as such.
    """
    state = state_directory(cluster)
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    results: dict[str, Event] = {}
    tail: list[str] = []

    def take(event: Event) -> None:
        if event["event"] in {"runner_on_ok", "runner_on_failed", "runner_on_unreachable", "runner_on_skipped"}:
            results[str(event["event_data"]["host"])] = event
        tail.extend(printable(COLOURS.sub("", str(event.get("stdout") or ""))).splitlines())

    pin_declared(cluster)
    _drop_left(state)
    run_id = new_run_id()
    with tempfile.TemporaryDirectory(prefix=PREFIX, dir=state) as folder:
        inventory = Path(folder) / "cluster.yaml"
        inventory.write_text(yaml.safe_dump(cluster.model_dump(mode="json", exclude_none=True)), "utf-8")
        listen(
            Playbook(
                TREE / "playbooks" / "observe.yml",
                inventory,
                {"ATOLL_STATE": str(state.parent), "ATOLL_ANSWER_MIB": str(LONGEST_ANSWER_MIB)},
                forks=min(FORKS_AT_MOST, len(cluster.nodes)),
            ),
            run_id,
            Path(folder),
            take,
        )
    if not results:
        said = "\n".join(line for line in tail if line.strip()) or "it said nothing"
        raise RunError(f"The nodes could not be looked at:\n{said}", "Mend that, then try again.")
    gone = [node.name for node in leaving(cluster, standing)]
    return completed(state, understood(cluster, results), gone)


def _drop_left(state: Path) -> None:
    """Remove what killed looks left; those that go on beside this one are younger."""
    for left in state.glob(f"{PREFIX}*"):
        with contextlib.suppress(FileNotFoundError):
            if time.time() - left.stat().st_mtime > LONGEST_LOOK_S:
                shutil.rmtree(left, ignore_errors=True)


def understood(cluster: Cluster, results: Mapping[str, Event]) -> Observations:
    """Make observations of the events of the probe, by node."""
    nodes = {name: _node(event) for name, event in results.items()}
    acting = acting_master(cluster).name
    master = results.get(acting)
    if master is None or master["event"] != "runner_on_ok" or not nodes[acting].reachable:
        return Observations(nodes, Seen(reachable=False))
    result = Said.model_validate(master["event_data"]["res"])
    nodes = _unregistered(cluster, nodes, result.nodes)
    # The master's own copy counts where the API server does not answer, or has lost it.
    local = {phase: record for phase, record in result.records.items() if phase in OF_CLUSTER}
    records = {**local, **result.cluster_records}
    return Observations(nodes, Seen(records=_records(records, OF_CLUSTER), managed=_managed(result, OF_CLUSTER)))


def _unregistered(cluster: Cluster, nodes: dict[str, Seen], known: list[str] | None) -> dict[str, Seen]:
    """Tell of nodes that joined and whose Node object is gone, and with it what phases noted there."""
    if known is None:
        return nodes
    lost = [node.name for node in cluster.nodes if not node.is_master and node.name not in known]

    def lacking(seen: Seen) -> Seen:
        told = dict(seen.managed)
        for phase in NOTED_ON_NODES & seen.records.keys():
            before = told.get(phase, Managed(ok=True)).drifted
            told[phase] = Managed(ok=False, drifted=("Kubernetes does not know this node", *before))
        return replace(seen, managed=told)

    return nodes | {name: lacking(nodes[name]) for name in lost if name in nodes}


# What a node says is shown to people: words of some length, and nothing that moves their terminal.
Word = Annotated[str, AfterValidator(shown)]


class SaidRecord(BaseModel):
    """A record as a node has it."""

    input_hash: Annotated[str, AfterValidator(printable)]
    version: Word = ""
    at: Word = ""
    begun: Any = None


class Said(BaseModel):
    """What the probe says of a node: a node's own word, so it may be anything."""

    records: dict[Word, SaidRecord]
    cluster_records: dict[Word, SaidRecord]
    managed: list[Word]
    drifted: dict[Word, list[Word]]
    kubernetes: Word
    certificates_end: Word
    nodes: list[str] | None = None


def _node(event: Event) -> Seen:
    if event["event"] == "runner_on_ok":
        try:
            result = Said.model_validate(event["event_data"]["res"])
        except ValidationError as error:
            where = ", ".join(sorted({".".join(map(str, one["loc"])) for one in error.errors()}))
            return Seen(reachable=False, problem=f"what it says of itself is not understood: {shown(where, 200)}")
        of_node = [phase.name for phase in PHASES if phase.name not in OF_CLUSTER]
        return Seen(
            records=_records(result.records, of_node),
            managed=_managed(result, of_node),
            kubernetes=result.kubernetes,
            certificates_end=result.certificates_end,
        )
    if event["event"] == "runner_on_skipped":
        return Seen(reachable=False, problem="it is in maintenance")
    failure = failure_of("observe", event, str(TREE))
    return Seen(reachable=False, problem=failure.message.strip())


def _records(found: Mapping[str, SaidRecord], phases: Iterable[str]) -> dict[str, Record]:
    """Return the records of some phases, and those of phases that this version does not know."""
    names = [*phases, *(name for name in found if name not in BY_NAME)]
    return {
        phase: Record(found[phase].input_hash, found[phase].version, found[phase].at, bool(found[phase].begun))
        for phase in names
        if phase in found
    }


def _managed(result: Said, phases: Iterable[str]) -> dict[str, Managed]:
    drifted = result.drifted
    return {
        phase: Managed(phase not in drifted, tuple(drifted.get(phase, ())))
        for phase in phases
        if phase in result.managed or phase in drifted
    }
