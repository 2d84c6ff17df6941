"""When virtual clusters are brought to the engine again: what is wanted changed, or the machines did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from atoll.database.connection import Sessions
from atoll.engines.base import ClusterProvision
from atoll.engines.local.engine import LocalEngine
from atoll.provisioning.provision import Provisioner
from atoll.virtual_clusters.models import VirtualClusterRow
from sqlalchemy import update

from tests.unit.platform.conftest import configuration


class Growing(LocalEngine):
    """An engine whose quotas follow its machines."""

    def __init__(self, state: Path) -> None:
        super().__init__(state, state, [], [])
        self.cores = 8
        self.provisioned: list[ClusterProvision] = []

    def capacity(self) -> tuple[int, ...]:
        return (self.cores,)

    async def provision(self, wanted: ClusterProvision) -> None:
        self.provisioned.append(wanted)


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
    provisioner = Provisioner(settings, stored, engine, Homes())  # type: ignore[arg-type]
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
    assert await Provisioner(less, stored, engine, Homes()).run()  # type: ignore[arg-type]
    assert [each.user_share.percent for each in engine.provisioned] == [20]
