"""Connections to the sibling services, which speak plain HTTP behind the policies of the cluster's network."""

import ssl
from typing import Any

import httpx

# Idle connections are given up before the other side (5 s and more) closes them, so none breaks just as it is used.
# Followed logs hold one each, so their number is not limited here.
KEPT_OPEN = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=2)
# A client that is not told whom it trusts reads all authorities of the machine, some 50 ms of a core each time.
_NOBODY = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def client(url: str = "", trusted: ssl.SSLContext = _NOBODY, **options: Any) -> httpx.AsyncClient:
    """Return a client for what lies below `url`, past all proxies, with httpx's `options`.

    Without `trusted` nobody is, and TLS fails.
    """
    return httpx.AsyncClient(base_url=url, verify=trusted, trust_env=False, limits=KEPT_OPEN, **options)
