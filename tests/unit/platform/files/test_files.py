"""Files: nothing outside the home is reached, whatever links a user sets up. Parts need root."""

import asyncio
import errno
import os
import stat
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from atoll.files import windows, work
from atoll.files.beneath import open_beneath
from atoll.files.work import Homes
from atoll.homes.schemas import Owner
from atoll.web.errors import ApiError

from tests.unit.platform.conftest import RunningPlatform

ADA = Owner(name="ada", uid=30011)
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root: workers become users")


def test_no_path_leads_out(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "inner").mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (home / "absolute").symlink_to("/etc/passwd")
    (home / "up").symlink_to("../secret")
    (home / "inner/over").symlink_to("../../secret")
    (home / "good").write_text("mine")
    (home / "inner/link").symlink_to("../good")
    root = os.open(home, os.O_PATH | os.O_DIRECTORY)
    try:
        for path in ("../secret", "absolute", "up", "inner/over", "inner/../../secret"):
            with pytest.raises(OSError, match="link") as error:
                open_beneath(root, path, os.O_RDONLY)
            assert error.value.errno == errno.EXDEV
        for path in ("good", "inner/link", "inner/../good"):
            descriptor = open_beneath(root, path, os.O_RDONLY)
            assert os.read(descriptor, 10) == b"mine"
            os.close(descriptor)
    finally:
        os.close(root)


@pytest.fixture
def storage() -> Iterator[Path]:
    """A storage root that every uid can reach, as on a node.

    Not below pytest's own folder: each pytest that starts on this machine closes that to others.
    """
    with tempfile.TemporaryDirectory(prefix="atoll-storage-") as folder:
        Path(folder).chmod(0o711)
        (Path(folder) / "home").mkdir()
        yield Path(folder)


@root_only
async def test_a_home_belongs_to_its_user_and_is_closed_to_others(storage: Path) -> None:
    homes = Homes(storage, switch_user=True)
    await homes.ensure(ADA)
    await homes.ensure(ADA)
    status = (storage / "home/ada").stat()
    assert (status.st_uid, status.st_gid, stat.S_IMODE(status.st_mode)) == (30011, 30011, 0o700)
    example = storage / "home/ada/examples/digits/train.py"
    assert example.stat().st_uid == 30011
    listed = await homes.listing(ADA, "examples", None, 200)
    assert [item["name"] for item in listed["items"]] == ["ddp", "devices", "digits"]


