"""From what is wanted and what was seen to what must be done, and why. Pure."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any, Literal

from installer.cluster import Cluster, Node
from installer.planning import versions
from installer.planning.drivers import moved, swapped
from installer.planning.observations import Observations, Record, Seen
from installer.planning.phases import BY_NAME, PHASES, Phase, Scope
from installer.planning.projection import Digests, acting_master, changed_keys, input_hash, nodes_of, project
from installer.planning.standing import forgotten, leavers

Action = Literal["apply", "remove", "verify"]
NEW, CHANGED, DRIFTED, FAILED, ASKED, UNWANTED, ENDING = (
    "new",
    "input changed",
    "drifted",
    "failed before",
    "every phase",
    "no longer wanted",
    "certificates end soon",
)
# What kubeadm writes into a cluster when it makes it, and nothing changes afterwards.
MADE_ONCE = frozenset(
    {
        "network.pod_network",
        "network.service_network",
        "network.node_prefix",
        "network.cluster_domain",
        "kubernetes.extra_names",
        "kubernetes.audit_days",
    }
)
SHOWN = 5
WARNED_DAYS = 90


@dataclass(frozen=True)
class Step:
    """One phase on one node."""

    phase: str
    node: str
    action: Action
    reason: str
    detail: str = ""  # which inputs changed, which paths drifted
    input_hash: str = ""

    def to_json(self) -> dict[str, str]:
        """Return it as `./atoll plan -o json` shows it."""
        return asdict(self)


@dataclass(frozen=True)
class Plan:
    """Steps in the order in which they are done, and what else a person should know."""

    cluster: str
    steps: tuple[Step, ...] = ()
    notes: tuple[str, ...] = ()
    unreachable: tuple[tuple[str, str], ...] = ()  # nodes that do not answer, each with the reason in words
    hindrances: tuple[str, ...] = ()  # why no step at all can be done
    leaving: tuple[tuple[str, str], ...] = ()  # nodes that stand and are not wanted, each with what to do about it

    def __bool__(self) -> bool:
        return bool(self.steps)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What does not hinder the steps."""
        silent = [
            f"{problem} Nothing is to be done there." for node, problem in self.unreachable if not self.needs(node)
        ]
        return (*self.notes, *(() if self.steps else self.hindrances), *silent)

    @property
    def blocked(self) -> tuple[str, ...]:
        """Why the plan cannot be applied now; empty if it can."""
        return (
            *(problem for _, problem in self.leaving),
            *(self.hindrances if self.steps else ()),
            *(
                f"{problem} It has steps to do. Mend it, or set `maintenance: true` to leave it out."
                for node, problem in self.unreachable
                if self.needs(node)
            ),
        )

    def needs(self, node: str) -> bool:
        """Say whether a node must answer."""
        return node in self.nodes()

    def of(self, phase: str, *actions: Action) -> list[Step]:
        """Return the steps of a phase, of some actions or of all."""
        return [step for step in self.steps if step.phase == phase and (not actions or step.action in actions)]

    def nodes(self) -> list[str]:
        """Return the nodes that have a step."""
        return list(dict.fromkeys(step.node for step in self.steps))

    def only(self, phases: Collection[str] = (), nodes: Collection[str] = ()) -> Plan:
        """Return the plan with some phases or some nodes only. Raises KeyError for a phase that does not exist."""
        for name in phases:
            BY_NAME[name]
        return replace(
            self,
            steps=tuple(
                step
                for step in self.steps
                if (not phases or step.phase in phases) and (not nodes or step.node in nodes)
            ),
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as `./atoll plan -o json` shows it and as it is saved."""
        return {
            "cluster": self.cluster,
            "steps": [step.to_json() for step in self.steps],
            "warnings": list(self.warnings),
            "blocked": list(self.blocked),
            "notes": list(self.notes),
            "unreachable": [list(pair) for pair in self.unreachable],
            "hindrances": list(self.hindrances),
            "leaving": [list(pair) for pair in self.leaving],
        }

    def save(self, path: Path) -> None:
        """Write it to a file that `$ATOLL_PLAN` may name."""
        path.write_text(json.dumps(self.to_json(), indent=1) + "\n", encoding="utf-8")


def saved(path: Path) -> Plan:
    """Read a saved plan. Raises OSError, and ValueError that says which part of the file is none."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        _expect("it", content, Plan)
        for number, step in enumerate(content["steps"], 1):
            _expect(f"step {number}", step, Step, forbid=True)
        return Plan(
            cluster=content["cluster"],
            steps=tuple(Step(**step) for step in content["steps"]),
            notes=tuple(content["notes"]),
            unreachable=tuple((node, problem) for node, problem in content["unreachable"]),
            hindrances=tuple(content["hindrances"]),
            leaving=tuple((node, problem) for node, problem in content["leaving"]),
        )
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is not a plan of this version of Atoll: {error}") from error


def _expect(what: str, found: Any, kind: type[Plan | Step], *, forbid: bool = False) -> None:
    """Refuse what lacks keys of `kind`, with `forbid` also what has others. Raises ValueError."""
    if not isinstance(found, dict):
        raise ValueError(f"{what} is no JSON object")
    wanted = [field.name for field in fields(kind)]
    if lacking := [f"`{name}`" for name in wanted if name not in found]:
        raise ValueError(f"{what} lacks {', '.join(lacking)}")
    if forbid and (odd := [f"`{name}`" for name in found if name not in wanted]):
        raise ValueError(f"{what} has {', '.join(odd)}, which is not known")


def plan(
    wanted: Cluster, standing: Cluster | None, seen: Observations, digests: Digests, every_phase: bool = False
) -> Plan:
    """Return the steps that lead from `seen` to `wanted`, each with its reason, in dependency order.

    `standing` is what was accepted last; None where nothing was. `every_phase` plans all that belongs there, whether it
    is needed or not.
    """
    steps = [*_removals(wanted, seen)]
    for phase in PHASES:
        for node in nodes_of(phase, wanted):
            if not node.left_out:
                steps += _step(phase, wanted, node, seen, digests, every_phase)
    resting = [
        f"Node `{node.name}` is {'fenced' if node.fenced else 'in maintenance'} and left out."
        for node in wanted.nodes
        if node.left_out
    ]
    swaps = tuple(swapped(wanted, standing, seen, digests))
    hindrances = (
        *_hindrances(wanted, seen, digests),
        *_kept(wanted, standing, seen, [phase for phase in PHASES if not (swaps and phase.only_if)]),
        *swaps,
        *moved(wanted, seen),
    )
    told = (
        *resting,
        *_unknown(seen),
        *forgotten(wanted, standing, seen),
        *versions.notes(wanted, seen, digests),
        *_ending_on_masters(wanted, seen, digests),
    )
    leave = tuple(leavers(wanted, standing, seen))
    return Plan(wanted.name, tuple(steps), told, tuple(_unreachable(wanted, seen)), hindrances, leave)


def done(made: Plan, seen: Observations) -> Observations:
    """Return what will be seen once a plan was done."""
    nodes = {name: dict(node.records) for name, node in seen.nodes.items()}
    of_cluster = dict(seen.cluster.records)
    for step in made.steps:
        of_node = nodes.setdefault(step.node, {})
        records = of_cluster if BY_NAME[step.phase].on is Scope.CLUSTER else of_node
        if step.action == "remove":
            records.pop(step.phase, None)
        elif step.action == "apply":
            records[step.phase] = Record(step.input_hash)
    after = {name: Seen(records=records, kubernetes=seen.node(name).kubernetes) for name, records in nodes.items()}
    return Observations(after, Seen(records=of_cluster))


def _step(
    phase: Phase, wanted: Cluster, node: Node, seen: Observations, digests: Digests, every_phase: bool
) -> Iterator[Step]:
    place = _place(phase, node, seen)
    hash_now = input_hash(project(phase, wanted, node, digests))
    record, found = place.records.get(phase.name), place.managed.get(phase.name)
    if record is None:
        reason, detail = (NEW, "") if found is None else (FAILED, "it began and never ended")
    elif record.input_hash != hash_now:
        reason, detail = CHANGED, _shown(changed_keys(record.input_hash, hash_now))
    elif found is not None and not found.ok:
        reason, detail = DRIFTED, _shown(found.drifted)
    elif record.begun:
        reason, detail = FAILED, "it began again and never ended"
    elif phase.holds_certificates and digests.certificates_end:
        reason, detail = ENDING, _shown(digests.certificates_end)
    elif every_phase:
        reason, detail = ASKED, ""
    else:
        return
    yield Step(phase.name, node.name, "apply", reason, detail, hash_now)


def _removals(wanted: Cluster, seen: Observations) -> Iterator[Step]:
    """Plan what has a record, is no longer wanted and can be taken away, last phase first."""
    for phase in reversed(PHASES):
        if not phase.removable or (phase.on is Scope.CLUSTER and nodes_of(phase, wanted)):
            continue
        for node in _unwanted(phase, wanted, seen):
            if not node.left_out:
                yield Step(phase.name, node.name, "remove", UNWANTED)


def _kept(wanted: Cluster, standing: Cluster | None, seen: Observations, phases: Collection[Phase]) -> Iterator[str]:
    """Say on which nodes something stands that is no longer wanted there and can't be taken away in place.

    Others would leave such a node alone at once, a member of etcd or a server of files: so nothing may be done at all.
    """
    left: dict[str, list[str]] = {}
    for phase in phases:
        if phase.on is not Scope.CLUSTER and not phase.removable:
            for node in _unwanted(phase, wanted, seen):
                left.setdefault(node.name, []).append(f"`{phase.name}`")
    before = {node.name: node.roles for node in standing.nodes} if standing else {}
    for node in wanted.nodes:
        if node.name in left:
            roles = before.get(node.name, node.roles)
            was = "the role or the driver" if {*roles} == {*node.roles} else f"`roles: [{', '.join(roles)}]`"
            yield (
                f"Node `{node.name}` was set up with {', '.join(left[node.name])}, which cluster.yaml no longer asks "
                f"for there, and which cannot be taken away in place. Put {was} back that it was set up with."
            )


def _unwanted(phase: Phase, wanted: Cluster, seen: Observations) -> list[Node]:
    """The nodes with a record of a phase that does not belong there."""
    belongs = {node.name for node in nodes_of(phase, wanted)}
    places = [acting_master(wanted)] if phase.on is Scope.CLUSTER else wanted.nodes
    return [node for node in places if node.name not in belongs and phase.name in _place(phase, node, seen).records]


def _unknown(seen: Observations) -> Iterator[str]:
    """Name what stands and no phase of this version would remove."""
    places = [*((f"node `{name}`", node) for name, node in seen.nodes.items()), ("the cluster", seen.cluster)]
    for place, found in places:
        for phase in sorted(found.records.keys() - BY_NAME.keys()):
            yield (
                f"Phase `{phase}` was applied to {place} by another version of Atoll; this one knows none of that name "
                "and leaves it as it is. Remove it with the version that made it."
            )


def _hindrances(wanted: Cluster, seen: Observations, digests: Digests) -> Iterator[str]:
    """Say why nothing may be done, whatever the steps are."""
    yield from versions.misfits(wanted, seen, digests)
    for node in wanted.masters:
        record = seen.node(node.name).records.get("control_plane")
        if record is not None:
            now = input_hash(project(BY_NAME["control_plane"], wanted, node, digests))
            changed = sorted(MADE_ONCE & set(changed_keys(record.input_hash, now)))
            if changed:
                yield (
                    f"{', '.join(f'`{key}`' for key in changed)}: fixed when the cluster was made, and now another "
                    "value. Put the old one back; it needs a new cluster otherwise."
                )
                return
    master = acting_master(wanted)
    if master.left_out:
        yield "Every master is in maintenance. Set `maintenance: false` for one of them."
    if "control_plane" in seen.node(master.name).records or not seen.node(master.name).reachable:
        return
    # The first master begins a cluster: where one exists already, a newcomer in its place would begin a second one.
    others = [node.name for node in wanted.masters if "control_plane" in seen.node(node.name).records]
    if others:
        yield f"Master `{master.name}` is new, but stands before `{others[0]}`, which is one already. Put it behind."
        return
    members = [node.name for node in wanted.nodes if "node" in seen.node(node.name).records]
    if members:
        yield (
            f"Node `{members[0]}` is a member of a cluster whose control plane was on none of these masters. Name its "
            "masters in cluster.yaml, or set the node up anew."
        )


def _ending_on_masters(wanted: Cluster, seen: Observations, digests: Digests) -> Iterator[str]:
    """Say which of kubeadm's own certificates end soon: no phase renews them."""
    for node in wanted.masters:
        ends = seen.node(node.name).certificates_end
        if ends and digests.today and (date.fromisoformat(ends) - date.fromisoformat(digests.today)).days < WARNED_DAYS:
            yield (
                f"kubeadm's certificates on `{node.name}` end on {ends}. Renew them there: `kubeadm certs renew all`, "
                "then restart the machine; one master after the other."
            )


def _unreachable(wanted: Cluster, seen: Observations) -> Iterator[tuple[str, str]]:
    for node in wanted.nodes:
        found = seen.node(node.name)
        if not found.reachable and not node.left_out:
            why = f": {found.problem.rstrip('.')}" if found.problem else ""
            yield node.name, f"Node `{node.name}` ({node.address}) does not answer{why}."


def _place(phase: Phase, node: Node, seen: Observations) -> Seen:
    return seen.cluster if phase.on is Scope.CLUSTER else seen.node(node.name)


def _shown(items: Collection[str]) -> str:
    some = list(items)[:SHOWN]
    return ", ".join(some) + (f" and {len(items) - SHOWN} more" if len(items) > SHOWN else "")
