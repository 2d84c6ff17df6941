"""A figure that is worse than its baseline is red: counts as they are, seconds by the reference. Needs nothing."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import load, reference
from installer.testing import bench
from installer.testing.results import ROOT

TASKS = {"name": "tasks", "what": "tasks", "unit": "tasks", "target": 40, "baseline": 40}
BYTES = {"name": "memory", "what": "memory", "unit": "bytes", "target": 200, "baseline": 100}
SECONDS = {"name": "up", "what": "up", "unit": "s", "target": 300, "baseline": 100}
STEADY = [0.5, 0.5, 0.5, 0.5, 0.5]


@pytest.mark.parametrize(
    ("row", "measured", "most"),
    [
        (TASKS, {}, 40),
        ({**TASKS, "tolerated": 0.1}, {}, 44),
        (BYTES, {}, 110),
        (SECONDS, {"reference": STEADY}, 110),
        # A machine of half the speed takes twice the time; one of double the speed is asked for no more.
        (SECONDS, {"reference": [1.0] * 5}, 220),
        (SECONDS, {"reference": [0.25] * 5}, 110),
        # Beside other work the reference varies, and what is measured does.
        (SECONDS, {"reference": [0.5, 0.5, 0.75, 1.0, 1.0]}, 110 * 1.5 * 1.5),
        ({**SECONDS, "baseline": None}, {"reference": STEADY}, None),
    ],
)
def test_a_figure_has_a_limit(row: dict[str, Any], measured: dict[str, Any], most: float | None) -> None:
    found = bench.limit(row, measured, 0.5)
    assert found == (most if most is None else pytest.approx(most))


@pytest.fixture
def measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A baseline of three figures, and where what was measured lies."""
    baseline = tmp_path / "baseline.json"
    baseline.write_text(json.dumps({"reference_seconds": 0.5, "figures": [TASKS, BYTES, SECONDS]}))
    monkeypatch.setattr(bench, "BASELINE", baseline)
    monkeypatch.setattr(bench, "MEASURED", tmp_path / "bench")
    monkeypatch.setattr(bench, "MEASURES", {})
    monkeypatch.setattr(bench, "ASKED", {})
    monkeypatch.setattr(bench, "TOGETHER", {})
    monkeypatch.setattr(bench, "commit", lambda: "now")
    monkeypatch.setattr(bench, "reference_seconds", lambda: STEADY)
    return tmp_path / "bench"


