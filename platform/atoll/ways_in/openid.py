"""OpenID Connect (Microsoft Entra ID): authorization code with PKCE, and a signed token that says who came.

OpenID Connect Core 1.0 (3.1, 3.1.3.7), Discovery 1.0, RFC 7636 (PKCE), RFC 9207 (whose answer it is).
"""

import base64
import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode, urlsplit

from joserfc import jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jwk import Key, KeySet, OctKey

from atoll.providers import Microsoft, WayName
from atoll.ways_in.asking import Asking, Guessed, NotBelieved, NotFresh
from atoll.ways_in.provider import LONGEST, Known, Sent, identifier, one_line

KEPT_S = 3600.0  # what a provider says of itself, and its keys
LEEWAY_S = 60
OLDEST_S = 600  # a token is asked for when somebody comes back, and made then
# By a key of which the provider alone has the secret half: never by a word that others know, too.
ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


@dataclass(frozen=True, slots=True)
class Place:
    """Where a provider is asked, as it says itself."""

    authorize: str
    token: str
    keys: str
    by_header: bool  # whether the client shows its secret in a header, else among the fields


class OpenId:
    """A provider by OpenID Connect."""

    way = WayName.MICROSOFT
    brand = "Microsoft"
    proves = True

    def __init__(self, wanted: Microsoft, secret: str, asking: Asking) -> None:
        self.issuer = wanted.issuer
        self._client = wanted.client_id
        self._secret = secret
        self._asking = asking
        self._place: tuple[float, Place] | None = None
        self._keys: tuple[float, KeySet] | None = None

    async def address(self, sent: Sent) -> str:
        """Where to send the browser."""
        place = await self._where()
        challenge = base64.urlsafe_b64encode(hashlib.sha256(sent.verifier.encode()).digest()).rstrip(b"=").decode()
        query = {
            "response_type": "code",
            "response_mode": "query",
            "client_id": self._client,
            "redirect_uri": sent.redirect,
            "scope": "openid profile",
            "state": sent.state,
            "nonce": sent.nonce,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        if sent.since is not None:
            query |= {"prompt": "login", "max_age": "0"}
        elif sent.chooses:
            query |= {"prompt": "select_account"}
        return f"{place.authorize}{'&' if '?' in place.authorize else '?'}{urlencode(query)}"

    async def who(self, code: str, sent: Sent, issuer: str | None) -> Known:
        """Who came back."""
        if issuer is not None and issuer != self.issuer:
            raise Guessed(f"the answer is of {issuer[:LONGEST]!r}, who was not asked")
        claims = await self._claims(await self._token(code, sent))
        check(claims, self.issuer, self._client, sent.nonce, time.time(), sent.since)
        said = (one_line(claims.get(name)) for name in ("preferred_username", "upn", "email", "name"))
        names = tuple(filter(None, said))
        return Known(
            issuer=self.issuer,
            subjects=(claims["sub"],),
            label=names[0] if names else "",
            names=names,
            nickname=one_line(claims.get("name")),
        )

    async def _where(self) -> Place:
        if self._place is None or self._place[0] < time.monotonic() - KEPT_S:
            url = f"{self.issuer.removesuffix('/')}/.well-known/openid-configuration"
            status, found = await self._asking.ask("GET", url)
            if status != 200 or found.get("issuer") != self.issuer:
                raise NotBelieved(f"{url}: status {status}, of the issuer {str(found.get('issuer'))[:LONGEST]!r}")
            self._place = time.monotonic(), _place(url, self.issuer, found)
        return self._place[1]

    async def _token(self, code: str, sent: Sent) -> str:
        """The token that stands for the code."""
        place = await self._where()
        fields = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": sent.redirect,
            "code_verifier": sent.verifier,
        }
        headers = {}
        if place.by_header:
            shown = f"{quote(self._client, safe='')}:{quote(self._secret, safe='')}"
            headers["Authorization"] = f"Basic {base64.b64encode(shown.encode()).decode()}"
        else:
            fields |= {"client_id": self._client, "client_secret": self._secret}
        status, found = await self._asking.ask("POST", place.token, data=fields, headers=headers)
        token = found.get("id_token")
        if status != 200 or not isinstance(token, str):
            # RFC 6749, 5.2: of all errors the only one that is of the code, and not of who shows it.
            kind = Guessed if found.get("error") == "invalid_grant" else NotBelieved
            raise kind(f"{place.token}: status {status}, error {refusal(found)}")
        return token

    async def _claims(self, token: str) -> dict[str, Any]:
        """What a token says that one of the provider's keys signed; a key that is new is asked for."""
        try:
            try:
                return jwt.decode(token, await self._signers(fresh=False), algorithms=ALGORITHMS).claims
            except InvalidKeyIdError:
                return jwt.decode(token, await self._signers(fresh=True), algorithms=ALGORITHMS).claims
        except (JoseError, ValueError, TypeError) as error:
            raise NotBelieved(f"its token: {type(error).__name__} {str(error)[:LONGEST]}") from None

    async def _signers(self, *, fresh: bool) -> KeySet:
        if fresh or self._keys is None or self._keys[0] < time.monotonic() - KEPT_S:
            place = await self._where()
            status, found = await self._asking.ask("GET", place.keys)
            self._keys = time.monotonic(), _signing(place.keys, status, found)
        return self._keys[1]


