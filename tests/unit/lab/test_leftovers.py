"""Needs nothing. What a killed lab left is found by its marks, told to whom it hinders, and never taken for whole."""

from __future__ import annotations

import fcntl
import json
import resource
import shutil
import subprocess
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from installer.cluster import reference
from installer.lab import LabError, disks, labs, network, nodes, state
from installer.lab.commanding import command
from installer.lab.errors import system_errors_told
from installer.lab.topology import Lab, LabNode, lab_of
from installer.progress.stages import Progress


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without labs: its folders of labs, links, cgroups and locks."""
    for name in ("labs", "links", "cgroups", "locks"):
        (tmp_path / name).mkdir()
    (tmp_path / "cgroups/cgroup.controllers").touch()
    monkeypatch.setattr("installer.lab.topology.LABS", tmp_path / "labs")
    monkeypatch.setattr("installer.lab.state.LABS", tmp_path / "labs")
    monkeypatch.setattr("installer.lab.state._LOCKS", tmp_path / "locks")
    monkeypatch.setattr("installer.lab.network._LINKS", tmp_path / "links")
    monkeypatch.setattr("installer.lab.cgroups._MOUNTED", tmp_path / "cgroups")
    return tmp_path


def _link(machine: Path, name: str, mark: str) -> None:
    (machine / "links" / name).mkdir()
    (machine / "links" / name / "ifalias").write_text(f"{mark}\n", "utf-8")


def _lab(name: str, *node_names: str) -> Lab:
    lab = lab_of(reference())
    made = tuple(LabNode(name, node, f"10.77.9.{at}", 24) for at, node in enumerate(node_names, 11))
    return replace(lab, name=name, nodes=made)


def test_a_lab_whose_folder_was_removed_is_found_by_the_marks_of_its_links(machine: Path) -> None:
    _link(machine, "atoll7", "atoll-lab:demo")
    _link(machine, "al123", "atoll-lab:demo/worker1")
    _link(machine, "al456", "atoll-lab:demo-b/worker2")
    _link(machine, "eth0", "")
    assert state.labs() == ["demo", "demo-b"]
    assert [node.name for node in state.nodes("demo")] == ["worker1"]
    assert network.bridge_of("demo") == "atoll7"
    assert network.bridge_of("demo-b") is None


def test_a_book_that_was_cut_short_does_not_keep_a_lab_from_being_looked_at(machine: Path) -> None:
    (machine / "labs/demo/nodes/one").mkdir(parents=True)
    (machine / "labs/demo/state.json").write_text('{"bridge": "at', "utf-8")
    assert state.read("demo") is None
    assert [node.name for node in state.nodes("demo")] == ["one"]


def test_folders_of_trials_and_of_disks_that_were_being_removed_are_no_labs_and_no_nodes(machine: Path) -> None:
    (machine / "labs/.atoll-trial-x").mkdir()
    (machine / "labs/demo/nodes/.one.gone").mkdir(parents=True)
    assert state.labs() == ["demo"]
    assert state.nodes("demo") == []


def test_two_labs_whose_containers_would_have_one_name_are_refused_with_the_way_out(machine: Path) -> None:
    state.write("demo", state.Made.of(_lab("demo", "gpu-w1"), None))
    state.check_names(_lab("demo", "gpu-w1"))
    state.check_names(_lab("demo-gpu", "w2"))
    with pytest.raises(LabError) as error:
        state.check_names(_lab("demo-gpu", "w1"))
    assert "node `w1` of this lab `demo-gpu` and node `gpu-w1` of the lab `demo`" in error.value.message
    assert "./atoll lab down --name demo`" in error.value.remedy
    assert not (machine / "labs/demo-gpu").exists()


def test_a_name_that_systemd_nspawn_does_not_take_is_refused_before_anything_is_made(machine: Path) -> None:
    assert (machine / "labs").is_dir()
    state.check_names(_lab("demo", "w" * (64 - len("atoll-demo-"))))
    with pytest.raises(LabError, match="has 65 characters, and the system takes 64"):
        state.check_names(_lab("demo", "w" * (65 - len("atoll-demo-"))))


def test_down_by_name_takes_only_labs_that_are_there(machine: Path) -> None:
    (machine / "labs/demo").mkdir()
    for name in ("other", "..", "demo/../.."):
        with pytest.raises(LabError, match="has no lab") as error:
            labs.down_by_name(name, Progress())
        assert error.value.remedy == "its labs are: demo"
    assert (machine / "labs/demo").is_dir()


def test_a_full_disk_leaves_no_half_of_a_file_that_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "machine-id"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4, limits[1]))
    try:
        with pytest.raises(OSError, match="too large"):
            disks._write(path, "0123456789\n", keep=True)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert not path.exists()
    disks._write(path, "0123456789\n", 0o444, keep=True)
    assert (path.read_text("utf-8"), path.stat().st_mode & 0o777) == ("0123456789\n", 0o444)


def test_a_full_disk_is_told_with_what_to_do() -> None:
    with Path("/dev/full").open("wb", buffering=0) as full, pytest.raises(LabError) as error, system_errors_told():
        full.write(b"x")
    assert error.value.message == "No space left on device"
    assert "make room" in error.value.remedy


def test_a_full_disk_is_told_by_programs_too() -> None:
    with pytest.raises(LabError) as error:
        command("cp", __file__, "/dev/full")
    assert "No space left on device" in error.value.message
    assert "make room" in error.value.remedy
    with pytest.raises(LabError) as error, system_errors_told():
        subprocess.run(["cp", __file__, "/dev/full"], check=True, capture_output=True)
    assert "make room" in error.value.remedy


def test_a_removal_that_was_killed_leaves_no_node_that_starts_with_half_of_its_disk(
    machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    node = LabNode("demo", "one", "", 24)
    (node.directory / "upper/etc").mkdir(parents=True)
    (node.directory / "upper/etc/hostname").write_text("one\n", "utf-8")

    def killed(path: Path) -> None:
        raise KeyboardInterrupt(path)

    with monkeypatch.context() as moment:
        moment.setattr(shutil, "rmtree", killed)
        with pytest.raises(KeyboardInterrupt):
            nodes.remove(node)
    assert not node.directory.exists()
    nodes.remove(node)
    assert list((machine / "labs/demo/nodes").iterdir()) == []


def test_who_waits_for_another_command_says_so(machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    done = threading.Event()

    def second() -> None:
        with state.locked("demo"):
            done.set()

    with (machine / "locks/demo.lock").open("w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        waiting = threading.Thread(target=second)
        waiting.start()
        assert not done.wait(0.3)
    waiting.join(10)
    assert done.is_set()
    assert capsys.readouterr().err == "Another command works on the lab `demo`; this one waits for its end.\n"


def test_books_are_read_as_they_were_written(machine: Path) -> None:
    made = state.Made.of(_lab("demo", "one"), None)
    state.write("demo", made)
    assert state.read("demo") == made
    assert json.loads((machine / "labs/demo/state.json").read_text("utf-8"))["nodes"] == {"one": "10.77.9.11"}
