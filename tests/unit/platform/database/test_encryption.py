"""The way to the database: TLS with the name and the authority that are configured, or nothing is told.

Needs PostgreSQL's wheel, which has no TLS: a few lines here end it before its socket. What is tried is who asks.
"""

import asyncio
import contextlib
import ssl
import struct
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from atoll.configuration import Configuration, ConfigurationError
from atoll.database.connection import connect
from atoll.database.notifications import Listener
from pydantic import ValidationError
from sqlalchemy import exc, text

from installer.dev.postgres import PORT
from tests.unit.platform.conftest import configuration
from tests.unit.strangers import signed

REQUEST = struct.pack("!ll", 8, 80877103)  # SSLRequest


@pytest.fixture(scope="module")
def pki(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The database's certificate, and one of the same name by another authority."""
    names = {"database/server": "localhost", "monitoring/server": "localhost"}
    return signed(tmp_path_factory.mktemp("pki"), names)


class Front:
    """What stands before PostgreSQL's socket; `told` is all that it heard in clear."""

    def __init__(self, socket: str, certificate: Path | None, newest: ssl.TLSVersion | None = None) -> None:
        self.told = b""
        self._socket = f"{socket}/.s.PGSQL.{PORT}"
        self._certificate = certificate
        self._newest = newest

    async def __call__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(ssl.SSLError, OSError):
                await self._answer(reader, writer)
        finally:
            writer.close()
            writer.transport.abort()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        first = await reader.read(8)
        if first != REQUEST:
            self.told += first
            return
        if self._certificate is None:
            writer.write(b"N")
            self.told += await reader.read(1000)
            return
        writer.write(b"S")
        shown = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if self._newest is not None:
            shown.maximum_version = self._newest
        shown.load_cert_chain(self._certificate, self._certificate.with_suffix(".key"))
        await writer.start_tls(shown)
        there, thither = await asyncio.open_unix_connection(self._socket)
        await asyncio.gather(_pass(reader, thither), _pass(there, writer))


async def _pass(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while content := await source.read(65536):
        target.write(content)
    target.close()


@contextlib.asynccontextmanager
async def served(front: Front) -> AsyncIterator[int]:
    server = await asyncio.start_server(front, "127.0.0.1", 0)
    async with server:
        yield server.sockets[0].getsockname()[1]


@pytest.fixture
def settings(tmp_path: Path, postgres: str, database_name: str) -> Configuration:
    return configuration(tmp_path, postgres, database_name)


def at(settings: Configuration, port: int, authority: Path, host: str = "localhost") -> Configuration:
    changed = {"host": host, "port": port, "authority": authority}
    return settings.model_copy(update={"database": settings.database.model_copy(update=changed)})


async def asked(settings: Configuration) -> Any:
    engine = connect(settings, pool_size=1)
    try:
        async with engine.connect() as connection:
            return await connection.scalar(text("SELECT 7"))
    finally:
        await engine.dispose()


async def test_the_database_that_its_authority_signed_is_asked(
    settings: Configuration, postgres: str, pki: Path
) -> None:
    async with served(Front(postgres, pki / "database/server.crt")) as port:
        assert await asked(at(settings, port, pki / "database/ca.crt")) == 7


@pytest.mark.parametrize(
    ("shown", "host", "said"),
    [
        ("monitoring", "localhost", "certificate is not to be trusted"),
        ("database", "127.0.0.1", "not valid for '127.0.0.1'"),
        (None, "localhost", "has no TLS"),
    ],
    ids=["of another authority", "of another name", "without TLS"],
)
async def test_who_is_not_the_database_is_told_nothing(
    settings: Configuration, postgres: str, pki: Path, shown: str | None, host: str, said: str
) -> None:
    front = Front(postgres, pki / f"{shown}/server.crt" if shown else None)
    async with served(front) as port:
        stranger = at(settings, port, pki / "database/ca.crt", host)
        refused = ""
        try:
            await asked(stranger)
        except exc.OperationalError as error:
            refused = str(error)
        assert said in refused, "a stranger was taken for the database"
        with pytest.raises(asyncpg.ConnectionDoesNotExistError, match=said):
            await Listener(stranger, ["atoll_due"])._listen()
    assert front.told == b"", "it was told something in clear"


async def test_a_database_that_speaks_an_older_tls_is_told_nothing(
    settings: Configuration, postgres: str, pki: Path
) -> None:
    front = Front(postgres, pki / "database/server.crt", ssl.TLSVersion.TLSv1_2)
    async with served(front) as port:
        with pytest.raises(exc.OperationalError):
            await asked(at(settings, port, pki / "database/ca.crt"))


def test_a_database_on_a_network_is_never_asked_without_tls(settings: Configuration) -> None:
    content = settings.model_dump(mode="json")
    content["database"] |= {"host": "database.atoll-system"}
    with pytest.raises(ValidationError, match="by TLS alone: name its `authority`"):
        Configuration.model_validate(content)


def test_an_authority_that_is_not_there_is_named(settings: Configuration, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"nowhere\.crt: cannot read this authority"):
        connect(at(settings, 1, tmp_path / "nowhere.crt"))
