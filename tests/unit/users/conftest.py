"""A cluster whose users are looked after from here."""

from __future__ import annotations

from pathlib import Path

import pytest

from installer.cluster import TREE
from installer.running import accepted


@pytest.fixture
def cluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder in which it was accepted and is reached, by the operator grace."""
    monkeypatch.setenv("ATOLL_STATE", str(tmp_path / "state"))
    monkeypatch.setenv("ATOLL_BUNDLE", str(tmp_path / "bundle"))
    monkeypatch.setenv("SUDO_USER", "grace")
    accepted.accept(tmp_path / "state" / "demo", (TREE / "cluster.example.yaml").read_text())
    (tmp_path / "state" / "demo" / "admin.conf").touch()
    monkeypatch.setattr("installer.users.in_cluster.reachable", lambda servers: servers[0])
    return tmp_path
