"""The mutation gate on a small tree: what is told of a survivor, what is kept, when an equivalent is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from installer.testing.mutation.equivalents import LIST, Equivalent, equivalents
from installer.testing.mutation.gate import PART_S, Gate, Part
from installer.testing.mutation.mutants import Mutant, changed_lines, last_common, of_file, of_room, sample
from installer.testing.mutation.records import Kept, Score, Verdict, report
from installer.testing.mutation.rooms import Room
from installer.testing.mutation.trying import Copy, Tried, copied, limit_s, run_tests
from installer.testing.results import ROOT
from installer.testing.suites import CHANGED_S, SUITES

COMMIT = "0123456789" * 4
CODE = '''"""A room with one rule that its test holds, and one that it does not."""


def enough(given: int, wanted: int) -> bool:
    return given >= wanted


def loud(word: str, often: bool) -> str:
    return word if often else ""
'''
TESTS = """from room import enough


def test_enough():
    assert enough(3, 3) is True
    assert enough(2, 3) is False
"""
ROOM = Room("room", ("room.py",), ("test_room.py",))


def git(tree: Path, *words: str) -> None:
    who = {"GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b"}
    subprocess.run(["git", "-C", str(tree), *words], check=True, capture_output=True, env={**os.environ, **who})


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "small"
    (tree / LIST).parent.mkdir(parents=True)
    (tree / LIST).write_text("[]\n")
    (tree / "room.py").write_text(CODE)
    (tree / "test_room.py").write_text(TESTS)
    git(tree, "init", "-q", "-b", "main")
    git(tree, "add", ".")
    git(tree, "commit", "-q", "-m", "sound")
    return tree


def tried(tree: Path, kept: Kept | None = None, part: Part | None = None) -> tuple[Score, list[str]]:
    told: list[str] = []
    (score,) = Gate(tree, part or Part(), told.append, kept).rooms([ROOM], "seed", 100)
    return score, told


@pytest.fixture
def loud_survives(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is run: tests notice what is broken before line 9."""
    monkeypatch.setattr(Copy, "sound", lambda *_: Tried(0, 1.0, ""))
    monkeypatch.setattr(Copy, "tried", lambda _, mutant, __: Tried(int(mutant.line < 9), 1.0, ""))


def test_a_survivor_is_reported_with_its_place_and_what_was_changed(tree: Path) -> None:
    score, told = tried(tree)
    found = {(verdict.mutant.line, verdict.mutant.put): verdict.survived for verdict in score.verdicts}
    assert found == {(5, ">"): False, (5, "None"): False, (9, "True"): True, (9, "False"): True, (9, "None"): True}
    assert score.complaint == "40% noticed, wanted are 90%"
    text = report([score], COMMIT, "seed")
    assert "| room | 5 of 5 | 2 | 0 | 0 | 40% | 40% noticed, wanted are 90% |" in text
    assert "room.py:9 condition in `loud`" in text
    assert '- return word if often else ""\n+ return word if True else ""' in text
    assert "room.py:5" not in text
    assert sum("NOBODY NOTICED  room.py:9" in line for line in told) == 3
    assert (tree / "room.py").read_text() == CODE, "the tree itself is never broken"


def test_a_room_whose_tests_are_not_green_proves_nothing(tree: Path) -> None:
    (tree / "test_room.py").write_text("def test_it():\n    assert 1 == 2\n")
    score, _ = tried(tree)
    assert score.verdicts == ()
    assert "not green without any mutant" in score.complaint
    assert "## room was not tried" in report([score], COMMIT, "seed")


def test_what_takes_long_is_not_asked_and_what_it_would_say_of_a_busy_machine_is_nothing(tree: Path) -> None:
    slow = "\n\nimport pytest\n\n\n@pytest.mark.long\ndef test_many():\n    assert 1 == 2\n"
    (tree / "test_room.py").write_text((tree / "test_room.py").read_text() + slow)
    score, _ = tried(tree)
    assert len(score.verdicts) == 5


@pytest.mark.usefixtures("loud_survives")
def test_an_equivalent_does_not_count_with_its_reason_in_the_report(tree: Path) -> None:
    before = 'return word if often else ""'
    rows = [(after, f"why {at}") for at, after in enumerate(('return word if True else ""', "return None"))]
    (tree / LIST).write_text(
        "".join(f"- {{file: room.py, before: '{before}', after: '{after}', reason: {why}}}\n" for after, why in rows)
    )
    score, _ = tried(tree)
    assert (score.noticed, len(score.counted), score.complaint) == (2, 3, "67% noticed, wanted are 90%")
    assert "- room.py:9: why 1" in report([score], COMMIT, "seed")


