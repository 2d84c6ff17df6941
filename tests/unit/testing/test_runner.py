"""The runner of suites: what runs side by side, what is shown, and that nothing of it stays."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from installer.testing import runner
from installer.testing.results import ROOT, Report
from installer.testing.runner import run, waves
from installer.testing.suites import SUITES, Command, Suite

# Comes only when the other one has come, too.
MEET = """
import pathlib, sys, time
here, there = map(pathlib.Path, sys.argv[1:])
here.touch()
end = time.time() + 20
while not there.exists() and time.time() < end:
    time.sleep(0.02)
print("first line of", here.name, flush=True)
time.sleep(0.05)
print("last line of", here.name, flush=True)
sys.exit(not there.exists())
"""
# One suite that takes a minute, with its results in the directory named.
LONG = """
import pathlib, sys
from installer.testing import runner
from installer.testing.suites import Command, Suite
runner.DIRECTORY = pathlib.Path(sys.argv[1])
runner.run((Suite("s", "s", "", "fast", (Command("c", ("sleep", "61.25")),), 60),), pathlib.Path("/"))
"""


def suite(name: str, *argv: str, lane: str = "") -> Suite:
    return Suite(name, name, "nothing", "fast", (Command("python", (sys.executable, "-c", *argv)),), 30, lane=lane)


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(runner, "DIRECTORY", tmp_path)
    return tmp_path


def test_lanes_that_follow_each_other_run_side_by_side(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    suites = (suite("one", MEET, one, other, lane="a"), suite("other", MEET, other, one, lane="b"))
    ended = run(suites, tmp_path)
    assert [(end.suite, end.reason) for end in ended] == [("one", ""), ("other", "")]
    lines = capfd.readouterr().out.splitlines()
    for name in ("one", "other"):
        at = lines.index(f"=== {name}: {name}")
        assert lines[at + 1 : at + 4] == [f"--- {name}: python", f"first line of {name}", f"last line of {name}"]


def test_a_suite_without_a_lane_waits_for_those_before_it() -> None:
    shapes = [[[each.name for each in lane] for lane in wave] for wave in waves(SUITES)]
    assert shapes[0] == [["lint", "engines", "portal"], ["unit"], ["unit-platform"]]
    assert all(len(wave) == 1 and len(wave[0]) == 1 for wave in shapes[1:])
    assert sorted(name for wave in shapes for lane in wave for name in lane) == sorted(each.name for each in SUITES)


def test_a_failure_beside_others_is_told_with_its_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    fails = suite("fails", "import sys; print('why', file=sys.stderr); sys.exit(3)", lane="a")
    ended = run((fails, suite("passes", "pass", lane="b")), tmp_path)
    assert [(end.suite, end.reason) for end in ended] == [("fails", "exit code 3"), ("passes", "")]
    assert "why" in capfd.readouterr().out
    report = Report.model_validate_json((tmp_path / "fails.json").read_text("utf-8"))
    assert [result.outcome for result in report.results] == ["failed"]


def test_each_suite_has_results_of_its_own() -> None:
    names = [each.name for each in SUITES]
    assert len(names) == len(set(names))
    for each in SUITES:
        recording = [command for command in each.commands if "installer.testing.recorder" in command.argv]
        assert len(recording) <= 1, f"{each.name}: the results of one command would replace the other's"


def test_an_interrupted_run_leaves_no_process(tmp_path: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", LONG, tmp_path], cwd=ROOT, stderr=subprocess.DEVNULL)
    with process:
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        deadline = time.monotonic() + 20

        def running() -> list[int]:
            found = [int(child) for child in children.read_text().split()]
            return [child for child in found if b"61.25" in Path(f"/proc/{child}/cmdline").read_bytes()]

        while not running() and time.monotonic() < deadline:
            time.sleep(0.02)  # the child is another process: there is nothing to wait on but time
        (child,) = running()
        time.sleep(0.5)  # its parent has come back from starting it
        process.send_signal(signal.SIGINT)
        process.wait(10)
    assert not Path(f"/proc/{child}").exists()
