"""Real `jobs` processes are killed while they make an archive: it is there once, whole, or not at all."""

import asyncio
import os
import signal
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.unit.platform.conftest import Client, eventually
from tests.unit.platform.operations.conftest import TREE, Operated

LEASE_S = 1.0
FILES = 6


@pytest.fixture
def slow_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each step of `files` ends after its first piece, and giving the archive its name takes a second."""
    for name in ("worker.py", "beneath.py", "names.py", "archiving.py"):
        source = (TREE / "platform/atoll/files" / name).read_text().replace("STEP_S = 4.0", "STEP_S = 0.0")
        publishes = '    """The part gets its name,'
        assert name != "archiving.py" or publishes in source
        (tmp_path / name).write_text(source.replace(publishes, f"    time.sleep(1)\n{publishes}"))
    monkeypatch.setattr("atoll.files.work.WORKER", tmp_path / "worker.py")


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


async def started(operated: Operated) -> tuple[Client, str, Path]:
    """A home with files, and an archive of them that nobody makes yet."""
    admin = await operated.admin()
    await admin.get("/home/files")
    home = operated.home("admin")
    (home / "data/inner").mkdir(parents=True)
    for number in range(FILES):
        (home / f"data/{'inner/' * (number % 2)}{number}").write_bytes(os.urandom(400_000))
    answer = await admin.post("/home/archives", {"path": "data"})
    assert answer.status_code == 202, answer.text
    return admin, str(answer.json()["id"]), home


async def kill_once(operated: Operated, operation_id: str, holds: Any) -> None:
    process = await operated.jobs_process(LEASE_S)

    async def look() -> bool:
        return bool(holds(await operated.row(operation_id)))

    await eventually(look, 120)  # on a busy machine `jobs` alone takes half a minute to start
    process.send_signal(signal.SIGKILL)
    await process.wait()


async def whole(operated: Operated, operation_id: str, home: Path) -> None:
    row = await operated.once(operation_id, "finished", timeout_s=60)
    archive = home / "data.tar.gz"
    assert row.result == {
        "path": "data.tar.gz",
        "size_bytes": archive.stat().st_size,
        "entries": FILES + 1,
        "skipped": 0,
    }
    with tarfile.open(archive) as tar:
        found = {member.name: tar.extractfile(member) for member in tar}
        assert len(found) == FILES + 1
        for number in range(FILES):
            name = f"data/{'inner/' * (number % 2)}{number}"
            file = found[name]
            assert file is not None
            assert file.read() == (home / name).read_bytes()
    assert names_in(home) == ["data", "data.tar.gz", "examples"]


async def test_an_archive_survives_kills_of_jobs_and_is_there_once(without_jobs: Operated, slow_steps: None) -> None:
    _, operation_id, home = await started(without_jobs)
    for progress in (0.0, 0.3, 0.7):

        def further(row: Any, least: float = progress) -> bool:
            return row.checkpoint is not None and row.progress >= least

        await kill_once(without_jobs, operation_id, further)
        assert not (home / "data.tar.gz").exists(), "a half one has the name"
    await without_jobs.jobs_process(LEASE_S)
    await whole(without_jobs, operation_id, home)


async def test_a_kill_while_the_archive_gets_its_name_makes_no_second_one(
    without_jobs: Operated, slow_steps: None
) -> None:
    admin, operation_id, home = await started(without_jobs)
    await kill_once(without_jobs, operation_id, lambda row: row.ending == "finished")
    refused = await admin.post(f"/operations/{operation_id}/cancel")
    assert refused.status_code == 409, "it is decided that it stays"
    await asyncio.sleep(1.5)
    await without_jobs.jobs_process(LEASE_S)
    await whole(without_jobs, operation_id, home)


async def test_no_row_is_locked_while_the_archive_gets_its_name(without_jobs: Operated, slow_steps: None) -> None:
    admin, operation_id, home = await started(without_jobs)
    await without_jobs.jobs_process(60)

    async def decided() -> bool:
        return (await without_jobs.row(operation_id)).ending == "finished"

    await eventually(decided, 30)
    assert not (home / "data.tar.gz").exists()
    async with asyncio.timeout(0.7):  # it asks for the row's lock
        assert (await admin.post(f"/operations/{operation_id}/cancel")).status_code == 409
    assert not (home / "data.tar.gz").exists(), "it came too late to say anything"
    await whole(without_jobs, operation_id, home)


async def test_an_archive_that_is_cancelled_in_the_middle_leaves_nothing(
    without_jobs: Operated, slow_steps: None
) -> None:
    admin, operation_id, home = await started(without_jobs)
    await without_jobs.jobs_process(60)

    async def middle() -> bool:
        return (await without_jobs.row(operation_id)).progress > 0.3

    await eventually(middle, 30)
    assert (await admin.post(f"/operations/{operation_id}/cancel")).status_code == 200
    await without_jobs.once(operation_id, "cancelled")
    assert names_in(home) == ["data", "examples"]
