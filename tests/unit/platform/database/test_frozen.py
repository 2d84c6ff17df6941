"""A process that froze in the middle of a statement: what it holds in a real database is taken from it."""

import asyncio
import struct
from collections.abc import Callable
from pathlib import Path

import pytest
from atoll.api.application import application as api_application
from atoll.configuration import Configuration
from atoll.database import frozen
from atoll.database.connection import connect, sessions
from atoll.database.rights import API, JOBS, ROLES
from atoll.jobs.application import application as jobs_application
from fastapi import FastAPI
from sqlalchemy import text

from installer.dev.postgres import PORT
from tests.unit.platform.conftest import as_service, configuration, serving

HELD = "virtual_clusters"  # a table


class HalfSaid:
    """A connection that has a lock, and then says the first half of a statement."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    @classmethod
    async def begin(cls, socket: str, database: str, user: str) -> "HalfSaid":
        made = cls(*await asyncio.open_unix_connection(f"{socket}/.s.PGSQL.{PORT}"))
        parameters = b"".join(each.encode() + b"\0" for each in ("user", user, "database", database)) + b"\0"
        made._writer.write(struct.pack("!ii", 8 + len(parameters), 3 << 16) + parameters)
        await made.hear(b"Z")
        made.say(b"Q", f"BEGIN; LOCK TABLE {HELD} IN ACCESS SHARE MODE\0".encode())
        await made.hear(b"Z")
        made.say(b"P", b"\0SELECT 1\0\0\0")
        made.say(b"H")
        await made.hear(b"1")
        return made

    def say(self, kind: bytes, content: bytes = b"") -> None:
        self._writer.write(kind + struct.pack("!i", 4 + len(content)) + content)

    async def hear(self, wanted: bytes) -> None:
        """Read until there was a message of that kind. Raises IncompleteReadError at the end."""
        kind = b""
        while kind != wanted:
            kind, length = struct.unpack("!ci", await self.reader.readexactly(5))
            await self.reader.readexactly(length - 4)

    def close(self) -> None:
        self._writer.close()


@pytest.mark.parametrize("role", ROLES)
async def test_half_a_statement_holds_nothing_for_long(
    tmp_path: Path, postgres: str, database_name: str, role: str
) -> None:
    """It is ended by whoever has its role, and by nobody else, not even by one who may end all."""
    settings = configuration(tmp_path, postgres, database_name)
    own, other = (connect(as_service(settings, name), pool_size=2) for name in (role, "postgres"))
    silent = await HalfSaid.begin(postgres, database_name, role)
    try:
        assert await frozen.end_half_said(sessions(own), 30) == 0, "it was ended before its time"
        await asyncio.sleep(0.3)
        assert await frozen.end_half_said(sessions(other), 0.2) == 0, "a connection of another role was ended"
        assert await frozen.end_half_said(sessions(own), 0.2) == 1, "what it holds stays held"
        with pytest.raises(asyncio.IncompleteReadError):
            await silent.hear(b"Z")
        async with asyncio.timeout(5), other.begin() as connection:
            await connection.execute(text(f"LOCK TABLE {HELD} IN ACCESS EXCLUSIVE MODE"))
    finally:
        silent.close()
        await own.dispose()
        await other.dispose()


@pytest.mark.parametrize(("role", "application"), [(API, api_application), (JOBS, jobs_application)])
async def test_each_service_looks_after_its_own_role(
    tmp_path: Path,
    postgres: str,
    database_name: str,
    monkeypatch: pytest.MonkeyPatch,
    role: str,
    application: Callable[[Configuration], FastAPI],
) -> None:
    monkeypatch.setattr(frozen, "IDLE_IN_TRANSACTION_S", 0.4)
    settings = as_service(configuration(tmp_path, postgres, database_name), role)
    async with serving(application(settings)):
        silent = await HalfSaid.begin(postgres, database_name, role)
        try:
            async with asyncio.timeout(10):
                with pytest.raises(asyncio.IncompleteReadError):
                    await silent.hear(b"Z")
        except TimeoutError:
            pytest.fail(f"half a statement of {role} holds what it holds")
        finally:
            silent.close()
