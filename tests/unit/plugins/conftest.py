"""Modules of this project run as Ansible runs them, in this process, on a temporary directory. Needs nothing."""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import ansible.module_utils
import pytest
from ansible.module_utils.testing import patch_module_args

from installer.cluster.drivers import BRICK_PORT
from tests.unit.plugins import gluster as fake_gluster

PLUGINS = Path(__file__).parents[3] / "plugins"

if str(PLUGINS / "module_utils") not in ansible.module_utils.__path__:
    ansible.module_utils.__path__.append(str(PLUGINS / "module_utils"))


def load(kind: str, name: str) -> ModuleType:
    """Return a plugin as a Python module."""
    known = f"atoll_{kind}_{name}"
    if known in sys.modules:
        return sys.modules[known]
    spec = importlib.util.spec_from_file_location(known, PLUGINS / kind / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[known] = module
    spec.loader.exec_module(module)
    return module


def utility(name: str) -> ModuleType:
    """Return one of our module utilities."""
    return importlib.import_module(f"ansible.module_utils.{name}")


@pytest.fixture
def plugin() -> Callable[[str, str], ModuleType]:
    """Return a plugin as a Python module, by kind and name."""
    return load


@pytest.fixture
def module_utility() -> Callable[[str], ModuleType]:
    """Return one of our module utilities, by name."""
    return utility


Run = Callable[..., dict[str, Any]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a module with arguments; `check` rehearses. State lies below the temporary directory, which is its home."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("SUDO_USER", raising=False)

    def call(name: str, check: bool = False, **arguments: Any) -> dict[str, Any]:
        module = load("modules", name)
        if "state_directory" in getattr(module, "ARGUMENTS", {}):
            arguments.setdefault("state_directory", str(tmp_path / "state"))
        printed = io.StringIO()
        given = {**arguments, "_ansible_check_mode": check, "_ansible_remote_tmp": str(tmp_path)}
        with patch_module_args(given), contextlib.redirect_stdout(printed), pytest.raises(SystemExit):
            module.main()
        result: dict[str, Any] = json.loads(printed.getvalue().strip().splitlines()[-1])
        return result

    return call


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, str], Path]:
    """Put a program of a few lines of shell where modules find their programs; return its log."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setattr(utility("atoll_node"), "PATH", f"{folder}:/usr/bin:/bin")
    log = tmp_path / "log"

    def put(name: str, body: str) -> Path:
        file = folder / name
        file.write_text(f'#!/bin/sh\necho "{name} $*" >> {log}\n{body}\n')
        file.chmod(0o755)
        return log

    return put


@pytest.fixture
def gluster(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a GlusterFS on PATH that keeps what it is told; return its folder."""
    folder = tmp_path / "gluster"
    folder.mkdir()
    fake_gluster.put(folder)
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    return folder


@pytest.fixture
def ensure(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `atoll_gluster` for the volume of user data."""
    module = load("modules", "atoll_gluster")
    for name, seconds in (("BUSY_STEP_S", 0), ("SERVES_STEP_S", 0), ("SERVES_S", 20)):
        monkeypatch.setattr(module, name, seconds)
    monkeypatch.setattr(module, "PEERS", str(tmp_path / "glusterd/peers"))
    monkeypatch.setattr(module, "open_to_strangers", lambda *_: [])  # nobody listens

    def call(
        quota: dict[str, str],
        check: bool = False,
        options: dict[str, str] | None = None,
        servers: tuple[str, ...] = ("127.0.0.1",),
        fails: bool = False,
    ) -> dict[str, Any]:
        result: dict[str, Any] = run(
            "atoll_gluster",
            check=check,
            volume="atoll",
            brick="/srv/brick",
            servers=list(servers),
            port=BRICK_PORT,
            options=options or {"network.ping-timeout": "10"},
            quota=quota,
            state_directory=str(tmp_path / "state"),
        )
        assert bool(result.get("failed")) == fails, result.get("msg", result)
        return result

    return call
