"""Trees to break, and the judgement of a test that ran in one."""

from __future__ import annotations

import os
import re
import subprocess
import uuid
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

import pytest

from installer.running.processes import ProcessId, end
from tests.sabotage.table import Entry

# A broken promise is told by an assertion, by pytest.fail, or by `(one,) = found`; all else may be an accident.
ASSERTED = re.compile(r"AssertionError|assert |Failed: |ValueError: (not enough|too many) values to unpack")
# What the virtual environment of another tree says about itself.
INHERITED = {"ATOLL_TEST_RESULTS", "ANSIBLE_CONFIG", "PYTEST_CURRENT_TEST", "VIRTUAL_ENV"}


@dataclass(frozen=True)
class Case:
    """One test of a report: `failed` and `broken` (set-up, import, …) hold what pytest says."""

    name: str
    failed: str = ""
    broken: str = ""
    skipped: bool = False


@dataclass(frozen=True)
class Outcome:
    """A run of pytest."""

    code: int
    cases: list[Case]
    output: str

    def of(self, entry: Entry) -> list[Case]:
        """The cases of the entry's test, with all its parameters."""
        return [case for case in self.cases if case.name.partition("[")[0] == entry.function]


def run_tests(tree: Path, python: str, tests: list[str], timeout_s: float, tidy: bool = False) -> Outcome:
    """Run tests in a tree and read what happened; `tidy` ends all processes that they left running."""
    report = tree / ".cache" / "sabotage.xml"
    report.parent.mkdir(exist_ok=True)
    report.unlink(missing_ok=True)
    mark = f"ATOLL_SABOTAGE={uuid.uuid4()}"
    environment = {name: value for name, value in os.environ.items() if name not in INHERITED}
    environment |= dict([mark.split("=", 1)])
    environment |= {"PYTHONDONTWRITEBYTECODE": "1", "ANSIBLE_CONFIG": str(tree / "ansible.cfg")}
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--junitxml={report}", *tests]
    process = subprocess.Popen(
        command,
        cwd=tree,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=timeout_s)
    except subprocess.TimeoutExpired:
        process.kill()
        output = f"{process.communicate()[0]}\nnot done after {timeout_s:.0f} s"
    finally:
        if tidy:
            end(_carrying(mark))
    return Outcome(process.returncode, _cases(report), output)


def _carrying(mark: str) -> list[ProcessId]:
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            environment = (entry / "environ").read_bytes().split(b"\0")
        except OSError:  # gone meanwhile, or not ours
            continue
        if mark.encode() in environment and (process := ProcessId.of(int(entry.name))):
            found.append(process)
    return found


def _cases(report: Path) -> list[Case]:
    if not report.exists():
        return []
    found = []
    for case in ElementTree.parse(report).iter("testcase"):  # noqa: S314 - our own pytest wrote it
        told = {child.tag: f"{child.get('message', '')}\n{child.text or ''}" for child in case}
        found.append(
            Case(case.get("name", ""), told.get("failure", ""), told.get("error", ""), skipped="skipped" in told)
        )
    return found


def why_not_green(entry: Entry, tested: Outcome) -> str:
    """Say why the test does not pass in a sound tree; nothing when it does."""
    cases = tested.of(entry)
    bad = [case for case in cases if case.failed or case.broken or case.skipped]
    if cases and not bad:
        return ""
    told = "".join(case.failed or case.broken or "it was skipped" for case in bad) or tested.output
    return f"{entry.function} is not green in the sound tree, so that red would prove nothing:\n{told[-3000:]}"


def why_not_red(entry: Entry, tested: Outcome) -> str:
    """Say why the mutation does not turn its test red by an assertion about the promise; nothing when it does."""
    cases = tested.of(entry)
    broken = [case.broken for case in tested.cases if case.broken]
    failed = [case.failed for case in cases if case.failed]
    if tested.code == 0 and cases:
        return f"{entry.function} stays green without: {entry.breaks}\n{tested.output[-2000:]}"
    if tested.code != 1 or broken or not cases:
        told = "".join(broken) or tested.output
        return f"{entry.function} could not be run (exit code {tested.code}):\n{told[-3000:]}"
    if not failed:
        return f"{entry.function} stays green without: {entry.breaks}\n{tested.output[-2000:]}"
    strange = [text for text in failed if not ASSERTED.match(text)]
    if strange:
        return f"{entry.function} fails, but by no assertion:\n{strange[0][-3000:]}"
    if not any(re.search(entry.says, text) for text in failed):
        return f"{entry.function} fails, but does not say {entry.says!r}:\n{failed[0][:3000]}"
    return ""


def no_complaint(why: str) -> None:
    """Fail with the reason, if there is one."""
    if why:
        pytest.fail(why, pytrace=False)
