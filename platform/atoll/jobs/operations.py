"""Operations are done: claimed like tasks, run by the handlers that the manifests name, resumed or failed after a kill.

An attempt ends in one transaction that the holder of the claim makes or nobody: state, result and the claim itself. One
that is to fail or to be cancelled is first marked (`ending`), then cleaned up, then ended, so that a kill in between
is only a longer way to the same end.
"""

import asyncio
import contextlib
import os
import socket
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

import structlog
from sqlalchemy import exc, func
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Operations as Settings
from atoll.database.base import now
from atoll.database.claims import LEASE, Claim, ClaimLost, Claims
from atoll.database.connection import AWAY, LOST, Sessions
from atoll.database.identifiers import new_id
from atoll.database.notifications import DUE, Listener
from atoll.database.patience import brief, patiently
from atoll.database.texts import keepable
from atoll.operations import codes
from atoll.operations.handling import Cancelled, Failed, Work
from atoll.operations.models import ENDED, OperationRow, OperationState
from atoll.operations.repository import OperationRepository
from atoll.web.codes import ReasonCode
from atoll.web.domain import OperationKind
from atoll.web.errors import ApiError

GRACE_S = 5.0  # in which a handler may notice by itself that it was cancelled
_NOT_TO_BLAME: dict[str, Any] = {"fruitless": func.greatest(0, OperationRow.fruitless - 1)}
log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Limits:
    """How much is done at a time, `workers` per process, the others for all processes together; how often in vain."""

    workers: int
    per_owner: int
    altogether: int
    fruitless: int
    longest_sleep_s: float = 30.0
    retry_s: float = 2.0

    @classmethod
    def of(cls, settings: Settings) -> "Limits":
        """As they are configured."""
        return cls(
            workers=settings.workers,
            per_owner=settings.per_user,
            altogether=settings.at_once,
            fruitless=settings.fruitless_attempts,
        )


@dataclass(frozen=True)
class _End:
    """How an attempt ended. `state` None: it is tried again."""

    state: OperationState | None
    reason: ReasonCode | None = None
    result: dict[str, Any] | None = None


