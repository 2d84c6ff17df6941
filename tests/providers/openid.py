"""A provider by OpenID Connect, as Microsoft Entra ID is: it refuses what the real one refuses, and can be made to lie.

OpenID Connect Core 1.0, Discovery 1.0, RFC 6749 (4.1, 5.2), RFC 7636.
"""

import base64
import hashlib
import html
import secrets
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, unquote, urlencode

from fastapi import FastAPI
from joserfc import jwt
from joserfc.jwk import RSAKey
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

Claims = dict[str, Any]
PERSON = "signed_in_at_provider"  # the provider's own session, by which nobody has to sign in there twice


# A key that is not the provider's.
EVERYBODYS = RSAKey.generate_key(2048, {"kid": "everybodys"})


async def fields(request: Request) -> dict[str, str]:
    """What a form holds."""
    return dict(parse_qsl((await request.body()).decode(), keep_blank_values=True))


def plain(header: Claims, claims: Claims, key: RSAKey) -> str:
    """As it should be."""
    return jwt.encode(header, claims, key)


@dataclass
class OpenIdServer:
    """The provider: its people by what they are called there, its keys, and what it does wrong if it is told to."""

    client_id: str = "atoll-portal"
    secret: str = "secret of the client: +/&%"
    redirects: tuple[str, ...] = ()
    people: dict[str, Claims] = field(default_factory=dict)
    issuer: str = ""
    keys: list[RSAKey] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)  # paths, in order
    cookies: list[str] = field(default_factory=list)  # what the platform showed of those that it was given
    codes: dict[str, dict[str, str]] = field(default_factory=dict)
    signed: Callable[[Claims, Claims, RSAKey], str] = plain
    changed: Claims = field(default_factory=dict)  # claims in place of the true ones; None: left out
    discovery: Claims = field(default_factory=dict)
    # As Entra ID tells of its keys, and beside them one of a kind that nobody knows.
    more_of_keys: Claims = field(
        default_factory=lambda: {"x5t": "x", "x5c": ["MII"], "issuer": "https://x/v2.0", "cloud_instance_name": "x"}
    )
    others: list[Claims] = field(default_factory=lambda: [{"kty": "AKP", "kid": "of tomorrow", "alg": "ML-DSA-44"}])
    signed_in: dict[str, float] = field(default_factory=dict)  # when people did last, by asking them
    silent: bool = False  # it sends back who is signed in, whatever it is asked for
    tells_when: bool = True  # as Entra ID does where the application says so (optional claim `auth_time`)
    answers: dict[str, Callable[[], Response]] = field(default_factory=dict)  # by path, in place of all

    def rotate(self) -> None:
        """Sign by a new key; those of before are not told any more."""
        number = len(self.asked) + secrets.randbelow(10**9)
        self.keys[:] = [RSAKey.generate_key(2048, {"kid": f"key-{number}", "use": "sig", "alg": "RS256"})]

    def app(self) -> FastAPI:
        """The server, of which `issuer` must be the address."""
        if not self.keys:
            self.rotate()
        routes = [
            ("/.well-known/openid-configuration", self._discovery, ["GET"]),
            ("/authorize", self._authorize, ["GET", "POST"]),
            ("/token", self._token, ["POST"]),
            ("/keys", self._keys, ["GET"]),
        ]
        listed: list[BaseRoute] = [Route(path, self._kept(path, to), methods=how) for path, to, how in routes]
        return FastAPI(openapi_url=None, routes=listed)

    def _kept(self, path: str, to: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            self.asked.append(path)
            if path in self.answers:
                return self.answers[path]()
            found: Response = await to(request)
            if path != "/authorize":  # as Entra ID gives to everybody
                self.cookies += request.cookies
                found.set_cookie("x-ms-gateway-slice", "estsfd")
            return found

        return answer

    async def _discovery(self, _: Request) -> Response:
        return JSONResponse(
            {
                "issuer": self.issuer,
                "authorization_endpoint": f"{self.issuer}/authorize",
                "token_endpoint": f"{self.issuer}/token",
                "jwks_uri": f"{self.issuer}/keys",
                "response_types_supported": ["code"],
                "subject_types_supported": ["pairwise"],
                "id_token_signing_alg_values_supported": ["RS256"],
                "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"],
                "code_challenge_methods_supported": ["S256"],
            }
            | self.discovery
        )

    async def _keys(self, _: Request) -> Response:
        return JSONResponse(
            {"keys": [key.as_dict(private=False) | self.more_of_keys for key in self.keys] + self.others}
        )

    async def _authorize(self, request: Request) -> Response:
        asked = request.query_params
        redirect = asked.get("redirect_uri", "")
        # Who is not known, or would be sent elsewhere, is told here (RFC 6749, 4.1.2.1).
        if asked.get("client_id") != self.client_id or redirect not in self.redirects:
            return HTMLResponse("<h1>The application or its redirect address is not known</h1>", 400)
        back = {"state": asked["state"]} if "state" in asked else {}
        mistake = (
            "unsupported_response_type" if asked.get("response_type") != "code"
            else "invalid_scope" if "openid" not in asked.get("scope", "").split()
            else "invalid_request" if asked.get("code_challenge_method") != "S256" or not asked.get("code_challenge")
            else ""
        )  # fmt: skip
        if mistake:
            return RedirectResponse(f"{redirect}?{urlencode({'error': mistake} | back)}", 302)
        person = request.cookies.get(PERSON, "")
        if request.method == "POST":
            chosen = (await fields(request)).get("person", "")
            if chosen == "":
                refused = {"error": "access_denied", "error_description": "AADSTS65004: declined"}
                return RedirectResponse(f"{redirect}?{urlencode(refused | back)}", 302)
            person = chosen
            self.signed_in[person] = time.time()
        elif person not in self.people or (self._asks(person, asked) and not self.silent):
            return self._page()
        code = secrets.token_urlsafe(32)
        self.codes[code] = {
            "person": person,
            "redirect": redirect,
            "nonce": asked.get("nonce", ""),
            "challenge": asked["code_challenge"],
            "max_age": asked.get("max_age", ""),
        }
        answer = RedirectResponse(f"{redirect}?{urlencode({'code': code} | back)}", 302)
        answer.set_cookie(PERSON, person, httponly=True, path="/authorize")
        return answer

    def _asks(self, person: str, asked: Mapping[str, str]) -> bool:
        """Whether a person who is signed in is asked who they are, once more (OpenID Connect Core, 3.1.2.1)."""
        age = time.time() - self.signed_in.get(person, 0)
        return asked.get("prompt") in ("select_account", "login") or age > float(asked.get("max_age", "inf"))

    def _page(self) -> Response:
        buttons = "".join(
            f'<p><button name="person" value="{html.escape(name)}">{html.escape(name)}</button></p>'
            for name in self.people
        )
        return HTMLResponse(
            '<!doctype html><html lang="en"><title>Sign in at the provider</title><h1>Sign in at the provider</h1>'
            f'<form method="post">{buttons}<p><button name="person" value="">Cancel</button></p></form></html>'
        )

    async def _token(self, request: Request) -> Response:
        form = await fields(request)
        if self._client(request, form) != (self.client_id, self.secret):
            return _refused("invalid_client", 401, [7000215])
        # A code is good once, whatever becomes of it.
        grant = self.codes.pop(form.get("code", ""), None)
        challenge = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if (
            form.get("grant_type") != "authorization_code"
            or grant is None
            or grant["redirect"] != form.get("redirect_uri")
            or grant["challenge"] != base64.urlsafe_b64encode(challenge).rstrip(b"=").decode()
        ):
            return _refused("invalid_grant", 400, [70008])
        return JSONResponse({"access_token": "of no use here", "token_type": "Bearer", "id_token": self.token(grant)})

    def token(self, grant: Mapping[str, str]) -> str:
        """A token of who came with that grant."""
        at = int(time.time())
        claims = {
            "iss": self.issuer,
            "aud": self.client_id,
            "iat": at,
            "nbf": at,
            "exp": at + 3600,
            **({"nonce": grant["nonce"]} if grant["nonce"] else {}),
            **({"auth_time": int(self.signed_in[grant["person"]])} if grant["max_age"] and self.tells_when else {}),
            **self.people[grant["person"]],
        }
        told = {name: value for name, value in (claims | self.changed).items() if value is not None}
        key = self.keys[-1]
        return self.signed({"alg": "RS256", "kid": key.kid}, told, key)

    @staticmethod
    def _client(request: Request, form: Mapping[str, str]) -> tuple[str, str]:
        kind, _, shown = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "basic":
            name, _, secret = base64.b64decode(shown).decode().partition(":")
            return unquote(name), unquote(secret)
        return form.get("client_id", ""), form.get("client_secret", "")


def _refused(error: str, status: int, numbers: list[int]) -> Response:
    described = f"AADSTS{numbers[0]}: refused"
    return JSONResponse({"error": error, "error_description": described, "error_codes": numbers}, status)
