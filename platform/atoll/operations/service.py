"""Rules of operations as callers and other domains meet them; who does the work is `jobs`."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.record import record
from atoll.configuration import Operations
from atoll.database.base import now
from atoll.database.identifiers import new_id
from atoll.identity.caller import Caller
from atoll.operations import codes, policy
from atoll.operations.models import ENDED, OperationRow, OperationState
from atoll.operations.policy import OPERATIONS_READ_ALL
from atoll.operations.repository import OperationRepository
from atoll.operations.schemas import Operation, OperationDetails, OperationEvent, OperationStart
from atoll.web import idempotency, pace
from atoll.web.domain import OperationKind
from atoll.web.errors import Conflict, NotAllowed, NotFound, TooMany
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


def view(caller: Caller, row: OperationRow) -> Operation:
    """What the caller is shown of an operation."""
    return Operation(**_fields(caller, row))


class OperationService:
    """What people and domains do with operations."""

    def __init__(self, session: AsyncSession, settings: Operations) -> None:
        self._session = session
        self._settings = settings
        self._repository = OperationRepository(session)

    async def start(
        self, caller: Caller, kind: OperationKind, name: str, parameters: dict[str, Any], *, key: str | None = None
    ) -> Operation:
        """A new operation of the caller, queued; the same `key` with the same request makes nothing new.

        The domain that offers `kind` has judged who may start it. Raises TooMany, Conflict.
        """
        asked = OperationStart(kind=kind.name, name=name, parameters=parameters)
        await self._repository.one_at_a_time(caller)
        make, read = partial(self._make, caller, asked), partial(self._read, caller)
        return await idempotency.once(self._session, caller.id, key, asked, make, read)

    async def _make(self, caller: Caller, asked: OperationStart) -> Operation:
        limit = self._settings.waiting_per_user
        if await self._repository.waiting_of(caller) >= limit:
            raise TooMany(codes.TooManyOperations(limit=limit))
        most = self._settings.started_per_user
        if wait_s := pace.wait_s(await self._repository.created_before(caller, most)):
            too_fast = codes.TooManyStarts(limit=most, minutes=pace.WINDOW_MINUTES, wait_s=wait_s)
            raise TooMany(too_fast, headers={"Retry-After": str(wait_s)})
        made = await self._repository.add(OperationRow(id=new_id(), owner_id=caller.id, **asked.model_dump()))
        await record(
            self._session,
            caller,
            "operation.create",
            kind="operation",
            identifier=made.id,
            name=made.name,
            details={"kind": made.kind},
        )
        await self._repository.tell(made, codes.OperationQueued(), actor=caller.name)
        await self._repository.wake(made)
        return view(caller, made)

    async def _read(self, caller: Caller, operation_id: str) -> Operation:
        return view(caller, await self._row(caller, operation_id))

    async def list(
        self,
        caller: Caller,
        *,
        everybody: bool,
        kinds: Sequence[str] | None,
        states: Sequence[OperationState] | None,
        limit: int,
        cursor: str | None,
    ) -> Page[Operation]:
        """One page, newest first. Raises NotAllowed when others' are asked for without the permission."""
        if everybody:
            caller.require(OPERATIONS_READ_ALL)
        found = await self._repository.page(
            caller, everybody=everybody, kinds=kinds, states=states, limit=limit + 1, after=decode(cursor)
        )
        rows, following = cut(found, limit, lambda row: row.id)
        return Page(items=[view(caller, row) for row in rows], next_cursor=following)

    async def get(self, caller: Caller, operation_id: str) -> OperationDetails:
        """An operation in full. Raises NotFound."""
        return await self._details(caller, await self._row(caller, operation_id))

    async def cancel(self, caller: Caller, operation_id: str) -> OperationDetails:
        """It shall not go on: at once where nobody works on it yet. Raises NotFound, NotAllowed, Conflict."""
        row = await self._row(caller, operation_id, lock=True)
        if not policy.cancels(caller, row):
            raise NotAllowed(codes.NotYoursToCancel())
        if OperationState(row.state) in ENDED or row.ending is not None:
            raise Conflict(codes.OperationHasEnded())
        if not row.cancel_wanted:
            reason = codes.OperationCancelled(user=caller.name)
            row.cancel_wanted = True
            row.reason = reason.reason().model_dump()
            if row.attempts == 0 and row.lock_owner is None:
                row.state, row.finished_at, row.due_at = OperationState.CANCELLED, now(), None
            else:
                row.due_at = now()
            await record(
                self._session,
                caller,
                "operation.cancel",
                kind="operation",
                identifier=row.id,
                name=row.name,
                details={"kind": row.kind},
            )
            await self._repository.tell(row, reason, actor=caller.name)
            await self._repository.wake(row)
        return await self._details(caller, row)

    async def _row(self, caller: Caller, operation_id: str, *, lock: bool = False) -> OperationRow:
        row = await self._repository.get(caller, operation_id, lock=lock)
        if row is None:
            raise NotFound(codes.NoSuchOperation(operation=operation_id[:64]))
        return row

    async def _details(self, caller: Caller, row: OperationRow) -> OperationDetails:
        events = [OperationEvent.model_validate(event) for event in await self._repository.events(row)]
        return OperationDetails(**_fields(caller, row), parameters=row.parameters, result=row.result, events=events)


def _fields(caller: Caller, row: OperationRow) -> dict[str, Any]:
    names = Operation.model_fields.keys() - {"actions"}
    return {**{name: getattr(row, name) for name in names}, "actions": policy.actions(caller, row)}
