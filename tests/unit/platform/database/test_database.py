"""Migrations and the first contents, on a real database."""

import json
from pathlib import Path
from typing import Any

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from atoll.api.contents import ensure_contents
from atoll.api.domains import metadata, tables
from atoll.database.connection import connect, sessions
from atoll.database.migrate import alembic_config, upgrade
from atoll.engines.specification import Devices, TaskSpec
from sqlalchemy import Connection, text

from tests.unit.platform.conftest import configuration

# As the first version wrote it.
OLD_DEFINITION = {
    "description": "",
    "image": "local/numpy",
    "code_directory": "code",
    "start_file": "main.py",
    "command_line": None,
    "working_directory": None,
    "output_directory": "tasks/1/output",
    "parameters": [],
    "command": ["python3", "main.py"],
    "device_type": "nvidia_gpu_amd64",
    "devices": 1,
    "distributed": False,
    "nodes": 1,
    "limits": {"cpu": "2", "memory": "1Gi"},
    "requests": {"cpu": "1", "memory": "512Mi"},
}
OLD_TASK = """
INSERT INTO tasks (id, name, kind, mode, owner_id, virtual_cluster_id, engine, device_type, devices, nodes, definition,
                   state, wanted, last_lines, created_at, state_since, version)
SELECT :name, :name, 'training', 'batch', users.id, virtual_clusters.id, 'numpy', 'nvidia_gpu_amd64', 1, 1,
       CAST(:definition AS jsonb), 'finished', 'run', '[]', now(), now(), 1
FROM users, virtual_clusters
"""
# Before 0007.
FORMER_DEVICES: dict[str, dict[str, Any]] = {
    "gpu": {"type": "nvidia_gpu_amd64", "resource": "nvidia.com/gpu", "count": 1, "nodes": 1},
    "npu": {"type": "huawei_npu_arm64", "resource": "huawei.com/Ascend910", "count": 4, "nodes": 2},
    "none": {"type": None, "resource": None, "count": 0, "nodes": 1, "architecture": "arm64"},
}
FORMER_TASK = """
INSERT INTO tasks (id, name, kind, mode, owner_id, virtual_cluster_id, framework, device_type, devices, nodes,
                   definition, specification, state, wanted, last_lines, created_at, state_since, version)
SELECT :name, :name, 'training', 'batch', users.id, virtual_clusters.id, 'numpy', :type, 1, 1,
       '{}', CAST(:specification AS jsonb), 'finished', 'run', '[]', now(), now(), 1
FROM users, virtual_clusters
"""


async def test_the_migrations_make_exactly_the_tables_of_the_code(
    tmp_path: Path, postgres: str, database_name: str
) -> None:
    database = connect(configuration(tmp_path, postgres, database_name), pool_size=1)

    def differences(connection: Connection) -> list[object]:
        return list(compare_metadata(MigrationContext.configure(connection), metadata()))

    async with database.connect() as connection:
        assert await connection.run_sync(differences) == []
    await database.dispose()


def test_every_table_is_named_by_one_domain() -> None:
    named = [table.__tablename__ for table in tables()]
    assert sorted(named) == sorted(metadata().tables)


async def test_they_lead_back_and_forth(tmp_path: Path, postgres: str, database_name: str) -> None:
    from alembic import command

    database = connect(configuration(tmp_path, postgres, database_name), pool_size=1)
    async with database.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "base"))
    async with database.connect() as connection:
        left = await connection.scalar(text("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"))
        assert left == 1  # alembic_version
    await upgrade(database)
    await upgrade(database)
    await database.dispose()


