"""Bricks that do not serve, or elsewhere than clients look for them. Needs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.unit.plugins.gluster import told


def test_a_brick_that_does_not_serve_is_started_again_until_it_does(gluster: Path, ensure: Any) -> None:
    """Its port may be taken for a moment, which GlusterFS asks once, and says success all the same."""
    (gluster / "away").write_text("2")
    ensure({})
    assert told(gluster, "volume start") == ["volume start atoll", *["volume start atoll force"] * 2]
    (gluster / "away").write_text("3")
    missing = ["start bricks 127.0.0.1:/srv/brick/data"]
    assert ensure({}, check=True)["changes"] == missing, "verify does not name the brick that does not serve"
    assert (gluster / "away").read_text() == "3", "a check changes nothing"
    assert ensure({})["changes"] == missing
    assert (gluster / "away").read_text() == "0", "apply ends beside a brick that does not serve"
    assert ensure({}, check=True)["changes"] == []


def test_a_brick_that_never_serves_fails_with_words(
    gluster: Path, ensure: Any, plugin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ensure({})
    (gluster / "away").write_text("1000000")
    monkeypatch.setattr(plugin("modules", "atoll_gluster"), "SERVES_S", 0)
    message = ensure({}, fails=True)["msg"]
    assert "the bricks 127.0.0.1:/srv/brick/data do not serve: look for another program on their port" in message