def test_a_part_that_is_over_goes_on_where_it_was(tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    kept = Kept(tmp_path / "kept", COMMIT, "seed")
    over, _ = tried(tree, kept, Part(0))
    assert over.complaint == "0 of 5 tried"
    first, *others = sample(of_room(tree, ROOM), "seed", 100)
    kept.keep(Verdict(first, 7, 1.0))
    with kept.file.open("a") as file:
        file.write('{"id": "torn')
    runs: list[Mutant] = []

    def fake(_: object, mutant: Mutant, within: float) -> Tried:
        runs.append(mutant)
        return Tried(1, within, "")

    monkeypatch.setattr(Copy, "sound", lambda *_: Tried(0, 1.0, ""))
    monkeypatch.setattr(Copy, "tried", fake)
    score, _ = tried(tree, kept)
    assert runs == others
    assert [verdict.code for verdict in score.verdicts] == [7, 1, 1, 1, 1]
    assert set(kept.read()) == {first.id, *(mutant.id for mutant in others)}
    assert Kept(tmp_path / "kept", COMMIT, "another").read() == {}
    assert Kept(tmp_path / "kept", COMMIT[::-1], "seed").read() == {}


def test_nothing_is_kept_of_a_tree_that_differs_from_its_commit(tree: Path, tmp_path: Path) -> None:
    mutant = of_file(tree, "room.py")[0]
    Kept(tmp_path, f"{COMMIT}+", "seed").keep(Verdict(mutant, 1, 1.0))
    assert Kept(tmp_path, f"{COMMIT}+", "seed").read() == {}


def test_a_run_that_the_part_cut_off_is_no_verdict(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Copy, "sound", lambda *_: Tried(0, 1.0, ""))
    monkeypatch.setattr(Copy, "tried", lambda *_: Tried(-1, 9.0, ""))
    assert tried(tree, part=Part(30))[0].verdicts == ()
    assert [verdict.noticed for verdict in tried(tree, part=Part(600))[0].verdicts] == [True] * 5


@pytest.mark.parametrize("code", [2, 3, 4, 5, 137])
def test_what_is_trouble_of_the_gate_is_noticed_by_no_test(
    tree: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    monkeypatch.setattr(Copy, "sound", lambda *_: Tried(0, 1.0, ""))
    monkeypatch.setattr(Copy, "tried", lambda *_: Tried(code, 1.0, "no tests ran", "no tests ran"))
    score, _ = tried(tree)
    assert (score.verdicts, score.whole) == ((), False), "a score of nothing but accidents"
    assert f"exit code {code} at room.py" in score.complaint


def test_a_mutant_that_cannot_even_be_imported_is_noticed(tree: Path) -> None:
    (mutant, *_) = of_room(tree, ROOM)
    assert Tried(2, 1.0, "", "ERROR test_room.py\nroom.py:5: in <module>").is_verdict(mutant)


def test_runs_that_only_took_too_long_are_no_score(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Copy, "sound", lambda *_: Tried(0, 1.0, ""))
    monkeypatch.setattr(Copy, "tried", lambda *_: Tried(-1, 9.0, ""))
    score, _ = tried(tree, part=Part(600))
    assert (score.rate, score.complaint) == (1.0, "5 of 5 ran out of time, which says little")


LEAVES = """import pathlib, room


def test_it():
    assert room.enough(3, 3), pathlib.Path("/tmp/left").touch() or pathlib.Path("left").touch() or "red"
    assert room.enough(2, 3) is False
    assert not pathlib.Path("/tmp/left").exists() and not pathlib.Path("left").exists()
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can build the wall")
def test_what_one_mutant_left_makes_no_other_one_red(tree: Path) -> None:
    (tree / "test_room.py").write_text(LEAVES)
    score, _ = tried(tree)
    assert {(v.mutant.line, v.survived) for v in score.verdicts} == {(5, False), (9, True)}


def test_a_room_that_is_red_at_the_end_keeps_no_verdict(
    tree: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    kept, runs = (
        Kept(tmp_path / "kept", COMMIT, "seed"),
        iter([Tried(0, 1.0, ""), Tried(1, 1.0, "who knows since when")]),
    )
    monkeypatch.setattr(Copy, "sound", lambda *_: next(runs))
    monkeypatch.setattr(Copy, "tried", lambda *_: Tried(1, 1.0, ""))
    score, _ = tried(tree, kept)
    assert (score.verdicts, kept.read()) == ((), {})
    assert "not green any more without any mutant" in score.complaint


def test_a_mutant_whose_time_was_over_is_tried_once_more(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = iter([Tried(-1, 60.0, ""), Tried(0, 5.0, "")])
    monkeypatch.setattr("installer.testing.mutation.trying.run_tests", lambda *_: next(runs))
    with copied(tree) as sound, copied(tree) as copy:
        assert Copy(sound, copy, ROOM.tests).tried(of_room(tree, ROOM)[0], 60).code == 0


def test_what_changes_in_the_tree_meanwhile_is_not_what_is_tried(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def slow(copy: Copy, mutant: Mutant, _: float) -> Tried:
        (tree / "room.py").write_text("not even Python (")
        mutant.apply(copy.tree)
        told = (copy.tree / "room.py").read_text()
        copy.mend()
        assert (copy.tree / "room.py").read_text() == CODE
        return Tried(int("def enough" in told), 1.0, "")

    monkeypatch.setattr(Copy, "sound", lambda *_: Tried(0, 1.0, ""))
    monkeypatch.setattr(Copy, "tried", slow)
    assert [verdict.noticed for verdict in tried(tree)[0].verdicts] == [True] * 5


def test_a_mutant_has_a_minute_or_four_times_what_the_sound_room_takes() -> None:
    assert limit_s(Tried(0, 2.0, "")) == 60
    assert limit_s(Tried(0, 100.0, "")) == 400


def test_the_seed_alone_decides_the_sample_and_moved_code_is_the_same(tree: Path) -> None:
    before = sample(of_room(tree, ROOM), "a", 3)
    assert sample(of_room(tree, ROOM), "a", 3) == before
    orders = {tuple(mutant.id for mutant in sample(of_room(tree, ROOM), str(seed), 3)) for seed in range(9)}
    assert len(orders) > 3
    (tree / "room.py").write_text(CODE.replace("def enough", "# Moved.\n\n\ndef enough"))
    after = sample(of_room(tree, ROOM), "a", 3)
    assert [mutant.id for mutant in after] == [mutant.id for mutant in before]
    assert [mutant.line for mutant in after] == [mutant.line + 3 for mutant in before]


@pytest.mark.usefixtures("loud_survives")
def test_changed_lines_are_those_since_main_was_left(tree: Path) -> None:
    git(tree, "switch", "-q", "-c", "work")
    (tree / "room.py").write_text(CODE.replace("word if often", "word * 2 if often"))
    git(tree, "commit", "-q", "-a", "-m", "louder")
    assert changed_lines(tree, last_common(tree)) == {"room.py": {9}}
    scores = Gate(tree, Part(), lambda _: None).changed([ROOM], last_common(tree), "seed")
    assert {verdict.mutant.line for score in scores for verdict in score.verdicts} == {9}
    assert len(scores[0].verdicts) == 5
    git(tree, "switch", "-q", "main")
    git(tree, "merge", "-q", "work")
    assert last_common(tree) == "HEAD~1"
    assert Gate(tree, Part(), lambda _: None).changed([ROOM], "HEAD", "seed") == []


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can build the wall")
def test_broken_code_reaches_neither_files_nor_processes_nor_the_network(tree: Path) -> None:
    outside = tree.parent / "outside"
    outside.touch()
    (tree / "test_room.py").write_text(
        f"""import os, pathlib, socket
import pytest


def test_it():
    with pytest.raises(OSError):
        pathlib.Path("{ROOT}/reached").write_text("")
    assert not pathlib.Path("{outside}").exists()
    assert len([name for name in os.listdir("/proc") if name.isdigit()]) < 5
    with pytest.raises(OSError, match="Network is unreachable"):
        socket.create_connection(("192.0.2.1", 80), timeout=5)
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()):
        pathlib.Path("/tmp/seen-by-nobody").write_text("")
    pathlib.Path("here").write_text("")
"""
    )
    with copied(tree) as copy:
        ended = run_tests(copy, ("test_room.py",), 60)
        assert ended.code == 0, ended.said
        assert (copy / "here").exists()
    assert not Path("/tmp/seen-by-nobody").exists()


def test_a_mutant_that_does_not_end_is_ended_with_all_it_began(tree: Path) -> None:
    (tree / "test_room.py").write_text(
        """import subprocess, time


def test_it():
    subprocess.Popen(["sleep", "4321.125"], start_new_session=True)
    time.sleep(60)
"""
    )
    with copied(tree) as copy:
        assert run_tests(copy, ("test_room.py",), 4).code == -1
    ends = time.monotonic() + 5  # the kernel ends a name space's processes one after the other
    while _running("4321.125") and time.monotonic() < ends:
        time.sleep(0.05)
    assert not _running("4321.125")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can build the wall")
def test_nothing_goes_on_when_the_gate_itself_is_killed(tree: Path, tmp_path: Path) -> None:
    here = tmp_path / "began"
    inside = f"import time; print('began', flush=True); time.sleep(300)  # {here}"
    runner = (
        "import subprocess, sys, pathlib; from installer.testing.mutation.trying import behind_wall\n"
        f"subprocess.run(behind_wall(pathlib.Path(sys.argv[1]), [sys.executable, '-c', {inside!r}]))"
    )
    with copied(tree) as copy:
        gate = subprocess.Popen(
            [sys.executable, "-c", runner, str(copy)],
            cwd=ROOT,
            env={**os.environ, "HOME": "/tmp/home"},
            stdout=subprocess.PIPE,
        )
        assert gate.stdout is not None
        with gate.stdout as said:
            assert said.readline() == b"began\n"
        assert _running(str(here))
        gate.kill()
        gate.wait()
        end = time.monotonic() + 20
        while _running(str(here)) and time.monotonic() < end:
            time.sleep(0.05)
        assert not _running(str(here))


def _running(mark: str) -> bool:
    return any(mark.encode() in _read(one) for one in Path("/proc").glob("[0-9]*/cmdline"))


def _read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError:
        return b""


def test_no_equivalent_is_named_that_fits_nowhere() -> None:
    assert [why for row in equivalents(ROOT) if (why := row.misfit(ROOT))] == []


def test_an_equivalent_that_does_not_fit_any_more_is_told(tree: Path) -> None:
    fits = Equivalent("room.py", "return given >= wanted", "return given > wanted", "a reason")
    assert fits.misfit(tree) == ""
    assert "no reason" in Equivalent(fits.file, fits.before, fits.after, " ").misfit(tree)
    assert "not there" in Equivalent("gone.py", fits.before, fits.after, "a reason").misfit(tree)
    (tree / "room.py").write_text(CODE.replace("given >=", "given + 1 >="))
    assert "nowhere" in fits.misfit(tree)
    twice = CODE + "\n\ndef more(given: int, wanted: int) -> bool:\n    return given >= wanted\n"
    (tree / "room.py").write_text(twice)
    assert "room.py:5, room.py:13" in fits.misfit(tree)
    assert Equivalent(fits.file, fits.before, fits.after, "a reason", within="more").misfit(tree) == ""


def test_a_part_ends_before_its_suite_is_ended() -> None:
    (suite,) = (suite for suite in SUITES if suite.name == "mutation")
    assert (suite.belongs_to, suite.time_limit_s) == ("all", 3600)
    assert suite.time_limit_s > PART_S + 200
    (changed,) = (suite for suite in SUITES if suite.name == "mutation-changed")
    assert changed.belongs_to == "fast"
    assert changed.time_limit_s > CHANGED_S + 200
    assert changed.commands[0].argv[-2:] == ("--part-s", str(CHANGED_S))


def test_the_command_tells_what_it_takes() -> None:
    said = subprocess.run(
        [sys.executable, "-m", "installer.testing.mutation", "--help"], cwd=ROOT, capture_output=True, text=True
    )
    assert said.returncode == 0
    assert "--changed" in said.stdout


def test_who_noticed_once_is_asked_alone_the_next_time(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []
    codes = iter((1, 1, 0, 0))

    def run(_tree: Path, tests: list[str], _timeout_s: float) -> Tried:
        asked.append(list(tests))
        code = next(codes)
        return Tried(code, 1.0, "", "FAILED test_room.py::test_enough - assert" if code else "")

    monkeypatch.setattr("installer.testing.mutation.trying.run_tests", run)
    mutant = of_room(tree, ROOM)[0]
    with copied(tree) as sound, copied(tree) as copy:
        trying = Copy(sound, copy, ROOM.tests)
        assert [trying.tried(mutant, 60).code for _ in range(3)] == [1, 1, 0]
    whole, first = ["test_room.py"], ["test_room.py::test_enough"]
    # What the first look does not see, all of them may: only both together are a survivor.
    assert asked == [whole, first, first, whole]
