"""A small inventory and playbooks that run on this machine, so that the real Ansible is under test."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from installer.running.playbook import Playbook

Play = dict[str, object]


@pytest.fixture
def state(tmp_path: Path) -> Path:
    folder = tmp_path / "demo"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def temporary(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules that a test kills leave their files in a folder of pytest's, not in that of this machine."""
    monkeypatch.setenv("TMPDIR", str(tmp_path_factory.mktemp("tmp")))


@pytest.fixture
def playbook(tmp_path: Path) -> Callable[..., Playbook]:
    """Make a playbook of plays on two local nodes, n1 and n2, both in phase_one and phase_two."""

    def make(*plays: Play, **environment: str) -> Playbook:
        hosts = "n1\nn2\n"
        (tmp_path / "inventory.ini").write_text(
            f"[phase_one]\n{hosts}[phase_two]\n{hosts}[phase_none]\n"
            "[all:vars]\nansible_connection=local\nansible_python_interpreter=/usr/bin/python3\n"
            f"ansible_remote_tmp={tmp_path}/tmp\n"
        )
        path = tmp_path / "playbook.yml"
        path.write_text(json.dumps([{"gather_facts": False, **play} for play in plays]))
        return Playbook(path, tmp_path / "inventory.ini", environment)

    return make


def command(name: str, line: str, **more: object) -> dict[str, object]:
    """A task that runs a line of shell."""
    return {"name": name, "ansible.builtin.shell": line, **more}
