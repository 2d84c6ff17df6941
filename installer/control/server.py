"""The control service on its port: TLS with client certificates of the control CA, and nobody else."""

from __future__ import annotations

import asyncio
import ssl
from collections import Counter
from typing import Any, ClassVar, cast

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from installer.control.app import create_app
from installer.control.settings import Settings

MOST_CONNECTIONS = 400  # of each certificate, more than its turns and streams; one holds some 350 KiB


class CertifiedProtocol(H11Protocol):
    """Puts the common name of the client's certificate into each request's state as `caller`.

    Of one certificate there are so many connections at a time; a further one is cut.
    """

    _open: ClassVar[Counter[str]] = Counter()
    _caller = ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take a connection whose handshake has checked the certificate."""
        tls = transport.get_extra_info("ssl_object")
        certificate = cast(dict[str, Any], tls.getpeercert() or {})
        names = [value for part in certificate.get("subject", ()) for key, value in part if key == "commonName"]
        caller = names[0] if names else "unnamed"
        self.app_state = {**self.app_state, "caller": caller}
        super().connection_made(transport)
        if self._open[caller] >= MOST_CONNECTIONS:
            transport.abort()
            return
        self._caller = caller
        self._open[caller] += 1

    def connection_lost(self, exc: Exception | None) -> None:
        """Give its place back."""
        if self._caller:
            self._open[self._caller] -= 1
        super().connection_lost(exc)


def configuration(settings: Settings) -> uvicorn.Config:
    """Return how uvicorn shall serve."""
    return uvicorn.Config(
        create_app(settings),
        host=settings.host,
        port=settings.port,
        http=CertifiedProtocol,
        ws="none",
        ssl_certfile=str(settings.certificate),
        ssl_keyfile=str(settings.key),
        ssl_ca_certs=str(settings.ca),
        ssl_cert_reqs=ssl.CERT_REQUIRED,
        server_header=False,
        access_log=False,
        timeout_graceful_shutdown=5,
        log_config=None,
    )


def serve(settings: Settings) -> None:
    """Serve until told to stop."""
    uvicorn.Server(configuration(settings)).run()
