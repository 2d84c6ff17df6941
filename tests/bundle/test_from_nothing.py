"""Parts of the bundle as a stranger builds them: from a fresh clone, with an empty cache, as one command.

They are, bit by bit, what this machine has in its cache, built there from another folder at another time.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
from pathlib import Path

import pytest

from installer.bundle.execution import environment
from installer.testing.results import ROOT

PARTS = ("program/amd64/runc", "program/amd64/registry")


def built(tree: Path, bundle: Path, **variables: str) -> dict[str, str]:
    """Build the parts, and return the digest of each file of theirs."""
    said = subprocess.run(
        [str(tree / "atoll"), "bundle", "build", "--bundle", str(bundle), "-o", "json", *PARTS],
        cwd=tree,
        env=environment(variables),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert said.returncode == 0, said.stdout[-2000:] + said.stderr[-4000:]
    files = [path for path in sorted((bundle / "bin").rglob("*")) if path.is_file()]
    return {str(path.relative_to(bundle)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.timeout(3000)
def test_a_fresh_clone_with_an_empty_cache_builds_the_same_programs_bit_by_bit(tmp_path: Path) -> None:
    clone = tmp_path / "someone" / "atoll"
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(ROOT), str(clone)], check=True)
    assert not (clone / ".venv").exists()
    here = built(ROOT, tmp_path / "here")
    elsewhere = built(clone, tmp_path / "elsewhere", ATOLL_CACHE=str(tmp_path / "cache"), HOME=str(tmp_path))
    assert {"runc", "registry"} <= {Path(name).name for name in here}
    assert elsewhere == here
    assert {path.name for path in (tmp_path / "cache" / "outputs").iterdir()} >= {
        part.replace("/", "--") for part in PARTS
    }
    assert json.loads((tmp_path / "cache" / "timings.json").read_text("utf-8")).keys() >= {*PARTS}