async def test_tasks_of_the_first_version_name_a_framework_and_have_a_specification_afterwards(
    tmp_path: Path, postgres: str, database_name: str
) -> None:
    from alembic import command

    settings = configuration(tmp_path, postgres, database_name)
    database = connect(settings, pool_size=1)
    await ensure_contents(sessions(database), settings)
    async with database.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "0001"))
        for name, definition in (
            ("preset", json.dumps({**OLD_DEFINITION, "engine": "numpy"})),
            ("own", json.dumps({**OLD_DEFINITION, "engine": None, "working_directory": "/app"})),
        ):
            await connection.execute(text(OLD_TASK), {"name": name, "definition": definition})
    await upgrade(database)
    async with database.connect() as connection:
        found = await connection.execute(text("SELECT name, framework, definition, specification FROM tasks"))
        rows = {row.name: row for row in found}
    await database.dispose()
    assert rows["preset"].framework == "numpy"
    assert rows["preset"].definition == {**OLD_DEFINITION, "framework": "numpy"}
    assert rows["own"].definition["framework"] is None
    preset = TaskSpec.model_validate(rows["preset"].specification)
    assert (preset.program.working_directory, preset.program.needs_file) == ("/home/admin/code", "main.py")
    assert preset.output == "tasks/1/output"
    assert (preset.devices.resource, preset.devices.count) == ("nvidia.com/gpu", 1)
    own = TaskSpec.model_validate(rows["own"].specification)
    assert (own.program.working_directory, own.program.needs_file) == ("/app", "main.py")
    assert own.program.runtime is not None


async def test_devices_of_former_tasks_say_what_the_name_of_their_type_said_and_lead_back(
    tmp_path: Path, postgres: str, database_name: str
) -> None:
    from alembic import command

    settings = configuration(tmp_path, postgres, database_name)
    database = connect(settings, pool_size=1)
    await ensure_contents(sessions(database), settings)

    async def kept() -> dict[str, dict[str, Any]]:
        async with database.connect() as connection:
            found = await connection.execute(text("SELECT name, specification FROM tasks"))
            return {row.name: row.specification for row in found}

    async with database.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "0006"))
        for name, devices in FORMER_DEVICES.items():
            specification = json.dumps({"version": 1, "devices": devices})
            values = {"name": name, "type": devices["type"], "specification": specification}
            await connection.execute(text(FORMER_TASK), values)
    former = await kept()
    await upgrade(database)
    upgraded = await kept()
    async with database.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "0006"))
    led_back = await kept()
    await database.dispose()
    assert upgraded["none"] == former["none"]
    assert upgraded["gpu"]["devices"] == {**FORMER_DEVICES["gpu"], "architecture": "amd64", "group": 1}
    assert upgraded["npu"]["devices"] == {**FORMER_DEVICES["npu"], "architecture": "arm64", "group": 4}
    assert {name: Devices.model_validate(one["devices"]).group for name, one in upgraded.items()} == {
        "gpu": 1,
        "npu": 4,
        "none": 1,
    }
    assert led_back == former


async def test_members_of_before_are_members_afterwards_and_joined_when_it_is_led_back(
    tmp_path: Path, postgres: str, database_name: str
) -> None:
    from alembic import command

    settings = configuration(tmp_path, postgres, database_name)
    database = connect(settings, pool_size=1)
    await ensure_contents(sessions(database), settings)
    members = text("SELECT virtual_cluster_id, user_id FROM virtual_cluster_members")
    async with database.begin() as connection:
        await connection.run_sync(lambda sync: command.downgrade(alembic_config(sync), "0012"))
        assert await connection.scalar(text("SELECT joined_at <= now() FROM virtual_cluster_members")) is True
        await connection.execute(text("UPDATE virtual_cluster_members SET joined_at = '2025-01-01'"))
        before = (await connection.execute(members)).all()
    await upgrade(database)
    async with database.connect() as connection:
        assert (await connection.execute(members)).all() == before
    await database.dispose()
    assert len(before) == 1


async def test_the_first_contents_are_made_once_and_edits_survive(
    tmp_path: Path, postgres: str, database_name: str
) -> None:
    settings = configuration(tmp_path, postgres, database_name)
    database = connect(settings, pool_size=1)
    await ensure_contents(sessions(database), settings)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE virtual_cluster_quotas SET count = 1, max_per_user = 1"))
        await connection.execute(text("UPDATE users SET password_hash = 'changed'"))
    await ensure_contents(sessions(database), settings)
    async with database.connect() as connection:
        assert (await connection.execute(text("SELECT count FROM virtual_cluster_quotas"))).scalars().all() == [1, 1]
        assert (await connection.execute(text("SELECT password_hash FROM users"))).scalars().all() == ["changed"]
        assert (await connection.execute(text("SELECT count(*) FROM virtual_cluster_members"))).scalar() == 1
    await database.dispose()
