"""The browser's tests: what two suites that run side by side share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from installer.testing.playwright import provide_packages

SLOW = """#!/bin/sh
echo begin >> "$0.told"
sleep 0.2
echo end >> "$0.told"
"""


def test_suites_side_by_side_install_their_packages_one_after_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm = tmp_path / "npm"
    npm.write_text(SLOW, encoding="utf-8")
    npm.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    with ThreadPoolExecutor() as pool:
        list(pool.map(provide_packages, [tmp_path] * 3))
    assert (tmp_path / "npm.told").read_text("utf-8").split() == ["begin", "end"] * 3
