"""Data disks: what is not empty, not readable or another disk than before is never formatted. Needs nothing."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest


class Node:
    """A node whose disks are files; `blkid` says what is written in them, `mkfs` writes a new UUID."""

    def __init__(self, module: Any, folder: Path, log: Path) -> None:
        self.module, self.folder, self.log = module, folder, log

    def disk(self, name: str, content: str) -> None:
        (self.folder / name).write_text(content)

    def apply(self, device: str = "sdb") -> list[str]:
        host = self.module.Host(
            SimpleNamespace(check_mode=False, params={"state_directory": str(self.folder / "state"), "phase": "host"})
        )
        wanted = {"device": str(self.folder / device), "mount": str(self.folder / "data"), "filesystem": "ext4"}
        host.disk(wanted)
        return list(host.actions)

    @property
    def formatted(self) -> bool:
        return "mkfs.ext4" in (self.log.read_text() if self.log.exists() else "")


@pytest.fixture
def node(plugin: Any, programs: Callable[[str, str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Node:
    module = plugin("modules", "atoll_host")
    programs("blkid", 'for last; do :; done; grep = "$last" || exit 2')
    programs("systemctl", "exit 0")
    programs("systemd-escape", "echo data.mount")
    log = programs("mkfs.ext4", 'printf "UUID=made\\nTYPE=ext4\\n" > "$1"')
    for name in ("units", "by-uuid"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr(module, "UNITS", str(tmp_path / "units"))
    monkeypatch.setattr(module, "BY_UUID", str(tmp_path / "by-uuid"))
    monkeypatch.setattr(stat, "S_ISBLK", lambda _: True)
    return Node(module, tmp_path, log)


def test_an_empty_disk_is_formatted_once_and_mounted_by_its_uuid(node: Node, tmp_path: Path) -> None:
    node.disk("sdb", "\0")
    assert len(node.apply()) == 2
    assert "What=UUID=made\n" in (tmp_path / "units" / "data.mount").read_text()
    node.log.unlink()
    node.apply()
    assert not node.formatted


@pytest.mark.parametrize("content", ["\0", "UUID=other\nTYPE=ext4\n"])
@pytest.mark.parametrize("mounted", [True, False])
def test_a_renamed_disk_is_refused_and_the_other_one_under_its_name_is_left_alone(
    node: Node, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, mounted: bool
) -> None:
    node.disk("sdb", "UUID=ours\nTYPE=ext4\n")
    node.apply()
    unit = (tmp_path / "units" / "data.mount").read_text()
    node.disk("sdb", content)
    if mounted:
        monkeypatch.setattr(os.path, "ismount", lambda _: True)
    else:
        (tmp_path / "by-uuid" / "ours").touch()
    with pytest.raises(node.module.NodeError, match=r"sdb is not the disk that belongs at .*by-id"):
        node.apply()
    assert not node.formatted
    assert (tmp_path / "units" / "data.mount").read_text() == unit


def test_a_disk_in_place_of_one_that_was_taken_out_is_used(node: Node, tmp_path: Path) -> None:
    node.disk("sdb", "UUID=broken\nTYPE=ext4\n")
    node.apply()
    node.disk("sdb", "\0")
    node.apply()
    assert "What=UUID=made\n" in (tmp_path / "units" / "data.mount").read_text()


def test_a_disk_that_cannot_be_read_is_not_taken_for_an_empty_one(node: Node, tmp_path: Path) -> None:
    (tmp_path / "sdb").mkdir()  # reading it fails as reading a broken disk does
    with pytest.raises(node.module.NodeError, match=r"sdb can't be read: .*dmesg"):
        node.apply()
    assert not node.formatted


def test_a_disk_without_room_is_not_taken_for_an_empty_one(node: Node) -> None:
    node.disk("sdb", "")
    with pytest.raises(node.module.NodeError, match="no room at all"):
        node.apply()
    assert not node.formatted
