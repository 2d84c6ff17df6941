"""The database's pod as far as its files go, on PostgreSQL from its wheel.

Their paths are those of the pod; here they are put elsewhere. pgBackRest is not there; what it is asked is kept.
"""

import contextlib
import os
import re
import subprocess
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import asyncpg
import jinja2

from installer.dev.postgres import DATABASE, PORT

ROLE = Path(__file__).parents[4] / "roles/database"
OWNER = "atoll_owner"


def rendered(name: str, max_connections: int = 200, memory_mib: int = 1024) -> str:
    """A file of the pod, for a database of that size."""
    source = (ROLE / f"templates/{name}.j2").read_text("utf-8")
    template = jinja2.Template(source, trim_blocks=True, keep_trailing_newline=True)
    return str(template.render(database_max_connections=max_connections, database_memory_mib=memory_mib))


@dataclass
class Pod:
    """The database's pod, as far as its scripts see it."""

    folder: Path
    socket: str
    programs: Path
    max_connections: int = 200
    memory_mib: int = 1024
    # What Patroni shall keep for the cluster; None: what the server has.
    stored: dict[str, int] | None = None

    def put(self, template: str) -> Path:
        """Put a file where the pod has it, with its paths here."""
        script = rendered(template, self.max_connections, self.memory_mib)
        if template == "upkeep.sh":
            (self.folder / "patroni.yaml").write_text(self._patroni())
        for there, here in (
            ("/etc/atoll/secrets", "secrets"),
            ("/etc/atoll/tls/tls.crt", "tls.crt"),
            ("/var/lib/pgbackrest/last-full", "last-full"),
            ("/tmp/accounts-are-there", "accounts-are-there"),
            ("/etc/patroni/have_accounts.sh", "have_accounts.sh"),
            ("/etc/patroni/patroni.yaml", "patroni.yaml"),
            ("/tmp/patronictl.log", "patronictl.log"),
            ("/etc/patroni/watchdog.sql", "watchdog.sql"),
        ):
            script = script.replace(there, str(self.folder / here))
        (self.folder / template).write_text(script)
        (self.folder / template).chmod(0o755)
        return self.folder / template

    def _patroni(self) -> str:
        written = rendered("patroni.yaml", self.max_connections, self.memory_mib)
        for name in ("max_connections", "max_locks_per_transaction"):
            value = self.stored[name] if self.stored else self.sql(f"SHOW {name}")
            written, found = re.subn(rf"^( +{name}): \d+$", rf"\1: {value}", written, flags=re.MULTILINE)
            assert found == 1, f"Patroni is told no {name}"
        return written

    def run(self, template: str) -> str:
        """Run a script as the pod does; what it said. One round of what goes on for ever."""
        done = subprocess.run(
            ["sh", str(self.put(template))],
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode in (0, -15), done.stderr
        assert "ERROR" not in done.stderr, done.stderr
        return done.stdout + done.stderr

    @property
    def environment(self) -> dict[str, str]:
        path = f"{self.folder / 'bin'}:{self.programs}:{os.environ['PATH']}"
        return {"PATH": path, "PGHOST": self.socket, "PGPORT": str(PORT), "LC_ALL": "C.UTF-8"}

    def sql(self, statement: str, database: str = "postgres", role: str = "") -> str:
        """What the superuser is told."""
        psql = ["psql", "-XAtq", "--set=ON_ERROR_STOP=1", f"--set=role={role}", "--username=postgres", database]
        done = subprocess.run(
            psql, input=statement, env=self.environment, capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout.strip()

    async def sign_in(self, role: str, database: str = DATABASE) -> asyncpg.Connection:
        return await asyncpg.connect(host=self.socket, port=PORT, user=role, database=database)


@contextlib.asynccontextmanager
async def sessions(pod: Pod, role: str, number: int = 1) -> AsyncIterator[list[asyncpg.Connection]]:
    """Of that account, until the end of the block."""
    made: list[asyncpg.Connection] = []
    try:
        for _ in range(number):
            made.append(await pod.sign_in(role))
        yield made
    finally:
        for each in made:
            each.terminate()
