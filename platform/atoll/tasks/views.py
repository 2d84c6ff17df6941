"""Rows of tasks as the API shows them."""

from collections.abc import Iterable
from datetime import datetime

from atoll.database.base import now
from atoll.identity.caller import Caller
from atoll.identity.schemas import UserReference, VirtualClusterReference
from atoll.tasks.life_cycle import ENDED, Mode, State, Wanted
from atoll.tasks.models import AttemptRow, EventRow, TaskRow
from atoll.tasks.policy import actions
from atoll.tasks.schemas import Attempt, KindCounts, Replica, StateSpan, Task, TaskEvent, TaskSummary
from atoll.web.schema import Reason


def _reason(kept: dict[str, object] | None) -> Reason | None:
    return None if kept is None else Reason.model_validate(kept)


def counted(found: Iterable[tuple[str, str, int]]) -> list[KindCounts]:
    """Numbers per kind and state, as the database gives them."""
    states: dict[str, dict[str, int]] = {}
    for kind, state, count in found:
        states.setdefault(kind, {})[state] = count
    return [KindCounts(kind=kind, states=of) for kind, of in states.items()]


def summary(caller: Caller, row: TaskRow) -> TaskSummary:
    """A task in a list."""
    return TaskSummary(
        id=row.id,
        name=row.name,
        kind=row.kind,
        mode=Mode(row.mode),
        owner=UserReference.model_validate(row.owner),
        virtual_cluster=VirtualClusterReference.model_validate(row.virtual_cluster),
        framework=row.framework,
        device_type=row.device_type,
        devices=row.devices,
        nodes=row.nodes,
        privileged=bool(row.specification.get("privileged")),
        state=State(row.state),
        wanted=Wanted(row.wanted),
        reason=_reason(row.reason),
        progress=row.progress,
        created_at=row.created_at,
        state_since=row.state_since,
        started_at=row.started_at,
        finished_at=row.finished_at,
        actions=actions(caller, row),
        version=row.version,
    )


def full(caller: Caller, row: TaskRow) -> Task:
    """A task in full."""
    return Task(
        **summary(caller, row).model_dump(),
        definition=row.definition,
        attempts=[_attempt(attempt) for attempt in row.attempts],
        exit_code=row.exit_code,
        last_lines=row.last_lines,
    )


def _attempt(row: AttemptRow) -> Attempt:
    return Attempt(
        number=row.number,
        started_at=row.started_at,
        finished_at=row.finished_at,
        replicas=[Replica.model_validate(replica) for replica in row.replicas],
    )


def event(row: EventRow) -> TaskEvent:
    """One event."""
    return TaskEvent.model_validate(row)


def timeline(events: list[EventRow]) -> list[StateSpan]:
    """How long the task was in each state, from its state events."""
    moments: list[tuple[State, datetime]] = [
        (State(row.state), row.at) for row in events if row.kind == "state" and row.state is not None
    ]
    spans = []
    for index, (state, since) in enumerate(moments):
        until = moments[index + 1][1] if index + 1 < len(moments) else None
        if until is None and state in ENDED:
            until = since
        spans.append(
            StateSpan(state=state, since=since, until=until, seconds=((until or now()) - since).total_seconds())
        )
    return spans
