"""`./atoll apply`: see what is there, plan, and do exactly that."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from installer import exit_codes
from installer.cluster import Cluster, bundle_directory, in_use, state_directory, version
from installer.cluster.given import kept_names
from installer.planning import Observations, Plan, acting_master, collect, done, plan, saved
from installer.planning.standing import leaving, read_standing
from installer.progress.stages import Progress
from installer.running import accepted, unverified
from installer.running.errors import RunError
from installer.running.events import TREE
from installer.running.given import drop_given, keep_given
from installer.running.handing_over import hand_to
from installer.running.memory import remember
from installer.running.mirror import Mirror
from installer.running.observe import observe
from installer.running.playbook import Playbook
from installer.running.run import Outcome, Writer, writing
from installer.running.runs import forget_old
from installer.running.verify import verified
from installer.services.access import Access
from installer.ssh.nodes import NodeUnreachable

FORKS_AT_MOST = 25


class Blocked(RunError):
    """The plan cannot be done now: a node that has steps does not answer, or one would be forgotten."""

    exit_code = exit_codes.UNAVAILABLE


@dataclass(frozen=True)
class Wish:
    """What the caller asks for beside the cluster itself."""

    text: str  # of cluster.yaml
    every_phase: bool = False
    plan_file: Path | None = None
    over: int | None = None
    phases: Collection[str] = ()
    nodes: Collection[str] = ()
    verb: str = "apply"


def apply(cluster: Cluster, wish: Wish, progress: Progress) -> Outcome:
    """Become the one writer, look, plan, act. Raises RunError; what failed on nodes is told in the outcome."""
    state = state_directory(cluster)
    state.mkdir(mode=0o700, parents=True, exist_ok=True)
    with writing(state, wish.verb, version(), progress) as writer, in_use.reading(bundle_directory(), progress.say):
        keep_given(cluster)
        accepted.refuse_unreadable(state, wish.over)
        standing = accepted.standing(state)
        with progress.stage("look"):
            seen = observe(cluster, standing)
        _refuse_without_state(cluster, state, seen)
        made = plan(cluster, standing, seen, collect(cluster), wish.every_phase).only(wish.phases, wish.nodes)
        try:
            theirs = _theirs(cluster)
        except NodeUnreachable as error:
            _refuse_unasked(cluster, made, progress, error)
        accepted.refuse_foreign(theirs, state, wish.text, wish.over)
        _refuse_to_forget(made, cluster, accepted.foreign(theirs, state))
        _accept(state, wish, theirs)
        if wish.plan_file:
            made = _as_saved(made, wish.plan_file)
        for words in unverified.told(cluster, state):
            progress.say(words)
        if made:
            _check(cluster, made, progress)
        outcome = carry_out(cluster, made, writer, progress)
        if outcome.ok:
            remember(state, done(made, seen))
        _hand_over(cluster, state, outcome)
        if outcome.ok:
            again = {part for part in unverified.of(cluster, state) if _within(part, wish)}
            outcome = verified(cluster, made, done(made, seen), outcome, progress, again)
    forget_old(state, cluster.control.runs_kept)
    return outcome


def _within(part: unverified.Part, wish: Wish) -> bool:
    phase, node = part
    return (not wish.phases or phase in wish.phases) and (not wish.nodes or node in wish.nodes)


def _refuse_without_state(cluster: Cluster, state: Path, seen: Observations) -> None:
    """Refuse to make a second set of secrets and authorities for a cluster that stands. Raises RunError."""
    lacking = [name for name in ("secrets.yaml", "pki/kubernetes/ca.crt") if not (state / name).exists()]
    masters = [name for name, node in seen.nodes.items() if "control_plane" in node.records]
    if lacking and masters:
        raise RunError(
            f"`{cluster.name}` stands already, but {state} on this machine lacks {' and '.join(lacking)}. "
            "New ones would lock everybody out, so nothing was changed.",
            f"Copy {accepted.ON_MASTERS / cluster.name} from `{masters[0]}` to {state} (as root, mode 0700), "
            "then run the same command again.",
        )


def _check(cluster: Cluster, made: Plan, progress: Progress) -> None:
    # Imported here: the control image runs `carry_out` and has no use for the checks of a control host.
    from installer.running.checking import check_before

    check_before(cluster, made, progress)


def carry_out(
    cluster: Cluster,
    made: Plan,
    writer: Writer,
    progress: Progress,
    *,
    playbook: str = "apply.yml",
    remote: bool = True,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Do a plan. `remote` says that this is not a master, so that the master's lock is taken as well.

    Raises Blocked or Busy before anything is changed if it cannot be done.
    """
    for warning in made.warnings:
        progress.say(warning)
    _refuse_blocked(made)
    if not made:
        progress.say("Nothing to do: everything is as cluster.yaml says.")
        return writer.nothing_to_do()
    writer.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    plan_file = writer.folder / "plan.json"
    made.save(plan_file)
    phases = list(dict.fromkeys(step.phase for step in made.steps))
    progress.say(f"{len(made.steps)} steps in {len(phases)} phases on {len(made.nodes())} nodes (run {writer.run_id}).")
    progress.expect(phases)
    play = Playbook(
        path=TREE / "playbooks" / playbook,
        inventory=writer.state / accepted.FILE,
        environment={
            "ATOLL_PLAN": str(plan_file),
            "ATOLL_BUNDLE": str(bundle_directory()),
            "ATOLL_STATE": str(writer.state.parent),
            **(environment or {}),
        },
        forks=min(FORKS_AT_MOST, max(1, len(cluster.nodes))),
    )
    steps = [step.to_json() for step in made.steps]
    if not remote:
        return writer.play(play, steps, progress)
    master = Access(cluster).node(acting_master(cluster).name)
    mirror = Mirror(master, accepted.ON_MASTERS / cluster.name, writer.run_id, writer.verb)
    taken = mirror.take()
    try:
        return writer.play(play, steps, progress, mirror.write if taken else None)
    finally:
        mirror.close()


