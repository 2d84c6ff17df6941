"""When virtual clusters are brought to the engine again: what is wanted changed, or the machines did."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from atoll.database.connection import Sessions
from atoll.engines.base import ClusterProvision, EngineError
from atoll.engines.local.engine import LocalEngine
from atoll.identity.models import UserRow
from atoll.provisioning.models import ProvisionerRow
from atoll.provisioning.provision import Provisioner
from atoll.tasks.models import TaskRow
from atoll.virtual_clusters.models import MemberRow, QuotaRow, Standing, VirtualClusterRow
from sqlalchemy import delete, func, select, text, update

from tests.unit.platform.conftest import configuration
from tests.unit.platform.rows import a_caller, a_task


class Growing(LocalEngine):
    """An engine whose quotas follow its machines."""

    def __init__(self, state: Path) -> None:
        super().__init__(state, state, [], [])
        self.cores = 8
        self.provisioned: list[ClusterProvision] = []

    def capacity(self) -> tuple[int, ...]:
        return (self.cores,)

    async def provision(self, wanted: ClusterProvision) -> bool:
        self.provisioned.append(wanted)
        return True


class Leaving(Growing):
    """An engine that needs some calls until something is gone."""

    def __init__(self, state: Path, calls: int = 1) -> None:
        super().__init__(state)
        self.calls = calls
        self.removed: list[str] = []
        self.failing = False

    async def provision(self, wanted: ClusterProvision) -> bool:
        await super().provision(wanted)
        return self._done()

    async def remove_cluster(self, virtual_cluster: str) -> bool:
        self.removed.append(virtual_cluster)
        return self._done()

    def _done(self) -> bool:
        if self.failing:
            raise EngineError("it does not answer")
        self.calls -= 1
        return self.calls <= 0


class Homes:
    """Stands in for `files`."""

    async def ensure_home(self, _user: Any) -> None:
        pass


@pytest.fixture
def settings(tmp_path: Path, postgres: str, database_name: str) -> Any:
    return configuration(tmp_path, postgres, database_name)


async def test_clusters_are_provisioned_again_when_the_machines_change_and_not_otherwise(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    engine = Growing(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert await provisioner.run()
    assert await provisioner.run()
    (first,) = engine.provisioned
    assert (first.name, first.user_share.percent) == ("default", 50)
    assert (first.user_share.usual_cpu, first.user_share.usual_memory) == ("500m", "256Mi")
    engine.cores = 16
    assert await provisioner.run()
    assert engine.provisioned == [first, first], "the quotas stayed those of the old machines"
    async with stored() as session, session.begin():
        await session.execute(update(VirtualClusterRow).values(name="renamed"))
    assert await provisioner.run()
    assert [each.name for each in engine.provisioned] == ["default", "default", "renamed"]


async def test_a_changed_share_of_users_is_brought_to_the_engine(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    less = settings.model_copy(update={"tasks": settings.tasks.model_copy(update={"user_share_percent": 20})})
    engine = Growing(tmp_path / "engine")
    assert await Provisioner("one", less, stored, engine, Homes()).run()  # type: ignore[arg-type]
    assert [each.user_share.percent for each in engine.provisioned] == [20]


async def test_that_a_virtual_cluster_borrows_is_brought_to_the_engine(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    engine = Growing(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert await provisioner.run()
    async with stored() as session, session.begin():
        await session.execute(update(VirtualClusterRow).values(borrows=True))
    assert await provisioner.run()
    assert [each.borrows for each in engine.provisioned] == [False, True], "the engine lends nothing to who may borrow"


class Slow(Growing):
    """An engine that is in the middle of it until it is let go."""

    def __init__(self, state: Path) -> None:
        super().__init__(state)
        self.begun, self.go = asyncio.Event(), asyncio.Event()

    async def provision(self, wanted: ClusterProvision) -> bool:
        self.begun.set()
        await self.go.wait()
        return await super().provision(wanted)


async def waits_for_a_row(stored: Sessions) -> bool:
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    async with stored() as session:
        return bool(await session.scalar(text(waiting)))


async def test_a_process_of_before_writes_nothing_once_a_newer_one_took_over(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    """It ends beside the newer one for a while, with its own configuration: what it began ends before the other's."""
    async with stored() as session, session.begin():
        session.add(VirtualClusterRow(name="second"))
    engine = Slow(tmp_path / "engine")
    newer = settings.model_copy(update={"tasks": settings.tasks.model_copy(update={"user_share_percent": 20})})
    before = Provisioner("before", settings, stored, engine, Homes())  # type: ignore[arg-type]
    after = Provisioner("after", newer, stored, engine, Homes())  # type: ignore[arg-type]
    beginning = asyncio.create_task(before.run())
    await engine.begun.wait()
    taking_over = asyncio.create_task(after.run())
    async with asyncio.timeout(30):
        while not await waits_for_a_row(stored):
            assert not taking_over.done(), "it took over in the middle of a write"
            await asyncio.sleep(0.05)
    engine.go.set()
    assert (await beginning, await taking_over) == (False, True)
    async with stored() as session, session.begin():
        await session.execute(update(VirtualClusterRow).values(name=VirtualClusterRow.name + "-renamed"))
    engine.cores = 16
    assert not await before.run()
    shares = [each.user_share.percent for each in engine.provisioned]
    assert shares == [50, 20, 20], "the one of before wrote behind the newer one"
    assert await after.run()
    assert [each.user_share.percent for each in engine.provisioned[3:]] == [20, 20]


