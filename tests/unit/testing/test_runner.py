"""The runner of suites: what runs side by side, what is shown, and that nothing of it stays."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from installer.testing import playwright, runner
from installer.testing.results import ROOT, TOLD_LINES, Report, Result
from installer.testing.runner import run, startable, waits
from installer.testing.suites import SUITES, Command, Suite, chosen

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
# Suites that take a minute each, with their results in the directory named.
LONG = """
import pathlib, sys
from installer.testing import playwright, runner
from installer.testing.suites import Command, Suite
runner.DIRECTORY = pathlib.Path(sys.argv[1])
many = [Suite(name, name, "", "fast", (Command("c", ("sleep", "61.25")),), 60) for name in sys.argv[2:]]
runner.run(tuple(many), pathlib.Path("/"))
"""


# Prints its nice value, and the weight of its session where the kernel has one.
WEIGHT = """
import os, pathlib, time
group = pathlib.Path("/proc/self/autogroup")
for _ in range(200):
    if os.nice(0):
        break
    time.sleep(0.05)
print("nice", os.nice(0), group.read_text().split()[-1] if group.exists() else os.nice(0))
"""


def suite(name: str, *argv: str, after: tuple[str, ...] = (), alone: bool = False, patient: bool = False) -> Suite:
    command = Command("python", (sys.executable, "-c", *argv))
    return Suite(name, name, "nothing", "fast", (command,), 30, after=after, alone=alone, patient=patient)


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(runner, "DIRECTORY", tmp_path)
    return tmp_path


def test_suites_run_side_by_side_and_are_shown_whole(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    one, other = str(tmp_path / "one"), str(tmp_path / "other")
    ended = run((suite("one", MEET, one, other), suite("other", MEET, other, one)), tmp_path)
    assert [(end.suite, end.reason) for end in ended] == [("one", ""), ("other", "")]
    lines = capfd.readouterr().out.splitlines()
    for name in ("one", "other"):
        at = lines.index(f"=== {name}: {name}")
        assert lines[at + 1 : at + 4] == [f"--- {name}: python", f"first line of {name}", f"last line of {name}"]


def order(*suites: Suite, slots: int = 2) -> list[list[str]]:
    """Return what runs together, when all that run end together."""
    waiting, ended, found = waits(suites), set[str](), list[list[str]]()
    while len(ended) < len(suites):
        begun = [each.name for each in startable(suites, waiting, set(), ended, slots)]
        assert begun, f"nothing begins after {ended}"
        found.append(begun)
        ended.update(begun)
    return found


def test_a_suite_waits_for_those_before_it_and_the_longest_way_begins_first() -> None:
    short, begins, ends = suite("short"), suite("begins"), suite("ends", after=("begins",))
    assert order(short, begins, ends) == [["begins", "short"], ["ends"]]
    assert order(short, begins, ends, slots=1) == [["begins"], ["short"], ["ends"]]
    assert order(ends) == [["ends"]], "what does not run is not waited for"
    running = startable((short, begins, ends), waits((short, begins, ends)), {short}, set())
    assert [each.name for each in running] == ["begins"]


def test_a_suite_that_is_alone_has_the_machine_to_itself() -> None:
    lonely, other = suite("lonely", alone=True), suite("other")
    assert order(other, lonely) == [["other"], ["lonely"]]
    assert order(lonely, other) == [["lonely"], ["other"]]
    assert startable((lonely, other), waits((lonely, other)), {lonely}, set()) == []


def test_a_patient_suite_runs_beside_the_others_with_what_they_leave(
    capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    first, second, other, more = (
        suite("first", patient=True),
        suite("second", patient=True),
        suite("other"),
        suite("more"),
    )
    assert order(first, second, other, more) == [["first", "other", "more"], ["second"]]
    assert order(suite("lonely", alone=True), first) == [["lonely"], ["first"]]
    run((suite("heavy", "import os; print('nice', os.nice(0))"), suite("light", WEIGHT, patient=True)), tmp_path)
    told = [line for line in capfd.readouterr().out.splitlines() if line.startswith("nice")]
    # Which of them ends first is nobody's promise.
    assert sorted(told) == sorted([f"nice {os.nice(0)}", f"nice {runner.PATIENT_NICE} {runner.PATIENT_NICE}"])


def test_the_time_of_a_core_that_a_suite_had_is_told_with_that_of_its_children(tmp_path: Path) -> None:
    burn = "import time\nwhile time.process_time() < 0.3: pass"
    child = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {burn!r}]); raise SystemExit(2)"
    (ended,) = [end for end in run((suite("burns", child), suite("sleeps", "pass")), tmp_path) if end.suite == "burns"]
    assert ended.cpu_s >= 0.3
    assert "s of a core  burns: python  (exit code 2)" in runner.closing([ended], [])


def test_the_last_lines_name_the_tests_that_failed_and_what_they_said() -> None:
    failed = [Result(name=f"one > {number}", outcome="failed", said="Error: a\nExpected: b") for number in range(12)]
    of_others = Result(name="another", outcome="failed")
    reports = [
        Report(suite="e2e", commit="", at="", results=[Result(name="well", outcome="passed"), *failed]),
        Report(suite="of-yesterday", commit="", at="", results=[of_others]),
    ]
    told = runner.closing([runner.Ended("e2e", "playwright", 2.0, "exit code 1")], reports)
    assert "failed: one > 0\n    Error: a\n    Expected: b\nfailed: one > 1" in told
    assert told.count("failed: ") == runner.TOLD
    assert told.endswith("… and 2 more\n\n1 passed, 12 failed")
    assert "another" not in told
    assert "failed: well" not in told
    calm = runner.closing([runner.Ended("e2e", "playwright", 2.0, "")], [reports[0].model_copy(update={"results": []})])
    assert "failed" not in calm.removesuffix("0 failed")


def test_what_a_browsers_test_said_is_kept_without_colours() -> None:
    error = {"message": "\x1b[31mexpect\x1b[39m(locator)\n\nTimeout\n" + "call log\n" * 30}
    spec = {
        "title": "signs in",
        "ok": False,
        "tests": [{"results": [{"status": "failed", "duration": 9, "errors": [error]}]}],
    }
    calm = {"title": "waits", "ok": True, "tests": [{"results": [{"status": "passed", "duration": 9, "errors": []}]}]}
    first, second = playwright.results({"suites": [{"title": "a.spec.ts", "specs": [spec, calm]}]})
    assert first.said.startswith("expect(locator)\nTimeout\ncall log")
    assert len(first.said.splitlines()) < TOLD_LINES
    assert second.said == ""


def test_the_clusters_suites_follow_each_other_and_no_browser_sees_a_lab_come_or_go() -> None:
    shown = chosen((), "all")
    waiting = waits(shown)
    chain = ["roles", "system", "engines-cluster", "e2e", "engines-cluster-long", "system-long", "load", "sabotage-lab"]
    for at, name in enumerate(chain):
        assert waiting[name] == set(chain[:at])
    assert waiting["farewell"] == {*chain}
    assert waiting["dev"] == {*chain, "farewell"}
    assert waiting["shapes"] == {*chain, "farewell", "dev"}
    assert waits(chosen((), "ci"))["farewell"] == {*chain[:4]}, "also through a suite that does not run"
    assert sorted(name for wave in order(*shown) for name in wave) == sorted(each.name for each in SUITES)
    assert order(*chosen((), "ci"))[0][0] == "roles", "the longest way begins first"


def test_what_is_long_is_left_out_of_every_run_and_run_by_a_suite_of_its_own() -> None:
    told = {
        suite.name: [command.argv[-2:] for command in suite.commands if command.argv[-3:-2] == ("dev",)]
        for suite in SUITES
    }
    assert {name: argv for name, argv in told.items() if argv} == {
        "e2e-dev": [("--grep-invert", "@long")],
        "e2e-dev-long": [("--grep", "@long")],
    }
    assert "e2e-dev-long" in {suite.name for suite in chosen((), "all")} - {suite.name for suite in chosen((), "ci")}


def test_a_failure_beside_others_is_told_with_its_output(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    fails = suite("fails", "import sys; print('why', file=sys.stderr); sys.exit(3)")
    ended = run((fails, suite("passes", "pass", after=("fails",))), tmp_path)
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


@pytest.mark.parametrize("names", [("alone",), ("one", "other", "waits")])
def test_an_interrupted_run_leaves_no_process(tmp_path: Path, names: tuple[str, ...]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", LONG, tmp_path, *names],
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        # What a shell starts in the background ignores it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    with process:
        deadline = time.monotonic() + 20

        def running() -> list[int]:
            tasks = Path(f"/proc/{process.pid}/task").glob("*/children")  # each belongs to the thread that made it
            found = [int(child) for children in tasks for child in children.read_text().split()]
            return [child for child in found if b"61.25" in Path(f"/proc/{child}/cmdline").read_bytes()]

        while len(children := running()) < min(len(names), 2) and time.monotonic() < deadline:
            time.sleep(0.02)  # the child is another process: there is nothing to wait on but time
        time.sleep(0.5)  # its parent has come back from starting it
        process.send_signal(signal.SIGINT)
        process.wait(10)
    assert children
    assert not [child for child in children if Path(f"/proc/{child}").exists()]
