"""What hangs or is odd for one user stalls nobody else."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from atoll.database.claims import Claims
from atoll.database.connection import connect, sessions
from atoll.files import work
from atoll.files.work import Homes
from atoll.homes.client import FilesClient
from atoll.homes.codes import FileNotReadable, NoHome, NoSuchFile, NotAFile, StorageUnavailable
from atoll.homes.schemas import Owner
from atoll.tasks import collect, reconcile, working
from atoll.tasks.models import TaskRow
from atoll.web.errors import ApiError, Invalid, NotAllowed, NotFound, Unavailable

from tests.unit.platform.conftest import RunningPlatform, eventually, training

ADA = Owner(name="ada", uid=30011)


async def test_work_that_hangs_gives_its_task_back_and_tries_again(
    platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    async def hangs(_files: Any, _owner: Any, task_id: str) -> None:
        looked_at.append(task_id)
        if len(looked_at) == 1:
            await asyncio.Event().wait()

    monkeypatch.setattr(reconcile, "last_scalars", hangs)
    monkeypatch.setattr(reconcile, "LONGEST_WORK", timedelta(seconds=1))
    monkeypatch.setattr(reconcile, "RETRY", timedelta(seconds=1))
    admin = await platform.admin()
    program("admin", "print('done')\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    database = connect(platform.configuration, pool_size=1)

    async def given_back() -> bool:
        async with sessions(database)() as session:
            row = await session.get_one(TaskRow, task_id)
        return row.lock_owner is None and row.due_at is None and len(looked_at) > 1

    await eventually(given_back, timeout_s=20)
    await database.dispose()


async def test_each_worker_claims_under_a_name_of_its_own(
    platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    owners: set[str] = set()
    take = Claims.take

    async def noted(claims: Claims[TaskRow], owner: str) -> Any:
        owners.add(owner)
        return await take(claims, owner)

    monkeypatch.setattr(Claims, "take", noted)
    admin = await platform.admin()
    program("admin", "print('done')\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    await admin.until(task_id, "finished")

    async def all_claimed() -> bool:
        return len(owners) == working.WORKERS

    await eventually(all_claimed)


class FilesThatRefuse:
    """Stands in for the client of `files`."""

    def __init__(self, error: ApiError) -> None:
        self.error = error

    async def read(self, *_: Any, **__: Any) -> AsyncIterator[bytes]:
        if self.error is not None:
            raise self.error
        yield b""


@pytest.mark.parametrize(
    "error", [NotFound(NoSuchFile(path="x")), NotAllowed(FileNotReadable(path="x")), Invalid(NotAFile(path="x"))]
)
async def test_a_log_that_its_owner_made_unreadable_has_no_last_lines(error: ApiError) -> None:
    files: Any = FilesThatRefuse(error)
    assert await collect.last_lines(files, ADA, "1", 1, 0) == []
    assert await collect.last_scalars(files, ADA, "1") is None


async def test_last_lines_are_asked_for_again_when_storage_does_not_answer() -> None:
    files: Any = FilesThatRefuse(Unavailable(StorageUnavailable()))
    with pytest.raises(Unavailable):
        await collect.last_lines(files, ADA, "1", 1, 0)


async def test_a_home_that_cannot_be_made_keeps_nobody_else_waiting(
    platform: RunningPlatform, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure = FilesClient.ensure_home

    async def fails_for_ada(self: FilesClient, user: Any) -> None:
        if user.name == "ada":
            raise Unavailable(NoHome(why="odd things lie there"))
        await ensure(self, user)

    monkeypatch.setattr(FilesClient, "ensure_home", fails_for_ada)
    admin = await platform.admin()
    await platform.user(admin, "ada")
    bob = await platform.user(admin, "bob")
    program("bob", "print('done')\n")
    task_id = (await bob.post("/trainings", training())).json()["id"]
    await bob.until(task_id, "finished")


async def test_a_link_to_nowhere_in_place_of_the_examples_is_left_alone(tmp_path: Path) -> None:
    homes = Homes(tmp_path, switch_user=False)
    (tmp_path / "home/ada").mkdir(parents=True)
    (tmp_path / "home/ada/examples").symlink_to("nowhere")
    await homes.ensure(ADA)
    assert (tmp_path / "home/ada/examples").is_symlink()


async def test_storage_that_hangs_is_answered_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hanging = tmp_path / "worker.py"
    hanging.write_text("import time\ntime.sleep(60)\n")
    monkeypatch.setattr(work, "WORKER", hanging)
    monkeypatch.setattr(work, "ANSWER_S", 0.5)
    monkeypatch.setattr(work, "HANG_S", 0.2)
    async with asyncio.timeout(10):
        with pytest.raises(Unavailable, match="does not answer"):
            await Homes(tmp_path, switch_user=False).listing(ADA, "", None, 10)
