"""What somebody tries who wants into another one's account, or another one into theirs. Over real HTTP."""

import base64
import hmac
import json
from collections.abc import Callable
from typing import Any

import pytest
from atoll.database.connection import connect
from joserfc.jwk import RSAKey
from sqlalchemy import text

from tests.providers.openid import EVERYBODYS, Claims, OpenIdServer, plain
from tests.unit.platform.browsers import a_browser, has_account
from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import told

ENDED = (403, "way_ended")
NOT_BELIEVED = (403, "provider_not_believed")


async def test_nobody_is_signed_in_by_what_another_browser_came_back_with(portal: RunningPlatform) -> None:
    """Who sends a victim the end of their own way would have them work in the attacker's account."""
    await has_account(portal, "eve", "eve")
    attacker, victim = a_browser(portal), a_browser(portal)
    came = await attacker.sign_in_there(await attacker.begin(), "eve")
    assert told(await victim.come_back(came))[:2] == ENDED, "a stranger's way signs somebody in"
    await victim.begin()  # a cookie of a way of their own
    assert told(await victim.come_back(came))[:2] == ENDED, "any way of the browser will do"
    assert await victim.who() is None
    assert (await attacker.come_back(came)).json()["outcome"] == "signed_in", "a victim can end another one's way"


async def test_what_came_back_once_is_worth_nothing_again(portal: RunningPlatform, provider: OpenIdServer) -> None:
    browser = await has_account(portal)
    came = await browser.sign_in_there(await browser.begin(), "ada")
    jar = dict(browser.api.cookies)
    assert (await browser.come_back(came)).json()["outcome"] == "signed_in"
    asked = provider.asked.count("/token")
    again = a_browser(portal)
    again.api.cookies.update(jar)
    assert told(await again.come_back(came))[:2] == ENDED, "what was used is good again"
    assert provider.asked.count("/token") == asked, "a code is shown to the provider twice"


async def test_a_way_that_failed_is_over_too(portal: RunningPlatform, provider: OpenIdServer) -> None:
    browser = await has_account(portal)
    came = await browser.sign_in_there(await browser.begin(), "ada")
    provider.changed["nonce"] = "another"
    assert told(await browser.come_back(came))[:2] == NOT_BELIEVED
    provider.changed.clear()
    assert told(await browser.come_back(came))[:2] == ENDED


async def test_another_ones_code_is_refused_in_the_way_of_the_victim(portal: RunningPlatform) -> None:
    """By the verifier, of which the provider has the digest (PKCE)."""
    await has_account(portal, "eve", "eve")
    attacker, victim = a_browser(portal), a_browser(portal)
    stolen = await attacker.sign_in_there(await attacker.begin(), "eve")
    mine = await victim.sign_in_there(await victim.begin(), "ada")
    assert told(await victim.come_back({**mine, "code": stolen["code"]}))[:2] == NOT_BELIEVED


async def test_a_way_that_took_too_long_is_over(portal: RunningPlatform) -> None:
    browser = await has_account(portal)
    came = await browser.sign_in_there(await browser.begin(), "ada")
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE way_in_flows SET expires_at = now() - interval '1 second'"))
    await database.dispose()
    assert told(await browser.come_back(came))[:2] == ENDED


def _text(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def _part(content: Claims) -> str:
    return _text(json.dumps(content).encode())


def _by_a_stranger(header: Claims, claims: Claims, _: RSAKey) -> str:
    return plain(header, claims, EVERYBODYS)


def _by_nobody(_: Claims, claims: Claims, __: RSAKey) -> str:
    return f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(claims)}."


def _by_what_everybody_knows(header: Claims, claims: Claims, key: RSAKey) -> str:
    """The public key as a secret of both sides: who goes by the token's own word for the algorithm believes it."""
    said = f"{_part({**header, 'alg': 'HS256'})}.{_part(claims)}"
    known = key.as_pem(private=False)
    return f"{said}.{_text(hmac.digest(known, said.encode(), 'sha256'))}"


def _with_its_own_key(header: Claims, claims: Claims, _: RSAKey) -> str:
    return plain({**header, "jwk": EVERYBODYS.as_dict(private=False)}, claims, EVERYBODYS)


def _with_a_header_that_is_none(header: Claims, claims: Claims, _: RSAKey) -> str:
    return f"{_part({**header, 'crit': 7})}.{_part(claims)}.{_text(b'x' * 256)}"


def _changed_afterwards(header: Claims, claims: Claims, key: RSAKey) -> str:
    head, _, signature = plain(header, claims, key).split(".")
    return f"{head}.{_part({**claims, 'sub': 'ada-at-provider'})}.{signature}"


@pytest.mark.parametrize(
    "signed",
    [
        _by_a_stranger,
        _by_nobody,
        _by_what_everybody_knows,
        _with_its_own_key,
        _changed_afterwards,
        _with_a_header_that_is_none,
        lambda *_: "no token",
        lambda *_: "",
        lambda *_: "a.b.c",
    ],
)
async def test_no_token_is_believed_that_the_provider_did_not_sign(
    portal: RunningPlatform, provider: OpenIdServer, signed: Callable[..., str]
) -> None:
    await has_account(portal)
    browser = a_browser(portal)
    provider.signed = signed
    assert told(await browser.through("eve"))[:2] == NOT_BELIEVED, "anybody signs in as anybody"
    assert await browser.who() is None


