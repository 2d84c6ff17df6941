"""A suite of sabotage in parts: what was seen red on a commit is kept, so that a part that is over goes on next time.

Kept in tests/results/sabotage, a file per row of the table.
"""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest

from installer.testing.results import DIRECTORY

SEEN = DIRECTORY / "sabotage"
PART_S = 3300.0  # a suite ends after 3600 s, and nothing may be left broken then
BEGAN = time.monotonic()


def refuse_when_late(suite: str, minutes: float) -> None:
    """Fail with what to do where so many minutes are more than what is left of this part."""
    if time.monotonic() - BEGAN + minutes * 60 > PART_S:
        pytest.fail(f"not in this part: run `./atoll test {suite}` again, it goes on from here", pytrace=False)


def seen_before(record: Path, digest: str, commit: str) -> bool:
    """Say whether a part that ended earlier has seen this on the same commit; a changed tree has none."""
    if not record.exists() or not re.fullmatch(r"[0-9a-f]{40}", commit):
        return False
    found = json.loads(record.read_text("utf-8"))
    return bool(found["commit"] == commit and found["digest"] == digest)


def keep(record: Path, digest: str, commit: str, seconds: float) -> None:
    """Write down that it was seen."""
    record.parent.mkdir(parents=True, exist_ok=True)
    content = {"commit": commit, "digest": digest, "seconds": round(seconds, 1), "at": time.strftime("%FT%TZ")}
    record.write_text(json.dumps(content) + "\n", encoding="utf-8")
