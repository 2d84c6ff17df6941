"""`./atoll dev` as two people of one machine use it: without root, from a fresh clone, side by side, in Chromium."""

import json
import os
import pwd
import re
import signal
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from installer.bundle.execution import environment
from installer.testing import playwright
from installer.testing.commands import node_directory
from tests.ports import free_ports

TREE = Path(__file__).resolve().parents[2]
NAMES = ("atolluser1", "atolluser2")
# Not how long it may take, which is the figure `dev_ready`, but when it hangs: both build their portals at once, each
# with an empty cache, beside another suite.
ENVIRONMENT_S, START_S, END_S = 600, 500, 60
# What it says is for people: log lines of its parts belong into their files.
LOG_LINE = re.compile(r'alembic|\[info|"event":', re.IGNORECASE)
pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root makes users")


@dataclass
class Person:
    """A user of this machine and what runs in their name."""

    name: str
    home: Path
    said: Path
    port: int
    process: subprocess.Popen[bytes] | None = None

    def run(self, *argv: str | Path) -> subprocess.Popen[bytes]:
        """Start a program as that person, who knows of root's settings only the ways to the package registries."""
        mine = environment({"HOME": str(self.home), "USER": self.name})
        mine.pop("TMPDIR", None)
        as_person = ["setpriv", f"--reuid={self.name}", f"--regid={self.name}", "--init-groups", "--"]
        with self.said.open("ab") as said:
            return subprocess.Popen(
                [*as_person, *map(str, argv)],
                cwd=self.home,
                env=mine,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
            )

    def processes(self) -> list[str]:
        """What runs in their name."""
        told = subprocess.run(["ps", "-u", self.name, "-o", "pid=,args="], capture_output=True, text=True, check=False)
        return told.stdout.splitlines()


@pytest.fixture
def people(tmp_path: Path) -> Iterator[list[Person]]:
    """Two who are not root, each with a home; all of theirs goes with them."""
    made = []
    for name, port in zip(NAMES, free_ports(len(NAMES)), strict=True):
        _remove(name)
        subprocess.run(["useradd", "--create-home", "--shell", "/bin/sh", name], check=True)
        home = Path(pwd.getpwnam(name).pw_dir)
        home.chmod(0o755)  # the second one uses the clone of the first
        made.append(Person(name, home, tmp_path / f"{name}.log", port))
    yield made
    for person in made:
        if person.process is not None and person.process.poll() is None:
            person.process.kill()
            person.process.wait()
        _remove(person.name)


def _remove(name: str) -> None:
    for line in subprocess.run(
        ["ps", "-u", name, "-o", "pid="], capture_output=True, text=True, check=False
    ).stdout.split():
        os.kill(int(line), signal.SIGKILL)
    subprocess.run(["userdel", "--force", "--remove", name], capture_output=True, check=False)


def _clone(person: Person) -> Path:
    """What a fresh clone holds, owned by that person."""
    clone = person.home / "atoll"
    clone.mkdir()
    files = subprocess.run(["git", "ls-files", "-z"], cwd=TREE, capture_output=True, check=True).stdout
    packed = subprocess.run(
        ["tar", "--create", "--null", "--files-from=-"], cwd=TREE, input=files, capture_output=True, check=True
    )
    subprocess.run(["tar", "--extract", f"--directory={clone}"], input=packed.stdout, check=True)
    subprocess.run(["chown", "--recursive", f"{person.name}:", clone], check=True)
    return clone


def _wait(person: Person, words: str, timeout_s: float) -> None:
    until = time.monotonic() + timeout_s
    while words not in (said := person.said.read_text(errors="replace")):
        assert person.process is not None
        assert person.process.poll() is None, said
        assert time.monotonic() < until, said
        time.sleep(0.2)


def test_two_who_are_not_root_train_the_example_side_by_side(people: list[Person]) -> None:
    first, second = people
    clone = _clone(first)
    # The second one has no clone of their own and may not write into this one: it has its environment by then.
    first.process = first.run(clone / "atoll", "dev", "--port", str(first.port))
    _wait(first, "toolchain ...", ENVIRONMENT_S)  # what comes before is pip
    second.process = second.run(clone / "atoll", "dev", "--port", str(second.port))
    for person in people:
        _wait(person, "Ctrl-C ends it.", START_S)

    running = []
    for person in people:
        file = person.home / ".local/share/atoll/dev/secrets/admin_password"
        assert file.stat().st_uid == pwd.getpwnam(person.name).pw_uid
        password = file.read_text()
        assert password not in person.said.read_text()
        told = re.search(r"Ready in (\d+) s\.", person.said.read_text())
        assert told, person.said.read_text()
        print(f"{person.name}: {told[0]}")
        running.append({"owner": person.name, "url": f"http://127.0.0.1:{person.port}", "password": password})
    node = {**os.environ, "PATH": f"{node_directory()}:{os.environ['PATH']}"}
    subprocess.run(["npm", "install", "--no-save", "--prefer-offline"], cwd=playwright.E2E, env=node, check=True)
    argv = ["npx", "--no-install", "playwright", "test", "--config=users/playwright.config.ts", "--reporter=list"]
    shown = {**node, "ATOLL_USERS": json.dumps(running)}
    done = subprocess.run(argv, cwd=playwright.E2E, env=shown, stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout

    for person in people:
        assert person.process is not None
        person.process.send_signal(signal.SIGINT)
        assert person.process.wait(timeout=END_S) == 0, person.said.read_text()
        assert person.processes() == []
        assert not [line for line in person.said.read_text().splitlines() if LOG_LINE.search(line)]
