"""Every query about tasks. Those for callers are scoped: a foreign task is not there."""

from collections.abc import Collection, Sequence
from datetime import datetime

from sqlalchemy import Boolean, ColumnElement, delete, exists, func, or_, select, true, update
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.database.notifications import DUE, notify
from atoll.identity.caller import Caller
from atoll.identity.models import UserRow
from atoll.tasks.life_cycle import ENDED, HOLDS_DEVICES, NOT_BEGUN, WAITING, State, Wanted
from atoll.tasks.models import AttemptRow, EventRow, ReplicaRow, TaskRow
from atoll.tasks.policy import reads_all
from atoll.virtual_clusters.members.repository import members
from atoll.virtual_clusters.models import VirtualClusterRow


def visible(caller: Caller) -> ColumnElement[bool]:
    """Rows that the caller may know of."""
    own = true() if reads_all(caller) else TaskRow.owner_id == caller.id
    return own & TaskRow.deleted_at.is_(None)


def of_attempts(attempts: Collection[str]) -> ColumnElement[bool]:
    """The tasks of these attempts, whoever owns them."""
    return TaskRow.id.in_(select(AttemptRow.task_id).where(AttemptRow.id.in_(attempts)))


def _holds_devices() -> ColumnElement[bool]:
    """Tasks that have their devices: not those that waited for them when they were told to stop."""
    return TaskRow.state.in_(HOLDS_DEVICES) & ((TaskRow.state != State.STOPPING) | TaskRow.admitted)


def _privileged() -> ColumnElement[bool]:
    found: ColumnElement[bool] = TaskRow.specification["privileged"].as_boolean().is_(True)
    return found


def _unfinished() -> ColumnElement[bool]:
    """Tasks that have not ended, found by their index."""
    return TaskRow.finished_at.is_(None) & TaskRow.state.not_in(ENDED)


