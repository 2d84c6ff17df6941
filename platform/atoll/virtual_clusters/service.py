"""Rules of virtual clusters."""

from collections.abc import Collection, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import FirstVirtualCluster
from atoll.database.notifications import DUE, notify
from atoll.identity.caller import Caller
from atoll.virtual_clusters.models import MemberRow, QuotaRow, VirtualClusterRow
from atoll.virtual_clusters.policy import VIRTUAL_CLUSTERS_READ_ALL
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import DeviceUse, VirtualCluster
from atoll.virtual_clusters.usage import Usage, UsageReader
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class VirtualClusterService:
    """Shares of the cluster."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._repository = VirtualClusterRepository(session)

    async def list(self, caller: Caller, reader: UsageReader, limit: int, cursor: str | None) -> Page[VirtualCluster]:
        """The caller's virtual clusters; all of them for administrators."""
        everything = caller.may(VIRTUAL_CLUSTERS_READ_ALL)
        found = await self._repository.visible(None if everything else caller.id, limit=limit + 1, after=decode(cursor))
        rows, following = cut(found, limit, lambda row: row.name)
        usage = await reader.read(self._session)
        return Page(items=[_described(caller, row, usage) for row in rows], next_cursor=following)

    async def join(self, name: str, user_id: str) -> bool:
        """Make a user a member; False when there is no such virtual cluster. `jobs` makes the queue for them."""
        row = await self._repository.by_name(name)
        if row is None:
            return False
        self._session.add(MemberRow(virtual_cluster_id=row.id, user_id=user_id))
        await self.members_changed()
        return True

    async def of_users(self, user_ids: Collection[str]) -> Mapping[str, Sequence[dict[str, str]]]:
        """The virtual clusters of each of these users, `{"id", "name"}` by name."""
        return await self._repository.of_users(user_ids)

    async def of_groups(self, group_ids: Collection[str]) -> Mapping[str, Sequence[dict[str, str]]]:
        """Those of which each of these groups is a member: only users are, so far."""
        return dict.fromkeys(group_ids, ())

    async def leave_all(self, user_id: str) -> None:
        """The user is a member of none any more."""
        await self._repository.remove_user(user_id)
        await self.members_changed()

    async def members_changed(self) -> None:
        """Whoever changed who is a member says so: `jobs` brings it to the engine."""
        await notify(self._session, DUE, "provision")

    async def ensure(self, wanted: FirstVirtualCluster) -> bool:
        """Make the virtual cluster that the configuration names; an existing one is left as people edited it."""
        row = await self._repository.by_name(wanted.name)
        if row is None:
            row = VirtualClusterRow(
                name=wanted.name,
                max_hours=wanted.max_hours,
                quotas=[
                    QuotaRow(
                        device_type=device_type,
                        count=count,
                        max_per_user=wanted.max_devices_per_user.get(device_type, count),
                    )
                    for device_type, count in wanted.devices.items()
                ],
                members=[],
            )
            self._session.add(row)
            await self._session.flush()
            return True
        return False


def _described(caller: Caller, row: VirtualClusterRow, usage: Usage) -> VirtualCluster:
    devices = []
    for quota in row.quotas:
        used = usage.devices.get((row.id, quota.device_type), 0)
        devices.append(DeviceUse(type=quota.device_type, total=quota.count, used=used, free=max(0, quota.count - used)))
    return VirtualCluster(
        id=row.id,
        name=row.name,
        devices=devices,
        max_devices_per_user={quota.device_type: quota.max_per_user for quota in row.quotas},
        max_hours=row.max_hours,
        members=len(row.members),
        member=any(member.user_id == caller.id for member in row.members),
        running_tasks=usage.running.get(row.id, 0),
        waiting_tasks=usage.waiting.get(row.id, 0),
        created_at=row.created_at,
    )
