"""Directories laid out to take memory: a worker has a bound, order and completeness stay, what does not fit is told."""

import json
import os
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from atoll.files import names, worker
from atoll.files.work import WORKER, Homes
from atoll.homes.schemas import ArchiveRequest, Owner
from atoll.web.errors import Invalid

ADA = Owner(name="ada", uid=30011)
OPERATION = "0" * 26
NUMBER = 60_000
LONG = "x" * 240


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with a directory of many long names, which a plain list would need 18 MiB for."""
    storage = tmp_path_factory.mktemp("storage")
    many = storage / "home/ada/many"
    many.mkdir(parents=True)
    for number in range(NUMBER):
        (many / f"{LONG}{number:010d}").symlink_to("x")
    return storage


def peak_bytes(storage: Path, **request: Any) -> tuple[dict[str, Any], int]:
    """The answer of a worker, and how much more it held at most than one that had nothing to do."""
    peaks = []
    for asked in ({"operation": "list", "path": ".", "names": []}, request):
        order = json.dumps({**asked, "root": str(storage / "home/ada"), "uid": None}).encode()
        process = subprocess.Popen([sys.executable, "-IS", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert process.stdin is not None
        assert process.stdout is not None
        with process.stdin as stdin:
            stdin.write(order)
        said = process.stdout.read()
        process.stdout.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0
        peaks.append(used.ru_maxrss * 1024)
    answer: dict[str, Any] = json.loads(said)
    return answer, peaks[1] - peaks[0]


def test_a_listing_holds_a_window_of_names_not_all_of_them(storage: Path) -> None:
    answer, peak = peak_bytes(storage, operation="list", path="many", after=None, limit=200, window=5000, names=None)
    assert (answer["ok"], answer["read"], len(answer["items"])) == (True, NUMBER, 200)
    assert peak < NUMBER * 250 / 2


def test_an_archive_counts_a_directory_without_holding_all_of_its_names(storage: Path) -> None:
    entries, cursor, peak = 0, None, 0
    while True:
        answer, more = peak_bytes(
            storage, operation="archive", action="survey", path="many", cursor=cursor, target="a.tar.gz"
        )
        entries, cursor, peak = entries + answer["entries"], answer["cursor"], max(peak, more)
        if cursor is None:
            break
    assert entries == NUMBER
    assert peak < NUMBER * 250 / 2


async def test_all_pages_of_a_directory_of_long_names_have_each_name_once(storage: Path) -> None:
    homes = Homes(storage, switch_user=False)
    found: list[str] = []
    after = None
    for _ in range(12):
        page = await homes.listing(ADA, "many", after, 1000)
        found += [item["name"] for item in page["items"]]
        after = page["after"]
    assert after is not None
    assert found == [f"{LONG}{number:010d}" for number in range(len(found))]
    assert len(found) > 10_000


async def test_too_many_names_and_too_much_memory_are_told(
    storage: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for case, (name, was, put) in {
        "names": ("names.py", "MOST_NAMES = 1_000_000", "MOST_NAMES = 1_000"),
        "memory": ("worker.py", "_WINDOW_BYTES = 1 << 20", "_WINDOW_BYTES = 1 << 30"),
    }.items():
        room = tmp_path / case
        room.mkdir()
        for each in ("worker.py", "beneath.py", "names.py", "archiving.py"):
            (room / each).write_text((WORKER.parent / each).read_text())
        text = (room / name).read_text()
        assert was in text
        (room / name).write_text(text.replace(was, put).replace('request["window"]', "10**9"))
        with monkeypatch.context() as patched:
            patched.setattr("atoll.files.work.WORKER", room / "worker.py")
            homes = Homes(storage, switch_user=False)
            with pytest.raises(Invalid) as told:
                await homes.listing(ADA, "many", None, 200)
            assert told.value.code == "directory_too_large", case
            if case == "names":
                with pytest.raises(Invalid) as told:
                    await homes.archive(
                        ArchiveRequest(
                            owner=ADA, action="survey", path="many", target="a", operation=OPERATION, fence=1
                        )
                    )
                assert told.value.code == "directory_too_large"
            assert (await homes.listing(ADA, "", None, 200))["items"]


def test_a_window_is_the_first_in_order_and_says_whether_it_is_all() -> None:
    places = [(f"{number:03}",) for number in range(100)]
    mixed = [places[number * 37 % 100] for number in range(100)]
    assert names.first(iter(mixed), 100, 1 << 20) == (places, True)
    assert names.first(iter(mixed), 99, 1 << 20) == (places[:99], False)
    assert names.first(iter(mixed), 7, 1 << 20) == (places[:7], False)
    assert names.first(iter(mixed), 100, 1) == (places[:1], False)
    assert names.first(iter([]), 7, 1) == ([], True)


def test_what_a_worker_may_have_is_what_the_pod_is_reckoned_with() -> None:
    from atoll.files import work

    assert worker.MOST_BYTES <= work.WORK_BYTES
    assert resource.RLIMIT_DATA
