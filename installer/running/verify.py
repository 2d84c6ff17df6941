"""`./atoll verify`, and the end of every apply: each phase is asked whether it keeps what it promises.

A run of its own in the journals, which changes nothing and takes no lock.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from installer.cluster import Cluster, bundle_directory, state_directory, version
from installer.planning import Plan
from installer.planning.observations import Observations
from installer.planning.verbs import VERIFY
from installer.planning.verification import everything, touched
from installer.progress.stages import Progress
from installer.running import accepted, unverified
from installer.running.errors import Interrupted, RunError
from installer.running.events import TREE
from installer.running.journal import new_run_id
from installer.running.playbook import Playbook
from installer.running.run import Outcome, Writer, looking

FORKS_AT_MOST = 25
# What was just made may still be on its way; what stands has its answer ready.
PATIENCE_S, PATIENCE_AFTER_APPLY_S = 5, 60


def verify(cluster: Cluster, phases: Collection[str], nodes: Collection[str], progress: Progress) -> Outcome:
    """Ask what stands. Raises RunError when nothing was installed, Busy while somebody changes it."""
    state = state_directory(cluster)
    if accepted.accepted(state) is None:
        raise RunError(f"`{cluster.name}` is not installed from this machine.", "`./atoll up` installs it.")
    asked = _installed(everything(cluster).only(phases, nodes), cluster, nodes, progress)
    with looking(state, VERIFY.name, version()) as writer:
        outcome = _asked(asked, writer, progress, PATIENCE_S)
    unverified.settle(state, asked, outcome.failures)
    return outcome


def _installed(asked: Plan, cluster: Cluster, named: Collection[str], progress: Progress) -> Plan:
    """Return what can be asked: a node that was never applied has promised nothing. Raises RunError."""
    standing = accepted.standing(state_directory(cluster))
    known = {node.name for node in standing.nodes} if standing else set(asked.nodes())
    new = [name for name in asked.nodes() if name not in known]
    words = f"{', '.join(f'`{name}`' for name in new)}: in cluster.yaml, and not applied yet"
    left = asked.only(nodes=known)
    if {*new} & {*named} or (new and not left):
        raise RunError(f"{words}, so there is nothing to verify.", "`./atoll apply` makes it a node of the cluster.")
    if new:
        progress.say(f"{words}; the others are asked.")
    return left


def verified(
    cluster: Cluster,
    done: Plan,
    after: Observations,
    outcome: Outcome,
    progress: Progress,
    again: Collection[unverified.Part] = frozenset(),
) -> Outcome:
    """Ask what an apply touched, and what was broken before; return its outcome with what is broken.

    The lock of the apply is held. Raises RunError when it cannot be asked.
    """
    asked = touched(cluster, done, after, again)
    if not outcome.ok or not asked:
        return outcome
    state = state_directory(cluster)
    try:
        unverified.begin(state, asked)
        writer = Writer(state, VERIFY.name, None, new_run_id(), version())
        with progress.stage(VERIFY.name):
            seen = _asked(asked, writer, progress, PATIENCE_AFTER_APPLY_S)
        unverified.settle(state, asked, seen.failures)
    except Interrupted:
        raise
    except (RunError, OSError) as error:
        raise RunError(
            f"All was applied; whether it keeps what it promises could not be asked: {error}",
            "Mend that, then `./atoll verify` asks.",
        ) from error
    if not seen.ok:
        progress.say("All was applied, and not all of it keeps what it promises. `./atoll verify` asks again.")
    return replace(
        outcome,
        ok=seen.ok,
        verify_seconds=seen.seconds,
        failures=(*outcome.failures, *seen.failures),
    )


def _asked(asked: Plan, writer: Writer, progress: Progress, patience_s: int) -> Outcome:
    writer.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    plan_file = writer.folder / "plan.json"
    asked.save(plan_file)
    progress.expect(dict.fromkeys(f"{VERIFY.name} {step.phase}" for step in asked.steps))
    play = Playbook(
        path=TREE / "playbooks" / VERIFY.playbook,
        inventory=writer.state / accepted.FILE,
        environment={
            "ATOLL_PLAN": str(plan_file),
            "ATOLL_BUNDLE": str(bundle_directory()),
            "ATOLL_STATE": str(writer.state.parent),
            "ATOLL_PATIENCE_S": str(patience_s),
        },
        forks=min(FORKS_AT_MOST, max(1, len(asked.nodes()))),
    )
    return writer.play(play, [step.to_json() for step in asked.steps], progress, stage=f"{VERIFY.name} ")
