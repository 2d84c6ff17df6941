"""Rules of tasks as callers meet them; what happens to a task afterwards is `jobs`."""

import builtins
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from typing import Any

from pydantic import BaseModel
from sqlalchemy.ext.asyncio import AsyncSession

from atoll import quantities
from atoll.audit_trail.record import Actor, record
from atoll.configuration import Configuration, Tasks
from atoll.database.base import now
from atoll.database.notifications import DUE, notify
from atoll.devices.limits import Resources
from atoll.engines.admission import Ask, Placement, decide
from atoll.engines.base import UserShare
from atoll.engines.specification import MOST_TEXT_BYTES, Amounts, TaskSpec
from atoll.identity.caller import Caller
from atoll.tasks import codes, policy, views
from atoll.tasks.changes import tell
from atoll.tasks.life_cycle import ENDED, State, Wanted, may_stop
from atoll.tasks.models import EventRow, TaskRow
from atoll.tasks.policy import TASKS_READ_ALL
from atoll.tasks.privileged import refusal_in
from atoll.tasks.repository import TaskRepository
from atoll.tasks.schemas import Estimate, KindCounts, Task, TaskEvents, TaskSummary, Uses
from atoll.tasks.snapshot import snapshot
from atoll.virtual_clusters.codes import NotAMember
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.web import idempotency, pace, told
from atoll.web.codes import FieldCode, ReasonCode
from atoll.web.conditional import expect
from atoll.web.domain import TaskKind
from atoll.web.errors import Conflict, Invalid, NotAllowed, NotFound, NotSignedIn, TooMany
from atoll.web.pagination import cut, decode
from atoll.web.schema import FieldError, Page

USUAL = Tasks()


@dataclass(frozen=True)
class About:
    """What people read of a task beside its specification; `definition` is shown and kept, so it has no secrets."""

    id: str
    name: str
    label: str
    definition: dict[str, Any]


