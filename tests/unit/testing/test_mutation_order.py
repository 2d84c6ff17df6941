"""The tests of a room are asked in an order that is learned. Needs nothing."""

from __future__ import annotations

from pathlib import Path

from installer.testing.mutation.order import FIRST, Order, files_of


def tree(tmp_path: Path) -> Path:
    for name in ("b/test_slow.py", "b/test_quick.py", "b/deep/test_other.py", "b/data.py", "a/test_one.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    return tmp_path


def test_folders_files_and_what_is_left_out_become_files(tmp_path: Path) -> None:
    there = tree(tmp_path)
    assert files_of(there, ("b", "a/test_one.py", "b/test_slow.py")) == [
        "b/deep/test_other.py",
        "b/test_quick.py",
        "b/test_slow.py",
        "a/test_one.py",
    ]
    assert files_of(there, ("b", "--ignore=b/deep", "--ignore=b/test_slow.py")) == ["b/test_quick.py"]


def test_quick_files_come_first(tmp_path: Path) -> None:
    order = Order(tree(tmp_path), ("b",))
    order.learn_seconds(
        "1.50s call     b/test_slow.py::test_it[a]\n0.20s setup    b/deep/test_other.py::Test::test_it\n"
        "0.15s call     b/deep/test_other.py::Test::test_it\n0.30s teardown b/test_quick.py::test_it\n"
    )
    assert order.files == ["b/test_quick.py", "b/deep/test_other.py", "b/test_slow.py"]


def test_those_that_noticed_last_are_asked_first_and_of_the_same_file_only(tmp_path: Path) -> None:
    order = Order(tree(tmp_path), ("b",))
    said = "x\nFAILED b/test_slow.py::test_it[a b] - assert 1 == 2\nERROR b/test_quick.py::test_other\n1 failed"
    order.learn_red("room.py", said)
    assert order.first("other.py") == []
    assert set(order.first("room.py")) == {"b/test_slow.py::test_it[a b]", "b/test_quick.py::test_other"}
    order.learn_red("room.py", "FAILED b/test_slow.py::test_new")
    order.learn_red("room.py", "FAILED b/test_slow.py::test_it[a b] - why")
    assert order.first("room.py")[:2] == ["b/test_slow.py::test_it[a b]", "b/test_slow.py::test_new"]
    assert len(order.first("room.py")) == 3
    for number in range(20):
        order.learn_red("room.py", f"FAILED b/test_slow.py::test_{number}")
    assert len(order.first("room.py")) == FIRST
