"""Privileged jobs: who may switch them on, and that nobody runs one by any other way. Needs PostgreSQL."""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from atoll.api.domains import permissions
from atoll.audit_trail.models import AuditRow
from atoll.configuration import Configuration
from atoll.database.connection import Sessions
from atoll.database.identifiers import new_id
from atoll.engines.repository import NodeRepository
from atoll.engines.specification import Amounts, Devices, Program, TaskSpec
from atoll.identity.caller import Caller
from atoll.identity.permissions import PRESETS, USER_ROLE, PermissionTable
from atoll.settings.schemas import Settings, SettingsChange
from atoll.settings.service import SettingsService
from atoll.tasks.models import TaskRow
from atoll.tasks.policy import TASKS_PRIVILEGED
from atoll.tasks.schemas import Task
from atoll.tasks.service import About, TaskService
from atoll.training.schemas import TrainingCreate
from atoll.training.service import TRAINING, TrainingService
from atoll.virtual_clusters.models import PodSecurity, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.web.errors import Invalid
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.conftest import configuration
from tests.unit.platform.rows import GPU, a_caller, a_node

CONDITIONS = ("installation", "permission", "virtual_clusters", "switch")


def lenient(settings: Configuration, *, allowed: bool = True) -> Configuration:
    return settings.model_copy(update={"engine": settings.engine.model_copy(update={"privileged_jobs": allowed})})


@pytest.fixture
def settings(tmp_path: Path, postgres: str, database_name: str) -> Configuration:
    return configuration(tmp_path, postgres, database_name)


class Person:
    """Ada, with all that it takes but for what a test leaves out."""

    def __init__(self, session: AsyncSession, settings: Configuration, caller: Caller) -> None:
        self.session, self.settings, self.caller = session, settings, caller
        self.service = SettingsService(session, settings)

    @classmethod
    async def having(cls, session: AsyncSession, settings: Configuration, *lacks: str) -> Person:
        caller = await a_caller(session, "ada")
        await NodeRepository(session).replace([a_node("node1")])
        if "permission" not in lacks:
            caller = replace(caller, permissions=caller.permissions | {TASKS_PRIVILEGED})
        person = cls(session, lenient(settings), caller)
        await person.room(PodSecurity.BASELINE)
        if "switch" not in lacks:
            # What the person set before stays, though something else is missing by now.
            whole = replace(caller, permissions=caller.permissions | {TASKS_PRIVILEGED})
            on = SettingsChange(privileged_jobs=True)
            await SettingsService(session, lenient(settings)).change(whole, on, None)
        if "virtual_clusters" in lacks:
            await person.room(PodSecurity.RESTRICTED)
        return cls(session, lenient(settings, allowed="installation" not in lacks), caller)

    async def room(self, level: PodSecurity) -> None:
        await self.session.execute(update(VirtualClusterRow).values(pod_security=level))
        self.session.expire_all()

    async def switch(self, on: bool) -> Settings:
        return await self.service.change(self.caller, SettingsChange(privileged_jobs=on), None)

    async def cluster(self) -> VirtualClusterRow:
        found = await VirtualClusterRepository(self.session).of_member(self.caller.id, "default")
        assert found is not None
        return found

    async def submit(self, *, privileged: bool = True) -> Task:
        """As a builder of specifications that forgot to ask."""
        specification = TaskSpec(
            program=Program(image="i", command=("true",), working_directory="/"),
            devices=Devices(count=0),
            limits=Amounts(cpu="1", memory="64Mi"),
            requests=Amounts(cpu="1", memory="64Mi"),
            privileged=privileged,
        )
        tasks = TaskService(self.session, self.settings)
        about = About(new_id(), "a_task", "plain", {})
        return await tasks.submit(self.caller, TRAINING, specification, cluster=await self.cluster(), about=about)

    async def train(self, **more: Any) -> Task:
        service = TrainingService(self.session, self.settings, None)
        return await service.create(self.caller, a_training(**more), None)


def a_training(**more: Any) -> TrainingCreate:
    usual = {"name": "a_task", "virtual_cluster": "default", "framework": "plain", "code_directory": "code"}
    return TrainingCreate.model_validate(
        {**usual, "start_file": "main.py", "device_type": GPU, "privileged": True, **more}
    )


async def refused(doing: Awaitable[object]) -> list[tuple[str, str]]:
    """The mistakes that it is refused for; none where it is done."""
    try:
        await doing
    except Invalid as error:
        return [(each.field, each.code) for each in error.errors]
    return []


