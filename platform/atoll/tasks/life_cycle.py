"""The one life cycle of every task: a table of transitions and what is wanted of whom.

`wanted` is what people ask for, `state` is what was last observed. Only `jobs` moves `state`, except that a new task
starts as queued and a task that never reached the engine may be killed on the spot.
"""

from enum import StrEnum

from atoll.engines.specification import Mode as Mode


class Wanted(StrEnum):
    """What people want of a task."""

    RUN = "run"
    STOP = "stop"
    PAUSE = "pause"


class State(StrEnum):
    """What was last seen of a task."""

    UNAPPROVED = "unapproved"
    QUEUED = "queued"
    SCHEDULING = "scheduling"
    RUNNING = "running"
    PAUSING = "pausing"
    PAUSED = "paused"
    STOPPING = "stopping"
    FINISHED = "finished"
    FAILED = "failed"
    KILLED = "killed"
    ERROR = "error"


_S = State
TRANSITIONS: dict[State, frozenset[State]] = {
    _S.UNAPPROVED: frozenset({_S.QUEUED, _S.KILLED}),
    _S.QUEUED: frozenset({_S.SCHEDULING, _S.RUNNING, _S.STOPPING, _S.KILLED, _S.PAUSED, _S.FAILED, _S.ERROR}),
    _S.SCHEDULING: frozenset({_S.RUNNING, _S.QUEUED, _S.STOPPING, _S.PAUSING, _S.FINISHED, _S.FAILED, _S.ERROR}),
    _S.RUNNING: frozenset({_S.FINISHED, _S.FAILED, _S.STOPPING, _S.PAUSING, _S.QUEUED, _S.ERROR}),
    _S.PAUSING: frozenset({_S.PAUSED, _S.STOPPING, _S.FINISHED, _S.FAILED, _S.ERROR}),
    _S.PAUSED: frozenset({_S.QUEUED, _S.KILLED}),
    _S.STOPPING: frozenset({_S.KILLED, _S.FINISHED, _S.FAILED, _S.ERROR}),
    _S.FINISHED: frozenset(),
    _S.FAILED: frozenset(),
    _S.KILLED: frozenset(),
    _S.ERROR: frozenset(),
}

ENDED = frozenset(state for state, following in TRANSITIONS.items() if not following)
WAITING = frozenset({_S.UNAPPROVED, _S.QUEUED})
NOT_BEGUN = frozenset({_S.QUEUED, _S.PAUSED})  # what ends with its owner's membership; what has begun goes on
HOLDS_DEVICES = frozenset({_S.SCHEDULING, _S.RUNNING, _S.PAUSING, _S.STOPPING})


def admitted(before: State, after: State) -> bool:
    """Whether a task has its devices after that step: one that is being stopped has them if it had them before."""
    return after in HOLDS_DEVICES and (after is not _S.STOPPING or before in HOLDS_DEVICES)


class ForbiddenTransition(ValueError):
    """A step that the table does not know: a mistake of the program, never of a person."""

    def __init__(self, before: State, after: State) -> None:
        super().__init__(f"a task does not go from {before} to {after}")


def check(before: State, after: State) -> None:
    """Raise ForbiddenTransition unless the table allows the step (staying is no step)."""
    if after not in TRANSITIONS[before]:
        raise ForbiddenTransition(before, after)


def may_stop(state: State, wanted: Wanted) -> bool:
    """Whether asking for a stop still changes anything."""
    return state not in ENDED and wanted is not Wanted.STOP
