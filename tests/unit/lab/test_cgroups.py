"""Needs nothing: a folder plays the kernel's. A node's cgroup lies in every hierarchy and has its limits."""

from __future__ import annotations

from pathlib import Path

import pytest

from installer.lab import cgroups


@pytest.fixture
def v1(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("cpu", "cpuset", "memory", "unified"):
        (tmp_path / name).mkdir()
    for path, value in (("cpuset/cpuset.cpus", "0-1"), ("cpuset/cpuset.mems", "0")):
        (tmp_path / path).write_text(value, encoding="utf-8")
    monkeypatch.setattr(
        cgroups, "hierarchies", lambda: [tmp_path / name for name in ("cpu", "cpuset", "memory", "unified")]
    )
    return tmp_path


def test_a_cgroup_is_made_in_every_hierarchy_and_made_again_without_harm(v1: Path) -> None:
    for _ in range(2):
        made = cgroups.make("atoll-lab/demo/one", None, None)
        assert [path.parent for path in made] == [
            v1 / name / "atoll-lab/demo/one" for name in ("cpu", "cpuset", "memory", "unified")
        ]
    assert cgroups.children("atoll-lab/demo") == {"one"}


def test_a_new_cpuset_gets_the_cpus_of_the_one_above(v1: Path) -> None:
    for name in ("atoll-lab", "atoll-lab/demo", "atoll-lab/demo/one"):
        (v1 / "cpuset" / name).mkdir()
        for file in ("cpuset.cpus", "cpuset.mems"):
            (v1 / "cpuset" / name / file).write_text("", encoding="utf-8")
    cgroups.make("atoll-lab/demo/one", None, None)
    assert (v1 / "cpuset/atoll-lab/demo/one/cpuset.cpus").read_text("utf-8") == "0-1"


@pytest.mark.parametrize(
    ("file", "memory_bytes", "cpus", "written"),
    [
        ("memory.limit_in_bytes", 1 << 30, None, str(1 << 30)),
        ("memory.limit_in_bytes", None, None, "-1"),
        ("cpu.cfs_quota_us", None, 1.5, "150000"),
        ("memory.max", 1 << 30, None, str(1 << 30)),
        ("memory.max", None, None, "max"),
        ("cpu.max", None, 0.5, "50000 100000"),
        ("cpu.max", None, None, "max 100000"),
    ],
)
def test_limits_are_written_in_the_words_of_both_versions(
    v1: Path, file: str, memory_bytes: int | None, cpus: float | None, written: str
) -> None:
    folder = v1 / "memory/atoll-lab/demo/one"
    folder.mkdir(parents=True)
    (folder / file).touch()
    cgroups.make("atoll-lab/demo/one", memory_bytes, cpus)
    assert (folder / file).read_text("utf-8") == written


def test_what_holds_nodes_weighs_like_machines_and_a_node_like_one(v1: Path) -> None:
    for name in ("atoll-lab", "atoll-lab/demo", "atoll-lab/demo/one"):
        (v1 / "cpu" / name).mkdir(parents=True)
        (v1 / "cpu" / name / "cpu.shares").write_text("1024", encoding="utf-8")
    cgroups.make("atoll-lab/demo", None, None)
    cgroups.make("atoll-lab/demo/one", None, None)
    shares = [(v1 / "cpu" / name / "cpu.shares").read_text("utf-8") for name in ("atoll-lab", "atoll-lab/demo")]
    assert shares == ["8192", "8192"]
    assert (v1 / "cpu/atoll-lab/demo/one/cpu.shares").read_text("utf-8") == "1024"


def test_processes_are_found_at_any_depth_and_in_any_hierarchy(v1: Path) -> None:
    for place, pids in (("memory/atoll-lab/demo/one", "11\n12\n"), ("unified/atoll-lab/demo/one/payload/x", "13\n0\n")):
        (v1 / place).mkdir(parents=True)
        (v1 / place / "cgroup.procs").write_text(pids, encoding="utf-8")
    assert cgroups.processes("atoll-lab/demo/one") == {11, 12, 13}
    assert cgroups.processes("atoll-lab/demo/two") == set()


def test_the_entrance_is_the_payload_where_there_is_one(v1: Path) -> None:
    for hierarchy in ("cpu", "cpuset", "memory"):
        (v1 / hierarchy / "atoll-lab/demo/one").mkdir(parents=True)
    (v1 / "unified/atoll-lab/demo/one/payload").mkdir(parents=True)
    entrances = {str(path.parent.relative_to(v1)) for path in cgroups.entrances("atoll-lab/demo/one")}
    assert "unified/atoll-lab/demo/one/payload" in entrances
    assert "memory/atoll-lab/demo/one" in entrances