async def test_with_all_that_it_takes_a_job_is_privileged_and_it_is_written_down(
    stored: Sessions, settings: Configuration
) -> None:
    async with stored() as session, session.begin():
        ada = await Person.having(session, settings)
        found = await ada.service.read(ada.caller)
        assert (found.privileged_jobs, found.privileged_jobs_refused) == (True, None)
        options = await TrainingService(session, ada.settings, None).options(ada.caller)
        assert [each.privileged for each in options.virtual_clusters] == [True]
        task = await ada.train()
        assert task.privileged
        row = await session.get_one(TaskRow, task.id)
        assert row.specification["privileged"] is True
        (written,) = (await session.scalars(select(AuditRow).where(AuditRow.action == "task.create"))).all()
        assert written.details["privileged"] is True
        usual = await ada.train(name="another", privileged=False)
        assert not usual.privileged
        assert (await session.get_one(TaskRow, usual.id)).specification["privileged"] is False


@pytest.mark.parametrize(
    ("lacks", "code"),
    [
        ("installation", "privileged_jobs_off"),
        ("permission", "privileged_not_yours"),
        ("virtual_clusters", "privileged_not_here"),
        ("switch", "privileged_switched_off"),
    ],
)
async def test_where_anything_is_missing_it_is_neither_offered_nor_run(
    stored: Sessions, settings: Configuration, lacks: str, code: str
) -> None:
    async with stored() as session, session.begin():
        ada = await Person.having(session, settings, lacks)
        training = TrainingService(session, ada.settings, None)
        options = await training.options(ada.caller)
        assert [each.privileged for each in options.virtual_clusters] == [False], f"offered without {lacks}"
        assert await refused(ada.train()) == [("privileged", code)], f"run without {lacks}"
        estimate = await training.estimate(ada.caller, a_training())
        assert [(each.field, each.code) for each in estimate.problems] == [("privileged", code)]
        assert not (await ada.train(privileged=False)).privileged


@pytest.mark.parametrize(
    ("lacks", "code"),
    [
        ("installation", "privileged_jobs_off"),
        ("permission", "privileged_not_yours"),
        ("virtual_clusters", "privileged_not_here"),
    ],
)
async def test_what_a_builder_forgets_to_ask_is_asked_when_it_is_submitted(
    stored: Sessions, settings: Configuration, lacks: str, code: str
) -> None:
    async with stored() as session, session.begin():
        ada = await Person.having(session, settings, lacks)
        assert await refused(ada.submit()) == [("privileged", code)], f"run without {lacks}"
        assert not (await ada.submit(privileged=False)).privileged


@pytest.mark.parametrize(
    ("lacks", "why", "code"),
    [
        ("installation", "installation", "privileged_jobs_off"),
        ("permission", "permission", "privileged_not_yours"),
        ("virtual_clusters", "virtual_clusters", "privileged_nowhere"),
    ],
)
async def test_nobody_switches_on_what_they_may_not_have_and_everybody_is_told_why(
    stored: Sessions, settings: Configuration, lacks: str, why: str, code: str
) -> None:
    async with stored() as session, session.begin():
        ada = await Person.having(session, settings, lacks, "switch")
        assert (await ada.service.read(ada.caller)).privileged_jobs_refused == why
        assert await refused(ada.switch(True)) == [("privileged_jobs", code)]
        assert not (await ada.service.read(ada.caller)).privileged_jobs
        assert not (await ada.switch(False)).privileged_jobs, "off is off at any time"


async def test_a_switch_that_is_on_is_switched_off_whatever_is_missing_by_now(
    stored: Sessions, settings: Configuration
) -> None:
    async with stored() as session, session.begin():
        ada = await Person.having(session, settings, "permission")
        assert (await ada.service.read(ada.caller)).privileged_jobs
        assert not (await ada.switch(False)).privileged_jobs
        ada = await Person.having(session, settings)
        changed = await ada.service.change(ada.caller, SettingsChange(refresh_seconds=30), None)
        assert changed.privileged_jobs, "what was left out has changed"


async def test_a_virtual_cluster_that_is_another_persons_is_no_room(stored: Sessions, settings: Configuration) -> None:
    async with stored() as session, session.begin():
        ada = await Person.having(session, settings, "virtual_clusters", "switch")
        session.add(VirtualClusterRow(name="secret", pod_security=PodSecurity.BASELINE))
        await session.flush()
        assert (await ada.service.read(ada.caller)).privileged_jobs_refused == "virtual_clusters"


def test_users_do_not_have_the_right_by_their_role_and_a_role_may_name_it() -> None:
    table = PermissionTable(permissions())
    grants = {preset.id: preset.grants for preset in PRESETS}
    assert TASKS_PRIVILEGED not in table.of(grants[USER_ROLE])
    assert TASKS_PRIVILEGED in table.of(grants["admin"])
    assert TASKS_PRIVILEGED in table.of(["tasks:privileged"])
