"""The network of a lab on machines that have less than a lab needs."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from installer.lab.network import remove_bridge


def test_a_machine_that_never_had_a_lab_needs_none_of_its_programs_to_have_none(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_ip = tmp_path / "ip"
    only_ip.symlink_to(shutil.which("ip") or "")
    monkeypatch.setenv("PATH", str(tmp_path))
    remove_bridge("nobody", "atollnobody")