def check(
    claims: Mapping[str, Any], issuer: str, client: str, nonce: str, at: float, since: float | None = None
) -> None:
    """Raise Guessed unless a signed token was made for this client, by that issuer, just now (`at`, in seconds).

    `since`: raise NotFresh unless its user signed in there after that, give or take what clocks differ by.
    """
    # With `max_age` 0 Entra ID has a token end when its user typed the password, and a second factor takes a while.
    ending = at if since is None else since
    audience = claims.get("aud")
    audiences = audience if isinstance(audience, list) else [audience]
    for wrong, what in (
        (claims.get("iss") != issuer, "of another issuer"),
        (client not in audiences, "for somebody else"),
        (len(audiences) > 1 and claims.get("azp") != client, "for several, and given to another one"),
        (claims.get("azp", client) != client, "given to somebody else"),
        (claims.get("nonce") != nonce, "for another sign-in"),
        (not identifier(claims.get("sub")), "of nobody"),
        (not _number(claims, "exp") or claims["exp"] <= ending - LEEWAY_S, "too old"),
        (not _number(claims, "iat") or not at - OLDEST_S <= claims["iat"] <= at + LEEWAY_S, "not of this moment"),
        ("nbf" in claims and (not _number(claims, "nbf") or claims["nbf"] > at + LEEWAY_S), "not good yet"),
    ):
        if wrong:
            raise Guessed(f"its token is {what}")
    if since is not None and not (
        _number(claims, "auth_time") and since - LEEWAY_S <= claims["auth_time"] <= at + LEEWAY_S
    ):
        told = "when its user signed in" if "auth_time" not in claims else "that its user signed in just now"
        raise NotFresh(f"its token does not say {told} (auth_time)")


def refusal(found: Mapping[str, Any]) -> str:
    """What a provider says is wrong, in the few words that are its own: none that repeats what it was sent."""
    numbers = found.get("error_codes")
    codes = [each for each in numbers if isinstance(each, int)][:3] if isinstance(numbers, list) else []
    error = found.get("error")
    word = error if isinstance(error, str) and error.replace("_", "").isalnum() and len(error) <= 64 else "none"
    return " ".join([word, *(f"AADSTS{each}" for each in codes)])


def _place(url: str, issuer: str, found: Mapping[str, Any]) -> Place:
    """Where it is asked: at the issuer's own host, so that nobody leads the API, or a secret, to another one."""
    places = [found.get(name) for name in ("authorization_endpoint", "token_endpoint", "jwks_uri")]
    methods = found.get("token_endpoint_auth_methods_supported", ["client_secret_basic"])
    try:
        authorize, token, keys = (each for each in places if isinstance(each, str) and _host(each) == _host(issuer))
    except ValueError:
        raise NotBelieved(f"{url}: it names places that are not at the issuer's own host") from None
    return Place(authorize, token, keys, by_header=isinstance(methods, list) and "client_secret_basic" in methods)


def _host(url: str) -> tuple[str, str]:
    """Scheme, and host with port: an issuer is asked by TLS, or is on this machine."""
    parts = urlsplit(url)
    return parts.scheme, parts.netloc.lower()


def _signing(url: str, status: int, found: Mapping[str, Any]) -> KeySet:
    """The keys that sign, without secrets that both sides share, and what is not for that."""
    listed = found.get("keys")
    kept: list[Key] = []
    for each in listed if status == 200 and isinstance(listed, list) else ():
        if isinstance(each, dict) and each.get("use", "sig") == "sig":
            try:
                kept += [key for key in KeySet.import_key_set({"keys": [each]}).keys if not isinstance(key, OctKey)]
            except (JoseError, ValueError, KeyError, TypeError):
                continue  # of a kind that this library does not know
    if not kept:
        raise NotBelieved(f"{url}: status {status}, and no key that signs")
    return KeySet(kept)


def _number(claims: Mapping[str, Any], name: str) -> bool:
    value = claims.get(name)
    return isinstance(value, int | float) and not isinstance(value, bool)
