"""Rules of tasks as callers meet them; what happens to a task afterwards is `jobs`."""

import hashlib
from collections.abc import Sequence
from decimal import Decimal

from sqlalchemy.ext.asyncio import AsyncSession

from atoll import quantities
from atoll.audit_trail.record import record
from atoll.configuration import Configuration
from atoll.control.client import ControlClient
from atoll.database.base import now
from atoll.database.identifiers import new_id
from atoll.database.notifications import DUE, TASKS, notify
from atoll.engines.admission import Ask, Placement, decide
from atoll.homes.places import home_as_seen
from atoll.identity.caller import Caller
from atoll.images.service import ImageService, Own
from atoll.tasks import policy, views
from atoll.tasks.definition import Drafted, draft
from atoll.tasks.life_cycle import ENDED, Kind, Mode, State, Wanted, may_stop
from atoll.tasks.models import EventRow, TaskRow
from atoll.tasks.policy import TASKS_READ_ALL
from atoll.tasks.repository import TaskRepository
from atoll.tasks.schemas import Definition, Estimate, Task, TaskCreate, TaskEvents, TaskSummary, Uses
from atoll.tasks.snapshot import snapshot
from atoll.virtual_clusters.models import VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.web.errors import Changed, Conflict, Invalid, NotAllowed, NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import FieldError, Page, Reason


