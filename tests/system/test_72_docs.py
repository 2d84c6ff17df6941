"""What the docs tell an administrator to type, typed on the installed cluster: the rows `run: lab` of tests/docs."""

from __future__ import annotations

import re
import shlex
import subprocess
from pathlib import Path

import pytest

from tests.docs.table import rows, run
from tests.system.harness import CLUSTER_FILE, ROOT, Atoll, wait_for


@pytest.fixture(scope="module", autouse=True)
def _all_is_well(atoll: Atoll) -> None:
    """What the tests before restarted is there again."""
    wait_for("every service runs", lambda: atoll("status", "-f", str(CLUSTER_FILE), ok=(0, 1)).code == 0, 180, 5)


@pytest.mark.timeout(180)
@pytest.mark.parametrize("command", run("lab"))
def test_a_command_of_the_docs_does_what_they_say(atoll: Atoll, command: str, tmp_path: Path) -> None:
    row = rows()[command]
    typed = ["bash", "-o", "pipefail", "-c", row.typed(command)]
    if row.seconds:
        typed = ["timeout", str(row.seconds), *typed]
    if row.at == "control":
        # A folder as the administrator's: ./atoll, and the cluster.yaml of the cluster.
        (tmp_path / "atoll").symlink_to(ROOT / "atoll")
        (tmp_path / "cluster.yaml").symlink_to(CLUSTER_FILE)
        ran = subprocess.run(
            typed, cwd=tmp_path, env=atoll.environment, capture_output=True, text=True, check=False, timeout=150
        )
        code, said, told = ran.returncode, ran.stdout, ran.stderr
    else:
        there = atoll.node(row.at, *typed, ok=tuple(range(256)))
        code, said, told = there.code, there.out, there.err
    assert code in row.ends, f"{shlex.join(typed)}: exit {code}\n{said[-3000:]}\n{told[-3000:]}"
    assert re.search(row.says or "", said + told, re.MULTILINE), f"no `{row.says}` in what it says:\n{said}{told}"