class TaskService:
    """What people do with tasks."""

    def __init__(self, session: AsyncSession, configuration: Configuration | None = None) -> None:
        self._session = session
        self._configuration = configuration
        self._settings = configuration.tasks if configuration is not None else USUAL
        self._repository = TaskRepository(session)
        self._clusters = VirtualClusterRepository(session)

    async def list(
        self,
        caller: Caller,
        *,
        kinds: Sequence[str] | None,
        states: Sequence[State] | None,
        everybody: bool,
        virtual_cluster: str | None,
        words: str | None,
        limit: int,
        cursor: str | None,
    ) -> Page[TaskSummary]:
        """One page of tasks. Raises NotAllowed when others' tasks are asked for without the permission."""
        if everybody:
            caller.require(TASKS_READ_ALL)
        found = await self._repository.page(
            caller,
            kinds=kinds,
            states=states,
            everybody=everybody,
            virtual_cluster=virtual_cluster,
            words=words,
            limit=limit + 1,
            after=decode(cursor),
        )
        rows, following = cut(found, limit, lambda row: row.id)
        return Page(items=[views.summary(caller, row) for row in rows], next_cursor=following)

    async def counts(
        self, caller: Caller, *, everybody: bool, virtual_cluster: str | None
    ) -> builtins.list[KindCounts]:
        """How many tasks of each kind are in each state, of those that `list` lists. Raises NotAllowed as it does."""
        if everybody:
            caller.require(TASKS_READ_ALL)
        found = await self._repository.counts(caller, everybody=everybody, virtual_cluster=virtual_cluster)
        return views.counted(found)

    async def row(self, caller: Caller, task_id: str, *, lock: bool = False) -> TaskRow:
        """The row of a task that the caller may know of. Raises NotFound."""
        row = await self._repository.get(caller, task_id, lock=lock)
        if row is None:
            raise NotFound(codes.NoSuchTask(task=task_id[:64]))
        return row

    async def read(self, caller: Caller, task_id: str) -> Task:
        """A task in full."""
        return views.full(caller, await self.row(caller, task_id))

    async def events(self, caller: Caller, task_id: str) -> TaskEvents:
        """Time line and events."""
        row = await self.row(caller, task_id)
        events = [*await self._repository.events(row)]
        return TaskEvents(timeline=views.timeline(events), items=[views.event(item) for item in events])

    async def once(
        self, caller: Caller, key: str | None, request: BaseModel, make: Callable[[], Awaitable[Task]]
    ) -> Task:
        """What `make` gives, once per idempotency key. Raises Conflict for a key of another request."""
        return await idempotency.once(self._session, caller.id, key, request, make, partial(self.read, caller))

    async def submit(
        self, caller: Caller, kind: TaskKind, specification: TaskSpec, *, cluster: VirtualClusterRow, about: About
    ) -> Task:
        """A new task of `kind`, queued. Raises NotAllowed, NotSignedIn, Invalid when it could never start, TooMany."""
        caller.require(kind.permission)
        if (size := specification.text_bytes) > MOST_TEXT_BYTES:
            raise invalid([codes.ProgramTextTooLong(size=size, limit=MOST_TEXT_BYTES).at("")])
        most = self._settings.unfinished_per_user
        if not await self._repository.hold_owner(caller):
            raise NotSignedIn(told.NotSignedIn())  # somebody disabled or deleted the account since the request began
        # From here on nobody edits it or takes the caller out of it; what was drafted may have read it before.
        if await self._clusters.of_member(caller.id, cluster.name, hold=True) is not cluster:
            raise invalid([NotAMember().at("virtual_cluster")])
        if specification.privileged and (why := refusal_in(self._configuration, caller, cluster)) is not None:
            raise invalid([why.at("privileged")])
        if await self._repository.unfinished_of(caller) >= most:
            raise TooMany(codes.TooManyTasks(limit=most), errors=[codes.UnfinishedTasks(limit=most).at("")])
        if wait_s := await self._wait_s(caller):
            told_of = self._pace(wait_s)
            raise TooMany(
                codes.TooManySubmissions(**told_of),
                errors=[codes.RecentSubmissions(**told_of).at("")],
                headers={"Retry-After": str(wait_s)},
            )
        asked = _ask(caller, cluster.name, specification)
        verdict = decide(await snapshot(self._session, cluster, caller.id, self._user_share(cluster)), asked)
        if not isinstance(verdict, Placement) and verdict.mistake is not None:
            raise invalid([verdict.mistake.at("devices")])
        devices = specification.devices
        row = TaskRow(
            id=about.id,
            name=about.name,
            kind=kind.name,
            mode=specification.mode,
            owner_id=caller.id,
            virtual_cluster_id=cluster.id,
            framework=about.label,
            device_type=devices.type,
            devices=devices.count,
            nodes=devices.nodes,
            definition=about.definition,
            specification=specification.kept(),
            secrets=specification.secret_values() or None,
            state=State.QUEUED,
            wanted=Wanted.RUN,
            reason=codes.Submitted().reason().model_dump(),
            attempts=[],
        )
        self._session.add(row)
        await self._session.flush()
        await self._session.refresh(row, ["owner", "virtual_cluster"])
        self._event(row, "state", codes.Created(), state=State.QUEUED, actor=caller.name)
        await record(
            self._session,
            caller,
            "task.create",
            kind="task",
            identifier=row.id,
            name=row.name,
            details={
                "kind": kind.name,
                "virtual_cluster": cluster.name,
                "devices": devices.count * devices.nodes,
                "type": devices.type,
                "image": specification.program.image,
                **({"privileged": True} if specification.privileged else {}),
            },
        )
        await self._changed(row)
        return views.full(caller, row)

    async def _wait_s(self, caller: Caller) -> int:
        """For how many seconds the caller submits nothing: each task is objects of Kubernetes, however short it is."""
        return pace.wait_s(await self._repository.created_before(caller, self._settings.submitted_per_user))

    def _pace(self, wait_s: int) -> dict[str, int]:
        return {"limit": self._settings.submitted_per_user, "minutes": pace.WINDOW_MINUTES, "wait_s": wait_s}

    def _user_share(self, cluster: VirtualClusterRow) -> UserShare | None:
        if self._configuration is None:
            return None
        return UserShare.configured(self._configuration, (quota.device_type for quota in cluster.quotas))

    async def estimate(self, caller: Caller, specification: TaskSpec, *, cluster: VirtualClusterRow) -> Estimate:
        """What it would use, and whether it would start now."""
        now_there = await snapshot(self._session, cluster, caller.id, self._user_share(cluster))
        verdict = decide(now_there, _ask(caller, cluster.name, specification))
        devices = specification.devices
        share = now_there.shares.get((cluster.name, devices.type)) if devices.type is not None else None
        total = share.total if share is not None else 0
        held = sum(count for (_, kind, _), count in now_there.held.items() if kind == devices.type)
        ahead = await self._repository.waiting_before(cluster, devices.type)
        mistake: FieldCode | None = None
        reason: ReasonCode = codes.StartsNow()
        if not isinstance(verdict, Placement):
            mistake, reason = verdict.mistake, verdict.reason
        problems = [mistake.at("devices")] if mistake is not None else []
        most = self._settings.unfinished_per_user
        if await self._repository.unfinished_of(caller) >= most:
            problems.append(codes.UnfinishedTasks(limit=most).at(""))
            reason = reason if mistake is not None else codes.TooManyUnfinished(limit=most)
        elif wait_s := await self._wait_s(caller):
            problems.append(codes.RecentSubmissions(**self._pace(wait_s)).at(""))
            reason = reason if mistake is not None else codes.SubmittedTooFast(**self._pace(wait_s))
        return Estimate(
            allowed=not problems,
            problems=problems,
            uses=Uses(
                nodes=devices.nodes,
                devices=devices.count * devices.nodes,
                device_type=devices.type,
                limits_per_node=_resources(specification.limits),
                requests_per_node=_resources(specification.requests),
            ),
            starts="never" if problems else "now" if isinstance(verdict, Placement) else "waits",
            reason=reason.reason(),
            free=max(0, total - held),
            total=total,
            ahead=ahead,
        )

    async def stop(self, caller: Caller, task_id: str, if_match: str | None) -> Task:
        """Ask for a stop; asking again changes nothing. Raises NotAllowed, Conflict when it has ended."""
        row = await self.row(caller, task_id, lock=True)
        if not policy.stops(caller, row):
            raise NotAllowed(codes.NotYoursToStop())
        if Wanted(row.wanted) is Wanted.STOP:
            return views.full(caller, row)
        expect(row, if_match)
        if not may_stop(State(row.state), Wanted(row.wanted)):
            raise Conflict(codes.AlreadyEnded())
        await self._stop(caller, row, codes.StoppedByUser(user=caller.name))
        return views.full(caller, row)

    async def stop_all_of(self, actor: Actor, owner_id: str) -> int:
        """Ask for a stop of all that a user has; who calls this has judged that `actor` may. How many there were."""
        rows = await self._repository.unfinished_rows_of([owner_id])
        return await self._stop_each(actor, rows, codes.StoppedByUser(user=actor.name))

    async def stop_all_in(self, actor: Actor, cluster_id: str, owner_ids: Collection[str]) -> int:
        """The same, of all that users have in a virtual cluster which `actor` has taken them out of."""
        rows = await self._repository.unfinished_rows_of(owner_ids, cluster_id=cluster_id)
        return await self._stop_each(actor, rows, codes.MembershipEndedBy(user=actor.name))

    async def _stop_each(self, actor: Actor, rows: Sequence[TaskRow], why: ReasonCode) -> int:
        found = [row for row in rows if may_stop(State(row.state), Wanted(row.wanted))]
        for row in found:
            await self._stop(actor, row, why)
        return len(found)

    async def unfinished_of_each(self, owner_ids: Collection[str]) -> dict[str, int]:
        """How many tasks of each of these users have not ended."""
        return await self._repository.unfinished_of_each(owner_ids)

    async def _stop(self, actor: Actor, row: TaskRow, why: ReasonCode) -> None:
        row.wanted = Wanted.STOP
        row.stop_reason = why.reason().model_dump()
        self._event(row, "request", codes.StopRequested(), actor=actor.name)
        await record(self._session, actor, "task.stop", kind="task", identifier=row.id, name=row.name)
        await self._changed(row)

    async def delete(self, caller: Caller, task_id: str, if_match: str | None) -> None:
        """Take an ended task off the lists. Raises NotAllowed, Conflict."""
        row = await self.row(caller, task_id, lock=True)
        if not policy.deletes(caller, row):
            raise NotAllowed(codes.NotYoursToRemove())
        expect(row, if_match)
        if State(row.state) not in ENDED:
            raise Conflict(codes.NotEnded())
        row.deleted_at = now()
        await record(self._session, caller, "task.delete", kind="task", identifier=row.id, name=row.name)
        await self._session.flush()
        await tell(self._session, row)

    async def cluster(self, caller: Caller, name: str) -> VirtualClusterRow | None:
        """The virtual cluster of that name, None when the caller is no member of it."""
        return await self._clusters.of_member(caller.id, name)

    def _event(
        self, row: TaskRow, kind: str, told: ReasonCode, *, state: State | None = None, actor: str | None = None
    ) -> None:
        reason = told.reason().model_dump()
        self._session.add(EventRow(task_id=row.id, kind=kind, state=state, reason=reason, actor=actor))

    async def _changed(self, row: TaskRow) -> None:
        """Wake `jobs` and everybody who looks on."""
        row.due_at = now()
        await self._session.flush()
        await tell(self._session, row)
        await notify(self._session, DUE, row.id)


def _ask(caller: Caller, cluster: str, specification: TaskSpec) -> Ask:
    return Ask(
        virtual_cluster=cluster,
        user=caller.id,
        device_type=specification.devices.type,
        devices=specification.devices.count,
        nodes=specification.devices.nodes,
        cpu_cores=quantities.parse(specification.requests.cpu),
        memory_bytes=Decimal(quantities.parse(specification.requests.memory)),
        arch=specification.devices.architecture,
        group=specification.devices.group,
    )


def _resources(amounts: Amounts) -> Resources:
    return Resources(cpu=amounts.cpu, memory=amounts.memory)


def refused(problems: Sequence[FieldError]) -> Estimate:
    """The estimate of what cannot even be built."""
    return Estimate(
        allowed=False,
        problems=list(problems),
        uses=None,
        starts="never",
        reason=codes.HasMistakes().reason(),
        free=0,
        total=0,
        ahead=0,
    )


def invalid(problems: Sequence[FieldError]) -> Invalid:
    """What a builder found, as the answer to its caller."""
    return Invalid(told.InvalidRequest(), errors=list(problems))
