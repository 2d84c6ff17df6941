"""Each file of tests/broken has mistakes; beside it stands, word for word, what a person is told."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest
from click.testing import CliRunner

from installer.cluster import Cluster, ClusterError, checks, load
from installer.cluster.checks.finding import Check, Circumstances, Finding
from installer.cluster.commands import validate
from installer.cluster.defaults import section_models

# The files of checks.
MODULES = [import_module(f"{checks.__name__}.{found.name}") for found in iter_modules(checks.__path__)]
ROOMS = [module for module in MODULES if hasattr(module, "CHECKS")]
BROKEN = sorted((Path(__file__).parents[2] / "broken").glob("*.yaml"))


def expected(file: Path) -> str:
    """What is said of a file; the keys of a section are those that it has."""
    text = file.with_suffix(".expected").read_text(encoding="utf-8")
    for name, model in section_models().items():
        text = text.replace(f"{{keys of {name}}}", ", ".join(model.model_fields))
    return text


def test_there_are_at_least_twenty_broken_files() -> None:
    assert len(BROKEN) >= 20


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_a_broken_file_is_answered_with_the_expected_message(file: Path) -> None:
    with pytest.raises(ClusterError) as caught:
        load(file, installed=False)
    assert f"{caught.value}\n" == expected(file)
    assert all(mistake.line > 0 and mistake.remedy for mistake in caught.value.mistakes)


def test_every_check_has_a_case_that_it_must_catch(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of which it says something."""
    caught: set[str] = set()

    def noted(check: Check) -> Check:
        def look(cluster: Cluster, circumstances: Circumstances) -> Iterator[Finding]:
            for finding in check(cluster, circumstances):
                caught.add(f"{check.__module__}.{check.__name__}")
                yield finding

        return look

    every = {f"{check.__module__}.{check.__name__}" for room in ROOMS for check in room.CHECKS}
    for room in ROOMS:
        monkeypatch.setattr(room, "CHECKS", tuple(noted(check) for check in room.CHECKS))
    for file in BROKEN:
        with pytest.raises(ClusterError):
            load(file, installed=False)
    assert every - caught == set()


@pytest.mark.parametrize("file", BROKEN, ids=lambda file: file.stem)
def test_validate_tells_programs_the_same(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path))
    result = CliRunner().invoke(validate, ["-f", str(file), "-o", "json"])
    told = json.loads(result.stdout)
    assert result.exit_code == 65
    assert told["ok"] is False
    assert all(set(error) == {"line", "path", "message", "remedy"} for error in told["errors"])
    assert all(error["message"] in expected(file) for error in told["errors"])
