"""Making roots of images. Nothing is bootstrapped: what would be run is looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from installer.bundle import roots
from installer.isolation import DIES_WITH_US


def test_a_killed_build_leaves_no_debootstrap_and_none_of_its_mounts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran: list[list[str]] = []

    def run(argv: list[str], *_: Any, **__: Any) -> None:
        ran.append(argv)
        for made in ("dev", "etc/apt/apt.conf.d"):
            (tmp_path / "root" / made).mkdir(parents=True)

    monkeypatch.setattr(roots, "run", run)
    roots.bootstrap("bookworm", "amd64", {}, tmp_path / "into", tmp_path, lambda _: None)
    (argv,) = ran
    assert tuple(argv[: len(DIES_WITH_US)]) == DIES_WITH_US
    assert argv[len(DIES_WITH_US)] == "debootstrap"
