"""`tasks.submit`: any kind, given as a specification, goes its way without anybody below knowing the kind."""

import json
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest
from atoll.api.domains import permissions
from atoll.audit_trail.models import AuditRow
from atoll.database.connection import Sessions, connect, sessions
from atoll.database.identifiers import new_id
from atoll.devices.types import DeviceType
from atoll.engines.specification import Amounts, Devices, Mode, Port, Program, TaskSpec, TcpReadiness
from atoll.identity.models import UserRow
from atoll.identity.permissions import PermissionKind, PermissionTable
from atoll.identity.service import caller_of
from atoll.tasks.building import Builder
from atoll.tasks.models import TaskRow
from atoll.tasks.policy import TASKS_CREATE
from atoll.tasks.service import About, TaskService
from atoll.web.domain import Permission, TaskKind
from atoll.web.errors import Invalid, NotAllowed
from sqlalchemy import inspect, select
from sqlalchemy.orm import undefer

from installer.cluster import DEVICE_TYPES
from tests.unit.platform.conftest import RunningPlatform, eventually, training

GPU = DeviceType(**DEVICE_TYPES["nvidia_gpu_amd64"].row())
NOTEBOOK = TaskKind("notebook", TASKS_CREATE)
SECRET = "hunter2-of-the-test"
SAYS = "import os; print(os.environ['TOKEN'][::-1], flush=True); import time; time.sleep(3)"
SERVES = """
import os, socket
with socket.create_server(('127.0.0.1', int(os.environ['ATOLL_PORT_WEB']))) as server:
    while True: server.accept()[0].close()
"""


@pytest.fixture
async def database(platform: RunningPlatform) -> AsyncIterator[Sessions]:
    engine = connect(platform.configuration, pool_size=2)
    yield sessions(engine)
    await engine.dispose()


async def submit(platform: RunningPlatform, database: Sessions, source: str, **changes: Any) -> str:
    builder = Builder(platform.configuration, "admin")
    specification = TaskSpec(
        **{
            "program": Program(image="i", command=(sys.executable, "-c", source), working_directory=builder.home),
            "mounts": (builder.home_mount(),),
            "devices": Devices.of(GPU, changes.pop("count", 0)),
            "limits": Amounts(cpu="1", memory="512Mi"),
            "requests": Amounts(cpu="500m", memory="256Mi"),
            **changes,
        }
    )
    return await submit_as(database, NOTEBOOK, specification)


async def submit_as(database: Sessions, kind: TaskKind, specification: TaskSpec) -> str:
    async with database() as session, session.begin():
        caller = caller_of(
            (await session.scalars(select(UserRow).where(UserRow.name == "admin"))).one(),
            [PermissionKind.PLATFORM],
            PermissionTable(permissions()),
            "",
            "request",
        )
        service = TaskService(session)
        cluster = await service.cluster(caller, "default")
        assert cluster is not None
        about = About(new_id(), "mine", "a notebook", {"looks": "nice"})
        return (await service.submit(caller, kind, specification, cluster=cluster, about=about)).id


async def row(database: Sessions, task_id: str) -> TaskRow:
    async with database() as session:
        query = select(TaskRow).where(TaskRow.id == task_id).options(undefer(TaskRow.secrets))
        return (await session.scalars(query)).one()


async def test_a_kind_that_nobody_below_knows_runs_and_its_secrets_reach_its_program_alone(
    platform: RunningPlatform, database: Sessions
) -> None:
    admin = await platform.admin()
    task_id = await submit(platform, database, SAYS, secrets={"TOKEN": SECRET})
    shown = await admin.until(task_id, "finished")
    assert (shown["kind"], shown["mode"], shown["framework"]) == ("notebook", "batch", "a notebook")
    assert shown["definition"] == {"looks": "nice"}
    log = (await admin.get(f"/tasks/{task_id}/log/content")).text
    assert log.strip() == SECRET[::-1]
    kept = await row(database, task_id)
    assert kept.secrets is None, "they are gone with its end"
    async with database() as session:
        [listed] = (await session.scalars(select(TaskRow))).all()
        assert "secrets" in inspect(listed).unloaded, "whoever looks at tasks loads their secrets"
        audit = [record.details for record in (await session.scalars(select(AuditRow))).all()]
    told = [shown, audit, kept.specification, kept.definition, (await admin.get(f"/tasks/{task_id}/events")).json()]
    assert SECRET not in json.dumps(told)
    assert {"kind": "notebook"}.items() <= audit[-1].items()


async def test_a_service_runs_once_it_is_ready_and_until_it_is_stopped(
    platform: RunningPlatform, database: Sessions
) -> None:
    admin = await platform.admin()
    service = {"mode": Mode.SERVICE, "ports": (Port(name="web", number=8080),), "readiness": TcpReadiness(port="web")}
    task_id = await submit(platform, database, SERVES, **service)
    assert (await admin.until(task_id, "running"))["mode"] == "service"
    await admin.post(f"/tasks/{task_id}/stop")
    await admin.until(task_id, "killed")


async def test_what_could_never_start_is_refused_and_leaves_nothing(
    platform: RunningPlatform, database: Sessions
) -> None:
    await platform.admin()

    async def machines() -> Any:
        async with database() as session:
            return (await session.execute(select(TaskRow.metadata.tables["nodes"]))).all()

    await eventually(machines)
    with pytest.raises(Invalid) as refused:
        await submit(platform, database, SAYS, count=4, secrets={"TOKEN": SECRET})
    assert [(each.field, each.code) for each in refused.value.errors] == [("devices", "more_than_user_may_hold")]
    async with database() as session:
        assert (await session.scalars(select(TaskRow))).all() == []


async def test_the_definition_of_a_training_is_its_owners_and_typed(
    platform: RunningPlatform, database: Sessions
) -> None:
    admin = await platform.admin()
    ada, bob = await platform.user(admin, "ada"), await platform.user(admin, "bob")
    task = (await ada.post("/trainings", training())).json()
    for reader in (ada, admin):
        assert (await reader.get(f"/trainings/{task['id']}/definition")).json() == task["definition"]
    assert (await bob.get(f"/trainings/{task['id']}/definition")).status_code == 404
    other = await submit(platform, database, "")
    assert (await admin.get(f"/trainings/{other}/definition")).status_code == 404


async def test_a_kind_is_submitted_by_holders_of_its_permission_alone(
    platform: RunningPlatform, database: Sessions
) -> None:
    await platform.admin()
    task_id = await submit(platform, database, "")
    specification = TaskSpec.model_validate((await row(database, task_id)).specification)
    rare = TaskKind("rare", Permission("rare:create", frozenset()))
    with pytest.raises(NotAllowed) as refused:
        await submit_as(database, rare, specification)
    assert refused.value.problem.params == {"permission": "rare:create"}
    async with database() as session:
        assert [each.kind for each in (await session.scalars(select(TaskRow))).all()] == ["notebook"]
