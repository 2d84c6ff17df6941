"""Asks providers: bounded in time and size, past no redirect, by the proxy that is configured and no other."""

import asyncio
import contextlib
import json
import ssl
from collections.abc import AsyncIterator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any

import httpx

from atoll.configuration import ConfigurationError
from atoll.providers import WaysIn

WAIT_S = 10.0  # for all that is asked for one person, whatever it waits for
CONNECT_S = 5.0
MOST_BYTES = 512 << 10
AT_ONCE = 16


class Unreachable(Exception):
    """A provider does not answer, or not in time; the message is for the log."""


class NotBelieved(Exception):
    """What a provider says is not accepted, for which nobody can be blamed who comes; the message is for the log."""


class Guessed(NotBelieved):
    """With what somebody comes back is not of their sign-in: they may have made it up; the message is for the log."""


class NotFresh(NotBelieved):
    """It does not say that somebody signed in there just now, which was asked for; the message is for the log."""


class Asking:
    """The connections to one provider of one process of the API."""

    def __init__(self, ways: WaysIn) -> None:
        self._http = httpx.AsyncClient(
            verify=_trusted(ways),
            trust_env=False,
            proxy=ways.proxy,
            follow_redirects=False,
            timeout=httpx.Timeout(WAIT_S, connect=CONNECT_S),
            limits=httpx.Limits(max_connections=AT_ONCE, max_keepalive_connections=4, keepalive_expiry=5),
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "Atoll"},
            # What it was told for one person is not shown for the next one.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        )

    async def close(self) -> None:
        """Let go of them."""
        await self._http.aclose()

    async def ask(self, method: str, url: str, **more: Any) -> tuple[int, dict[str, Any]]:
        """Status and content, which is an object of JSON in UTF-8. Raises Unreachable, NotBelieved.

        No message names the query of `url`: WeChat wants its secret there.
        """
        where = url.partition("?")[0]
        try:
            async with self._http.stream(method, url, **more) as answer:
                if answer.status_code >= 500:
                    raise Unreachable(f"{where}: status {answer.status_code}")
                content = b""
                async for part in answer.aiter_raw():  # as it comes: nothing is unpacked
                    content += part
                    if len(content) > MOST_BYTES:
                        raise NotBelieved(f"{where}: the answer is longer than {MOST_BYTES} bytes")
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise Unreachable(f"{where}: {type(error).__name__} {_plain(error)}") from None
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise NotBelieved(f"{where}: status {answer.status_code}, and the answer is no object of JSON")
        return answer.status_code, found


@contextlib.asynccontextmanager
async def in_time() -> AsyncIterator[None]:
    """All that a provider is asked for one person. Raises Unreachable where that takes longer than people bear."""
    try:
        async with asyncio.timeout(WAIT_S):
            yield
    except TimeoutError:
        raise Unreachable(f"no answer within {WAIT_S:g} seconds") from None


def _plain(error: BaseException) -> str:
    """What went wrong, unless it may repeat what was sent."""
    return str(error)[:200] if isinstance(error, httpx.ConnectError | httpx.ProxyError) else ""


def _trusted(ways: WaysIn) -> ssl.SSLContext:
    """The public authorities of the machine, and one more."""
    context = ssl.create_default_context()
    if ways.authority is not None:
        try:
            context.load_verify_locations(cafile=str(ways.authority))
        except OSError as error:
            raise ConfigurationError(f"{ways.authority}: cannot read this authority ({error})") from error
    return context
