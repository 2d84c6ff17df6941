"""Every promise has a test that fails when the code that keeps it is broken."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
HERE = Path(__file__).parent
TABLE: list[dict[str, Any]] = yaml.safe_load((HERE / "table.yaml").read_text("utf-8"))
LAB = os.environ.get("ATOLL_SABOTAGE_LAB") == "1"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The tracked files as they are now, in a directory of their own."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout.split(b"\0")
    for raw in names:
        source = ROOT / raw.decode()
        if raw and source.is_file():
            target = tmp_path / raw.decode()
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)
    return tmp_path


@pytest.mark.timeout(3500)
@pytest.mark.parametrize("entry", TABLE, ids=lambda entry: Path(entry["patch"]).stem)
def test_the_test_turns_red_when_the_promise_is_broken(entry: dict[str, Any], copy: Path) -> None:
    if entry["kind"] == "lab" and not LAB:
        pytest.skip("needs an hour of lab: set ATOLL_SABOTAGE_LAB=1")
    subprocess.run(["patch", "-p1", "--quiet", "-i", str(HERE / entry["patch"])], cwd=copy, check=True)
    environment = {name: value for name, value in os.environ.items() if name != "ATOLL_TEST_RESULTS"}
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-x", "-q", *entry["tests"]],
        cwd=copy,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1, (
        f"still green without: {entry['promise']}\n{ended.stdout[-3000:]}{ended.stderr[-1000:]}"
    )