class Operations:
    """The workers of one process."""

    def __init__(
        self,
        sessions: Sessions,
        listener: Listener,
        kinds: Iterable[OperationKind],
        parts: Mapping[type[Any], Any],
        *,
        limits: Limits,
        lease: timedelta = LEASE,
    ) -> None:
        self._sessions = sessions
        self._listener = listener
        self._kinds = {kind.name: kind for kind in kinds}
        self._parts = parts
        self._owner = f"{socket.gethostname()}-{os.getpid()}-{new_id()[-6:]}"
        self._claims = Claims(sessions, OperationRow, lease)
        self._limits = limits
        self._due = asyncio.Event()
        # Only one of this process asks for the database's turn: a queue of frozen ones would keep others out for long.
        self._turn = asyncio.Lock()
        self._running: dict[str, asyncio.Event] = {}

    async def run(self) -> None:
        """Work until cancelled; what is being worked on then is given back for others to go on with."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._listen())
            for number in range(self._limits.workers):
                group.create_task(self._worker(f"{self._owner}-operation-{number}"))

    async def _listen(self) -> None:
        async with self._listener.subscribe(DUE) as queue:
            while True:
                payload = await queue.get()
                if payload is not None and not payload.startswith("operation "):
                    continue
                self._due.set()
                named = payload.removeprefix("operation ") if payload else None
                for operation_id, looked_for in self._running.items():
                    if named in (None, operation_id):
                        looked_for.set()

    async def _worker(self, name: str) -> None:
        while True:
            self._due.clear()
            claim = await patiently("take an operation", partial(self._take, name), self._limits.retry_s)
            if claim is not None:
                await self._work(claim)
                self._due.set()
                continue
            pause_s = await patiently("see when an operation is due", self._sleep_s, self._limits.retry_s)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._due.wait()

    async def _take(self, name: str) -> Claim | None:
        async with self._turn, self._sessions() as session, session.begin():
            return await OperationRepository(session).take(
                self._claims,
                name,
                {kind.name: kind.at_once for kind in self._kinds.values()},
                per_owner=self._limits.per_owner,
                altogether=self._limits.altogether,
            )

    async def _sleep_s(self) -> float:
        moment = await self._claims.next_due()
        if moment is None:
            return self._limits.longest_sleep_s
        # What is due and was not taken waits for the limits, and for whoever ends to say so.
        left = (moment - now()).total_seconds()
        return min(self._limits.longest_sleep_s, left + 0.05 if left > 0 else self._limits.retry_s)

    async def _work(self, claim: Claim) -> None:
        """One attempt, from its beginning to its end or to the next one."""
        try:
            begun = await self._begin(claim)
            if begun is None:
                return
            kind, work, end = begun
            if end is None:
                end = await self._attempt(kind, work, claim)
                if end.state in (OperationState.FAILED, OperationState.CANCELLED):
                    work = await self._mark(claim, end)
            if end.state in (OperationState.FAILED, OperationState.CANCELLED) and not await self._clean(
                kind, work, claim
            ):
                return
            await self._end(claim, end)
        except ClaimLost:
            log.warning("claim lost", operation=claim.id)
        except asyncio.CancelledError:
            # This process ends in good order: somebody else goes on at once.
            with contextlib.suppress(ClaimLost, *AWAY):
                await self._claims.give_back(claim, now(), **_NOT_TO_BLAME)
            raise
        except LOST as error:
            log.warning("the work on an operation lost the database", operation=claim.id, error=brief(error))
            blame = _NOT_TO_BLAME if _was_ended(error) else {}
            give_back = partial(self._claims.give_back, claim, now() + self._pause(1), **blame)
            with contextlib.suppress(ClaimLost):
                await patiently("give an operation back", give_back, self._limits.retry_s)
        except Exception:  # what one operation holds must never end the work on all others
            log.exception("the work on an operation failed, trying again", operation=claim.id)
            with contextlib.suppress(ClaimLost, *AWAY):
                await self._claims.give_back(claim, now() + self._pause(1))

    @asynccontextmanager
    async def _held(self, claim: Claim) -> AsyncIterator[tuple[AsyncSession, OperationRow]]:
        async with self._sessions() as session, session.begin():
            try:
                row = await self._claims.hold(session, claim)
            except TimeoutError as error:  # of a connection that was idle when its server went; a handler's own is not
                raise exc.TimeoutError("the database does not answer") from error
            yield session, row
            await OperationRepository(session).tell(row)

    async def _begin(self, claim: Claim) -> tuple[OperationKind, Work, _End | None] | None:
        """Write down that it is worked on. With an end: it has to be cleaned up only. None: nothing is left to do."""
        async with self._held(claim) as (session, row):
            kind = self._kinds[row.kind]
            if OperationState(row.state) in ENDED:
                _let_go(row)
                return None
            end = self._foregone(kind, row)
            row.attempts += 1
            row.fruitless += 1  # until it stores something, or ends in good order
            row.started_at = row.started_at or now()
            if end is None:
                reason = _beginning(row)
                row.state = OperationState.RUNNING
                row.reason = None
                await OperationRepository(session).tell(row, reason)
            elif end.state is not None:
                row.ending = end.state
                row.reason = end.reason.reason().model_dump() if end.reason else row.reason
            await session.flush()
        return kind, self._work_on(row, claim), end

    async def _attempt(self, kind: OperationKind, work: Work, claim: Claim) -> _End:
        """Run the handler while its lease is renewed. Raises ClaimLost."""
        looked_for = self._running[work.id] = asyncio.Event()
        looked_for.set()  # what was asked for before we listened
        handler = asyncio.create_task(self._call(kind, work))
        beating = asyncio.create_task(self._renew(claim))
        looking = asyncio.create_task(self._look_for_cancel(claim, looked_for))
        try:
            done, _ = await asyncio.wait({handler, beating, looking}, return_when=asyncio.FIRST_COMPLETED)
            if handler in done:
                return handler.result()
            if looking in done:
                looking.result()  # it may have failed, and that is no wish of anybody
                work.end_with(Cancelled)
                done, _ = await asyncio.wait({handler, beating}, timeout=GRACE_S, return_when=asyncio.FIRST_COMPLETED)
                if handler in done:
                    return handler.result()
                if beating not in done:
                    return _End(OperationState.CANCELLED)
            work.end_with(lambda: ClaimLost(claim.id))
            raise ClaimLost(claim.id)
        finally:
            del self._running[work.id]
            for task in (handler, beating, looking):
                task.cancel()
            await asyncio.gather(handler, beating, looking, return_exceptions=True)

    async def _call(self, kind: OperationKind, work: Work) -> _End:
        try:
            async with asyncio.timeout(kind.max_hours * 3600 - (now() - work.started_at).total_seconds()) as limit:
                return _End(OperationState.FINISHED, codes.OperationFinished(), await kind.handler(work))
        except Cancelled:
            return _End(OperationState.CANCELLED)
        except Failed as error:
            return _End(OperationState.FAILED, error.reason)
        except TimeoutError:
            if limit.expired():
                return _End(OperationState.FAILED, codes.OperationTooLong(hours=kind.max_hours))
            log.exception("the handler of an operation waited too long for something", operation=work.id)
            return _End(OperationState.FAILED, codes.OperationBroke())
        except ApiError as error:
            words, cause = keepable(error.detail), error.code
            told = error.problem.params.items()
            params = {name: keepable(value) if isinstance(value, str) else value for name, value in told}
            if error.status in (429, 502, 503) and kind.resumable:
                return _End(None, codes.OperationWaits(why=words, cause=cause, cause_params=params))
            return _End(OperationState.FAILED, codes.OperationRefused(why=words, cause=cause, cause_params=params))
        except (ClaimLost, *AWAY):
            raise
        except Exception:  # what one handler does wrong must never end the work on all others
            log.exception("the handler of an operation failed", operation=work.id, kind=kind.name)
            return _End(OperationState.FAILED, codes.OperationBroke())

    async def _renew(self, claim: Claim) -> None:
        """Renew the lease until it is lost, or could not be renewed for so long that it may be."""
        lease_s = self._claims.lease.total_seconds()
        renewed_at = time.monotonic()
        while time.monotonic() < renewed_at + 0.8 * lease_s:
            await asyncio.sleep(lease_s / 4)
            began_at = time.monotonic()
            with contextlib.suppress(*AWAY):
                async with asyncio.timeout(lease_s / 4):
                    await self._claims.renew(claim)
                renewed_at = began_at

    async def _look_for_cancel(self, claim: Claim, looked_for: asyncio.Event) -> None:
        """Until somebody wants it to end."""
        while True:
            await looked_for.wait()
            looked_for.clear()
            try:
                async with self._sessions() as session:
                    row = await OperationRepository(session).of_anybody(claim.id)
            except AWAY:
                await asyncio.sleep(self._limits.retry_s)
                looked_for.set()
                continue
            if row is None or row.cancel_wanted:
                return

    async def _mark(self, claim: Claim, end: _End) -> Work:
        """It is decided how it ends; from here on only the cleaning up is left, whoever does it."""
        async with self._held(claim) as (_, row):
            row.ending = end.state
            if end.reason is not None:
                row.reason = end.reason.reason().model_dump()
        return self._work_on(row, claim)

    def _work_on(self, row: OperationRow, claim: Claim) -> Work:
        return Work(row, claim.fence, lambda: self._held(claim), self._parts)

    async def _clean(self, kind: OperationKind, work: Work, claim: Claim) -> bool:
        """Remove what it left half done. False when that has to be tried again: then it is given back."""
        if kind.clean is None:
            return True
        try:
            async with asyncio.timeout(self._claims.lease.total_seconds() / 2):
                await kind.clean(work)
        except (ClaimLost, *LOST):
            raise
        except (ApiError, Failed, TimeoutError, OSError) as error:
            log.warning("an operation is not cleaned up", operation=work.id, error=str(error) or type(error).__name__)
            if work.fruitless >= 2 * self._limits.fruitless:
                return True  # what is left lies in the owner's home, who is told what happened
            await self._claims.give_back(claim, now() + self._pause(work.fruitless))
            return False
        except Exception:  # it ends all the same
            log.exception("the handler of an operation failed to clean up", operation=work.id, kind=kind.name)
        return True

    async def _end(self, claim: Claim, end: _End) -> None:
        """The last transaction of an attempt: state, result and claim are written together."""
        async with self._held(claim) as (session, row):
            repository = OperationRepository(session)
            if end.state is None:
                row.state = OperationState.QUEUED
                row.lock_owner = row.lock_expires_at = None
                row.due_at = now()
                row.fruitless = max(0, row.fruitless - 1)  # it is not to blame
                row.waits += 1
                if not row.cancel_wanted:
                    row.due_at += self._pause(row.waits)
                    row.reason = end.reason.reason().model_dump() if end.reason else None
                await repository.tell(row, end.reason)
                return
            row.state = end.state
            row.finished_at = now()
            row.result = end.result
            if end.state is OperationState.FINISHED:
                row.progress = 1.0
                row.cancel_wanted = False
                row.reason = None
            _let_go(row)
            await repository.tell(row, end.reason)
            await repository.wake(row)  # who waits for a turn may have it now

    def _pause(self, attempts: int) -> timedelta:
        return timedelta(seconds=min(300.0, self._limits.retry_s * 2 ** min(attempts, 10)))

    def _foregone(self, kind: OperationKind, row: OperationRow) -> _End | None:
        """How it ends without another attempt, None when it may go on."""
        if row.ending is not None and row.ending != OperationState.FINISHED:
            return _End(OperationState(row.ending))
        if row.cancel_wanted and row.ending is None:
            return _End(OperationState.CANCELLED)
        if row.state == OperationState.RUNNING and not kind.resumable:
            return _End(OperationState.FAILED, codes.OperationInterrupted())
        if row.fruitless >= self._limits.fruitless:
            return _End(OperationState.FAILED, codes.OperationGaveUp(attempts=row.attempts))
        return None


def _was_ended(error: Exception) -> bool:
    """The connection was, not a statement that took too long or a disk that is full: these may be the handler's own."""
    return (
        isinstance(error, exc.DBAPIError) and error.connection_invalidated and not isinstance(error.orig, TimeoutError)
    )


def _beginning(row: OperationRow) -> ReasonCode:
    if row.attempts == 1:
        return codes.OperationStarted()
    return codes.OperationResumed() if row.state == OperationState.RUNNING else codes.OperationGoesOn()


def _let_go(row: OperationRow) -> None:
    row.due_at = row.lock_owner = row.lock_expires_at = None
