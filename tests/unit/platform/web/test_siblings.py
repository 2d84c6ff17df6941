"""How the services reach each other."""

import asyncio
import ssl
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest
from atoll.web import siblings


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate of 127.0.0.1 that signs itself, and its key."""
    found = tmp_path / "own.crt", tmp_path / "own.key"
    argv = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    argv += ["-subj", "/CN=sibling", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "1"]
    subprocess.run([*argv, "-out", found[0], "-keyout", found[1]], check=True, capture_output=True)
    return found


@asynccontextmanager
async def listening(seen: list[bytes], tls: ssl.SSLContext | None = None) -> AsyncIterator[int]:
    """Answer each request with 204 and note its first line; gives the port."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        seen.append(head.split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n")
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1", 0, ssl=tls) as server:
        yield server.sockets[0].getsockname()[1]


async def test_no_proxy_of_the_environment_hears_what_siblings_say(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    diverted: list[bytes] = []
    async with listening(heard) as port, listening(diverted) as proxy:
        for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
            monkeypatch.setenv(name, f"http://127.0.0.1:{proxy}")
        for name in ("NO_PROXY", "no_proxy"):
            monkeypatch.delenv(name, raising=False)
        async with siblings.client(f"http://127.0.0.1:{port}/internal/files", headers={"Authorization": "s"}) as client:
            assert (await client.get("/home")).status_code == httpx.codes.NO_CONTENT
    assert (heard, diverted) == ([b"GET /internal/files/home HTTP/1.1"], [])


async def test_tls_is_for_those_who_are_told_whom_they_trust(certificate: tuple[Path, Path]) -> None:
    authority, key = certificate
    mine = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    mine.load_cert_chain(authority, key)
    heard: list[bytes] = []
    async with listening(heard, mine) as port:
        with pytest.raises(httpx.ConnectError, match="CERTIFICATE_VERIFY_FAILED"):
            async with siblings.client(f"https://127.0.0.1:{port}") as client:
                await client.get("/")
        assert heard == []
        async with siblings.client(f"https://127.0.0.1:{port}", ssl.create_default_context(cafile=authority)) as client:
            await client.get("/")
    assert heard == [b"GET / HTTP/1.1"]
