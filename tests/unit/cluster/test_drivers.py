"""What is particular about a driver stands in its row and its folder, nowhere else."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from pydantic import BaseModel

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


# What lists all rows' names for people, and what is built or downloaded.
LISTS = TABLES | {
    "roles/storage/meta/argument_specs.yml",
    "roles/registry/meta/argument_specs.yml",
    "installer/bundle/lock.yaml",
}
COMMON_WORDS = {"local", "distribution"}  # names of drivers that other rooms say in another sense


def modules_of_drivers() -> set[str]:
    """Modules that nobody but the folder of a driver uses: what they know is particular to it, too."""
    roles = {file: file.read_text(encoding="utf-8") for file in sources() if "roles" in file.parts}
    users = {
        module: {bool(NAMES & set(file.parts)) for file, text in roles.items() if f"{module.stem}:" in text}
        for module in (TREE / "plugins/modules").glob("atoll_*.py")
    }
    return {str(module.relative_to(TREE)) for module, own in users.items() if own == {True}}


@pytest.mark.parametrize(("rows", "role"), [(STORAGE, "storage"), (REGISTRY, "registry")], ids=["storage", "registry"])
def test_what_a_driver_is_made_of_stands_in_its_row_and_its_folders(
    rows: dict[str, StorageDriver | RegistryDriver], role: str
) -> None:
    words = {word for row in rows.values() for word in (*(one.unit for one in row.programs), *row.configuration)}
    assert words, "no row says what runs on its servers"
    words |= {row.name for row in rows.values() if row.managed} - COMMON_WORDS
    asked = re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in sorted(words)))
    known = LISTS | modules_of_drivers()
    found = {
        f"{name}:{number}: {line.strip()}"
        for file in sources()
        if (name := str(file.relative_to(TREE))) not in known and not NAMES & set(file.parts)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
        if asked.search(line)
    }
    assert not found


@pytest.mark.parametrize(("rows", "role"), [(STORAGE, "storage"), (REGISTRY, "registry")], ids=["storage", "registry"])
def test_a_driver_says_what_the_tasks_of_its_role_ask_for(
    rows: dict[str, StorageDriver | RegistryDriver], role: str
) -> None:
    texts = {file: file.read_text(encoding="utf-8") for file in sources() if {"roles", role} <= set(file.parts)}
    for row in carried_out(rows, role):
        asking = [text for file, text in texts.items() if not (set(rows) - {row.name}) & set(file.parts)]
        asked = {key for text in asking for key in re.findall(rf"\b{role}_of_driver\.([a-z_]+)", text)}
        assert asked
        told = TREE / "roles" / role / "templates" / row.name / "driver.yml.j2"
        assert told.is_file(), f"{told.relative_to(TREE)} is missing"
        assert asked - set(re.findall(r"^([a-z_]+):", told.read_text(encoding="utf-8"), re.MULTILINE)) == set(), told


def carried_out(rows: dict[str, StorageDriver | RegistryDriver], role: str) -> list[StorageDriver | RegistryDriver]:
    """The rows that have a folder of tasks."""
    return [row for row in rows.values() if (TREE / "roles" / role / "tasks" / row.name).is_dir()]


def handed_over(role: str) -> dict[str, str]:
    """What a role leaves to the folder of its driver: file there, and the file that hands over to it."""
    return {
        found: file.stem
        for file in sorted((TREE / "roles" / role / "tasks").glob("*.yml"))
        for found in re.findall(rf"\{{\{{ {role}_driver \}}\}}/([a-z_]+\.yml)", file.read_text(encoding="utf-8"))
    }


def written_for(rows: dict[str, Any], section: type[BaseModel], role: str, name: str) -> str:
    """A section of cluster.yaml with a driver and the settings that it needs, as their example says them."""
    settings = rows[name].settings
    content: dict[str, Any] = {"driver": name}
    if settings:
        (content[settings],) = section.model_fields[settings].examples or [None]
    return yaml.safe_dump({role: content})


def test_the_choices_of_a_section_are_the_rows() -> None:
    assert get_args(Storage.model_fields["driver"].annotation) == tuple(STORAGE)
    assert get_args(Registry.model_fields["driver"].annotation) == tuple(REGISTRY)
    assert get_args(Driver) == tuple(DEVICES)
    for section, rows in ((Storage, STORAGE), (Registry, REGISTRY)):
        for row in rows.values():
            assert not row.settings or row.settings in section.model_fields


@pytest.mark.parametrize("name", STORAGE)
def test_a_storage_driver_has_its_folder_or_is_refused_in_words(name: str) -> None:
    node = "nodes: [{name: m, address: 10.0.0.1, roles: [master, storage]}]"
    text = f"name: a\n{node}\n{written_for(STORAGE, Storage, 'storage', name)}"
    refused = [found.evidence for found in check_support(loads(text, installed=False)) if found.severity == "error"]
    folder = TREE / "roles/storage/tasks" / name
    if not folder.is_dir():
        assert refused == [f"`storage.driver: {name}` is not carried out yet"]
        return
    assert refused == []
    played = {
        phase.name for phase in PHASES if phase.role == "storage" and (STORAGE[name].managed or not phase.only_if)
    }
    wanted = {file for file, of in handed_over("storage").items() if of.removeprefix("verify_") in played}
    assert wanted, "nothing is left to the driver"
    assert wanted - {file.name for file in folder.glob("*.yml")} == set()


@pytest.mark.parametrize("name", REGISTRY)
def test_a_registry_driver_has_its_folder_or_is_refused_in_words(name: str) -> None:
    node = "nodes: [{name: m, address: 10.0.0.1, roles: [master]}]\nstorage: {driver: local}"
    text = f"name: a\n{node}\n{written_for(REGISTRY, Registry, 'registry', name)}"
    refused = [found.evidence for found in check_support(loads(text, installed=False)) if found.severity == "error"]
    folder = TREE / "roles/registry/tasks" / name
    if not folder.is_dir():
        assert refused == [f"`registry.driver: {name}` is not carried out yet"]
        return
    assert refused == []
    wanted = set(handed_over("registry")) if REGISTRY[name].managed else set()
    assert wanted - {file.name for file in folder.glob("*.yml")} == set()
