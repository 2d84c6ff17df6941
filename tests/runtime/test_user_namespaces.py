"""Whether a node gives tasks a user namespace is found by starting such a container, on file systems of each kind."""

from __future__ import annotations

import os
from pathlib import Path
from types import ModuleType

import pytest

from tests.runtime.conftest import Mount, in_user_space

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="containers are started by root")


def test_a_disk_has_it_also_with_other_file_systems_mounted_in_it(
    probe: ModuleType, mount: Mount, tmp_path: Path
) -> None:
    folder = tmp_path / "pods"
    folder.mkdir()
    mount("tmpfs", at="pods/volume")
    assert probe.why_not([str(folder)]) == ""


def test_shared_memory_has_it(probe: ModuleType, mount: Mount) -> None:
    assert probe.why_not([str(mount("tmpfs"))]) == ""


def test_a_file_system_in_user_space_has_not_and_is_named(probe: ModuleType, tmp_path: Path) -> None:
    place = tmp_path / "data"
    with in_user_space(place):
        said = probe.why_not([str(tmp_path), str(place)])
    assert said == f"fuse.atoll has no idmapped mounts ({place}) under this kernel"


def test_an_overlay_has_not(probe: ModuleType, mount: Mount, tmp_path: Path) -> None:
    for name in ("lower", "upper", "work"):
        (tmp_path / name).mkdir()
    options = (f"lowerdir={tmp_path}/lower", f"upperdir={tmp_path}/upper", f"workdir={tmp_path}/work")
    assert "overlay has no idmapped mounts" in probe.why_not([str(mount("overlay", *options))])


def test_nothing_is_left_of_the_container(probe: ModuleType, tmp_path: Path) -> None:
    probe.why_not([str(tmp_path), str(tmp_path / "none")])
    assert not list(Path(probe.SCRATCH).glob(f"{probe.NAME}*"))
    assert not list(Path("/sys/fs/cgroup").glob(f"**/{probe.NAME}*"))
