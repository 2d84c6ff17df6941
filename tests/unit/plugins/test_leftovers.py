"""What a killed run had sent to a node is gone after the next one, and nothing else is. Needs nothing."""

from __future__ import annotations

import configparser
from pathlib import Path
from typing import Any

import pytest

from installer.cluster import TREE

from .conftest import utility


class Module:
    """As much of Ansible's as is asked for."""

    def __init__(self, tmpdir: Path | None = None) -> None:
        self._tmpdir = tmpdir and str(tmpdir)


def sent(home: Path, name: str) -> Path:
    folder = home / ".ansible/atoll" / name
    folder.mkdir(parents=True)
    (folder / "key").write_text("secret")
    return folder


@pytest.fixture
def leftovers() -> Any:
    return utility("atoll_leftovers")


def test_what_was_sent_before_is_gone_and_what_is_needed_now_stays(leftovers: Any, tmp_path: Path) -> None:
    earlier, staged, own = (sent(tmp_path, f"ansible-tmp-{name}") for name in ("earlier", "staged", "own"))
    removed = leftovers.without_leftovers(Module(own), [str(staged / "key")], homes=[str(tmp_path)])
    assert removed == [str(earlier)]
    assert not earlier.exists()
    assert (staged / "key").read_text() == (own / "key").read_text() == "secret"


def test_nothing_else_is_touched(leftovers: Any, tmp_path: Path) -> None:
    other = tmp_path / ".ansible/tmp/ansible-tmp-of-somebody-else"
    other.mkdir(parents=True)
    named = sent(tmp_path, "notes")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "file").touch()
    link = tmp_path / ".ansible/atoll/ansible-tmp-link"
    link.symlink_to(elsewhere)
    assert leftovers.without_leftovers(Module(), [], homes=[str(tmp_path), str(tmp_path / "nobody")]) == []
    assert other.is_dir()
    assert named.is_dir()
    assert (elsewhere / "file").exists()


def test_a_place_that_is_a_link_is_left_alone(leftovers: Any, tmp_path: Path) -> None:
    there = sent(tmp_path / "other", "ansible-tmp-1")
    (tmp_path / ".ansible").mkdir()
    (tmp_path / ".ansible/atoll").symlink_to(there.parent)
    assert leftovers.without_leftovers(Module(), [], homes=[str(tmp_path)]) == []
    assert there.is_dir()


def test_who_became_root_has_a_home_too(leftovers: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    homes = {"~": tmp_path / "root", "~ada": tmp_path / "ada"}
    monkeypatch.setattr(leftovers.os.path, "expanduser", lambda name: str(homes[name]))
    monkeypatch.delenv("SUDO_USER", raising=False)
    mine, hers = (sent(home, "ansible-tmp-1") for home in homes.values())
    assert leftovers.without_leftovers(Module(), []) == [str(mine)]
    monkeypatch.setenv("SUDO_USER", "ada")
    assert leftovers.without_leftovers(Module(), []) == [str(hers)]
    assert not hers.exists()


def test_ansible_sends_where_leftovers_are_looked_for(leftovers: Any) -> None:
    settings = configparser.ConfigParser()
    settings.read(TREE / "ansible.cfg")
    assert settings["defaults"]["remote_tmp"] == f"~/{leftovers.PLACE}"


def test_files_are_set_without_leftovers_and_a_rehearsal_leaves_them(run: Any, tmp_path: Path) -> None:
    earlier = sent(tmp_path, "ansible-tmp-earlier")
    run("atoll_files", check=True, phase="p", files=[])
    assert earlier.is_dir()
    run("atoll_files", phase="p", files=[])
    assert not earlier.exists(), "what a killed run had sent lies there for good"
