"""Whoever answers where a service is expected."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
from collections.abc import Iterator
from pathlib import Path

from tests.unit.plugins.conftest import load

SECRET = "canary-of-a-session"
ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}"


class Somebody:
    """Whoever answers at a service's address; `heard` is all that it was told."""

    def __init__(self, certificate: Path | None, newest: ssl.TLSVersion | None = None) -> None:
        self.heard = b""
        self._tls = None
        if certificate is not None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._tls.load_cert_chain(certificate, certificate.with_suffix(".key"))
            self._tls.maximum_version = newest or ssl.TLSVersion.MAXIMUM_SUPPORTED
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    @classmethod
    @contextlib.contextmanager
    def at_work(cls, certificate: Path | None, newest: ssl.TLSVersion | None = None) -> Iterator[Somebody]:
        made = cls(certificate, newest)
        try:
            yield made
        finally:
            made.close()

    def close(self) -> None:
        self._door.shutdown(socket.SHUT_RDWR)
        self._door.close()
        self._thread.join()

    def _serve(self) -> None:
        while True:
            try:
                one, _ = self._door.accept()
            except OSError:
                return
            one.settimeout(5)
            try:
                with self._tls.wrap_socket(one, server_side=True) if self._tls else one as told:
                    self.heard += told.recv(65536)
                    told.sendall(ANSWER)
                    while more := told.recv(65536):
                        self.heard += more
            except OSError:
                one.close()


def signed(folder: Path, names: dict[str, str]) -> Path:
    """Have certificates signed in a folder, by `AUTHORITY/NAME`, each of a server that is known by that name."""
    authority = load("module_utils", "atoll_authority").Pki(folder, "demo")
    for certificate, known_as in names.items():
        authority.certificate(certificate, names=[known_as])
    return folder
