"""What is kept of verifications that were red."""

import resource
from pathlib import Path

import pytest

from installer.planning.plan import Plan, Step
from installer.running import unverified


def test_a_full_disk_leaves_no_draft_and_what_was_kept(tmp_path: Path) -> None:
    unverified.begin(tmp_path, Plan("demo", (Step("host", "a", "apply", "new"),)))
    kept, limits = unverified.recall(tmp_path), resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))  # no file takes a byte
    try:
        with pytest.raises(OSError, match="File too large"):
            unverified.begin(tmp_path, Plan("demo", (Step("queue", "a", "apply", "new"),)))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [file.name for file in (tmp_path / unverified.FILE).parent.iterdir()] == [unverified.FILE.name]
    assert unverified.recall(tmp_path) == kept == {("host", "a"): ""}