def _theirs(cluster: Cluster) -> accepted.Revision | None:
    """Return the revision that the masters have, None if there is none. Raises RunError, NodeUnreachable."""
    return accepted.of_cluster(Access(cluster).node(acting_master(cluster).name), cluster.name)


def _refuse_unasked(cluster: Cluster, made: Plan, progress: Progress, silent: NodeUnreachable) -> NoReturn:
    """Refuse without the revision of the masters: one that answers again later would be given another one.

    What is found on the way to the nodes says more than that one did not answer. Raises NotReady, Blocked, RunError.
    """
    if made:
        _check(cluster, made, progress)
    _refuse_blocked(made)
    raise RunError(
        f"{silent.message}\nSo it is not known which revision of cluster.yaml the cluster has. Nothing was changed.",
        f"{silent.remedy} With `maintenance: true` it is left out, and the next master is asked.",
    ) from None


def _refuse_blocked(made: Plan) -> None:
    if made.blocked:
        raise Blocked("\n".join(made.blocked), "Nothing was changed.")


def _refuse_to_forget(made: Plan, cluster: Cluster, theirs: accepted.Revision | None) -> None:
    """Refuse before the revision is accepted: it would not say any more what stands, and nobody would know of it.

    `theirs` was accepted elsewhere and is about to be overwritten: it may have nodes that this machine never saw.
    """
    told = [problem for _, problem in made.leaving] + (list(made.hindrances) if made else [])
    if theirs is not None:
        named = {name for name, _ in made.leaving}
        told += [
            f"Node `{node.name}` ({node.address}) stands in revision {theirs.number} of the masters, and is not in "
            "this cluster.yaml. Put it in; with `maintenance: true` it is left out."
            for node in leaving(cluster, read_standing(theirs.content))
            if node.name not in named
        ]
    if told:
        raise Blocked("\n".join(told), "Nothing was changed.")


def _accept(state: Path, wish: Wish, theirs: accepted.Revision | None) -> None:
    newer = theirs is not None and theirs.digest != accepted.digest_of(wish.text)
    accepted.accept(state, wish.text, at_least=theirs.number + 1 if theirs and newer else 1)


def _hand_over(cluster: Cluster, state: Path, outcome: Outcome) -> None:
    """Give the masters the revision. A run that failed hands it over too: it is what the cluster is on its way to."""
    if outcome.run_id is None and accepted.accepted(state) is None:
        return
    masters = Access(cluster).nodes("masters")
    _know_control(cluster, state)
    if outcome.ok:
        drop_given(cluster)
    try:
        hand_to(masters, cluster.name, state, kept_names(cluster) if outcome.ok else None)
    except (NodeUnreachable, RunError) as error:
        # What failed before is what a person has to mend first.
        if outcome.ok:
            raise RunError(str(error), "Run `./atoll apply` again when that is mended.") from None


def _know_control(cluster: Cluster, state: Path) -> None:
    """Write down how `service_ctl.py` reaches the control service from this machine, once it has a certificate."""
    certificates = state / "pki" / "control"
    if not (certificates / "administrator.crt").exists():
        return
    content = {
        "cluster": cluster.name,
        "urls": [f"https://{master.address}:{cluster.control.port}" for master in cluster.masters],
        "certificate": str(certificates / "administrator.crt"),
        "key": str(certificates / "administrator.key"),
        "ca": str(certificates / "ca.crt"),
    }
    accepted.write(state / "service_ctl.json", json.dumps(content, indent=1) + "\n")


def _as_saved(made: Plan, file: Path) -> Plan:
    """Return the saved plan if it is still what is to be done. Raises RunError."""
    try:
        wanted = saved(file)
    except (OSError, ValueError) as error:
        raise RunError(str(error), "Make one with `./atoll plan --save FILE`.") from None
    if wanted.cluster != made.cluster or not set(wanted.steps) <= set(made.steps):
        raise RunError(
            f"{file}: the cluster has changed since this plan was made.", "Look at `./atoll plan` and save it again."
        )
    return wanted