@pytest.mark.parametrize(
    "changed",
    [
        {"aud": "another-application"},
        {"iss": "https://login.example.com"},
        {"nonce": "of another sign-in"},
        {"nonce": None},
        {"exp": 1_700_000_000},
        {"sub": None},
        {"sub": 7},
    ],
)
async def test_no_token_is_believed_that_was_made_for_something_else(
    portal: RunningPlatform, provider: OpenIdServer, changed: dict[str, Any]
) -> None:
    await has_account(portal)
    browser = a_browser(portal)
    provider.changed = changed
    assert told(await browser.through("ada"))[:2] == NOT_BELIEVED, "a token is believed that is not for this"
    assert await browser.who() is None


async def test_who_answers_in_place_of_the_provider_that_was_asked_is_not_believed(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    """Mixed up: the browser was sent to one and comes back from another."""
    browser = await has_account(portal)
    came = await browser.sign_in_there(await browser.begin(), "ada")
    asked = provider.asked.count("/token")
    assert told(await browser.come_back({**came, "iss": "https://login.example.com"}))[:2] == NOT_BELIEVED
    assert provider.asked.count("/token") == asked, "the code is shown before it is looked at whose it is"
    came = await browser.sign_in_there(await browser.begin(), "ada")
    assert (await browser.come_back({**came, "iss": provider.issuer})).json()["outcome"] == "signed_in"
    came = await browser.sign_in_there(await browser.begin(), "ada")
    assert told(await browser.come_back(came, "wechat"))[:2] == ENDED, "one provider's way ends at another's"


async def test_who_calls_itself_by_another_name_is_not_asked(portal: RunningPlatform, provider: OpenIdServer) -> None:
    provider.discovery["issuer"] = "https://login.example.com"
    assert told(await a_browser(portal).api.post("/session/ways/microsoft/start"))[:2] == NOT_BELIEVED


async def test_a_provider_leads_nobody_to_another_host(portal: RunningPlatform, provider: OpenIdServer) -> None:
    """Nor the API itself: to a service inside, or to one that is shown the secret."""
    browser = a_browser(portal)
    clear, other, inside = "http://192.0.2.1/token", "https://evil.example/token", "http://127.0.0.1:1/"
    changes: tuple[Claims, ...] = (
        *({place: other} for place in ("authorization_endpoint", "token_endpoint", "jwks_uri")),
        *({"token_endpoint": wrong} for wrong in (clear, inside, "http://[::1", "/token", 7, None)),
    )
    for changed in changes:
        provider.discovery = changed
        refused = await browser.api.post("/session/ways/microsoft/start")
        assert told(refused)[:2] == NOT_BELIEVED, f"a provider chooses whom the API asks: {changed}"
    assert {*provider.asked} == {"/.well-known/openid-configuration"}


async def test_nobody_chooses_where_a_browser_comes_back_to(portal: RunningPlatform) -> None:
    browser = a_browser(portal)
    for address in (
        await browser.begin(params={"redirect_uri": "https://evil.example"}),
        await browser.begin(headers={"Host": "evil.example"}),
    ):
        assert "redirect_uri=http%3A%2F%2Fportal.test%2Fsign-in%2Fby%2Fmicrosoft&" in address


async def test_no_other_page_begins_a_way(portal: RunningPlatform) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"X-Atoll-Request": ""}):
        refused = await portal.anonymous().post("/session/ways/microsoft/start", headers=headers)
        assert refused.status_code == 403, "another page sends people on a way"
        assert "set-cookie" not in refused.headers


async def test_an_account_is_not_found_by_what_people_write_there(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    admin = await portal.admin()
    theirs = {"name": "ada", "nickname": "Ada", "email": "ada@example.com", "password": "x" * 12, "roles": ["admin"]}
    assert (await admin.post("/users", theirs)).is_success
    provider.people["eve"] |= {"email": "ada@example.com", "email_verified": True, "preferred_username": "ada"}
    browser = a_browser(portal)
    found = (await browser.through("eve")).json()
    assert (found["outcome"], found["account"]["name"]) == ("unknown", "ada-2"), "an address opens an account"
    assert await browser.who() is None


async def test_who_came_back_elsewhere_makes_no_account_here(portal: RunningPlatform) -> None:
    ada, eve = a_browser(portal), a_browser(portal)
    assert (await ada.through("ada")).json()["outcome"] == "unknown"
    assert told(await eve.make("eve"))[:2] == ENDED
    assert (await ada.make("ada")).status_code == 201
    assert told(await ada.make("ada-again"))[:2] == ENDED, "one way makes two accounts"


async def test_what_is_kept_of_a_way_is_of_no_use_to_who_reads_it(portal: RunningPlatform) -> None:
    browser = a_browser(portal)
    came = await browser.sign_in_there(await browser.begin(), "ada")
    cookie = browser.api.cookies["atoll_session_way"]
    database = connect(portal.configuration, pool_size=1)
    async with database.connect() as connection:
        kept = str((await connection.execute(text("SELECT * FROM way_in_flows"))).all())
    await database.dispose()
    for secret in (came["state"], came["code"], cookie):
        assert secret not in kept
