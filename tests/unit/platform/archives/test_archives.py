"""A directory of a home becomes an archive: whole or not at all, nothing from outside, nothing twice."""

import os
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from atoll.files.work import Homes
from atoll.homes.schemas import ArchiveRequest, Owner
from atoll.web.errors import ApiError

from tests.unit.platform.conftest import Client, RunningPlatform, eventually

ADA = Owner(name="ada", uid=30011)
OPERATION = "0" * 26
BEGINNING: dict[str, Any] = {
    **dict.fromkeys(("entries", "bytes", "skipped", "offset"), 0),
    "name": "data",
    "cursor": None,
    "open": None,
    "done": False,
    "inode": None,
}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home/ada"
    (home / "data/inner").mkdir(parents=True)
    (home / "data/empty").mkdir()
    (tmp_path / "secret").write_text("secret")
    (home / "data/large").write_bytes(os.urandom(3_000_000))
    (home / "data/inner/wörter.txt").write_text("words")
    (home / "data/link").symlink_to("large")
    (home / "data/out").symlink_to("../../../secret")
    (home / "data/way").symlink_to("../..")
    os.mkfifo(home / "data/pipe")
    return home


class Asked:
    """One attempt that asks `files`, with a worker whose steps are short."""

    def __init__(self, homes: Homes, fence: int = 1) -> None:
        self.homes = homes
        self.fence = fence

    async def __call__(self, action: Any, **more: Any) -> dict[str, Any]:
        return await self.homes.archive(
            ArchiveRequest(
                owner=ADA,
                action=action,
                path="data",
                target="data.tar.gz",
                operation=OPERATION,
                fence=self.fence,
                **more,
            )
        )


@pytest.fixture
def asked(tmp_path: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Asked]:
    """Steps take no time at all: each ends after its first piece."""
    room = Path(__file__).parents[4] / "platform/atoll/files"
    for name in ("worker.py", "beneath.py", "names.py", "archiving.py"):
        source = (room / name).read_text().replace("STEP_S = 4.0", "STEP_S = 0.0")
        (tmp_path / name).write_text(source)
    monkeypatch.setattr("atoll.files.work.WORKER", tmp_path / "worker.py")
    yield Asked(Homes(tmp_path, switch_user=False))
    assert home.exists()


def parts(home: Path) -> list[str]:
    return [each.name for each in home.iterdir() if each.name.startswith(".atoll-")]


def contents(archive: Path) -> dict[str, Any]:
    with tarfile.open(archive) as tar:
        found: dict[str, Any] = {}
        for member in tar:
            file = tar.extractfile(member) if member.isreg() else None
            found[member.name] = file.read() if file else member.linkname or None
        return found


def expected(home: Path) -> dict[str, Any]:
    return {
        "data/empty": None,
        "data/inner": None,
        "data/inner/wörter.txt": b"words",
        "data/large": (home / "data/large").read_bytes(),
        "data/link": "large",
        "data/out": "../../../secret",
        "data/way": "../..",
    }


async def test_steps_that_each_lose_their_process_make_one_whole_archive(asked: Asked, home: Path) -> None:
    survey: dict[str, Any] = {"cursor": None}
    counted = 0
    while True:
        survey = await asked("survey", cursor=survey["cursor"])
        counted += survey["entries"]
        if survey["cursor"] is None:
            break
    assert counted == 8
    state = BEGINNING
    steps = 0
    while not state["done"]:
        # Whoever works on it is another one each time, and the one before wrote something that nobody kept.
        asked.fence += 1
        assert (await asked("begin"))["kept"] == (steps > 0)
        await asked("append", state=state)
        state = await asked("append", state=state)
        steps += 1
    assert steps > 10, "it was one step"
    assert not (home / "data.tar.gz").exists()
    for _ in range(2):  # killed before it could be written down: done again
        await asked("publish", inode=state["inode"])
    assert contents(home / "data.tar.gz") == expected(home)
    assert (state["entries"], state["skipped"]) == (7, 1)
    assert parts(home) == []


