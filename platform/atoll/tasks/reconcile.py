"""One task from wanted to observed: submit, stop, write down what is seen, collect what ended."""

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

import structlog
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import object_session

from atoll.database.base import now
from atoll.database.claims import LEASE, Claim, ClaimLost, Claims
from atoll.database.connection import AWAY, LOST, Sessions
from atoll.database.patience import brief, patiently
from atoll.database.texts import keepable
from atoll.engines.base import Engine, EngineError, Observation, Phase, ReplicaObservation, Submission
from atoll.engines.codes import EngineRefused, EngineUnavailableReason
from atoll.engines.specification import DEFAULT_GRACE_S, TaskSpec
from atoll.homes.client import FilesClient
from atoll.tasks import codes, life_cycle
from atoll.tasks.changes import tell
from atoll.tasks.collect import last_lines, last_scalars
from atoll.tasks.decisions import Act, Decision, Facts, decide
from atoll.tasks.life_cycle import ENDED, NOT_BEGUN, State, Wanted
from atoll.tasks.models import AttemptRow, EventRow, ReplicaRow, TaskRow
from atoll.tasks.repository import TaskRepository
from atoll.virtual_clusters.models import Standing
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.web.codes import ReasonCode
from atoll.web.errors import ApiError
from atoll.web.schema import Reason

SEEN_WITHIN = timedelta(seconds=30)
SWEEP = timedelta(minutes=5)
RETRY = timedelta(seconds=5)
LONGEST_WORK = LEASE - timedelta(seconds=15)  # so that trouble is noted while the claim holds
RETRY_FAILED_WORK = timedelta(minutes=1)
_REPLICAS = {
    "starting": codes.ReplicaStarting,
    "running": codes.ReplicaRunning,
    "succeeded": codes.ReplicaSucceeded,
    "failed": codes.ReplicaFailed,
}
log = structlog.get_logger(__name__)


