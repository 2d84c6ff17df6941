"""When virtual clusters are brought to the engine again: what is wanted changed, or the machines did."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from atoll.database.connection import Sessions
from atoll.engines.base import ClusterProvision
from atoll.engines.local.engine import LocalEngine
from atoll.provisioning.models import ProvisionerRow
from atoll.provisioning.provision import Provisioner
from atoll.virtual_clusters.models import VirtualClusterRow
from sqlalchemy import func, text, update

from tests.unit.platform.conftest import configuration


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