class TaskService:
    """What people do with tasks."""

    def __init__(
        self, session: AsyncSession, configuration: Configuration, control: ControlClient | None = None
    ) -> None:
        self._session = session
        self._images = ImageService(configuration, control)
        self._repository = TaskRepository(session)
        self._configuration = configuration

    async def list(
        self,
        caller: Caller,
        *,
        kinds: Sequence[Kind] | None,
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

    async def row(self, caller: Caller, task_id: str, *, lock: bool = False) -> TaskRow:
        """The row of a task that the caller may know of. Raises NotFound."""
        row = await self._repository.get(caller, task_id, lock=lock)
        if row is None:
            raise NotFound(f"There is no task `{task_id[:64]}` that you may see.", code="no_such_task")
        return row

    async def read(self, caller: Caller, task_id: str) -> Task:
        """A task in full."""
        return views.full(caller, await self.row(caller, task_id))

    async def events(self, caller: Caller, task_id: str) -> TaskEvents:
        """Time line and events."""
        row = await self.row(caller, task_id)
        events = [*await self._repository.events(row)]
        return TaskEvents(timeline=views.timeline(events), items=[views.event(item) for item in events])

    async def create(self, caller: Caller, body: TaskCreate, key: str | None) -> Task:
        """A new task, queued. Raises Invalid with every mistake, Conflict for a key that was used for another."""
        own = await self._own(body)
        if key is not None:
            digest = hashlib.sha256(body.model_dump_json().encode()).hexdigest()
            earlier = await self._repository.claim_key(caller, key, digest)
            if earlier is not None:
                if earlier.request_hash != digest or earlier.object_id is None:
                    raise Conflict(
                        "This idempotency key was used for another request.",
                        code="idempotency_key_reused",
                        remedy="Use a new key for a new request.",
                    )
                return await self.read(caller, earlier.object_id)
        task_id = new_id()
        cluster = await self._cluster(caller, body.virtual_cluster)
        drafted = self._draft(caller, body, cluster, task_id, own)
        if drafted.definition is None or cluster is None:
            raise _invalid(drafted.problems)
        definition = drafted.definition
        verdict = decide(await snapshot(self._session, cluster), _ask(caller, body.virtual_cluster, definition))
        if not isinstance(verdict, Placement) and verdict.forever:
            raise _invalid(
                [FieldError(field="devices", code=verdict.code, message=verdict.message, params=dict(verdict.params))]
            )
        row = TaskRow(
            id=task_id,
            name=body.name,
            kind=Kind.TRAINING,
            mode=Mode.BATCH,
            owner_id=caller.id,
            virtual_cluster_id=cluster.id,
            framework=drafted.label,
            device_type=definition.device_type,
            devices=definition.devices,
            nodes=definition.nodes,
            definition=definition.model_dump(mode="json"),
            state=State.QUEUED,
            wanted=Wanted.RUN,
            reason=Reason(code="submitted", message="It was handed to the queue.").model_dump(),
            attempts=[],
        )
        self._session.add(row)
        await self._session.flush()
        await self._session.refresh(row, ["owner", "virtual_cluster"])
        self._event(row, "state", "created", f"Created by {caller.name}.", state=State.QUEUED, actor=caller.name)
        record(
            self._session,
            caller,
            "task.create",
            kind="task",
            identifier=row.id,
            name=row.name,
            details={
                "virtual_cluster": cluster.name,
                "devices": row.devices * row.nodes,
                "type": row.device_type,
                "image": definition.image,
            },
        )
        if key is not None:
            await self._repository.answer_key(caller, key, row.id)
        await self._changed(row)
        return views.full(caller, row)

    async def estimate(self, caller: Caller, body: TaskCreate) -> Estimate:
        """What it would use, and whether it would start now."""
        own = await self._own(body)
        cluster = await self._cluster(caller, body.virtual_cluster)
        drafted = self._draft(caller, body, cluster, new_id(), own)
        definition = drafted.definition
        if definition is None or cluster is None:
            first = drafted.problems[0]
            return Estimate(
                allowed=False,
                problems=drafted.problems,
                uses=None,
                starts="never",
                reason=Reason(code=first.code, message=first.message, params=first.params),
                free=0,
                total=0,
                ahead=0,
            )
        now_there = await snapshot(self._session, cluster)
        verdict = decide(now_there, _ask(caller, cluster.name, definition))
        share = now_there.shares[(cluster.name, definition.device_type)]
        held = sum(count for (_, kind, _), count in now_there.held.items() if kind == definition.device_type)
        ahead = await self._repository.waiting_before(cluster, definition.device_type)
        never = not isinstance(verdict, Placement) and verdict.forever
        reason = (
            Reason(code="starts_now", message="Everything it needs is free.")
            if isinstance(verdict, Placement)
            else Reason(code=verdict.code, message=verdict.message, params=dict(verdict.params))
        )
        return Estimate(
            allowed=not never,
            problems=[FieldError(field="devices", code=reason.code, message=reason.message, params=reason.params)]
            if never
            else [],
            uses=Uses(
                nodes=definition.nodes,
                devices=definition.devices * definition.nodes,
                device_type=definition.device_type,
                limits_per_node=definition.limits,
                requests_per_node=definition.requests,
            ),
            starts="now" if isinstance(verdict, Placement) else "never" if never else "waits",
            reason=reason,
            free=max(0, share.total - held),
            total=share.total,
            ahead=ahead,
        )

    async def stop(self, caller: Caller, task_id: str, if_match: str | None) -> Task:
        """Ask for a stop; asking again changes nothing. Raises NotAllowed, Conflict when it has ended."""
        row = await self.row(caller, task_id, lock=True)
        if not policy.stops(caller, row):
            raise NotAllowed("Only its owner or an administrator stops a task.")
        if Wanted(row.wanted) is Wanted.STOP:
            return views.full(caller, row)
        _match(row, if_match)
        if not may_stop(State(row.state), Wanted(row.wanted)):
            raise Conflict(f"The task has already ended ({row.state}).", code="already_ended")
        row.wanted = Wanted.STOP
        message = f"Stopped by {caller.name}."
        row.stop_reason = Reason(code="stopped_by_user", message=message, params={"user": caller.name}).model_dump()
        self._event(row, "request", "stop_requested", message, actor=caller.name)
        record(self._session, caller, "task.stop", kind="task", identifier=row.id, name=row.name)
        await self._changed(row)
        return views.full(caller, row)

    async def delete(self, caller: Caller, task_id: str, if_match: str | None) -> None:
        """Take an ended task off the lists. Raises NotAllowed, Conflict."""
        row = await self.row(caller, task_id, lock=True)
        if not policy.deletes(caller, row):
            raise NotAllowed("Only its owner removes a task.")
        _match(row, if_match)
        if State(row.state) not in ENDED:
            raise Conflict("The task has not ended.", code="not_ended", remedy="Stop it first.")
        row.deleted_at = now()
        record(self._session, caller, "task.delete", kind="task", identifier=row.id, name=row.name)
        await self._session.flush()
        await notify(self._session, TASKS, row.id)

    async def _cluster(self, caller: Caller, name: str) -> VirtualClusterRow | None:
        clusters = await VirtualClusterRepository(self._session).visible(caller.id)
        return next((cluster for cluster in clusters if cluster.name == name), None)

    async def _own(self, body: TaskCreate) -> Own | None:
        """The image that `body` brings. Before the first query: no connection waits for a registry that is slow."""
        return None if body.image is None else await self._images.find(body.image)

    def _draft(
        self, caller: Caller, body: TaskCreate, cluster: VirtualClusterRow | None, task_id: str, own: Own | None
    ) -> Drafted:
        home = home_as_seen(self._configuration, caller.name)
        return draft(self._configuration, caller, body, cluster, home=home, task_id=task_id, own=own)

    def _event(
        self, row: TaskRow, kind: str, code: str, message: str, *, state: State | None = None, actor: str | None = None
    ) -> None:
        reason = Reason(code=code, message=message).model_dump()
        self._session.add(EventRow(task_id=row.id, kind=kind, state=state, reason=reason, actor=actor))

    async def _changed(self, row: TaskRow) -> None:
        """Wake `jobs` and everybody who looks on."""
        row.due_at = now()
        await self._session.flush()
        await notify(self._session, TASKS, row.id)
        await notify(self._session, DUE, row.id)


def _ask(caller: Caller, cluster: str, definition: Definition) -> Ask:
    return Ask(
        virtual_cluster=cluster,
        user=caller.id,
        device_type=definition.device_type,
        devices=definition.devices,
        nodes=definition.nodes,
        cpu_cores=quantities.parse(definition.requests.cpu),
        memory_bytes=Decimal(quantities.parse(definition.requests.memory)),
    )


def _invalid(problems: "list[FieldError]") -> Invalid:
    detail = " ".join(problem.message for problem in problems)
    return Invalid(detail, code=problems[0].code if len(problems) == 1 else "invalid_request", errors=problems)


def _match(row: TaskRow, if_match: str | None) -> None:
    if if_match is not None and if_match.strip('W/" ') not in ("*", str(row.version)):
        raise Changed("The task changed since you read it.", remedy="Read it again.")
