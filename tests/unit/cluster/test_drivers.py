"""What is particular about a driver stands in its row and its folder, nowhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import get_args

import pytest

from installer.cluster import TREE, loads
from installer.cluster.devices import Driver
from installer.cluster.drivers import DEVICES, REGISTRY, STORAGE, RegistryDriver, StorageDriver
from installer.cluster.sections import Registry, Storage
from installer.planning.phases import PHASES
from installer.preflight.support import check_support

NAMES = {*STORAGE, *REGISTRY, *DEVICES} - {"local"}  # an engine, a connection and an address are called that too
# The tables themselves.
TABLES = {"installer/cluster/drivers.py", "installer/cluster/devices.py", "installer/cluster/sections.py"}
ASKED = re.compile(
    rf"driver\S*\s*(?:==|!=|(?:not )?in)\s*[\[({{]?['\"](?:{'|'.join(NAMES | {'local'})})\b"
    rf"|['\"](?:{'|'.join(NAMES | {'local'})})['\"]\s*(?:==|!=)\s*\S*driver"
    rf"|- \{{?['\"]simulated['\"]"
    rf"|equalto', '(?:{'|'.join(NAMES)})'"
)


def sources() -> list[Path]:
    return [
        file
        for folder in ("installer", "roles", "plugins", "playbooks")
        for file in sorted((TREE / folder).rglob("*"))
        if file.is_file() and file.suffix in {".py", ".yml", ".yaml", ".j2"}
    ]


def test_nobody_asks_for_a_driver_by_name_outside_of_the_tables_and_folders() -> None:
    found = {
        f"{name}:{number}: {line.strip()}"
        for file in sources()
        if (name := str(file.relative_to(TREE))) not in TABLES and not NAMES & set(file.parts)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if ASKED.search(line)
    }
    assert not found


@pytest.mark.parametrize(
    "line",
    [
        'if cluster.storage.driver == "glusterfs":',
        'if "harbor" != registry.driver:',
        "when: storage_driver != 'local'",
        'if storage.driver in ("glusterfs", "local"):',
        "selectattr('driver', 'equalto', 'simulated')",
    ],
)
def test_such_a_question_would_be_found(line: str) -> None:
    assert ASKED.search(line)


# What lists all rows' names for people, what is built or downloaded, and the driver's own module.
LISTS = TABLES | {
    "roles/storage/meta/argument_specs.yml",
    "roles/registry/meta/argument_specs.yml",
    "installer/bundle/lock.yaml",
    "plugins/modules/atoll_gluster.py",
}


@pytest.mark.parametrize(
    ("rows", "role", "words"),
    [
        (STORAGE, "storage", {"glusterfs", "glusterd.service", "/etc/glusterfs/glusterd.vol"}),
        (REGISTRY, "registry", {"atoll-registry.service", "/etc/atoll/registry/config.yml"}),
    ],
    ids=["storage", "registry"],
)
def test_what_a_driver_is_made_of_stands_in_its_row_and_its_folders(
    rows: dict[str, StorageDriver | RegistryDriver], role: str, words: set[str]
) -> None:
    told = {word for row in rows.values() for word in (*(one.unit for one in row.programs), *row.configuration)}
    assert words - {"glusterfs"} == told
    found = {
        f"{name}:{number}: {line.strip()}"
        for file in sources()
        if (name := str(file.relative_to(TREE))) not in LISTS and not NAMES & set(file.parts)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if any(word in line for word in words)
    }
    assert not found
    for folder in (TREE / "roles" / role / "tasks").iterdir():
        assert folder.is_file() or (TREE / "roles" / role / "templates" / folder.name / "driver.yml.j2").is_file()


def test_the_choices_of_a_section_are_the_rows() -> None:
    assert get_args(Storage.model_fields["driver"].annotation) == tuple(STORAGE)
    assert get_args(Registry.model_fields["driver"].annotation) == tuple(REGISTRY)
    assert get_args(Driver) == tuple(DEVICES)
    for section, rows in ((Storage, STORAGE), (Registry, REGISTRY)):
        for row in rows.values():
            assert not row.settings or row.settings in section.model_fields


def test_a_storage_driver_has_its_folder_or_is_refused_in_words() -> None:
    for row in STORAGE.values():
        folder = TREE / "roles/storage/tasks" / row.name
        settings = ", nfs: {server: s, path: /p}" if row.name == "nfs" else ""
        settings = ", cephfs: {monitors: [a], user: u}" if row.name == "cephfs" else settings
        nodes = "[{name: m, address: 10.0.0.1, roles: [master, storage]}]"
        text = f"name: a\nnodes: {nodes}\nstorage: {{driver: {row.name}{settings}}}\n"
        refused = [found.evidence for found in check_support(loads(text, installed=False)) if found.severity == "error"]
        if not folder.is_dir():
            assert refused == [f"`storage.driver: {row.name}` is not carried out yet"]
            continue
        assert refused == []
        phases = [phase.name for phase in PHASES if phase.role == "storage" and (row.managed or not phase.only_if)]
        assert {*phases} <= {file.stem for file in folder.glob("*.yml")}


def test_a_registry_driver_has_its_folder_or_is_refused_in_words() -> None:
    verbs = {file.stem for file in (TREE / "roles/registry/tasks").glob("*.yml")} - {"main"}
    for row in REGISTRY.values():
        folder = TREE / "roles/registry/tasks" / row.name
        settings = ", harbor: {url: 'https://h', user: u}" if row.settings else ""
        text = (
            "name: a\nnodes: [{name: m, address: 10.0.0.1, roles: [master]}]\n"
            f"storage: {{driver: local}}\nregistry: {{driver: {row.name}{settings}}}\n"
        )
        refused = [found.evidence for found in check_support(loads(text, installed=False)) if found.severity == "error"]
        if folder.is_dir():
            assert refused == []
            assert {file.stem for file in folder.glob("*.yml")} == verbs
        else:
            assert refused == [f"`registry.driver: {row.name}` is not carried out yet"]