class Reconciler:
    """Does the work that a claim allows."""

    def __init__(self, sessions: Sessions, engine: Engine, files: FilesClient, owner: str) -> None:
        self._sessions = sessions
        self._claims = Claims(sessions, TaskRow)
        self._engine = engine
        self._files = files
        self._owner = owner

    @property
    def owner(self) -> str:
        """Under what name it claims."""
        return self._owner

    async def work(self, claimed: Claim) -> None:
        """Do what is due for one task and give the claim back."""
        try:
            following = await self._do(claimed)
        except asyncio.CancelledError:
            with contextlib.suppress(ClaimLost, *AWAY):  # somebody else goes on at once
                await self._claims.give_back(claimed, now() + RETRY)
            raise
        with contextlib.suppress(ClaimLost):
            await patiently("give a task back", lambda: self._claims.give_back(claimed, following))

    async def _do(self, claimed: Claim) -> datetime | None:
        """Returns when to look again without being woken, after trouble too."""
        try:
            async with asyncio.timeout(LONGEST_WORK.total_seconds()):
                return await self._advance(claimed)
        except ClaimLost:
            log.warning("claim lost", task=claimed.id)
        except LOST as error:
            log.warning("the work on a task lost the database, trying again", task=claimed.id, error=brief(error))
        except (EngineError, ApiError, TimeoutError) as error:
            # Shown to the owner and tried again; the task itself is not to blame.
            words = keepable(str(error)) or f"no answer within {LONGEST_WORK.seconds} seconds."
            log.warning("engine unavailable", task=claimed.id, error=words)
            with contextlib.suppress(*AWAY):
                await self._note_trouble(claimed, words)
        except Exception:  # what one task holds must never end the work on all others
            log.exception("the work on a task failed, trying again", task=claimed.id)
            return now() + RETRY_FAILED_WORK
        return now() + RETRY

    async def _advance(self, claimed: Claim) -> datetime | None:
        """All steps that can be taken now. Returns when to look again without being woken."""
        while True:
            async with self._sessions() as session, session.begin():
                row = await self._claims.hold(session, claimed)
                _enforce_hours(row)
                await _enforce_membership(session, row)
                await _enforce_privilege(session, row)
                attempt = row.attempts[-1] if row.attempts else None
                facts = self._facts(row, attempt)
                seen = self._seen(attempt)
                decision = decide(facts, seen)
                changed = self._write(row, attempt, seen, decision)
                if changed:
                    await session.flush()
                    await tell(session, row)
                if decision.act is Act.SUBMIT:
                    await session.refresh(row, ["secrets"])
            match decision.act:
                case Act.SUBMIT:
                    await self._submit(claimed, row)
                    continue
                case Act.STOP if attempt is not None:
                    await self._engine.stop(attempt.id)
            break
        if State(row.state) in ENDED:
            await self._collect(claimed, row)
            return None
        return _look_again(row)

    def _facts(self, row: TaskRow, attempt: AttemptRow | None) -> Facts:
        submitted_at = attempt.submitted_at if attempt is not None else None
        return Facts(
            state=State(row.state),
            wanted=Wanted(row.wanted),
            submitted=submitted_at is not None,
            stop_reason=Reason.model_validate(row.stop_reason) if row.stop_reason else None,
            believed_gone=self._engine.synced and submitted_at is not None and now() - submitted_at > SEEN_WITHIN,
            granted=row.virtual_cluster.standing != Standing.PREPARING,
        )

    def _seen(self, attempt: AttemptRow | None) -> Observation:
        if attempt is None or attempt.submitted_at is None:
            return Observation(attempt_id="", phase=Phase.GONE)
        return self._engine.observe(attempt.id)

    async def _submit(self, claimed: Claim, row: TaskRow) -> None:
        """Write the attempt down first, then submit it: a crash in between submits the same attempt again."""
        async with self._sessions() as session, session.begin():
            held = await self._claims.hold(session, claimed)
            if held.attempts and held.attempts[-1].submitted_at is None:
                attempt = held.attempts[-1]
            else:
                number = len(held.attempts) + 1
                attempt = AttemptRow(id=f"{held.id}-{number}", task_id=held.id, number=number, replicas=[])
                session.add(attempt)
        await self._files.ensure_home(row.owner)
        try:
            await self._engine.submit(_submission(row, attempt))
        except EngineError as error:
            if not error.permanent:
                raise
            await self._refused(claimed, error)
            return
        async with self._sessions() as session, session.begin():
            held = await self._claims.hold(session, claimed)
            held.attempts[-1].submitted_at = now()
            _event(held, "attempt", codes.Submitted().reason())

    async def _refused(self, claimed: Claim, error: EngineError) -> None:
        """The engine will never take it: end it with the engine's words."""
        async with self._sessions() as session, session.begin():
            row = await self._claims.hold(session, claimed)
            row.attempts[-1].submitted_at = now()
            _move(row, State.ERROR, EngineRefused(why=keepable(str(error))).reason())
            await session.flush()
            await tell(session, row)

    def _write(self, row: TaskRow, attempt: AttemptRow | None, seen: Observation, decision: Decision) -> bool:
        changed = False
        if attempt is not None and seen.phase is not Phase.GONE:
            changed = _write_replicas(row, attempt, seen)
        for step in decision.steps:
            _move(row, step.state, step.reason)
            changed = True
        if row.state == State.STOPPING and not row.admitted and seen.phase in (Phase.STARTING, Phase.RUNNING):
            row.admitted = changed = True  # while it was told to stop
        if decision.reason is not None and not decision.steps:
            reason = decision.reason.model_dump()
            if row.reason != reason:
                row.reason = reason
                _event(row, "engine", decision.reason)
                changed = True
        if State(row.state) in ENDED and attempt is not None and attempt.finished_at is None:
            attempt.finished_at = now()
            failed = first_failed(attempt.replicas)
            if failed is not None:
                row.exit_code = failed.exit_code
            elif row.state == State.FINISHED:
                row.exit_code = 0
        return changed

    async def _collect(self, claimed: Claim, row: TaskRow) -> None:
        """Keep what people want to know of an ended task, then let the engine forget it."""
        if not row.attempts:
            return
        last = row.attempts[-1]
        if last.collected_at is not None:
            await self._forget(row, {*self._engine.adopt()} & {attempt.id for attempt in row.attempts})
            return
        failed = first_failed(last.replicas)
        lines = (
            await last_lines(self._files, row.owner, row.id, last.number, failed.rank if failed else 0)
            if row.state in (State.FAILED, State.ERROR)
            else []
        )
        scalars = await last_scalars(self._files, row.owner, row.id)
        await self._forget(row, [attempt.id for attempt in row.attempts])
        async with self._sessions() as session, session.begin():
            held = await self._claims.hold(session, claimed)
            held.last_lines = lines
            held.progress = scalars
            for attempt in held.attempts:
                attempt.collected_at = attempt.collected_at or now()
            await session.flush()
            await tell(session, held)

    async def _forget(self, row: TaskRow, attempts: Iterable[str]) -> None:
        """Nothing of them is left. One may still run: submitted by a worker that had lost its claim, or was killed."""
        for attempt_id in attempts:
            if self._engine.observe(attempt_id).phase not in (Phase.SUCCEEDED, Phase.FAILED, Phase.GONE):
                await self._engine.stop(attempt_id)
            privileged = bool(row.specification.get("privileged"))
            await self._engine.forget(attempt_id, row.virtual_cluster.name, privileged=privileged)

    async def _note_trouble(self, claimed: Claim, words: str) -> None:
        reason = EngineUnavailableReason(why=words).reason()
        async with self._sessions() as session, session.begin():
            try:
                row = await self._claims.hold(session, claimed)
            except ClaimLost:
                return
            if State(row.state) not in ENDED and row.reason != reason.model_dump():
                row.reason = reason.model_dump()
                await session.flush()
                await tell(session, row)


