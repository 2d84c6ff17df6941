"""Virtual clusters: whose one sees, page by page, what is free of them, and what is refused. Needs PostgreSQL."""

import pytest
from atoll.configuration import FirstVirtualCluster
from atoll.database.connection import Sessions
from atoll.identity.caller import Caller
from atoll.virtual_clusters.models import QuotaRow, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import VirtualCluster
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.virtual_clusters.usage import Usage, UsageReader
from atoll.web.errors import Invalid
from atoll.web.schema import Page
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.rows import GPU, NPU, a_caller


async def listed(
    session: AsyncSession, caller: Caller, used: Usage | None = None, limit: int = 50, cursor: str | None = None
) -> Page[VirtualCluster]:
    async def read(_: AsyncSession) -> Usage:
        return used or Usage()

    return await VirtualClusterService(session).list(caller, UsageReader(read), limit, cursor)


async def ensure(session: AsyncSession, *names: str) -> None:
    for name in names:
        wanted = FirstVirtualCluster(name=name, devices={GPU: 2})
        assert await VirtualClusterService(session).ensure(wanted)


async def test_one_sees_the_own_and_only_administrators_see_all(stored: Sessions) -> None:
    async with stored() as session:
        await ensure(session, "lab", "secret")
        ada, admin = await a_caller(session, "ada"), await a_caller(session, "admin")
        assert await VirtualClusterService(session).join("lab", ada.id)
        session.expire_all()
        hers, everything = await listed(session, ada), await listed(session, admin)
    assert [(each.name, each.member) for each in hers.items] == [("default", True), ("lab", True)]
    assert [each.name for each in everything.items] == ["default", "lab", "secret"]
    assert {each.name: each.member for each in everything.items}["secret"] is False


async def test_pages_follow_each_other_and_show_nobody_more(stored: Sessions) -> None:
    async with stored() as session:
        await ensure(session, "lab", "secret", "zoo")
        ada = await a_caller(session, "ada")
        await VirtualClusterService(session).join("zoo", ada.id)
        first = await listed(session, ada, limit=1)
        second = await listed(session, ada, limit=1, cursor=first.next_cursor)
        assert [each.name for each in (*first.items, *second.items)] == ["default", "zoo"]
        assert second.next_cursor is None
        with pytest.raises(Invalid):
            await listed(session, ada, cursor="no cursor of ours")


async def test_free_is_what_nobody_holds_and_never_less_than_nothing(stored: Sessions) -> None:
    async with stored() as session:
        admin = await a_caller(session, "admin")
        cluster = await VirtualClusterRepository(session).by_name("default")
        assert cluster is not None
        held = Usage({(cluster.id, GPU): 9, (cluster.id, NPU): 3, ("another", NPU): 5}, {cluster.id: 2}, {"another": 1})
        (told,) = (await listed(session, admin, held)).items
    assert {each.type: (each.total, each.used, each.free) for each in told.devices} == {GPU: (4, 9, 0), NPU: (8, 3, 5)}
    assert (told.running_tasks, told.waiting_tasks) == (2, 0)
    assert told.max_devices_per_user == {GPU: 3, NPU: 8}


async def test_what_people_edited_stays_when_the_platform_starts_again(stored: Sessions) -> None:
    async with stored() as session:
        cluster = await VirtualClusterRepository(session).by_name("default")
        assert cluster is not None
        cluster.max_hours = 7
        await session.flush()
        wanted = FirstVirtualCluster(name="default", devices={GPU: 1}, max_hours=1)
        assert not await VirtualClusterService(session).ensure(wanted)
        session.expire_all()
        (told,) = (await listed(session, await a_caller(session, "admin"))).items
    assert told.max_hours == 7
    assert {each.type: each.total for each in told.devices} == {GPU: 4, NPU: 8}


async def test_nobody_joins_what_is_not_there(stored: Sessions) -> None:
    async with stored() as session:
        ada = await a_caller(session, "ada")
        assert not await VirtualClusterService(session).join("nowhere", ada.id)
        assert [each.name for each in (await listed(session, ada)).items] == ["default"]


@pytest.mark.parametrize("counts", [{"count": -1, "max_per_user": 0}, {"count": 1, "max_per_user": -1}])
async def test_the_database_takes_no_quota_below_nothing(stored: Sessions, counts: dict[str, int]) -> None:
    async with stored() as session:
        session.add(VirtualClusterRow(name="lab", quotas=[QuotaRow(device_type=GPU, **counts)], members=[]))
        with pytest.raises(IntegrityError, match="not_negative"):
            await session.flush()
