"""What is done for every request: an id, safe headers, and the refusal of writes that a foreign page sent."""

import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from atoll.database.identifiers import new_id
from atoll.web.errors import NotAllowed, api_error
from atoll.web.told import ForeignOrigin, ForeignRequest, ForeignSite

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
WRITE_HEADER = "x-atoll-request"
_REQUEST_ID = re.compile(r"^[A-Za-z0-9._-]{8,64}$")


def bearer(headers: Headers) -> str | None:
    """The token by which a program asks (`Authorization: Bearer …`), None where none is shown.

    Where one is shown, cookies count for nothing: so no page of another origin, which can have a browser send cookies
    and cannot send this header, asks by more than it says itself.
    """
    scheme, _, token = headers.get("authorization", "").partition(" ")
    return token.strip(" ") if scheme.lower() == "bearer" else None


class RequestChecks:
    """Pure ASGI, so that streams pass through untouched."""

    def __init__(self, app: ASGIApp, origins: frozenset[str] = frozenset()) -> None:
        self._app = app
        self._origins = origins

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get("x-request-id", "")
        request_id = given if _REQUEST_ID.match(given) else new_id()
        scope.setdefault("state", {})["request_id"] = request_id

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                answer["X-Request-Id"] = request_id
                answer.setdefault("X-Content-Type-Options", "nosniff")
                answer.setdefault("Cache-Control", "no-store")
                answer.setdefault("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; sandbox")
            await send(message)

        mistake = None if scope["method"] in SAFE_METHODS else self._foreign(headers)
        if mistake is not None:
            await api_error(Request(scope), mistake)(scope, receive, with_headers)
            return
        await self._app(scope, receive, with_headers)

    def _foreign(self, headers: Headers) -> NotAllowed | None:
        """Why a write is refused. A page of another origin can neither set the headers nor forge `Origin`."""
        if headers.get(WRITE_HEADER) != "1" and bearer(headers) is None:
            return NotAllowed(ForeignRequest())
        origin = headers.get("origin")
        if origin is not None and not self._fits(origin):
            return NotAllowed(ForeignOrigin(origin=origin))
        if origin is None and headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return NotAllowed(ForeignSite())
        return None

    def _fits(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
        except ValueError:  # none that a browser has
            return False
        return f"{parts.scheme}://{parts.netloc}" in self._origins
