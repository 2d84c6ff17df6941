"""Rules of virtual clusters."""

import builtins
from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration, FirstVirtualCluster
from atoll.database.notifications import DUE, notify
from atoll.identity.caller import Caller
from atoll.identity.models import UserRow
from atoll.identity.permissions import Permission
from atoll.tasks.life_cycle import HOLDS_DEVICES, WAITING
from atoll.virtual_clusters.models import MemberRow, QuotaRow, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import DeviceUse, VirtualCluster
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page


class VirtualClusterService:
    """Shares of the cluster."""

    def __init__(self, session: AsyncSession, configuration: Configuration) -> None:
        self._session = session
        self._repository = VirtualClusterRepository(session)
        self._configuration = configuration

    async def list(self, caller: Caller, limit: int, cursor: str | None) -> Page[VirtualCluster]:
        """The caller's virtual clusters; all of them for administrators."""
        everything = caller.may(Permission.VIRTUAL_CLUSTERS_READ_ALL)
        found = await self._repository.visible(None if everything else caller.id, limit=limit + 1, after=decode(cursor))
        rows, following = cut(found, limit, lambda row: row.name)
        return Page(items=await self.described(caller, rows), next_cursor=following)

    async def described(self, caller: Caller, rows: Sequence[VirtualClusterRow]) -> "builtins.list[VirtualCluster]":
        """`rows` with what is held and waits in them."""
        held = await self._repository.held()
        counts = await self._repository.task_counts()
        described = []
        for row in rows:
            used: dict[str, int] = {}
            for (cluster, device_type, _user), count in held.items():
                if cluster == row.id:
                    used[device_type] = used.get(device_type, 0) + count
            described.append(
                VirtualCluster(
                    id=row.id,
                    name=row.name,
                    devices=[
                        DeviceUse(
                            type=quota.device_type,
                            total=quota.count,
                            used=used.get(quota.device_type, 0),
                            free=max(0, quota.count - used.get(quota.device_type, 0)),
                        )
                        for quota in row.quotas
                    ],
                    max_devices_per_user={quota.device_type: quota.max_per_user for quota in row.quotas},
                    max_hours=row.max_hours,
                    members=len(row.members),
                    member=any(member.user_id == caller.id for member in row.members),
                    running_tasks=sum(counts.get((row.id, state), 0) for state in HOLDS_DEVICES),
                    waiting_tasks=sum(counts.get((row.id, state), 0) for state in WAITING),
                    created_at=row.created_at,
                )
            )
        return described

    async def join(self, name: str, user: UserRow) -> bool:
        """Make `user` a member; False when there is no such virtual cluster. `jobs` makes the queue for them."""
        row = await self._repository.by_name(name)
        if row is None:
            return False
        self._session.add(MemberRow(virtual_cluster_id=row.id, user_id=user.id))
        await notify(self._session, DUE, "provision")
        return True

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
