"""`./atoll` makes its Python environment when the lock says so, and tells what it lacks. Needs python3-venv."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from installer.cluster import TREE
from installer.python_packages import in_words_of_uv, pinned, settings_of_pip


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A tree with the real bootstrap, empty locks and an installer that says how it was called."""
    shutil.copy(TREE / "atoll", tmp_path / "atoll")
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "installer.txt").write_text("# nothing\n")
    (tmp_path / "requirements" / "dev.txt").write_text("# nothing either\n")
    (tmp_path / "installer").mkdir()
    shutil.copy(TREE / "installer" / "python_packages.py", tmp_path / "installer")
    (tmp_path / "installer" / "__main__.py").write_text("import sys\nprint(sys.argv[1:], sys.prefix)\n")
    return tmp_path


def start(tree: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name not in {"ATOLL_DEV", "PYTHONPATH"}}
    return subprocess.run(
        [str(tree / "atoll"), *arguments],
        cwd="/",
        env={**kept, "ATOLL_PYTHON": sys.executable, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


def installer_of(tree: Path, package: str) -> str:
    """Who installed a package of the tree's environment."""
    (told,) = tree.glob(f".venv/lib/python3*/site-packages/{package}-*.dist-info/INSTALLER")
    return told.read_text().strip()


def test_the_environment_is_made_once_and_again_when_the_lock_changes(tree: Path) -> None:
    first = start(tree, "status", "-f", "a b")
    assert first.returncode == 0, first.stderr
    assert first.stdout == f"['status', '-f', 'a b'] {tree / '.venv'}\n"
    assert "requirements/installer.txt" in first.stderr

    assert start(tree, "status").stderr == ""

    (tree / "requirements" / "installer.txt").write_text("# changed\n")
    assert "making its Python environment" in start(tree, "status").stderr

    # What the lock pins uv for is installed by uv, and by pip where uv cannot.
    pins = [pinned((TREE / "requirements" / "dev.txt").read_text(), name) for name in ("uv", "click")]
    (tree / "requirements" / "dev.txt").write_text("".join(pins))
    assert "requirements/dev.txt" in start(tree, "test").stderr
    assert installer_of(tree, "click") == "uv"
    assert list(tree.glob(".venv/lib/python3*/site-packages/click/__pycache__/core.*.pyc"))  # or each start compiles
    assert start(tree, "status").stderr == ""
    assert start(tree, "status", ATOLL_DEV="1").stderr == ""

    with (tree / "requirements" / "dev.txt").open("a") as lock:
        lock.write(pinned((TREE / "requirements" / "dev.txt").read_text(), "packaging"))
    again = start(tree, "test", UV_OFFLINE="1", UV_CACHE_DIR=str(tree / "empty"))
    assert again.returncode == 0, again.stderr
    assert (installer_of(tree, "click"), installer_of(tree, "packaging")) == ("uv", "pip")

    with (tree / "requirements" / "dev.txt").open("a") as lock:
        lock.write("pathspec\n")  # without a hash
    assert start(tree, "test").returncode == 69
    assert not list(tree.glob(".venv/lib/python3*/site-packages/pathspec"))


def test_a_tree_that_was_moved_makes_its_environment_again(tree: Path, tmp_path: Path) -> None:
    start(tree, "status")
    moved = tmp_path / "moved"
    moved.mkdir()
    for name in ("atoll", "requirements", "installer", ".venv"):
        (tree / name).rename(moved / name)
    again = start(moved, "status")
    assert again.returncode == 0, again.stderr
    assert again.stdout == f"['status'] {moved / '.venv'}\n"
    assert "making its Python environment" in again.stderr


def test_a_package_without_hash_is_refused(tree: Path) -> None:
    (tree / "requirements" / "installer.txt").write_text("click\n")
    ended = start(tree, "status")
    assert ended.returncode == 69
    assert "not all Python packages could be installed" in ended.stderr
    assert not (tree / ".venv" / "atoll.lock").exists()


def test_settings_of_pip_are_handed_to_uv_or_pip_is_asked() -> None:
    listed = (
        "global.index-url='https://files/simple'\nglobal.cert='/a.pem'\n:env:.cert='/b.pem'\n"
        "install.find-links='\\n/wheels\\n/more'\nglobal.disable-pip-version-check='1'\n"
    )
    words = in_words_of_uv(settings_of_pip(listed), {"UV_INDEX": "kept"})
    assert words == {
        "UV_DEFAULT_INDEX": "https://files/simple",
        "SSL_CERT_FILE": "/b.pem",
        "UV_FIND_LINKS": "/wheels /more",
    }
    assert in_words_of_uv(settings_of_pip(listed), {"SSL_CERT_FILE": "/c.pem"}) == {
        "UV_DEFAULT_INDEX": "https://files/simple",
        "UV_FIND_LINKS": "/wheels /more",
    }
    assert in_words_of_uv(settings_of_pip("global.client-cert='/own.pem'\n"), {}) is None


def test_a_python_that_is_missing_or_too_old_is_named(tree: Path) -> None:
    absent = start(tree, "status", ATOLL_PYTHON="python-that-is-absent")
    assert absent.returncode == 69
    assert "`python-that-is-absent` is not installed." in absent.stderr

    old = tree / "old-python"
    old.write_text('#!/bin/sh\n[ "$1" = --version ] && echo Python 3.9.2 && exit 0\nexit 1\n')
    old.chmod(0o755)
    ended = start(tree, "status", ATOLL_PYTHON=str(old))
    assert ended.returncode == 69
    assert "Python 3.9.2 is too old" in ended.stderr
