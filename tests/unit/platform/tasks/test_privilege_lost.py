"""What waits to be root of its container ends once its owner may have that no more. On a real database."""

from pathlib import Path

import pytest
from atoll.api.domains import permissions
from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.database.connection import Sessions, connect, sessions
from atoll.database.rights import JOBS
from atoll.identity.models import GroupMemberRow, GroupRoleRow, GroupRow, RoleRow, UserRoleRow, UserRow
from atoll.identity.permissions import PermissionKind, PermissionTable
from atoll.tasks.models import TaskRow
from atoll.tasks.policy import TASKS_PRIVILEGED
from atoll.tasks.repository import TaskRepository
from sqlalchemy import delete, select, text, update

from tests.unit.platform.conftest import as_service, configuration
from tests.unit.platform.tasks.test_reconcile import SPECIFICATION, Engine, begin, engine, look

__all__ = ["engine"]


async def grants(stored: Sessions, *names: str, by_group: bool = False) -> None:
    """The owner of all tasks has these, and nothing else."""
    async with stored() as session, session.begin():
        await session.execute(delete(UserRoleRow))
        user = (await session.scalars(select(UserRow).where(UserRow.name == "ada"))).one()
        role = RoleRow(name="Some", name_key="some", description="", grants=[*names])
        group = GroupRow(name="Some", name_key="some", description="")
        session.add_all([role, group])
        await session.flush()
        if by_group:
            session.add(GroupRoleRow(group_id=group.id, role_id=role.id))
            session.add(GroupMemberRow(group_id=group.id, user_id=user.id))
        else:
            session.add(UserRoleRow(user_id=user.id, role_id=role.id))


async def privileged(stored: Sessions, state: str = "queued") -> str:
    """The id of a task that is to be root."""
    task_id = await begin(stored, submitted=state != "queued")
    async with stored() as session, session.begin():
        task = await session.get_one(TaskRow, task_id)
        task.specification, task.state = {**SPECIFICATION, "privileged": True}, state
    return task_id


async def test_what_waits_to_be_root_ends_when_its_owner_may_not_any_more_and_is_told_why(
    stored: Sessions, engine: Engine
) -> None:
    await privileged(stored)
    row = await look(stored, engine)
    assert row.stop_reason is not None, "somebody is root who may not be"
    assert (row.wanted, row.state, row.stop_reason["code"]) == ("stop", "killed", "no_longer_privileged")
    assert engine.submitted == [], "it was handed over all the same"


@pytest.mark.parametrize("by_group", [False, True])
@pytest.mark.parametrize("grant", ["tasks:privileged", "administration"])
async def test_whose_owner_may_be_root_by_whatever_way_goes_on(
    stored: Sessions, engine: Engine, grant: str, by_group: bool
) -> None:
    await privileged(stored)
    await grants(stored, grant, "platform", by_group=by_group)
    row = await look(stored, engine)
    assert (row.wanted, row.state, len(engine.submitted)) == ("run", "running", 1)


async def test_what_is_not_privileged_and_what_has_begun_go_on_without_that_right(
    stored: Sessions, engine: Engine
) -> None:
    task_id = await privileged(stored, "running")
    assert (await look(stored, engine)).wanted == "run", "what ran is ended by a change of roles"
    async with stored() as session, session.begin():
        task = await session.get_one(TaskRow, task_id)
        task.specification, task.state, task.due_at = SPECIFICATION, "queued", now()
    assert (await look(stored, engine)).wanted == "run"


async def test_what_may_wait_no_longer_is_found_at_once_and_what_may_is_left_alone(
    stored: Sessions, engine: Engine
) -> None:
    task_id = await privileged(stored)
    for granted, woken in (("platform", True), ("tasks:privileged", False)):
        async with stored() as session, session.begin():
            await session.execute(update(TaskRow).values(due_at=None))
            await session.execute(delete(UserRoleRow))
            await session.execute(delete(RoleRow).where(RoleRow.name == "Some"))
            await session.execute(delete(GroupRow))
        await grants(stored, granted)
        async with stored() as session, session.begin():
            await TaskRepository(session).wake_strangers()
        async with stored() as session:
            due = (await session.get_one(TaskRow, task_id)).due_at
        assert (due is not None) is woken, f"with {granted} alone nobody looks at it, or again and again"


async def test_jobs_asks_it_of_tasks_and_reads_nobodys_roles(
    stored: Sessions, engine: Engine, tmp_path: Path, postgres: str, database_name: str
) -> None:
    task_id = await privileged(stored)
    settings: Configuration = as_service(configuration(tmp_path, postgres, database_name), JOBS)
    database = connect(settings, pool_size=1)
    try:
        async with sessions(database)() as session:
            assert not await TaskRepository(session).may_be_root(task_id)
            assert not await TaskRepository(session).may_be_root("nothing")
            with pytest.raises(Exception, match="permission denied"):
                await session.execute(text("SELECT grants FROM roles"))
    finally:
        await database.dispose()


def test_what_the_database_takes_for_the_right_is_what_the_platform_does() -> None:
    table = PermissionTable(permissions())
    names = [*PermissionKind, *map(str, table.permissions)]
    assert {str(name) for name in names if TASKS_PRIVILEGED in table.scope([name])} == {
        "tasks:privileged",
        "administration",
    }, "say so in the function `may_be_root`, by a migration"