def first_failed(replicas: Sequence[ReplicaRow]) -> ReplicaRow | None:
    """The replica that failed first: the others usually fail because of it."""
    failed = [replica for replica in replicas if replica.state == "failed"]
    return min(failed, key=lambda item: (item.finished_at is None, item.finished_at, item.rank), default=None)


def _move(row: TaskRow, state: State, reason: Reason) -> None:
    """The only place where a task changes its state."""
    before = State(row.state)
    life_cycle.check(before, state)
    moment = now()
    row.state = state
    row.admitted = life_cycle.admitted(before, state)
    row.state_since = moment
    row.reason = reason.model_dump()
    if state is State.RUNNING and row.started_at is None:
        row.started_at = moment
    if state in ENDED:
        row.finished_at = moment
        row.secrets = None  # nobody needs them any more
    _event(row, "state", reason, state=state)


def _event(row: TaskRow, kind: str, reason: Reason, *, state: State | None = None, rank: int | None = None) -> None:
    session = object_session(row)
    if session is None:
        raise RuntimeError("an event needs the session of its task")
    session.add(
        EventRow(
            task_id=row.id,
            kind=kind,
            state=state,
            reason=reason.model_dump(),
            attempt=len(row.attempts) or None,
            rank=rank,
        )
    )


def _write_replicas(row: TaskRow, attempt: AttemptRow, observed: Observation) -> bool:
    changed = False
    kept = {replica.rank: replica for replica in attempt.replicas}
    # A pod that is removed at the end takes nothing of what was seen of it; only a task that waits again starts anew.
    seen = [
        replica
        for replica in observed.replicas
        if replica.pod is not None or observed.phase is Phase.WAITING or replica.rank not in kept
    ]
    for replica in seen:
        values = replica.model_dump(exclude={"rank", "reason", "ready"})
        values["reason"] = replica.reason.model_dump() if replica.reason else None
        old = kept.get(replica.rank)
        if old is None:
            attempt.replicas.append(ReplicaRow(rank=replica.rank, **values))
            changed = True
            before = "waiting"
        else:
            before = old.state
            for name, value in values.items():
                if getattr(old, name) != value:
                    setattr(old, name, value)
                    changed = True
        if before != replica.state:
            _event(row, "replica", _replica_words(replica), rank=replica.rank)
    starts = [replica.started_at for replica in seen if replica.started_at is not None]
    if attempt.started_at is None and starts:
        attempt.started_at = min(starts)
        changed = True
    return changed


