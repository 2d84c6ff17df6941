"""The table of the life cycle and what `jobs` decides by it, over every combination. Needs nothing."""

import itertools
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from atoll.database.base import now
from atoll.engines.base import Observation, Phase, ReplicaObservation
from atoll.engines.specification import DEFAULT_GRACE_S
from atoll.tasks import life_cycle, reconcile
from atoll.tasks.decisions import Act, Facts, decide
from atoll.tasks.life_cycle import ENDED, TRANSITIONS, ForbiddenTransition, State, Wanted
from atoll.tasks.models import ReplicaRow
from atoll.web.schema import CodeName, Reason
from hypothesis import given
from hypothesis import strategies as st

STATES = st.sampled_from(State)


def test_every_state_is_in_the_table_and_can_end() -> None:
    assert set(TRANSITIONS) == set(State)
    assert {State.FINISHED, State.FAILED, State.KILLED, State.ERROR} == ENDED
    for state in State:
        reached, frontier = {state}, {state}
        while frontier:
            frontier = set().union(*(TRANSITIONS[item] for item in frontier)) - reached
            reached |= frontier
        assert reached & ENDED


@given(STATES, STATES)
def test_only_steps_of_the_table_are_taken(before: State, after: State) -> None:
    if after in TRANSITIONS[before]:
        life_cycle.check(before, after)
    else:
        with pytest.raises(ForbiddenTransition):
            life_cycle.check(before, after)


def test_an_ended_task_never_moves_again() -> None:
    for state in ENDED:
        assert not TRANSITIONS[state]


def _observation(phase: Phase, started: bool, reason: Reason | None) -> Observation:
    moment = datetime(2026, 1, 1, tzinfo=UTC) if started else None
    return Observation(
        attempt_id="a",
        phase=phase,
        reason=reason,
        replicas=(ReplicaObservation(rank=0, state="running", started_at=moment),),
    )


@given(
    state=STATES,
    wanted=st.sampled_from(Wanted),
    submitted=st.booleans(),
    believed_gone=st.booleans(),
    phase=st.sampled_from(Phase),
    started=st.booleans(),
    reason=st.sampled_from([None, Reason(code=CodeName("x"), message="y")]),
)
def test_every_decision_follows_the_table(
    state: State,
    wanted: Wanted,
    submitted: bool,
    believed_gone: bool,
    phase: Phase,
    started: bool,
    reason: Reason | None,
) -> None:
    facts = Facts(state=state, wanted=wanted, submitted=submitted, believed_gone=believed_gone)
    seen = _observation(phase if submitted else Phase.GONE, started, reason)
    decision = decide(facts, seen)
    for step in decision.steps:
        life_cycle.check(state, step.state)
        state = step.state
    if facts.state in ENDED:
        assert not decision.steps
        assert decision.act is Act.NOTHING
    if decision.act is Act.SUBMIT:
        assert wanted is Wanted.RUN or wanted is Wanted.PAUSE
        assert not submitted


@given(st.lists(st.tuples(st.sampled_from(Phase), st.sampled_from(Wanted)), max_size=30))
def test_whatever_is_seen_in_whatever_order_ends_in_one_end_at_most(history: list[tuple[Phase, Wanted]]) -> None:
    state, wanted, ends = State.QUEUED, Wanted.RUN, 0
    for phase, wish in history:
        wanted = Wanted.STOP if wish is Wanted.STOP else wanted
        facts = Facts(state=state, wanted=wanted, submitted=True, believed_gone=True)
        for step in decide(facts, _observation(phase, True, None)).steps:
            life_cycle.check(state, step.state)
            state = step.state
            ends += state in ENDED
    assert ends <= 1


@pytest.mark.parametrize(
    ("state", "phase", "following"),
    [
        (State.QUEUED, Phase.STARTING, [State.SCHEDULING]),
        (State.SCHEDULING, Phase.RUNNING, [State.RUNNING]),
        (State.RUNNING, Phase.WAITING, [State.QUEUED]),
        (State.QUEUED, Phase.SUCCEEDED, [State.RUNNING, State.FINISHED]),
        (State.RUNNING, Phase.SUCCEEDED, [State.FINISHED]),
        (State.SCHEDULING, Phase.FAILED, [State.RUNNING, State.FAILED]),
        (State.RUNNING, Phase.GONE, [State.ERROR]),
    ],
)
def test_what_is_seen_moves_a_task(state: State, phase: Phase, following: list[State]) -> None:
    facts = Facts(state=state, wanted=Wanted.RUN, submitted=True, believed_gone=True)
    assert [step.state for step in decide(facts, _observation(phase, True, None)).steps] == following


@pytest.mark.parametrize("state", [State.RUNNING, State.STOPPING])
def test_a_task_that_is_being_stopped_is_not_looked_at_for_its_time_limit(state: State) -> None:
    moment = now()
    row: Any = SimpleNamespace(
        state=state,
        wanted=Wanted.STOP,
        attempts=[],
        specification={},
        started_at=moment - timedelta(hours=2),
        virtual_cluster=SimpleNamespace(max_hours=1),
    )
    assert reconcile._look_again(row) >= moment + timedelta(seconds=DEFAULT_GRACE_S)


def test_a_submission_that_the_watch_has_not_shown_yet_is_not_lost() -> None:
    facts = Facts(state=State.QUEUED, wanted=Wanted.RUN, submitted=True, believed_gone=False)
    assert decide(facts, _observation(Phase.GONE, False, None)).steps == ()


def test_of_several_replicas_the_one_that_failed_first_tells_why() -> None:
    moment = now()

    def replica(rank: int, state: str, after_s: int | None) -> ReplicaRow:
        finished_at = None if after_s is None else moment + timedelta(seconds=after_s)
        return ReplicaRow(rank=rank, state=state, finished_at=finished_at)

    ended = [replica(0, "failed", 9), replica(1, "failed", 3), replica(2, "succeeded", 1), replica(3, "failed", None)]
    first = reconcile.first_failed(ended)
    assert first is not None
    assert first.rank == 1, "not the one that failed first"
    assert reconcile.first_failed(ended[2:3]) is None


@pytest.mark.parametrize(("phase", "end"), [(Phase.SUCCEEDED, State.FINISHED), (Phase.FAILED, State.KILLED)])
def test_a_stop_ends_as_what_happened(phase: Phase, end: State) -> None:
    facts = Facts(state=State.STOPPING, wanted=Wanted.STOP, submitted=True)
    assert [step.state for step in decide(facts, _observation(phase, True, None)).steps] == [end]


def test_a_stop_is_asked_of_the_engine_until_it_is_seen() -> None:
    for state, phase in itertools.product(
        (State.QUEUED, State.RUNNING, State.STOPPING), (Phase.WAITING, Phase.RUNNING)
    ):
        facts = Facts(state=state, wanted=Wanted.STOP, submitted=True)
        assert decide(facts, _observation(phase, True, None)).act is Act.STOP
