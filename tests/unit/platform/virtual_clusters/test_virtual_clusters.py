"""Virtual clusters: whose one sees, page by page, what is free of them, and what is refused. Needs PostgreSQL."""

from typing import Any

import pytest
from atoll.configuration import FirstVirtualCluster
from atoll.database.base import now
from atoll.database.connection import Sessions
from atoll.identity.caller import Caller
from atoll.identity.models import UserRow
from atoll.virtual_clusters.capacity import Detected
from atoll.virtual_clusters.models import QuotaRow, Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import VirtualCluster
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.virtual_clusters.usage import Usage, UsageReader
from atoll.web.errors import Invalid, NotFound
from atoll.web.schema import Page
from sqlalchemy import update
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.rows import GPU, NPU, a_caller


def reader(used: Usage | None = None, **detected: Detected) -> UsageReader:
    async def read(_: AsyncSession) -> Usage:
        return used or Usage()

    async def machines(_: AsyncSession) -> dict[str, Detected]:
        return detected

    async def addresses(_: AsyncSession) -> list[str]:
        return []

    return UsageReader(read, machines, addresses)


async def listed(
    session: AsyncSession, caller: Caller, used: Usage | None = None, limit: int = 50, cursor: str | None = None
) -> Page[VirtualCluster]:
    return await VirtualClusterService(session).list(caller, reader(used), limit, cursor)


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


@pytest.mark.parametrize("counts", [(-1, 0), (1, -1), (1, 2), (-1, -1)])
async def test_the_database_takes_no_quota_below_nothing_and_no_user_above_it(
    stored: Sessions, counts: tuple[int, int]
) -> None:
    count, most = counts
    async with stored() as session:
        session.add(VirtualClusterRow(name="lab", quotas=[QuotaRow(device_type=GPU, count=count, max_per_user=most)]))
        with pytest.raises(IntegrityError, match="within_the_count"):
            await session.flush()


async def test_the_first_virtual_cluster_gives_a_user_no_more_than_there_is(stored: Sessions) -> None:
    """As the configuration allows to write it; it has always meant all of them."""
    async with stored() as session:
        wanted = FirstVirtualCluster(name="lab", devices={GPU: 2}, max_devices_per_user={GPU: 9}, max_hours=3)
        assert await VirtualClusterService(session).ensure(wanted)
        found = await VirtualClusterRepository(session).by_name("lab")
    assert found is not None
    assert [(each.count, each.max_per_user) for each in found.quotas] == [(2, 2)]
    assert (found.max_hours, found.standing) == (3, "preparing")


async def test_what_people_deleted_is_not_made_again_when_the_platform_starts_again(stored: Sessions) -> None:
    async with stored() as session:
        cluster = await VirtualClusterRepository(session).by_name("default")
        assert cluster is not None
        wanted = FirstVirtualCluster(name="default", devices={GPU: 1})
        for step in ({"standing": Standing.DELETING}, {"deleted_at": now()}):
            await session.execute(update(VirtualClusterRow).values(**step))
            assert not await VirtualClusterService(session).ensure(wanted), "an upgrade brings back what was deleted"


@pytest.mark.parametrize("gone", [{"standing": Standing.DELETING}, {"deleted_at": now()}])
async def test_members_lose_what_is_being_deleted_at_once(stored: Sessions, gone: dict[str, Any]) -> None:
    async with stored() as session:
        ada, admin = await a_caller(session, "ada"), await a_caller(session, "admin")
        cluster = await VirtualClusterRepository(session).by_name("default")
        assert cluster is not None
        identifier = cluster.id
        await session.execute(update(VirtualClusterRow).values(**gone))
        session.expire_all()
        service = VirtualClusterService(session)
        assert (await listed(session, ada)).items == []
        assert await VirtualClusterRepository(session).of_member(ada.id, "default") is None
        assert await service.of_user(ada.id) == []
        assert not await service.join("default", admin.id)
        with pytest.raises(NotFound):
            await service.read(ada, reader(), identifier)
        shown = (await listed(session, admin)).items
    assert [each.standing for each in shown] == (["deleting"] if "standing" in gone else [])


async def test_a_foreign_virtual_cluster_is_told_like_one_that_is_not_there(stored: Sessions) -> None:
    async with stored() as session:
        await ensure(session, "secret")
        ada, admin = await a_caller(session, "ada"), await a_caller(session, "admin")
        foreign = await VirtualClusterRepository(session).by_name("secret")
        assert foreign is not None
        service = VirtualClusterService(session)
        told = []
        for identifier in (foreign.id, "0" * len(foreign.id)):
            try:
                told.append((await service.read(ada, reader(), identifier)).name)
            except NotFound as refused:
                told.append(refused.detail.replace(identifier, "…"))
        assert told[0] == told[1], "that there is a foreign one is told"
        assert (await service.read(admin, reader(), foreign.id)).name == "secret"


async def test_an_account_that_is_disabled_is_no_member_until_it_is_enabled_again(stored: Sessions) -> None:
    async with stored() as session:
        ada, admin = await a_caller(session, "ada"), await a_caller(session, "admin")
        clusters = VirtualClusterRepository(session)
        cluster = await clusters.by_name("default")
        assert cluster is not None
        for active, members in ((False, 1), (True, 2)):
            await session.execute(update(UserRow).where(UserRow.id == ada.id).values(active=active))
            (shown,) = (await listed(session, admin)).items
            assert (shown.members, shown.member) == (members, True)
            assert (await clusters.of_member(ada.id, "default") is not None) is active
            assert len(await clusters.members_of_each()) == members
            assert await clusters.is_member(cluster.id, ada.id), "its tasks that wait are ended"


async def test_more_promised_than_there_is_on_machines_that_are_up_is_told(stored: Sessions) -> None:
    async with stored() as session:
        await ensure(session, "lab")  # 2 of the GPUs; the first one has 4 of them, and 8 NPUs
        admin = await a_caller(session, "admin")

        async def told(gpus: Detected) -> list[list[str]]:
            there = reader(None, **{GPU: gpus, NPU: Detected(8)})
            page = await VirtualClusterService(session).list(admin, there, 50, None)
            return [each.overcommitted for each in page.items]

        assert await told(Detected(6)) == [[], []]
        assert await told(Detected(7, away=1)) == [[], []]
        assert await told(Detected(6, away=1)) == [[GPU], [GPU]], "more is promised than there is"
        await session.execute(
            update(VirtualClusterRow).where(VirtualClusterRow.name == "lab").values(standing=Standing.DELETING)
        )
        session.expire_all()
        assert await told(Detected(5)) == [[], []], "what is being deleted still counts as granted"
