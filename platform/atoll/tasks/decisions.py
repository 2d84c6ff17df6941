"""What to do with a task, given what people want and what the engine sees. Pure: the heart of `jobs`, easy to test."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from atoll.engines.base import Observation, Phase
from atoll.engines.codes import Preempted, Queued
from atoll.tasks import codes
from atoll.tasks.life_cycle import ENDED, TRANSITIONS, State, Wanted
from atoll.web.schema import Reason


class Act(StrEnum):
    """What the engine is asked for."""

    SUBMIT = "submit"
    STOP = "stop"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Facts:
    """A task at one moment. `believed_gone`: the engine has listed everything and had time to see a submission.

    `granted`: its virtual cluster has no more in the engine than it is granted now; until then nothing is handed over.
    """

    state: State
    wanted: Wanted
    submitted: bool
    stop_reason: Reason | None = None
    believed_gone: bool = False
    granted: bool = True


@dataclass(frozen=True)
class Step:
    """One transition with its reason."""

    state: State
    reason: Reason


@dataclass(frozen=True)
class Decision:
    """The engine's next act, the transitions in order, and the reason to show when the state stays."""

    act: Act = Act.NOTHING
    steps: Sequence[Step] = field(default_factory=tuple)
    reason: Reason | None = None


_LOST = codes.Lost().reason()
_PREPARING = codes.PreparingVirtualCluster().reason()
_STOPPED = codes.Stopped().reason()
_RUNNING = codes.Running().reason()
_STARTING = codes.Starting().reason()
_QUEUED_AGAIN = Preempted().reason()
_QUEUED = Queued().reason()
_FINISHED = codes.Finished().reason()
_FAILED = codes.Failed().reason()
_PAUSED = codes.Paused().reason()
_STOPPING = codes.Stopping().reason()


def decide(facts: Facts, seen: Observation) -> Decision:
    """The decision. Every path of steps follows the table of the life cycle."""
    if facts.state in ENDED:
        return Decision()
    if facts.state is State.UNAPPROVED or (facts.state is State.PAUSED and facts.wanted is not Wanted.STOP):
        return Decision()
    if facts.wanted is Wanted.STOP or facts.state is State.STOPPING:
        return _stop(facts, seen)
    if facts.state is State.PAUSING:
        return _pause(seen)
    return _run(facts, seen)


def _stop(facts: Facts, seen: Observation) -> Decision:
    why = facts.stop_reason or _STOPPED
    if State.KILLED in TRANSITIONS[facts.state] and (not facts.submitted or facts.state is State.PAUSED):
        return Decision(steps=(Step(State.KILLED, why),))
    begun = () if facts.state is State.STOPPING else (Step(State.STOPPING, _STOPPING),)
    if not facts.submitted:
        return Decision(steps=(*begun, Step(State.KILLED, why)))
    match seen.phase:
        case Phase.SUCCEEDED:
            return Decision(steps=(*begun, Step(State.FINISHED, _FINISHED)))
        case Phase.FAILED:
            return Decision(steps=(*begun, Step(State.KILLED, why)))
        case Phase.GONE if facts.believed_gone or facts.state is State.STOPPING:
            return Decision(steps=(*begun, Step(State.KILLED, why)))
        case _:
            return Decision(act=Act.STOP, steps=begun)


def _pause(seen: Observation) -> Decision:
    match seen.phase:
        case Phase.SUCCEEDED:
            return Decision(steps=(Step(State.FINISHED, _FINISHED),))
        case Phase.FAILED | Phase.WAITING | Phase.GONE:
            return Decision(steps=(Step(State.PAUSED, _PAUSED),))
        case _:
            return Decision(act=Act.STOP)


def _run(facts: Facts, seen: Observation) -> Decision:
    state = facts.state
    if not facts.submitted:
        return Decision(act=Act.SUBMIT) if facts.granted else Decision(reason=_PREPARING)
    match seen.phase:
        case Phase.GONE:
            return Decision(steps=(Step(State.ERROR, _LOST),)) if facts.believed_gone else Decision()
        case Phase.WAITING:
            if state is State.QUEUED:
                return Decision(reason=seen.reason or _QUEUED)
            return Decision(steps=(Step(State.QUEUED, seen.reason or _QUEUED_AGAIN),))
        case Phase.STARTING:
            if state is State.QUEUED:
                return Decision(steps=(Step(State.SCHEDULING, seen.reason or _STARTING),))
            return Decision(reason=(seen.reason or _STARTING) if state is State.SCHEDULING else None)
        case Phase.RUNNING:
            return Decision() if state is State.RUNNING else Decision(steps=(Step(State.RUNNING, _RUNNING),))
        case Phase.SUCCEEDED:
            ran = (Step(State.RUNNING, _RUNNING),) if state is State.QUEUED else ()
            return Decision(steps=(*ran, Step(State.FINISHED, _FINISHED)))
        case Phase.FAILED:
            ran = (Step(State.RUNNING, _RUNNING),) if _started(seen) and state is not State.RUNNING else ()
            return Decision(steps=(*ran, Step(State.FAILED, seen.reason or _FAILED)))


def _started(seen: Observation) -> bool:
    return any(replica.started_at is not None for replica in seen.replicas)
