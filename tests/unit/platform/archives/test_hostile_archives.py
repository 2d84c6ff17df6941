"""Archives of what users put there to see what happens."""

import errno
import json
import os
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from atoll.homes.schemas import ArchiveRequest
from atoll.web.errors import ApiError

from tests.unit.platform.archives.test_archives import ADA, BEGINNING, OPERATION, Asked, contents, parts
from tests.unit.platform.archives.test_archives import asked as asked
from tests.unit.platform.archives.test_archives import home as home
from tests.unit.platform.archives.test_archives import operation as made
from tests.unit.platform.conftest import RunningPlatform

ROOM = Path(__file__).parents[4] / "platform/atoll/files"


def names_in(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


async def appended(asked: Asked, state: dict[str, Any] | None = None) -> dict[str, Any]:
    """The state once all is in the part."""
    if state is None:
        await asked("begin")
        state = BEGINNING
    while not state["done"]:
        state = await asked("append", state=state)
    return state


async def archived(asked: Asked) -> dict[str, Any]:
    state = await appended(asked)
    await asked("publish", inode=state["inode"])
    return state


async def test_names_of_any_bytes_are_kept(asked: Asked, home: Path) -> None:
    names = [b"\xff\xfe", b"new\nline", b"\x1b[31mred", b"-rf", b" ", b"x" * 255, b"..."]
    for name in names:
        (home / "data" / os.fsdecode(name)).write_bytes(name)
    await archived(asked)
    found = contents(home / "data.tar.gz")
    for name in names:
        assert found[f"data/{os.fsdecode(name)}"] == name
    assert all(name == "data" or name.startswith("data/") for name in found)


async def test_hard_links_become_files_and_what_is_odd_stays_out(asked: Asked, home: Path) -> None:
    os.link(home / "data/large", home / "data/again")
    await archived(asked)
    with tarfile.open(home / "data.tar.gz") as tar:
        members = {member.name: member for member in tar}
    assert {member.type for member in members.values()} == {tarfile.REGTYPE, tarfile.DIRTYPE, tarfile.SYMTYPE}
    assert members["data/again"].size == members["data/large"].size
    assert "data/pipe" not in members


async def test_only_its_owner_may_read_it(asked: Asked, home: Path) -> None:
    await archived(asked)
    status = (home / "data.tar.gz").stat()
    assert (status.st_mode & 0o7777, status.st_uid, status.st_nlink) == (0o640, (home / "data").stat().st_uid, 1)


@pytest.mark.parametrize("instead", ["directory", "pipe", "link"])
async def test_a_file_that_becomes_something_else_in_the_middle_is_filled_up(
    asked: Asked, home: Path, instead: str
) -> None:
    await asked("begin")
    state = BEGINNING
    while state["open"] is None:
        state = await asked("append", state=state)
    large = home / "data/large"
    large.unlink()
    if instead == "directory":
        large.mkdir()
    elif instead == "pipe":
        os.mkfifo(large)
    else:
        large.symlink_to(home.parents[1] / "secret")
    state = await appended(asked, state)
    await asked("publish", inode=state["inode"])
    found = contents(home / "data.tar.gz")["data/large"]
    assert len(found) == 3_000_000
    assert not any(found[-1000:])


async def test_what_a_user_lays_beside_the_part_stops_nothing(asked: Asked, home: Path) -> None:
    (home / f".atoll-{OPERATION}-x.part").write_text("of ada")
    (home / f".atoll-{OPERATION}-").mkdir()
    await archived(asked)
    assert contents(home / "data.tar.gz")["data/inner/wörter.txt"] == b"words"


async def test_a_part_that_is_swapped_for_a_link_is_not_written_through(asked: Asked, home: Path) -> None:
    await asked("begin")
    state = await asked("append", state=BEGINNING)
    (part,) = parts(home)
    (home / part).unlink()
    (home / part).symlink_to(home.parents[1] / "secret")
    with pytest.raises(ApiError):
        await asked("append", state=state)
    assert (home.parents[1] / "secret").read_text() == "secret"


@pytest.mark.parametrize("target", ["data/way/x.tar.gz", "/../x.tar.gz", "data/../../x.tar.gz"])
async def test_no_archive_is_made_outside_the_home(asked: Asked, home: Path, target: str) -> None:
    (home / "data/way").unlink()
    (home / "data/way").symlink_to("../../..")
    with pytest.raises(ApiError) as refused:
        await asked.homes.archive(
            ArchiveRequest(owner=ADA, action="begin", path="data", target=target, operation=OPERATION, fence=1)
        )
    assert refused.value.code == "path_leads_out"
    for outside in (home.parents[1], home.parents[0]):
        assert [name for name in names_in(outside) if name.startswith(".atoll-") or name.endswith(".gz")] == []


async def test_a_directory_of_many_files_is_gone_through_to_the_end(asked: Asked, home: Path) -> None:
    (home / "data/many").mkdir()
    for number in range(3000):
        (home / f"data/many/{number}").touch()
    patched = home.parents[1] / "archiving.py"
    patched.write_text(patched.read_text().replace("STEP_S = 0.0", "STEP_S = 0.05"))
    state = await archived(asked)
    assert state["entries"] == 7 + 1 + 3000


# Where a limit may bite: at the last, or as soon as a file is made (GlusterFS refuses that, too, beyond a quota).
EDGES = {"written": "os.fsync(part.fileno())", "made": "os.close(os.open(wanted, os.O_CREAT"}


@pytest.fixture(params=[errno.ENOSPC, errno.EDQUOT], ids=["full", "over its quota"])
def full(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    """Return a function that keeps what is written from the disk from then on."""

    def fill(edge: str) -> None:
        room = tmp_path / "worker"
        room.mkdir()
        for name in ("worker.py", "beneath.py", "names.py", "archiving.py"):
            source = (ROOM / name).read_text()
            assert name != "archiving.py" or EDGES[edge] in source
            refused = f"raise OSError({request.param}, 'No space left on device'); {EDGES[edge]}"
            (room / name).write_text(source.replace(EDGES[edge], refused))
        monkeypatch.setattr("atoll.files.work.WORKER", room / "worker.py")

    return fill


@pytest.mark.parametrize("edge", EDGES)
async def test_where_no_room_is_left_its_owner_is_told_and_nothing_is_left(
    full: Callable[[str], None], edge: str, platform: RunningPlatform
) -> None:
    admin = await platform.admin()
    await admin.get("/home/files")
    full(edge)
    told = await made(admin, {"path": "examples"})
    assert (told["state"], told["reason"]["params"]["cause"]) == ("failed", "storage_full")
    assert names_in(platform.home("admin")) == ["examples"]


async def test_names_that_terminals_and_logs_would_obey_are_refused(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    for target in ("a\nb.tar.gz", "\x1b[31m.tar.gz", "a\x7f", "\ud800.tar.gz", "x" * 5000):
        refused = await admin.http.post(
            "/home/archives",
            content=json.dumps({"path": "examples", "target": target}),
            headers={"Content-Type": "application/json"},
        )
        assert refused.status_code == 422, (target, refused.text)