class TaskRepository:
    """Tasks and their events."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def get(self, caller: Caller, task_id: str, *, lock: bool = False) -> TaskRow | None:
        """A task that the caller may know of."""
        query = select(TaskRow).where(TaskRow.id == task_id, visible(caller))
        if lock:
            query = query.with_for_update(of=TaskRow)
        found: TaskRow | None = await self._session.scalar(query)
        return found

    async def of_anybody(self, task_id: str) -> TaskRow | None:
        """A task, whoever owns it and also when it was removed: the caller of this has to judge who is told."""
        return await self._session.get(TaskRow, task_id)

    async def page(
        self,
        caller: Caller,
        *,
        kinds: Sequence[str] | None,
        states: Sequence[State] | None,
        everybody: bool,
        virtual_cluster: str | None,
        words: str | None,
        limit: int,
        after: str | None,
    ) -> Sequence[TaskRow]:
        """Tasks, newest first."""
        query = select(TaskRow).where(visible(caller)).order_by(TaskRow.id.desc()).limit(limit)
        if not everybody:
            query = query.where(TaskRow.owner_id == caller.id)
        if kinds:
            query = query.where(TaskRow.kind.in_(kinds))
        if states:
            query = query.where(TaskRow.state.in_(states))
        if virtual_cluster is not None:
            query = query.join(TaskRow.virtual_cluster).where(VirtualClusterRow.name == virtual_cluster)
        if words:
            found = [
                or_(
                    TaskRow.name.icontains(word, autoescape=True),
                    TaskRow.definition["description"].astext.icontains(word, autoescape=True),
                )
                for word in words.split()
            ]
            query = query.where(*found)
        if after is not None:
            query = query.where(TaskRow.id < after)
        return (await self._session.scalars(query)).all()

    async def counts(
        self, caller: Caller, *, everybody: bool = False, virtual_cluster: str | None = None
    ) -> Sequence[tuple[str, str, int]]:
        """Number of tasks per kind and state, of those that `page` lists; one statement, answered by an index alone."""
        query = select(TaskRow.kind, TaskRow.state, func.count()).where(visible(caller))
        if not everybody:
            query = query.where(TaskRow.owner_id == caller.id)
        if virtual_cluster is not None:
            named = select(VirtualClusterRow.id).where(VirtualClusterRow.name == virtual_cluster)
            query = query.where(TaskRow.virtual_cluster_id.in_(named))
        query = query.group_by(TaskRow.kind, TaskRow.state).order_by(TaskRow.kind, TaskRow.state)
        return [(row[0], row[1], row[2]) for row in (await self._session.execute(query)).all()]

    async def hold_owner(self, caller: Caller) -> bool:
        """Whether the caller's account is active: until this transaction ends nobody disables or deletes it.

        Nor does another request hold it so: of several at once none passes by what another one counts.
        """
        own = select(UserRow.id).where(UserRow.id == caller.id, UserRow.active)
        return await self._session.scalar(own.with_for_update(key_share=True)) is not None

    async def unfinished_of(self, caller: Caller) -> int:
        """Number of the caller's own tasks that have not ended."""
        query = select(func.count()).select_from(TaskRow)
        query = query.where(TaskRow.owner_id == caller.id, TaskRow.state.not_in(ENDED))
        return await self._session.scalar(query) or 0

    async def created_before(self, caller: Caller, count: int) -> datetime | None:
        """When the `count`-th newest of the caller's own tasks was made, also removed ones; None: there are less."""
        query = select(TaskRow.created_at).where(TaskRow.owner_id == caller.id).order_by(TaskRow.id.desc())
        found: datetime | None = await self._session.scalar(query.offset(count - 1).limit(1))
        return found

    async def unfinished_rows_of(
        self, owner_ids: Collection[str], *, cluster_id: str | None = None
    ) -> Sequence[TaskRow]:
        """All tasks of users that have not ended (those in one virtual cluster), locked; only for who may stop them."""
        query = (
            select(TaskRow)
            .where(TaskRow.owner_id.in_(owner_ids), TaskRow.state.not_in(ENDED))
            .order_by(TaskRow.id)
            .with_for_update(of=TaskRow)
        )
        if cluster_id is not None:
            query = query.where(TaskRow.virtual_cluster_id == cluster_id)
        return (await self._session.scalars(query)).all()

    async def unfinished_in(self, cluster_id: str) -> dict[str, int]:
        """Number of tasks in a virtual cluster that have not ended, per owner; only for who manages it."""
        query = (
            select(TaskRow.owner_id, func.count())
            .where(TaskRow.virtual_cluster_id == cluster_id, _unfinished())
            .group_by(TaskRow.owner_id)
        )
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def unfinished_of_each(self, owner_ids: Collection[str]) -> dict[str, int]:
        """Number of tasks of each user that have not ended; only for holders of users:read."""
        query = (
            select(TaskRow.owner_id, func.count())
            .where(TaskRow.owner_id.in_(owner_ids), TaskRow.state.not_in(ENDED))
            .group_by(TaskRow.owner_id)
        )
        return {row[0]: row[1] for row in await self._session.execute(query)}

    async def wake_waiting_in(self, cluster_id: str) -> None:
        """What waits in a virtual cluster is looked at now; for `jobs`, which has just prepared it."""
        await self._wake(TaskRow.virtual_cluster_id == cluster_id)

    async def wake_strangers(self) -> None:
        """The same of what waits and may no longer (`reconcile` ends it); for `jobs`.

        Where its owner is no member any more, and what is privileged whose owner may not have that any more.
        """
        found = members(also_disabled=True)
        of_member = exists().where(
            found.c.virtual_cluster_id == TaskRow.virtual_cluster_id, found.c.user_id == TaskRow.owner_id
        )
        await self._wake(~of_member)
        await self._wake(_privileged() & ~func.may_be_root(TaskRow.id, type_=Boolean))

    async def may_be_root(self, task_id: str) -> bool:
        """Whether the owner of a task holds what privileged jobs take, at this moment; for `jobs`."""
        return bool(await self._session.scalar(select(func.may_be_root(task_id, type_=Boolean))))

    async def _wake(self, which: ColumnElement[bool]) -> None:
        waits = TaskRow.state.in_(NOT_BEGUN) & (TaskRow.wanted != Wanted.STOP) & _unfinished()
        # Locked in the order in which others lock several: of two neither waits for the other.
        ids = select(TaskRow.id).where(which, waits).order_by(TaskRow.id).with_for_update(of=TaskRow)
        woken = update(TaskRow).where(TaskRow.id.in_(ids)).values(due_at=func.clock_timestamp()).returning(TaskRow.id)
        if (await self._session.execute(woken.execution_options(synchronize_session=False))).first() is not None:
            await notify(self._session, DUE, "tasks")

    async def owners_in_each(self, cluster_id: str | None = None) -> Sequence[tuple[str, str, int]]:
        """Virtual cluster (all, or one), name and uid of everybody whose tasks there have not ended; for `jobs`."""
        query = (
            select(TaskRow.virtual_cluster_id, UserRow.name, UserRow.uid)
            .join(UserRow, UserRow.id == TaskRow.owner_id)
            .where(_unfinished())
            .distinct()
        )
        if cluster_id is not None:
            query = query.where(TaskRow.virtual_cluster_id == cluster_id)
        return [(row[0], row[1], row[2]) for row in await self._session.execute(query)]

    async def count_in(self, states: frozenset[State]) -> int:
        """Number of tasks of all users in `states`; only for holders of tasks:read_all."""
        query = select(func.count()).select_from(TaskRow).where(TaskRow.state.in_(states))
        return await self._session.scalar(query) or 0

    async def held(self) -> dict[tuple[str, str, str], int]:
        """Devices of all users that are held now, per virtual cluster, device type and user."""
        query = (
            select(
                TaskRow.virtual_cluster_id,
                TaskRow.device_type,
                TaskRow.owner_id,
                func.sum(TaskRow.devices * TaskRow.nodes),
            )
            .where(_holds_devices())
            .group_by(TaskRow.virtual_cluster_id, TaskRow.device_type, TaskRow.owner_id)
        )
        rows = (await self._session.execute(query)).all()
        return {(row[0], row[1], row[2]): int(row[3]) for row in rows if row[1] is not None}

    async def reserved_by(self, user_id: str, cluster_id: str) -> Sequence[tuple[dict[str, str], int]]:
        """What each replica of the user's tasks that run there requests, and how many there are."""
        query = select(TaskRow.specification["requests"], TaskRow.nodes).where(
            TaskRow.owner_id == user_id,
            TaskRow.virtual_cluster_id == cluster_id,
            _holds_devices(),
        )
        return [(row[0], row[1]) for row in (await self._session.execute(query)).all()]

    async def unfinished_in_each(self) -> Sequence[tuple[str, bool, int]]:
        """Number of tasks of all users per virtual cluster, those with devices apart; ended ones left out."""
        query = (
            select(TaskRow.virtual_cluster_id, _holds_devices().label("held"), func.count())
            .where(TaskRow.state.in_(HOLDS_DEVICES | WAITING))
            .group_by(TaskRow.virtual_cluster_id, "held")
        )
        return [(row[0], row[1], int(row[2])) for row in (await self._session.execute(query)).all()]

    async def waiting_before(self, cluster: VirtualClusterRow, device_type: str | None) -> int:
        """Number of tasks that wait in a virtual cluster for the same devices."""
        query = (
            select(func.count())
            .select_from(TaskRow)
            .where(
                TaskRow.virtual_cluster_id == cluster.id,
                TaskRow.device_type == device_type,
                TaskRow.state == State.QUEUED,
            )
        )
        return await self._session.scalar(query) or 0

    async def events(self, task: TaskRow) -> Sequence[EventRow]:
        """All events of a task, oldest first."""
        query = select(EventRow).where(EventRow.task_id == task.id).order_by(EventRow.id)
        return (await self._session.scalars(query)).all()

    async def forget_removed(self, before: datetime, most: int) -> int:
        """Forget tasks that were removed before then. Gives how many were there, at most `most`."""
        return await self._forget(TaskRow.deleted_at < before, most)

    async def forget_too_many(self, kept: int, before: datetime, most: int) -> int:
        """Forget what ended before then beyond `kept` ended ones of its owner. Gives how many, at most `most`."""
        crowded = select(TaskRow.owner_id).group_by(TaskRow.owner_id).having(func.count() > kept)
        of_owner = func.row_number().over(
            partition_by=TaskRow.owner_id, order_by=(TaskRow.deleted_at.is_not(None), TaskRow.finished_at.desc())
        )
        ended = (
            select(TaskRow.id, TaskRow.finished_at, of_owner.label("place"))
            .where(TaskRow.owner_id.in_(crowded), TaskRow.state.in_(ENDED))
            .subquery()
        )
        too_many = select(ended.c.id).where(ended.c.place > kept, ended.c.finished_at < before)
        return await self._forget(TaskRow.id.in_(too_many), most)

    async def _forget(self, which: ColumnElement[bool], most: int) -> int:
        """With all that hangs on them; those that have not ended or are still worked on stay."""
        done_with = select(TaskRow.id).where(
            which, TaskRow.state.in_(ENDED), TaskRow.due_at.is_(None), TaskRow.lock_owner.is_(None)
        )
        gone = await self._session.scalars(
            delete(TaskRow)
            .where(TaskRow.id.in_(done_with.limit(most).with_for_update(skip_locked=True)))
            .returning(TaskRow.id)
            .execution_options(synchronize_session=False)
        )
        return len(gone.all())

    async def holders(self) -> dict[tuple[str, str], list[tuple[TaskRow, list[int] | None]]]:
        """Who holds devices, per node and device type; for the page of machines."""
        query = (
            select(TaskRow, ReplicaRow)
            .join(AttemptRow, AttemptRow.task_id == TaskRow.id)
            .join(ReplicaRow, ReplicaRow.attempt_id == AttemptRow.id)
            .where(
                _holds_devices(),
                TaskRow.devices > 0,
                AttemptRow.finished_at.is_(None),
                ReplicaRow.node.is_not(None),
                ReplicaRow.state.in_(("starting", "running")),
            )
            .order_by(TaskRow.id)
        )
        holders: dict[tuple[str, str], list[tuple[TaskRow, list[int] | None]]] = {}
        for task, replica in (await self._session.execute(query)).all():
            holders.setdefault((str(replica.node), str(task.device_type)), []).append((task, replica.devices))
        return holders
