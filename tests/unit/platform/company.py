"""The API of a company (`tests/bench/population.py`), and how the database finds what it is asked for."""

from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from atoll.database.connection import connect
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.bench.population import Population, populate
from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import portal

__all__ = ["portal"]
MANY = Population(device_types=("nvidia_gpu_amd64", "huawei_npu_amd64"))


@pytest.fixture
async def owner(portal: RunningPlatform) -> AsyncIterator[AsyncEngine]:
    """Connections to its database as the owner of all tables."""
    database = connect(portal.configuration, pool_size=1)
    yield database
    await database.dispose()


@pytest.fixture
async def company(portal: RunningPlatform, owner: AsyncEngine) -> RunningPlatform:
    """Ten thousand people."""
    async with owner.begin() as connection:
        await populate(connection, MANY)
    return portal


@dataclass
class Plans:
    """The statements of requests, and how the database goes about them."""

    owner: AsyncEngine
    found: list[tuple[str, Any]] = field(default_factory=list)

    async def of_all(self) -> list[tuple[str, str]]:
        """Each query since the last time with its plans: for what it was asked with, and for whatever it is asked with.

        The database takes the latter where a connection has asked often enough.
        """
        asked, self.found[:] = [each for each in self.found if each[0].startswith("SELECT")], []
        told = []
        async with self.owner.connect() as connection:
            await connection.exec_driver_sql("SET plan_cache_mode = force_generic_plan")
            for statement, parameters in asked:
                rows = await connection.exec_driver_sql(f"EXPLAIN {statement}", parameters)
                told.append((statement, "\n".join(row[0] for row in rows)))
                await connection.exec_driver_sql(f"PREPARE looked AS {statement}")
                given = f"({', '.join(['NULL'] * len(parameters))})" if parameters else ""
                rows = await connection.exec_driver_sql(f"EXPLAIN EXECUTE looked{given}")
                told.append((statement, "\n".join(row[0] for row in rows)))
                await connection.exec_driver_sql("DEALLOCATE looked")
        self.found.clear()
        return told


@pytest.fixture
def plans(owner: AsyncEngine) -> Iterator[Plans]:
    """What is asked from now on."""
    plans = Plans(owner)

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_: Any) -> None:
        plans.found.append((statement, parameters))

    event.listen(Engine, "before_cursor_execute", note)
    yield plans
    event.remove(Engine, "before_cursor_execute", note)
