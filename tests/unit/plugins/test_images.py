"""Images of the bundle in a node's container runtime. Needs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

IMAGE = {"name": "registry.k8s.io/pause:3.10", "descriptor": {"digest": "sha256:1"}, "blobs": ["sha256:1"]}


def test_a_rehearsal_on_a_node_without_a_runtime_says_what_would_be_imported(
    run: Any, plugin: Any, programs: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(plugin("modules", "atoll_images"), "PATH", str(tmp_path))
    answer = run("atoll_images", check=True, phase="demo", images=[IMAGE])
    assert answer["changed"]
    assert answer["imported"] == [IMAGE["name"]]
    assert "not installed" in run("atoll_images", phase="demo", images=[IMAGE])["msg"]
