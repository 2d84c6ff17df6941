"""Virtual clusters as their members see them, and as other rooms use them; what is done to them is `management`."""

import builtins
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import FirstVirtualCluster
from atoll.database.notifications import DUE, notify
from atoll.identity.caller import Caller
from atoll.identity.codes import MoreThanYouHold
from atoll.identity.rights.giving import Giver
from atoll.identity.schemas import VirtualClusterReference
from atoll.virtual_clusters.capacity import overcommitted
from atoll.virtual_clusters.codes import NoSuchVirtualCluster
from atoll.virtual_clusters.models import PodSecurity, QuotaRow, Standing, VirtualClusterRow
from atoll.virtual_clusters.policy import VIRTUAL_CLUSTERS_MANAGE, VIRTUAL_CLUSTERS_READ_ALL
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import DeviceUse, OpenNetwork, VirtualCluster
from atoll.virtual_clusters.usage import Usage, UsageReader
from atoll.web.errors import NotAllowed, NotFound
from atoll.web.pagination import cut, decode
from atoll.web.schema import Page

PROVISION = "provision"  # what `jobs` hears on the channel of what is due


class VirtualClusterService:
    """Shares of the cluster."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session
        self._repository = VirtualClusterRepository(session)

    async def list(self, caller: Caller, reader: UsageReader, limit: int, cursor: str | None) -> Page[VirtualCluster]:
        """The caller's virtual clusters; all of them for administrators."""
        found = await self._repository.visible(_whose(caller), limit=limit + 1, after=decode(cursor))
        rows, following = cut(found, limit, lambda row: row.name)
        return Page(items=await self.described(caller, reader, rows), next_cursor=following)

    async def read(self, caller: Caller, reader: UsageReader, cluster_id: str) -> VirtualCluster:
        """One of them. Raises NotFound, whether there is none or it is none of the caller's."""
        row = await self._repository.get(_whose(caller), cluster_id)
        if row is None:
            raise NotFound(NoSuchVirtualCluster(name=cluster_id[:64]))
        return (await self.described(caller, reader, [row]))[0]

    async def of_user(self, user_id: str) -> builtins.list[VirtualClusterReference]:
        """Those of which the user is a member, by name."""
        rows = await self._repository.visible(user_id)
        return [VirtualClusterReference.model_validate(row) for row in rows]

    async def have_room_for_privileged(self, user_id: str) -> bool:
        """Whether one of which the user is a member lets jobs be root of their container."""
        rows = await self._repository.visible(user_id)
        return any(row.pod_security == PodSecurity.BASELINE for row in rows)

    async def of_users(self, user_ids: Collection[str]) -> Mapping[str, Sequence[dict[str, str]]]:
        """The virtual clusters of each of these users, `{"id", "name"}` by name; those of their groups, too."""
        return await self._repository.of_users(user_ids)

    async def of_groups(self, group_ids: Collection[str]) -> Mapping[str, Sequence[dict[str, str]]]:
        """Those of which each of these groups is a member."""
        return await self._repository.of_groups(group_ids)

    async def judge_groups(self, giver: Giver, group_ids: Collection[str]) -> None:
        """Who is in a group is a member of its virtual clusters: who puts them there gives these, or else takes them.

        Raises NotAllowed for virtual clusters of which the giver is no member, unless they manage all.
        """
        if await self.groups_beyond(giver, group_ids):
            raise NotAllowed(MoreThanYouHold(permissions=VIRTUAL_CLUSTERS_MANAGE.name))

    async def groups_beyond(self, giver: Giver, group_ids: Collection[str]) -> frozenset[str]:
        """Those of these groups that give virtual clusters which the giver may not give."""
        if giver.id is None or VIRTUAL_CLUSTERS_MANAGE.name in giver.holds() or not group_ids:
            return frozenset()
        own = {each.id for each in await self.of_user(giver.id)}
        given = await self.of_groups(group_ids)
        return frozenset(group_id for group_id, clusters in given.items() if {each["id"] for each in clusters} - own)

    async def leave_all(self, user_id: str) -> None:
        """The user is taken out of all; what becomes of their tasks was judged before."""
        await self._repository.remove_user(user_id)
        await self.members_changed()

    async def described(
        self, caller: Caller, reader: UsageReader, rows: Sequence[VirtualClusterRow]
    ) -> builtins.list[VirtualCluster]:
        """As the API shows them."""
        usage = await reader.read(self._session)
        promised = overcommitted(await reader.detected(self._session), await self._repository.given())
        members = await self._repository.counted([row.id for row in rows], caller.id)
        return [_described(row, usage, promised, members.get(row.id, (0, False))) for row in rows]

    async def join(self, name: str, user_id: str) -> bool:
        """Make a user a member; False when there is no such virtual cluster. `jobs` makes the queue for them."""
        return await self.join_all(name, [user_id])

    async def join_all(self, name: str, user_ids: Collection[str]) -> bool:
        """Make users members; False when there is no such virtual cluster."""
        row = await self._repository.by_name(name)
        if row is None or row.standing == Standing.DELETING:
            return False
        await self._repository.add_users(row.id, user_ids)
        await self.members_changed()
        return True

    async def usable(self, names: Collection[str]) -> set[str]:
        """Those of the names that a virtual cluster has, which users may join."""
        return await self._repository.usable(names)

    async def members_changed(self) -> None:
        """Whoever changed who is a member of what says so: `jobs` brings it to the engine and to tasks that wait."""
        await notify(self._session, DUE, PROVISION)

    async def ensure(self, wanted: FirstVirtualCluster) -> bool:
        """Make the virtual cluster that the configuration names; one that people edited, or deleted, is left so."""
        if await self._repository.ever_existed(wanted.name):
            return False
        row = VirtualClusterRow(
            name=wanted.name,
            max_hours=wanted.max_hours,
            quotas=[
                QuotaRow(
                    device_type=device_type,
                    count=count,
                    max_per_user=min(count, wanted.max_devices_per_user.get(device_type, count)),
                )
                for device_type, count in wanted.devices.items()
            ],
        )
        await self._repository.add(row)
        return True


def _whose(caller: Caller) -> str | None:
    return None if caller.may(VIRTUAL_CLUSTERS_READ_ALL) else caller.id


def _described(
    row: VirtualClusterRow, usage: Usage, promised: frozenset[str], members: tuple[int, bool]
) -> VirtualCluster:
    devices = []
    for quota in row.quotas:
        used = usage.devices.get((row.id, quota.device_type), 0)
        devices.append(DeviceUse(type=quota.device_type, total=quota.count, used=used, free=max(0, quota.count - used)))
    count, member = members
    return VirtualCluster(
        id=row.id,
        name=row.name,
        standing=Standing(row.standing),
        devices=devices,
        max_devices_per_user={quota.device_type: quota.max_per_user for quota in row.quotas},
        max_hours=row.max_hours,
        borrows=row.borrows,
        pod_security=PodSecurity(row.pod_security),
        egress=[OpenNetwork.model_validate(each) for each in row.egress],
        overcommitted=[quota.device_type for quota in row.quotas if quota.device_type in promised],
        members=count,
        member=member,
        running_tasks=usage.running.get(row.id, 0),
        waiting_tasks=usage.waiting.get(row.id, 0),
        created_at=row.created_at,
        version=row.version,
    )
