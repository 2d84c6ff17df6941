"""Bricks that do not serve, or elsewhere than clients look for them. Needs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from installer.cluster import TREE
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


def test_verify_tells_a_brick_that_is_not_where_clients_look_for_it(gluster: Path, ensure: Any) -> None:
    """They know its port by heart: only a mount that is dead would tell."""
    ensure({})
    assert ensure({}, check=True)["misplaced"] == []
    (gluster / "port").write_text("49152")
    there = ["the brick 127.0.0.1:/srv/brick/data serves at port 49152, and clients look for it at 24009"]
    assert ensure({}, check=True)["misplaced"] == there, "verify does not name the brick that nobody finds"
    (gluster / "away").write_text("1")
    assert ensure({}, check=True)["misplaced"] == [], "one that does not serve is told already, and has no port"
    tasks = yaml.safe_load((TREE / "roles/storage/tasks/glusterfs/verify_volume.yml").read_text("utf-8"))
    judged = tasks[-1]["ansible.builtin.assert"]
    assert "storage_volume.misplaced | default([]) | length == 0" in judged["that"], "verify lets such a brick be"
    said = jinja2.Template(judged["fail_msg"])
    words = said.render(storage_volume={"misplaced": there})
    assert there[0] in words
    assert "with a restart of glusterd" in words
    assert "glusterd" not in said.render(storage_volume={"changes": ["start"]})
