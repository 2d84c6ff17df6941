"""Connections to the sibling services: by TLS wherever a network lies in between."""

import ssl
from pathlib import Path
from typing import Any

import httpx

from atoll.configuration import trusting

# Idle connections are given up before the other side (5 s and more) closes them, so none breaks just as it is used.
# Followed logs hold one each, so their number is not limited here.
KEPT_OPEN = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=2)
# A client that is not told whom it trusts reads all authorities of the machine, some 50 ms of a core each time.
_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def sibling(url: str, token: str, authority: Path | None, *, timeout_s: float) -> httpx.AsyncClient:
    """Return a client for what lies below a sibling's `url`. It knows it by `authority`, and shows the siblings' token.

    Raises ConfigurationError where the authority cannot be read.
    """
    return client(url, authority, headers={"Authorization": f"Bearer {token}"}, timeout=timeout_s)


def client(url: str = "", trusts: ssl.SSLContext | Path | None = None, **options: Any) -> httpx.AsyncClient:
    """Return a client for what lies below `url`, past all proxies, with httpx's `options`.

    `trusts` may be the file of an authority; without it nobody is trusted, and TLS fails. Raises ConfigurationError
    where the file cannot be read.
    """
    if not isinstance(trusts, ssl.SSLContext):
        trusts = trusting(trusts) if trusts else _NOBODY
    return httpx.AsyncClient(base_url=url, verify=trusts, trust_env=False, limits=KEPT_OPEN, **options)