def _replica_words(replica: ReplicaObservation) -> Reason:
    if replica.reason is not None:
        return replica.reason
    if replica.state == "waiting" or replica.node is None:
        return codes.ReplicaWaiting(rank=replica.rank).reason()
    return _REPLICAS[replica.state](rank=replica.rank, node=replica.node).reason()


def _enforce_hours(row: TaskRow) -> None:
    """A task that has run for the virtual cluster's maximum is stopped."""
    hours = row.virtual_cluster.max_hours
    if hours is None or row.started_at is None or row.wanted == Wanted.STOP or State(row.state) in ENDED:
        return
    if now() >= row.started_at + timedelta(hours=hours):
        _end(row, codes.TimeLimitReached(hours=hours))


async def _enforce_membership(session: AsyncSession, row: TaskRow) -> None:
    """Whoever is no member any more waits for nothing there; what has begun goes on to its end."""
    if row.wanted == Wanted.STOP or State(row.state) not in NOT_BEGUN:
        return
    if not await VirtualClusterRepository(session).is_member(row.virtual_cluster_id, row.owner_id):
        _end(row, codes.NoLongerMember(virtual_cluster=row.virtual_cluster.name))


async def _enforce_privilege(session: AsyncSession, row: TaskRow) -> None:
    """Whoever may not be root any more waits for it in vain; what has begun goes on to its end."""
    if row.wanted == Wanted.STOP or State(row.state) not in NOT_BEGUN or not row.specification.get("privileged"):
        return
    if not await TaskRepository(session).may_be_root(row.id):
        _end(row, codes.NoLongerPrivileged())


def _end(row: TaskRow, why: ReasonCode) -> None:
    """Have it stopped as if somebody had asked for it."""
    reason = why.reason()
    row.wanted = Wanted.STOP
    row.stop_reason = reason.model_dump()
    _event(row, "request", reason)


def _look_again(row: TaskRow) -> datetime:
    """Changes wake the task; this is for what nobody reports: deadlines, and a safety net."""
    following = now() + SWEEP
    if State(row.state) is State.STOPPING:
        following = now() + timedelta(seconds=_grace_s(row))
    elif row.attempts and row.attempts[-1].submitted_at is not None and row.started_at is None:
        following = max(now() + RETRY, row.attempts[-1].submitted_at + SEEN_WITHIN + RETRY)
        following = now() + SWEEP if now() - row.attempts[-1].submitted_at > SEEN_WITHIN else following
    hours = row.virtual_cluster.max_hours
    if hours is not None and row.started_at is not None and row.wanted != Wanted.STOP:
        following = min(following, row.started_at + timedelta(hours=hours))
    return following


def _grace_s(row: TaskRow) -> int:
    return int(row.specification.get("grace_s", DEFAULT_GRACE_S))


def _submission(row: TaskRow, attempt: AttemptRow) -> Submission:
    return Submission(
        attempt_id=attempt.id,
        task_id=row.id,
        task_name=row.name,
        number=attempt.number,
        user_name=row.owner.name,
        uid=row.owner.uid,
        virtual_cluster=row.virtual_cluster.name,
        specification=TaskSpec.model_validate({**row.specification, "secrets": row.secrets or {}}),
    )