@pytest.mark.parametrize(
    ("name", "unit", "good", "bad"), [("tasks", "tasks", 40, 41), ("memory", "bytes", 110, 111), ("up", "s", 110, 111)]
)
def test_the_command_fails_when_a_figure_is_worse(
    measured: Path, name: str, unit: str, good: float, bad: float, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench.measure((), as_json=False) == 0
    bench.record(name, good, unit)
    assert (bench.measure((), as_json=False), bench.worse()) == (0, [])
    bench.record(name, bad, unit)
    capsys.readouterr()
    assert bench.measure((), as_json=True) == 1
    told = json.loads(capsys.readouterr().out)["worse"]
    assert told == [
        f"{name}: {bad:g} {unit}, at most {good:g} (baseline {good / (1 if unit == 'tasks' else 1.1):g}): {name}"
    ]


def test_what_was_measured_on_another_commit_does_not_make_this_one_red(measured: Path) -> None:
    bench.record("tasks", 99, "tasks")
    entry = json.loads((measured / "tasks.json").read_text()) | {"commit": "earlier"}
    (measured / "tasks.json").write_text(json.dumps(entry))
    assert bench.measure((), as_json=False) == 0
    assert len(bench.worse()) == 1


def test_where_figures_have_to_be_complete_one_that_was_not_measured_on_this_commit_is_red(
    measured: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "ASKED", {"up": lambda: 1.0})
    bench.record("tasks", 1, "tasks")
    bench.record("memory", 1, "bytes")
    assert bench.measure((), as_json=True, complete=True) == 0
    entry = json.loads((measured / "tasks.json").read_text()) | {"commit": "earlier"}
    (measured / "tasks.json").write_text(json.dumps(entry))
    capsys.readouterr()
    assert bench.measure((), as_json=True, complete=True) == 1
    assert json.loads(capsys.readouterr().out)["worse"] == ["tasks: not measured on this commit: tasks"]
    (measured / "memory.json").unlink()
    assert len(bench.unmeasured("now")) == 2
    assert bench.measure((), as_json=True) == 0


def test_every_figure_has_a_baseline_and_the_machine_of_the_baselines_a_reference() -> None:
    stored = json.loads(bench.BASELINE.read_text("utf-8"))
    assert stored["reference_seconds"] > 0
    assert [row["name"] for row in stored["figures"] if not row.get("baseline")] == []
    table = json.loads((bench.BASELINE.parent / "tasks.json").read_text("utf-8"))
    (tasks,) = [row for row in stored["figures"] if row["name"] == "tasks_every_phase"]
    assert tasks["target"] == tasks["baseline"] == table["budget"]


def test_every_figure_is_handed_in_by_somebody() -> None:
    """A row that nobody measures is never red."""
    rows = {row["name"] for row in json.loads(bench.BASELINE.read_text("utf-8"))["figures"]}
    sources = [file.read_text("utf-8") for file in (ROOT / "tests/system").glob("*.py")]
    handed_in = {name for text in sources for name in re.findall(r"\brecord\(\s*\"(\w+)\"", text)}
    together = {name for names in bench.TOGETHER for name in names}
    assert rows == handed_in | set(bench.MEASURES) | set(bench.ASKED) | together


def test_figures_that_are_measured_together_are_measured_once_and_with_their_units(
    measured: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = []

    def together() -> dict[str, dict[str, Any]]:
        asked.append(1)
        return {
            "memory": {"value": 111, "unit": "bytes", "on": "here"},
            "tasks": {"value": 40, "unit": "tasks", "on": ""},
        }

    monkeypatch.setattr(bench, "TOGETHER", {("memory", "tasks"): together})
    assert bench.measure((), as_json=False) == 1
    assert (len(asked), json.loads((measured / "memory.json").read_text())["on"]) == (1, "here")
    assert bench.measure(("tasks",), as_json=False) == 0
    assert bench.measure(("up",), as_json=False) == 0
    assert len(asked) == 2


def test_the_figures_of_people_are_those_that_its_program_measures() -> None:
    source = (ROOT / "tests/bench/people.py").read_text("utf-8")
    (names,) = bench.TOGETHER
    assert {*re.findall(r"\"(people_\w+)\":", source)} == {*names}


def test_what_takes_half_an_hour_is_measured_only_when_it_is_named(
    measured: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "MEASURES", {"memory": lambda: 1.0})
    monkeypatch.setattr(bench, "ASKED", {"up": lambda: 99.0})
    assert bench.measure((), as_json=False) == 0
    assert {file.stem for file in measured.iterdir()} == {"memory"}
    assert bench.measure(("up",), as_json=False) == 0
    assert {file.stem for file in measured.iterdir()} == {"memory", "up"}


def test_up_from_nothing_has_an_empty_cache_and_is_taken_down_also_when_it_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ran: list[tuple[str, str, bool]] = []

    class Done:
        returncode = 1

    def run(argv: list[str], env: dict[str, str], **_: Any) -> Done:
        ran.append((argv[3], env["ATOLL_STATE"], Path(env["ATOLL_CACHE"]).exists()))
        return Done()

    monkeypatch.setenv("ATOLL_BUNDLE", "/somewhere")
    monkeypatch.setattr("installer.testing.bench.subprocess.run", run)
    with pytest.raises(RuntimeError, match="ended with code 1"):
        bench.ASKED["up_cold"]()
    assert [(verb, there) for verb, _, there in ran] == [("up", False), ("down", False)]
    assert not Path(ran[0][1]).parent.exists()


def test_the_cluster_from_nothing_is_the_reference_beside_it() -> None:
    cold, known = load(bench.COLD, installed=False), reference()
    assert [(node.name, node.roles, node.accelerators) for node in cold.nodes] == [
        (node.name, node.roles, node.accelerators) for node in known.nodes
    ]
    assert cold.lab is not None
    assert known.lab is not None
    assert (cold.name, cold.lab.bridge) != (known.name, known.lab.bridge)
    assert not {node.address for node in cold.nodes} & {node.address for node in known.nodes}
