"""What administrators do to virtual clusters; the routes let only holders of virtual_clusters:manage in.

Each edit locks the row first: from then on nobody begins a task there (`VirtualClusterRepository.of_member`), so that
what is counted stays so.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.audit_trail.bounds import MOST_NAMED, named
from atoll.audit_trail.record import record
from atoll.configuration import Configuration
from atoll.identity.caller import Caller
from atoll.identity.codes import NameTakenField
from atoll.networks import Opening, closed
from atoll.virtual_clusters import codes
from atoll.virtual_clusters.capacity import capacity
from atoll.virtual_clusters.changes import MOST_HOURS, Quota, Terms, confines, edited, only_grows
from atoll.virtual_clusters.egress import mistakes_of, openings
from atoll.virtual_clusters.members.repository import MemberRepository
from atoll.virtual_clusters.models import PodSecurity, QuotaRow, Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import (
    DeviceCapacity,
    OpenNetwork,
    VirtualCluster,
    VirtualClusterCreate,
    VirtualClusterEdit,
)
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.virtual_clusters.usage import ClusterTasks, UsageReader
from atoll.web import told
from atoll.web.conditional import expect
from atoll.web.errors import Conflict, Invalid, NotFound
from atoll.web.schema import FieldError

RESERVED = "-root"  # its namespace would be the one of another's tasks with more rights

_ALL = 1 << 20  # more members than any virtual cluster has


class VirtualClusterManagement:
    """Made, edited, extended, deleted."""

    def __init__(
        self, session: AsyncSession, configuration: Configuration, reader: UsageReader, tasks: ClusterTasks
    ) -> None:
        self._session = session
        self._configuration = configuration
        self._reader = reader
        self._tasks = tasks
        self._repository = VirtualClusterRepository(session)
        self._clusters = VirtualClusterService(session)

    async def capacity(self) -> list[DeviceCapacity]:
        """What there is of each device type, and what is granted of it."""
        known = [device.type for device in self._configuration.devices]
        return capacity(known, await self._reader.detected(self._session), await self._repository.given())

    async def create(self, caller: Caller, body: VirtualClusterCreate) -> VirtualCluster:
        """A new one, without members. Raises Invalid with every mistake, Conflict for a name that is taken."""
        egress = openings(body.egress)
        wanted = edited(
            Terms(), body.devices, body.max_devices_per_user, body.max_hours, body.borrows, body.pod_security, egress
        )
        mistakes = self._mistakes(wanted, body.max_devices_per_user, borrows=body.borrows)
        mistakes += await self._network_mistakes(body.egress)
        if body.pod_security is PodSecurity.BASELINE:
            mistakes += self._privileged_mistakes()
        if body.name.endswith(RESERVED):
            mistakes.insert(0, codes.ReservedName().at("name"))
        if mistakes:
            raise Invalid(told.InvalidRequest(), errors=mistakes)
        if (other := await self._repository.by_name(body.name)) is not None:
            raise _taken(body.name, being_deleted=other.standing == Standing.DELETING)
        row = VirtualClusterRow(
            name=body.name,
            max_hours=wanted.max_hours,
            borrows=wanted.borrows,
            pod_security=wanted.pod_security,
            egress=_egress(wanted),
            quotas=_rows(wanted),
        )
        try:
            await self._repository.add(row)
        except IntegrityError as error:  # somebody else made it in the same moment
            raise _taken(body.name) from error
        await self._changed(caller, "virtual_cluster.create", row, **_told(wanted))
        return await self._shown(caller, row)

    async def edit(
        self, caller: Caller, cluster_id: str, body: VirtualClusterEdit, if_match: str | None
    ) -> VirtualCluster:
        """Other terms; less than before only while no task is in it, but for networks, which are closed at any time.

        Raises NotFound, Changed, Invalid, Conflict.
        """
        row = await self._row(cluster_id, if_match)
        before = _terms(row)
        hours = body.max_hours if "max_hours" in body.model_fields_set else before.max_hours
        egress = None if body.egress is None else openings(body.egress)
        after = edited(before, body.devices, body.max_devices_per_user, hours, body.borrows, body.pod_security, egress)
        mistakes = self._mistakes(after, body.max_devices_per_user or {}, before.quotas, borrows=body.borrows)
        if after.egress != before.egress:
            mistakes += await self._network_mistakes(body.egress or [])
        if after.pod_security != before.pod_security and after.pod_security is PodSecurity.BASELINE:
            mistakes += self._privileged_mistakes()
        if mistakes:
            raise Invalid(told.InvalidRequest(), errors=mistakes)
        if after != before:
            await self._take(caller, "virtual_cluster.edit", row, before, after)
        return await self._shown(caller, row)

    async def extend(self, caller: Caller, cluster_id: str, hours: int, if_match: str | None) -> VirtualCluster:
        """More hours for its tasks, those that run included. Raises NotFound, Changed, Invalid, Conflict."""
        row = await self._row(cluster_id, if_match)
        before = _terms(row)
        if before.max_hours is None:
            raise Conflict(codes.NothingToExtend(name=row.name))
        if before.max_hours + hours > MOST_HOURS:
            raise Invalid(told.InvalidRequest(), errors=[codes.TooManyHours(most=MOST_HOURS).at("hours")])
        after = replace(before, max_hours=before.max_hours + hours)
        await self._take(caller, "virtual_cluster.extend", row, before, after)
        return await self._shown(caller, row)

    async def delete(self, caller: Caller, cluster_id: str, if_match: str | None) -> VirtualCluster:
        """Nobody's from now on; `jobs` removes it from the engine, and then it is gone. Asking again changes nothing.

        Raises NotFound, Changed, Conflict while tasks are in it.
        """
        row = await self._locked(cluster_id)
        if row.standing != Standing.DELETING:
            expect(row, if_match)
            await self._refuse_in_use(row)
            lost = await self._members(row.id)
            row.standing, row.version = Standing.DELETING, row.version + 1
            await self._repository.remove_users(row.id, None)
            await MemberRepository(self._session).remove_groups(row.id, None)
            await self._changed(caller, "virtual_cluster.delete", row, **_told(_terms(row)), **lost)
        return await self._shown(caller, row)

    async def _members(self, cluster_id: str) -> dict[str, list[str]]:
        """Who is in it, by groups and themselves, and which groups are."""
        members = MemberRepository(self._session)
        user_ids = await members.users(cluster_id, None, _ALL, None)
        users, _ = await members.names(user_ids[:MOST_NAMED], ())
        groups = await members.groups(cluster_id, None, _ALL, None)
        return {
            "users": named(sorted(users.values()), len(user_ids)),
            "groups": named([group.name for group in groups], len(groups)),
        }

    async def _take(self, caller: Caller, action: str, row: VirtualClusterRow, before: Terms, after: Terms) -> None:
        grows = only_grows(before, after)
        if not grows:
            await self._refuse_in_use(row)
        if not grows or confines(before, after):
            row.standing = Standing.PREPARING  # the engine still grants what it granted
        row.max_hours, row.borrows, row.version = after.max_hours, after.borrows, row.version + 1
        row.pod_security, row.egress = after.pod_security, _egress(after)
        kept = {quota.device_type: quota for quota in row.quotas}
        for name, quota in after.quotas.items():
            if (found := kept.pop(name, None)) is None:
                row.quotas.append(_row(name, quota))
            else:
                found.count, found.max_per_user = quota.count, quota.max_per_user
        for gone in kept.values():
            row.quotas.remove(gone)
        await self._changed(caller, action, row, before=_told(before), **_told(after))

    async def _refuse_in_use(self, row: VirtualClusterRow) -> None:
        if tasks := sum((await self._tasks.of_each(self._session, row.id)).values()):
            raise Conflict(codes.VirtualClusterInUse(name=row.name, tasks=tasks))

    async def _row(self, cluster_id: str, if_match: str | None) -> VirtualClusterRow:
        row = await self._locked(cluster_id)
        if row.standing == Standing.DELETING:
            raise Conflict(codes.VirtualClusterBeingDeleted(name=row.name))
        expect(row, if_match)
        return row

    async def _locked(self, cluster_id: str) -> VirtualClusterRow:
        row = await self._repository.get(None, cluster_id, lock=True)
        if row is None:
            raise NotFound(codes.NoSuchVirtualCluster(name=cluster_id[:64]))
        return row

    def _mistakes(
        self, terms: Terms, most: Mapping[str, int], had: Collection[str] = (), *, borrows: bool | None
    ) -> list[FieldError]:
        """What cannot be. A type that it had and nobody knows any more may stay; so may what it `borrows` already."""
        known = {device.type for device in self._configuration.devices} | {*had}
        strange = codes.UnknownDeviceType(known=tuple(sorted(known)))
        return [
            *(strange.at(f"devices.{name}") for name in terms.quotas if name not in known),
            *(codes.NotAmongDevices().at(f"max_devices_per_user.{name}") for name in most if name not in terms.quotas),
            *(
                codes.MoreThanDevices(count=quota.count).at(f"max_devices_per_user.{name}")
                for name, quota in terms.quotas.items()
                if quota.max_per_user > quota.count
            ),
            *(() if self._configuration.engine.lends or not borrows else (codes.BorrowingNotHere().at("borrows"),)),
        ]

    async def _network_mistakes(self, egress: Sequence[OpenNetwork]) -> list[FieldError]:
        own = [*self._configuration.engine.networks, *self._configuration.engine.gateways]
        return mistakes_of(egress, closed([*own, *await self._reader.addresses(self._session)]))

    def _privileged_mistakes(self) -> list[FieldError]:
        off = not self._configuration.engine.privileged_jobs
        return [codes.PrivilegedJobsOff().at("pod_security")] if off else []

    async def _changed(self, caller: Caller, action: str, row: VirtualClusterRow, **details: object) -> None:
        """Keep it, have `jobs` bring it to the engine, and write down who did it."""
        await self._session.flush()
        await self._clusters.members_changed()
        await record(
            self._session,
            caller,
            action,
            kind="virtual_cluster",
            identifier=row.id,
            name=row.name,
            details=details,
        )

    async def _shown(self, caller: Caller, row: VirtualClusterRow) -> VirtualCluster:
        return (await self._clusters.described(caller, self._reader, [row]))[0]


def _taken(name: str, *, being_deleted: bool = False) -> Conflict:
    going, there = codes.VirtualClusterBeingDeleted(name=name), codes.VirtualClusterNameTaken(name=name)
    return Conflict(going if being_deleted else there, errors=[NameTakenField().at("name")])


def _terms(row: VirtualClusterRow) -> Terms:
    return Terms(
        {each.device_type: Quota(each.count, each.max_per_user) for each in row.quotas},
        row.max_hours,
        row.borrows,
        PodSecurity(row.pod_security),
        tuple(Opening.of(each) for each in row.egress),
    )


def _egress(terms: Terms) -> list[dict[str, object]]:
    return [each.kept() for each in terms.egress]


def _told(terms: Terms) -> dict[str, object]:
    """As the audit keeps it."""
    return {
        "devices": {name: quota.count for name, quota in terms.quotas.items()},
        "max_devices_per_user": {name: quota.max_per_user for name, quota in terms.quotas.items()},
        "max_hours": terms.max_hours,
        "borrows": terms.borrows,
        "pod_security": terms.pod_security,
        "egress": _egress(terms),
    }


def _row(name: str, quota: Quota) -> QuotaRow:
    return QuotaRow(device_type=name, count=quota.count, max_per_user=quota.max_per_user)


def _rows(terms: Terms) -> list[QuotaRow]:
    return [_row(name, quota) for name, quota in terms.quotas.items()]
