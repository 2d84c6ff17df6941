"""A key of cluster.yaml is used, or `validate` says that it is not; what nobody carries out is refused there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from pydantic import BaseModel

from installer import exit_codes
from installer.cluster import EXAMPLE, TREE, load
from installer.cluster.commands import validate
from installer.cluster.defaults import section_models
from installer.cluster.drivers import REGISTRY, STORAGE, not_yet
from installer.cluster.sections import unused_because

BASE = "name: a\nnodes: [{name: m1, address: 10.0.0.1, roles: [master, worker, storage]}]\n"
# Modules that say what a key may be; that is no use of it.
DECLARING = {"sections.py", "schema.py", "in_use.py", "given.py", "drivers.py", "phases.py", "support.py", "digests.py"}
# Settings of a driver that is refused: nobody can have them in force.
REFUSED = {
    f"{section}.{row.settings}"
    for section, rows in (("storage", STORAGE), ("registry", REGISTRY))
    for row in rows.values()
    if row.settings and not (TREE / "roles" / section / "tasks" / row.name).is_dir()
}
# Read otherwise than by name: by a property of the schema.
OTHERWISE = {"registry.nodes"}


def keys(model: type[BaseModel], name: str) -> Iterator[tuple[str, bool]]:
    """Every key below a section, and whether it is said to be unused."""
    for key, field in model.model_fields.items():
        inner = field.annotation
        if isinstance(inner, type) and issubclass(inner, BaseModel):
            yield from keys(inner, f"{name}.{key}")
        else:
            yield f"{name}.{key}", bool(unused_because(field))


KEYS = dict(pair for name, model in section_models().items() if name != "resource_limit" for pair in keys(model, name))


def used() -> str:
    """All that may read a key: roles, plug-ins, and what the installer does."""
    folders = [TREE / "roles" / role for role in sorted(path.name for path in (TREE / "roles").iterdir())]
    files = [
        file
        for folder in folders
        for part in ("tasks", "templates", "vars", "defaults")
        for file in sorted((folder / part).rglob("*"))
        if file.is_file()
    ]
    files += [*(TREE / "plugins").rglob("*.py")]
    files += [
        file
        for file in sorted((TREE / "installer").rglob("*.py"))
        if file.name not in DECLARING and file.parent.name != "checks"
    ]
    return "\n".join(file.read_text(encoding="utf-8", errors="replace") for file in files)


@pytest.fixture(scope="module")
def text() -> str:
    return used()


@pytest.mark.parametrize("key", sorted(KEYS.keys() - REFUSED - OTHERWISE))
def test_a_key_is_read_by_somebody_or_said_to_be_unused(key: str, text: str) -> None:
    section, *inner = key.split(".")
    variable = ".".join(["_".join([section, inner[0]]), *inner[1:]])
    is_read = re.search(rf"\b{re.escape(variable)}\b|\bcluster\.{re.escape(key)}\b", text) is not None
    own = TREE / "installer" / "cluster" / f"{section}.py"  # its functions get the section under its own name
    is_read |= own.is_file() and re.search(rf"\b{re.escape(key)}\b", own.read_text(encoding="utf-8")) is not None
    assert is_read is not KEYS[key], f"{key} is {'said to be unused and is read' if is_read else 'read by nobody'}"


@pytest.mark.parametrize(
    ("more", "line", "key"),
    [
        ("smtp: {host: mail.example.com, sender: a@example.com}\n", 3, "smtp.host"),
        ("accelerators:\n  metrics_seconds: 5\n", 4, "accelerators.metrics_seconds"),
        ("platform:\n  retention:\n    task_days: 7\n", 5, "platform.retention.task_days"),
    ],
)
def test_validate_warns_of_a_key_that_is_set_and_has_no_effect(tmp_path: Path, more: str, line: int, key: str) -> None:
    file = tmp_path / "cluster.yaml"
    file.write_text(BASE + more)
    told = CliRunner().invoke(validate, ["-f", str(file)])
    assert told.exit_code == 0
    assert f"cluster.yaml:{line}: warning: `{key}` is not used by this version.\n  " in told.output
    answer = json.loads(CliRunner().invoke(validate, ["-f", str(file), "-o", "json"]).output)
    assert answer["ok"] is True
    assert f"`{key}` is not used by this version." in [one["message"] for one in answer["warnings"]]
    assert all(one["remedy"] for one in answer["warnings"])


def test_nobody_is_warned_of_defaults() -> None:
    """The example repeats all of them."""
    told = CliRunner().invoke(validate, ["-f", str(EXAMPLE)])
    assert told.exit_code == 0
    assert "warning" not in told.output


@pytest.mark.parametrize(
    ("section", "rows", "name"),
    [("storage", STORAGE, "local"), ("registry", REGISTRY, "distribution")],
    ids=["storage", "registry"],
)
def test_validate_refuses_what_nobody_carries_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, section: str, rows: dict[str, Any], name: str
) -> None:
    """Which drivers those are changes; here one that needs no settings is said to be."""
    refusal = not_yet(f"{section}.driver", name, "Use `another`.")
    monkeypatch.setitem(rows, name, replace(rows[name], refusal=refusal))
    file = tmp_path / "cluster.yaml"
    file.write_text(f"{BASE}{section}:\n  driver: {name}\n")
    load(file, installed=False)  # it can be read and planned for: what stands may be of another version
    told = CliRunner().invoke(validate, ["-f", str(file)])
    assert told.exit_code == exit_codes.BAD_FILE
    assert f"cluster.yaml:4: `{section}.driver: {name}` is not carried out yet.\n  Use `another`." in told.output
    assert json.loads(CliRunner().invoke(validate, ["-f", str(file), "-o", "json"]).output)["ok"] is False
