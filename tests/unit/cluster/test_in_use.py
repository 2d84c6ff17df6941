"""A bundle does not change under a run. Needs nothing."""

from __future__ import annotations

import threading
from pathlib import Path

from installer.cluster import in_use


def test_runs_share_a_bundle_and_a_build_waits_for_them(tmp_path: Path) -> None:
    bundle = tmp_path / "bundle"
    said: list[str] = []
    wrote = threading.Event()

    def build() -> None:
        with in_use.writing(bundle, said.append):
            wrote.set()

    with in_use.reading(bundle, said.append), in_use.reading(bundle, said.append):
        builder = threading.Thread(target=build)
        builder.start()
        assert not wrote.wait(0.3)
    builder.join(5)
    assert wrote.is_set()
    assert said == [f"A run takes files from {bundle}; the build waits for its end."]
    assert not bundle.exists()