async def test_whoever_lost_the_claim_writes_nothing_into_the_archive(asked: Asked, home: Path) -> None:
    await asked("begin")
    old = await asked("append", state=BEGINNING)
    successor = Asked(asked.homes, fence=2)
    await successor("begin")
    for action, more in (("append", {"state": old}), ("begin", {})):
        with pytest.raises(ApiError) as refused:
            await asked(action, **more)
        assert refused.value.code == "no_such_file"
    await successor("append", state=old)


async def test_what_has_the_name_already_is_never_overwritten(asked: Asked, home: Path) -> None:
    await asked("begin")
    state = BEGINNING
    while not state["done"]:
        state = await asked("append", state=state)
    (home / "data.tar.gz").write_text("of ada")
    with pytest.raises(ApiError) as refused:
        await asked("publish", inode=state["inode"])
    assert refused.value.code == "file_exists"
    await asked("discard")
    assert (home / "data.tar.gz").read_text() == "of ada"
    assert parts(home) == []


async def operation(client: Client, body: dict[str, Any]) -> dict[str, Any]:
    started = await client.post("/home/archives", body)
    assert started.status_code == 202, started.text

    async def ended() -> dict[str, Any] | None:
        told: dict[str, Any] = (await client.get(f"/operations/{started.json()['id']}")).json()
        return told if told["finished_at"] else None

    found: dict[str, Any] = await eventually(ended, 30)
    return found


async def test_a_user_archives_a_directory_and_is_told_what_cannot_be(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    await admin.get("/home/files")
    told = await operation(admin, {"path": "examples"})
    assert (told["state"], told["progress"]) == ("finished", 1.0), told
    assert told["result"]["path"] == "examples.tar.gz"
    found = contents(platform.home("admin") / "examples.tar.gz")
    assert found["examples/digits/train.py"] == (platform.home("admin") / "examples/digits/train.py").read_bytes()
    for path, cause, named in (
        ("examples", "file_exists", "examples.tar.gz"),
        ("nowhere", "no_such_file", "nowhere"),
    ):
        told = await operation(admin, {"path": path})
        params = told["reason"]["params"]
        assert (told["state"], params["cause"], params["cause_params"]) == ("failed", cause, {"path": named})
    climbing = await admin.post("/home/archives", {"path": "../bob"})
    assert (climbing.status_code, climbing.json()["code"]) == (422, "path_leads_out")


async def test_a_name_like_that_of_a_part_is_the_users_own(asked: Asked, home: Path) -> None:
    for odd in ("x", "1-2", "²", "9" * 30):
        (home / f".atoll-{OPERATION}-{odd}.part").write_text("of ada")
    assert not (await asked("begin"))["kept"]
    state = BEGINNING
    while not state["done"]:
        state = await asked("append", state=state)
    await asked("publish", inode=state["inode"])
    assert contents(home / "data.tar.gz") == expected(home)
    assert len(parts(home)) == 4


async def thirty_steps(asked: Asked, action: str, more: dict[str, Any]) -> None:
    for _ in range(30):
        told = await asked(action, **more)
        more = {"cursor": told["cursor"]} if action == "survey" else {"state": told}


async def test_a_file_that_is_nearly_all_hole_is_told_at_once(asked: Asked, home: Path) -> None:
    with (home / "data/inner/hollow").open("wb") as file:
        file.truncate((1 << 40) - 1)
    await asked("begin")
    for action, more in (("survey", {"cursor": None}), ("append", {"state": BEGINNING})):
        with pytest.raises(ApiError) as refused:
            await thirty_steps(asked, action, more)
        assert (refused.value.status, refused.value.code) == (422, "file_hollow")
        assert "`inner/hollow`" in refused.value.detail
    # A hole of ordinary size is as good as any file.
    with (home / "data/inner/hollow").open("wb") as file:
        file.truncate(1 << 29)
    assert (await asked("survey", cursor=None))["entries"]
