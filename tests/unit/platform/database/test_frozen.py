"""A process that froze in the middle of a statement: what it holds in a real database is taken from it."""

import asyncio
import struct
from pathlib import Path

import pytest
from atoll.database import frozen
from atoll.database.connection import connect, sessions
from atoll.database.rights import JOBS
from sqlalchemy import text

from installer.dev.postgres import PORT
from tests.unit.platform.conftest import as_service, configuration


class HalfSaid:
    """A connection that locks a table, and then says the first half of a statement."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self._writer = reader, writer

    @classmethod
    async def begin(cls, socket: str, database: str, user: str) -> "HalfSaid":
        made = cls(*await asyncio.open_unix_connection(f"{socket}/.s.PGSQL.{PORT}"))
        parameters = b"".join(each.encode() + b"\0" for each in ("user", user, "database", database)) + b"\0"
        made._writer.write(struct.pack("!ii", 8 + len(parameters), 3 << 16) + parameters)
        await made.hear(b"Z")
        made.say(b"Q", b"BEGIN; LOCK TABLE operations\0")
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


@pytest.mark.parametrize("role", [JOBS, "postgres"])
async def test_half_a_statement_holds_nothing_for_long(
    tmp_path: Path, postgres: str, database_name: str, role: str
) -> None:
    """It is ended by whoever has its role, and by nobody else."""
    settings = configuration(tmp_path, postgres, database_name)
    engine = connect(as_service(settings, role), pool_size=2)
    silent = await HalfSaid.begin(postgres, database_name, "postgres")
    try:
        assert await frozen.end_half_said(sessions(engine), 30) == 0, "it was ended before its time"
        await asyncio.sleep(0.3)
        ended = await frozen.end_half_said(sessions(engine), 0.2)
        if role == JOBS:
            assert ended == 0, "a connection of another role was ended"
            return
        assert ended == 1, "what it holds stays held"
        with pytest.raises(asyncio.IncompleteReadError):
            await silent.hear(b"Z")
        async with asyncio.timeout(5), engine.connect() as connection:
            assert await connection.scalar(text("SELECT count(*) FROM operations")) == 0
    finally:
        silent.close()
        await engine.dispose()
