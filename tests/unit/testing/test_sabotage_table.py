"""The table of sabotage: every promise is broken, every mutation still fits, every test is there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from installer.testing.trees import copy_files
from tests.sabotage.mutations import Misfit, Mutation
from tests.sabotage.table import PROMISES, ROOT, Entry, entries
from tests.sabotage.trees import Case, Outcome, why_not_green, why_not_red

TABLE = entries()


def test_every_promise_is_broken_at_least_once() -> None:
    assert {entry.promise for entry in TABLE} == set(PROMISES)
    assert len({entry.name for entry in TABLE}) == len(TABLE)


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_the_mutation_fits_and_its_test_is_there(entry: Entry, tmp_path: Path) -> None:
    assert entry.test.startswith("tests/")
    assert entry.kind == "lab" or not (entry.deploy or entry.leaves)
    copy_files(ROOT, tmp_path, entry.touched())
    before = [(tmp_path / name).read_text("utf-8") for name in entry.touched()]
    entry.apply(tmp_path)
    assert all((tmp_path / name).read_text("utf-8") != text for name, text in zip(entry.touched(), before, strict=True))


# What any test may say that fails by accident, or for another reason than the promise.
ACCIDENTS = (
    "ImportError: cannot import name 'a' from 'b'",
    "ModuleNotFoundError: No module named 'x'",
    "SyntaxError: invalid syntax",
    "NameError: name 'x' is not defined",
    "AttributeError: 'NoneType' object has no attribute 'x'",
    "TypeError: f() takes 1 positional argument but 2 were given",
    "KeyError: 'x'",
    "RuntimeError: it is done",
    "FileNotFoundError: [Errno 2] No such file or directory: '/x'",
    "ConnectionRefusedError: [Errno 111] Connection refused",
    "subprocess.CalledProcessError: Command '['x']' returned non-zero exit status 1.",
    "Failed: Timeout (>60.0s) from pytest-timeout.",
    "TimeoutError",
    "Failed: DID NOT RAISE <class 'Exception'>",
    "ValueError: not enough values to unpack (expected 1, got 0)",
    "assert False",
    "assert not True",
    "assert True is False",
    "assert False is True",
    "assert None is not None",
    "assert {} == {'a': 1}",
    "assert [] == [1]",
    "assert 1 == 2",
    "assert len([]) == 1",
    "assert 'x' in ''",
    "assert 'x' not in 'x'",
)


@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: entry.name)
def test_what_a_red_test_says_is_about_its_promise(entry: Entry) -> None:
    """Else a broken import or a slow machine would pass for a promise that is guarded."""
    assert [said for said in ACCIDENTS if re.search(entry.says, said)] == []


def test_what_different_tests_say_differs_and_is_no_name_of_an_error() -> None:
    """Else a row was copied, or waits for what `trees.ASSERTED` refuses: it could never be red for its promise."""
    said: dict[str, set[str]] = {}
    for entry in TABLE:
        assert not re.fullmatch(r"\w+(Error|Exception)", entry.says), entry.name
        said.setdefault(entry.says, set()).add(entry.test)
    assert {says: tests for says, tests in said.items() if len(tests) > 1 and len(says) > 20} == {}


def test_a_mutation_finds_its_lines_wherever_they_went_in_their_room(tmp_path: Path) -> None:
    file = tmp_path / "room" / "moved" / "there.py"
    file.parent.mkdir(parents=True)
    file.write_text("class A:\n    def a(self):\n        x = 1\n        if x:\n            go()\n        return x\n")
    Mutation("room", "x = 1\nif x:\n    go()\n", "x = 2\n").apply(tmp_path)
    assert file.read_text() == "class A:\n    def a(self):\n        x = 2\n        return x\n"
    Mutation("room", "return x").apply(tmp_path)
    assert file.read_text() == "class A:\n    def a(self):\n        x = 2\n"


def test_a_mutation_that_fits_nowhere_or_twice_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1\n    x = 1\n")
    with pytest.raises(Misfit, match=r"a\.py:1, a\.py:2"):
        Mutation("a.py", "x = 1", "x = 2").place(tmp_path)
    with pytest.raises(Misfit, match="nowhere"):
        Mutation("a.py", "x = 3").place(tmp_path)


ENTRY = Entry("p", "idempotent", "nothing changes", "fast", "test_it", "changed", ())


def ran(*cases: Case, code: int = 1) -> Outcome:
    return Outcome(code, list(cases), "what pytest said")


@pytest.mark.parametrize(
    ("outcome", "complaint"),
    [
        (ran(Case("test_it[a]"), Case("test_it[b]", failed="assert changed")), ""),
        (ran(Case("test_it", failed="Failed: changed: not within 3 s")), ""),
        (ran(Case("test_it"), code=0), "stays green"),
        (ran(Case("test_it"), Case("test_other", failed="assert changed")), "stays green"),
        (ran(Case("test_it", failed="assert 1 == 2")), "does not say"),
        (ran(Case("test_it", failed="ImportError: changed")), "by no assertion"),
        (ran(Case("test_it", broken="failed on setup: changed")), "could not be run"),
        (ran(code=2), "could not be run (exit code 2)"),
    ],
)
def test_red_is_an_assertion_about_the_promise(outcome: Outcome, complaint: str) -> None:
    found = why_not_red(ENTRY, outcome)
    assert complaint in found
    assert bool(found) == bool(complaint)


def test_a_test_that_is_skipped_or_missing_is_not_green() -> None:
    assert not why_not_green(ENTRY, ran(Case("test_it"), code=0))
    assert why_not_green(ENTRY, ran(Case("test_it", skipped=True), code=0))
    assert why_not_green(ENTRY, ran(code=5))