@pytest.mark.parametrize("ended", ["in good order", "killed"])
async def test_who_lives_on_provisions_all_anew_when_the_newer_one_is_gone(
    stored: Sessions, settings: Any, tmp_path: Path, ended: str
) -> None:
    engine = Growing(tmp_path / "engine")
    before = Provisioner("before", settings, stored, engine, Homes())  # type: ignore[arg-type]
    after = Provisioner("after", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert (await before.run(), await after.run(), await before.run()) == (True, True, False)
    if ended == "killed":
        gone = func.now() - timedelta(seconds=1)
        async with stored() as session, session.begin():
            await session.execute(update(ProvisionerRow).values(lock_expires_at=gone))
    else:
        await after.give_back()
    assert await before.run()
    assert len(engine.provisioned) == 3, "what the newer one made stays as it is"


class Refusing(Homes):
    """For a name that is none: `files` is not even asked."""

    async def ensure_home(self, user: Any) -> None:
        raise ValueError(f"{user.name} is no name of an account")


async def test_a_name_that_is_none_keeps_nobody_else_waiting(stored: Sessions, settings: Any, tmp_path: Path) -> None:
    engine = Growing(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Refusing())  # type: ignore[arg-type]
    assert not await provisioner.run(), "somebody has no home, and it is not tried again"
    assert [each.name for each in engine.provisioned] == ["default"]


async def standings(stored: Sessions) -> dict[str, tuple[str, bool]]:
    """How far each is, and whether it is gone."""
    async with stored() as session:
        rows = (await session.scalars(select(VirtualClusterRow))).all()
        return {row.name: (row.standing, row.deleted_at is not None) for row in rows}


async def stand(stored: Sessions, standing: Standing) -> None:
    async with stored() as session, session.begin():
        await session.execute(update(VirtualClusterRow).values(standing=standing))


async def test_a_virtual_cluster_is_ready_once_the_engine_has_it_and_what_waited_is_woken(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    async with stored() as session, session.begin():
        await a_task(session, await a_caller(session, "ada"), "waits", due_at=None)
    engine = Leaving(tmp_path / "engine")
    engine.failing = True
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert not await provisioner.run()
    assert await standings(stored) == {"default": ("preparing", False)}, "what the engine does not have is called ready"
    engine.failing = False
    assert await provisioner.run()
    assert await standings(stored) == {"default": ("ready", False)}
    async with stored() as session:
        assert await session.scalar(select(TaskRow.due_at)) is not None, "nobody tells the task that waits for it"


async def test_what_grants_less_is_ready_only_once_the_engine_has_been_told_again(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    engine = Leaving(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert await provisioner.run()
    async with stored() as session, session.begin():
        await session.execute(update(QuotaRow).values(count=1, max_per_user=1))
        await session.execute(update(VirtualClusterRow).values(standing=Standing.PREPARING, version=2))
    assert await provisioner.run()
    assert [share.count for share in engine.provisioned[-1].shares] == [1, 1]
    assert await standings(stored) == {"default": ("ready", False)}


async def test_an_edit_in_the_midst_of_it_is_not_taken_for_brought_to_the_engine(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    class Edited(Leaving):
        async def provision(self, wanted: ClusterProvision) -> bool:
            if not self.provisioned:
                async with stored() as session, session.begin():
                    await session.execute(update(QuotaRow).values(count=1, max_per_user=1))
                    await session.execute(update(VirtualClusterRow).values(version=VirtualClusterRow.version + 1))
            return await super().provision(wanted)

    engine = Edited(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert await provisioner.run()
    assert await standings(stored) == {"default": ("preparing", False)}, "an older quota passes for the newer one"
    assert await provisioner.run()
    assert await standings(stored) == {"default": ("ready", False)}
    assert [each.shares[0].count for each in engine.provisioned] == [8, 1]


async def test_what_is_deleted_stays_until_the_engine_has_nothing_of_it(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    engine = Leaving(tmp_path / "engine", calls=2)
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    await stand(stored, Standing.DELETING)
    engine.failing = True
    assert not await provisioner.run(), "it is not tried again"
    engine.failing = False
    assert not await provisioner.run(), "it is not tried again"
    assert await standings(stored) == {"default": ("deleting", False)}, "it is called gone while it is going"
    assert await provisioner.run()
    assert await standings(stored) == {"default": ("deleting", True)}
    assert await provisioner.run()
    assert (engine.removed, engine.provisioned) == (["default"] * 3, []), "what is gone is removed, or made, again"


async def test_a_process_that_was_killed_in_the_midst_of_a_removal_leaves_it_to_the_next(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    begun = asyncio.Event()

    class Killed(Leaving):
        async def remove_cluster(self, virtual_cluster: str) -> bool:
            begun.set()
            await asyncio.Event().wait()
            return await super().remove_cluster(virtual_cluster)

    await stand(stored, Standing.DELETING)
    first = Provisioner("first", settings, stored, Killed(tmp_path / "engine"), Homes())  # type: ignore[arg-type]
    running = asyncio.create_task(first.run())
    await begun.wait()
    running.cancel()
    (ended,) = await asyncio.gather(running, return_exceptions=True)
    assert isinstance(ended, asyncio.CancelledError)
    assert await standings(stored) == {"default": ("deleting", False)}
    second = Leaving(tmp_path / "engine")
    assert await Provisioner("second", settings, stored, second, Homes()).run()  # type: ignore[arg-type]
    assert second.removed == ["default"]
    assert await standings(stored) == {"default": ("deleting", True)}


async def test_one_that_is_made_anew_under_a_name_of_before_is_brought_to_the_engine(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    engine = Leaving(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert await provisioner.run()
    (before,) = engine.provisioned
    async with stored() as session, session.begin():
        (row,) = (await session.scalars(select(VirtualClusterRow))).all()
        quotas = [QuotaRow(device_type=each.device_type, count=each.count, max_per_user=each.max_per_user)
                  for each in row.quotas]  # fmt: skip
        row.standing = Standing.DELETING
    assert await provisioner.run()
    async with stored() as session, session.begin():
        again = VirtualClusterRow(name="default", quotas=quotas)
        session.add(again)
        await session.flush()
        await session.execute(update(MemberRow).values(virtual_cluster_id=again.id))
    assert await provisioner.run()
    assert engine.provisioned == [before, before], "the engine lacks what has the name of one before"


async def test_whoever_left_keeps_a_queue_until_the_last_of_their_tasks_there_has_ended(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    async with stored() as session, session.begin():
        ada = await a_caller(session, "ada")
        task = await a_task(session, ada, "runs", state="running")
        await session.execute(delete(MemberRow).where(MemberRow.user_id == ada.id))
    engine = Leaving(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert await provisioner.run()
    assert [each.name for each in engine.provisioned[-1].members] == ["ada", "admin"]
    async with stored() as session, session.begin():
        await session.execute(update(TaskRow).where(TaskRow.id == task.id).values(state="finished"))
    assert await provisioner.run()
    assert [each.name for each in engine.provisioned[-1].members] == ["admin"], "the queue of who left stays for ever"


async def test_what_is_left_of_who_left_is_asked_about_until_it_is_gone_and_keeps_no_task_waiting(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    engine = Leaving(tmp_path / "engine", calls=2)
    provisioner = Provisioner("one", settings, stored, engine, Homes())  # type: ignore[arg-type]
    assert not await provisioner.run(), "nobody asks again"
    assert await standings(stored) == {"default": ("ready", False)}, "tasks of others wait for who left"
    assert await provisioner.run()
    assert await provisioner.run()
    assert len(engine.provisioned) == 2


async def test_who_comes_back_while_others_are_provisioned_is_not_taken_for_gone(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    """And has a home, though it was not known at first that they are there."""
    homes: list[str] = []

    class Kept(Homes):
        async def ensure_home(self, user: Any) -> None:
            homes.append(user.name)
            if user.name == "admin" and homes.count("admin") == 1:
                async with stored() as session, session.begin():
                    await a_caller(session, "ada")

    engine = Leaving(tmp_path / "engine")
    provisioner = Provisioner("one", settings, stored, engine, Kept())  # type: ignore[arg-type]
    assert await provisioner.run()
    assert [[each.name for each in wanted.members] for wanted in engine.provisioned] == [["ada", "admin"]]
    assert homes == ["admin", "ada"]
    assert await provisioner.run()
    assert len(engine.provisioned) == 1


async def test_a_disabled_account_is_provisioned_while_it_has_tasks_and_no_longer(
    stored: Sessions, settings: Any, tmp_path: Path
) -> None:
    async with stored() as session, session.begin():
        ada, bob = await a_caller(session, "ada"), await a_caller(session, "bob")
        await a_task(session, ada, "waits")
        await session.execute(update(UserRow).where(UserRow.id.in_([ada.id, bob.id])).values(active=False))
    engine = Leaving(tmp_path / "engine")
    assert await Provisioner("one", settings, stored, engine, Homes()).run()  # type: ignore[arg-type]
    assert [each.name for each in engine.provisioned[-1].members] == ["ada", "admin"]