@root_only
async def test_a_home_whose_owner_is_seen_late_is_waited_for(storage: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As GlusterFS does it now and then. One that stays another's is told."""

    def late(made: int, uid: int, gid: int) -> None:
        again = os.dup(made)

        def settle() -> None:
            chown(again, uid, gid)
            os.close(again)

        threading.Timer(0.7, settle).start()

    chown = os.fchown
    monkeypatch.setattr(os, "fchown", late)
    homes = Homes(storage, switch_user=True)
    await homes.ensure(ADA)
    assert (storage / "home/ada/examples").stat().st_uid == ADA.uid
    monkeypatch.setattr(os, "fchown", lambda *_: None)
    (storage / "home/bob").mkdir(mode=0o700)
    monkeypatch.setattr(work, "SETTLING_S", ())
    with pytest.raises(ApiError) as refused:
        await homes.ensure(Owner(name="bob", uid=30012))
    assert refused.value.code == "file_not_readable"


@root_only
async def test_a_link_in_place_of_a_home_leads_root_nowhere(storage: Path) -> None:
    elsewhere = storage / "of-root"
    elsewhere.mkdir()
    elsewhere.chmod(0o711)
    (storage / "home/ada").symlink_to("../of-root")
    with pytest.raises(ApiError) as refused:
        await Homes(storage, switch_user=True).ensure(ADA)
    assert refused.value.code == "no_home"
    status = elsewhere.stat()
    assert (status.st_uid, stat.S_IMODE(status.st_mode)) == (0, 0o711)
    assert not list(elsewhere.iterdir())


@root_only
async def test_the_worker_has_the_rights_of_the_user_and_no_more(storage: Path) -> None:
    homes = Homes(storage, switch_user=True)
    await homes.ensure(ADA)
    await homes.ensure(Owner(name="bob", uid=30012))
    hidden = storage / "home/ada/of-root"
    hidden.write_text("of root")
    hidden.chmod(0o600)
    (storage / "home/ada/to-bob").symlink_to("../bob")
    for path, code in (("of-root", "file_not_readable"), ("to-bob/examples/digits/train.py", "path_leads_out")):
        with pytest.raises(ApiError) as refused:
            async with homes.read(ADA, path, 0, None):
                raise AssertionError("it was read")
        assert refused.value.code == code


async def test_a_removed_example_stays_removed(storage: Path) -> None:
    homes = Homes(storage, switch_user=False)
    await homes.ensure(ADA)
    (storage / "home/ada/examples/digits/train.py").unlink()
    await homes.ensure(ADA)
    assert not (storage / "home/ada/examples/digits/train.py").exists()


async def test_reading_a_pipe_or_a_directory_does_not_hang(storage: Path) -> None:
    homes = Homes(storage, switch_user=False)
    await homes.ensure(ADA)
    os.mkfifo(storage / "home/ada/pipe")
    async with asyncio.timeout(10):
        for path in ("pipe", "examples"):
            with pytest.raises(ApiError) as refused:
                async with homes.read(ADA, path, 0, None):
                    raise AssertionError("it was read")
            assert refused.value.code == "not_a_file"


async def test_a_directory_of_a_thousand_is_read_once_for_all_its_pages(
    storage: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    homes = Homes(storage, switch_user=False)
    await homes.ensure(ADA)
    many = storage / "home/ada/many"
    many.mkdir()
    for number in range(1000):
        (many / f"{number:04}").touch()
    (many / "zz-directory").mkdir()
    found, read = await _pages(homes, 300)
    assert found == ["zz-directory", *[f"{number:04}" for number in range(1000)]]
    assert read == 1001, "pages read the directory again"
    # Where it is larger than a window, it is read again once per window, not per page.
    monkeypatch.setattr(windows, "WINDOW", 500)
    found, read = await _pages(homes, 100)
    assert found == ["zz-directory", *[f"{number:04}" for number in range(1000)]]
    assert read == 3 * 1001


async def _pages(homes: Homes, limit: int) -> tuple[list[str], int]:
    """All names, and how many entries were looked at for them."""
    found: list[str] = []
    read = 0
    after = None
    while True:
        page = await homes.listing(ADA, "many", after, limit)
        found += [item["name"] for item in page["items"]]
        read += page["read"]
        after = page["after"]
        if after is None:
            return found, read


async def test_the_first_page_is_a_fresh_look_and_removed_files_are_on_none(storage: Path) -> None:
    homes = Homes(storage, switch_user=False)
    await homes.ensure(ADA)
    many = storage / "home/ada/many"
    many.mkdir()
    for name in "abcdef":
        (many / name).touch()
    first = await homes.listing(ADA, "many", None, 2)
    (many / "c").unlink()
    (many / "0").touch()
    second = await homes.listing(ADA, "many", first["after"], 2)
    assert [item["name"] for item in second["items"]] == ["d"]
    assert [item["name"] for item in (await homes.listing(ADA, "many", None, 2))["items"]] == ["0", "a"]


async def test_a_reader_that_leaves_ends_its_worker(storage: Path) -> None:
    homes = Homes(storage, switch_user=False)
    await homes.ensure(ADA)
    with (storage / "home/ada/large").open("wb") as file:
        file.truncate(1 << 30)
    async with asyncio.timeout(10), homes.read(ADA, "large", 0, None) as (facts, chunks):
        assert facts["size_bytes"] == 1 << 30
        assert len(await anext(chunks)) > 0


async def test_a_preview_cannot_run_in_the_browser(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "<script>alert(1)</script>", "page.html")
    answer = await admin.get("/home/files/content", params={"path": "page.html", "download": "false"})
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in answer.headers["content-security-policy"]


@pytest.mark.parametrize("path", ["../bob", "..", "a/../../b"])
async def test_the_api_refuses_to_climb(platform: RunningPlatform, path: str) -> None:
    admin = await platform.admin()
    answer = await admin.get("/home/files", params={"path": path})
    assert (answer.status_code, answer.json()["code"]) == (422, "path_leads_out")
