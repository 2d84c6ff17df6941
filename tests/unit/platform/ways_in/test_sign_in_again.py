"""Who opens another way into an account shows first that it is they; that a provider sent them back shows nothing."""

import asyncio
import time
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from atoll.database.connection import connect
from sqlalchemy import text
from structlog.testing import capture_logs

from tests.providers.openid import OpenIdServer
from tests.unit.platform.browsers import Browser, a_browser, has_account, of
from tests.unit.platform.conftest import PASSWORD, RunningPlatform, eventually
from tests.unit.platform.people import audited, id_of, told

LINK = "/session/ways/{way}/link"
PROVE = "/session/ways/{way}/prove"
TOKEN = {"name": "a program", "grants": ["tasks:read"], "days": 1}
AGAIN = (403, "sign_in_again")
NOT_FRESH = (403, "provider_not_fresh")


async def at_work(portal: RunningPlatform, name: str = "ada", way: str = "microsoft") -> Browser:
    """Somebody who came by a provider, has no password, and may do something."""
    browser = await has_account(portal, name, name, way)
    user = (await browser.api.get("/session")).json()["user"]["id"]
    assert (await (await portal.admin()).http.put(f"/users/{user}/roles", json={"roles": ["user"]})).is_success
    return browser


async def makes_token(browser: Browser) -> tuple[int, str]:
    return told(await browser.api.post("/access-tokens", json=TOKEN))[:2]


async def linked(portal: RunningPlatform, way: str = "microsoft") -> Browser:
    """Somebody with a password, who came by what is linked with the account."""
    ada = of(await portal.user(await portal.admin(), "ada"), portal)
    came = await ada.sign_in_there(await ada.begin(way, LINK, {"password": PASSWORD}), "ada", way)
    assert (await ada.come_back(came, way)).is_success
    arrived = a_browser(portal)
    assert (await arrived.through("ada", way)).json()["outcome"] == "signed_in"
    return arrived


async def change(portal: RunningPlatform, statement: str) -> None:
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text(statement))
    await database.dispose()


async def test_that_a_provider_sent_somebody_back_makes_no_token_and_signing_in_anew_does(
    portal: RunningPlatform,
) -> None:
    browser = await at_work(portal)
    assert (await browser.through("ada")).json()["outcome"] == "signed_in"
    assert await makes_token(browser) == AGAIN, "who is signed in at the provider makes tokens without being asked"
    before = dict(browser.api.cookies)
    address = await browser.begin("microsoft", PROVE)
    asked = parse_qs(urlsplit(address).query)
    assert (asked.get("prompt"), asked.get("max_age")) == (["login"], ["0"]), "the provider is not told to ask"
    shown = await browser.outside.get(address)
    assert "Sign in at the provider" in shown.text, "who is signed in there is not asked"
    came = await browser.sign_in_there(address, "ada")
    assert (await browser.come_back(came)).json()["session"]["user"]["name"] == "ada"
    assert await makes_token(browser) == (201, "")
    old = portal.anonymous()
    old.cookies.update(before)
    assert (await old.get("/session")).status_code == 401, "the session of before goes on beside the new one"


async def test_a_provider_that_asked_nobody_proves_nothing(portal: RunningPlatform, provider: OpenIdServer) -> None:
    browser = await at_work(portal)
    provider.silent = True
    provider.signed_in["ada"] = time.time() - 3600
    assert told(await browser.prove("ada"))[:2] == NOT_FRESH, "who signed in there an hour ago has just signed in"
    assert await makes_token(browser) == AGAIN
    assert await browser.who() == "ada", "who failed to prove it is signed out"
    # Nobody guessed: the address is not held to account for it.
    for _ in range(31):
        refused = await browser.prove("ada")
    assert told(refused)[:2] == NOT_FRESH
    provider.signed_in["ada"] = time.time()
    assert (await browser.prove("ada")).is_success


async def test_a_provider_that_does_not_say_when_somebody_signed_in_proves_nothing_and_the_log_says_why(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    browser = await at_work(portal)
    provider.tells_when = False
    with capture_logs() as logs:
        assert told(await browser.prove("ada"))[:2] == NOT_FRESH
    assert "auth_time" in str(logs)
    assert await makes_token(browser) == AGAIN
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in", "nobody signs in any more"


async def test_what_was_begun_as_a_sign_in_proves_nothing_however_it_comes_back(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    """Also where the provider asked by itself, and says so."""
    browser = await at_work(portal)
    provider.signed_in["ada"] = time.time()
    provider.changed["auth_time"] = int(time.time())
    assert (await browser.through("ada")).json()["outcome"] == "signed_in"
    assert await makes_token(browser) == AGAIN


async def test_who_signs_in_there_as_somebody_else_proves_nothing(portal: RunningPlatform) -> None:
    browser, eve = await at_work(portal), await at_work(portal, "eve")
    assert told(await browser.prove("eve"))[:2] == (403, "somebody_else"), "anybody proves to be anybody"
    assert await browser.who() == "ada", "who sits there is another one now"
    assert await makes_token(browser) == AGAIN
    # Nor with what was begun in another one's session, where the attacker could plant the cookie.
    came = await eve.sign_in_there(await eve.begin("microsoft", PROVE), "eve")
    browser.api.cookies.set("atoll_session_way", str(eve.api.cookies["atoll_session_way"]))
    assert told(await browser.come_back(came))[:2] == (401, "not_signed_in")
    assert await makes_token(browser) == AGAIN


async def test_wechat_proves_nothing(portal: RunningPlatform) -> None:
    browser = await at_work(portal, way="wechat")
    assert told(await browser.api.post(PROVE.format(way="wechat")))[:2] == (409, "proves_nothing")
    assert told(await browser.api.post(PROVE.format(way="microsoft")))[:2] == (404, "nothing_linked")
    assert await makes_token(browser) == AGAIN, "who was signed in at WeChat makes tokens without being asked"


async def test_a_password_proves_it_for_some_minutes(portal: RunningPlatform) -> None:
    browser = await linked(portal, "wechat")
    assert await makes_token(browser) == AGAIN
    wrong = await browser.api.post("/session/proof", json={"password": "a wild guess"})
    assert (wrong.status_code, told(wrong)[2]) == (422, {"password": "wrong_password"})
    assert await makes_token(browser) == AGAIN
    assert (await browser.api.post("/session/proof", json={"password": PASSWORD})).status_code == 204
    assert await makes_token(browser) == (201, "")
    await change(portal, "UPDATE sessions SET proven_at = now() - interval '15 minutes'")
    assert await makes_token(browser) == AGAIN, "what was proven counts for ever"
    admin = await portal.admin()
    assert (await admin.get("/audit", params={"action": "session.prove"})).json()["items"][0]["actor_name"] == "ada"


async def test_passwords_are_not_guessed_there_without_end(portal: RunningPlatform) -> None:
    browser = await linked(portal)
    for _ in range(5):
        await browser.api.post("/session/proof", json={"password": "a wild guess"})
    refused = await browser.api.post("/session/proof", json={"password": PASSWORD})
    assert told(refused)[:2] == (429, "too_many_attempts")


async def test_who_signed_in_by_the_password_long_ago_is_asked_too(portal: RunningPlatform) -> None:
    ada = of(await portal.user(await portal.admin(), "ada"), portal)
    assert await makes_token(ada) == (201, "")
    await change(portal, "UPDATE sessions SET proven_at = now() - interval '15 minutes'")
    assert await makes_token(ada) == AGAIN, "a session that was left open makes tokens"


async def test_a_fresh_sign_in_at_the_provider_links_in_place_of_the_password(portal: RunningPlatform) -> None:
    browser = await linked(portal)
    refused = await browser.api.post(LINK.format(way="wechat"), json={})
    assert (refused.status_code, told(refused)[2]) == (422, {"password": "missing"})
    assert (await browser.prove("ada")).is_success
    assert (await browser.api.post(LINK.format(way="wechat"), json={})).status_code == 201


async def test_everybody_is_told_by_what_they_prove_it(portal: RunningPlatform) -> None:
    async def proofs(api: httpx.AsyncClient) -> tuple[bool, bool, bool, list[str]]:
        found = (await api.get("/session/proof")).json()
        assert found["minutes"] == 15
        return found["fresh"], found["links"], found["password"], found["ways"]

    browser = await linked(portal)
    assert await proofs(browser.api) == (False, False, True, ["microsoft"])
    assert (await browser.prove("ada")).is_success
    assert await proofs(browser.api) == (True, True, True, ["microsoft"])
    assert await proofs((await portal.admin()).http) == (True, False, True, [])
    eve = await has_account(portal, "eve", "eve", "wechat")
    assert await proofs(eve.api) == (False, False, False, [])


async def test_tokens_that_were_made_after_a_proof_end_with_the_link_by_which_it_came(portal: RunningPlatform) -> None:
    """Also in a session that began by the password: whoever has the link proved it, and not the password."""
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    browser = of(ada, portal)
    came = await browser.sign_in_there(await browser.begin("microsoft", LINK, {"password": PASSWORD}), "ada")
    assert (await browser.come_back(came)).is_success
    user = await id_of(ada)
    assert (await browser.prove("ada")).is_success
    assert await makes_token(browser) == (201, "")
    assert (await admin.delete(f"/users/{user}/ways/microsoft")).status_code == 204
    assert ("user.unlink", "ada", {"way": "microsoft", "sessions": 1, "access_tokens": 1}) in await audited(
        admin, "user"
    )


async def test_who_cannot_prove_who_they_are_is_in_the_audit(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    wrong = {"password": "not " + PASSWORD}
    for path in ("/session/proof", "/session/proof", LINK.format(way="microsoft")):
        assert (await ada.post(path, wrong)).status_code == 422
    items = (await admin.get("/audit", params={"action": "session.prove"})).json()["items"]
    assert {(each["actor_name"], each["outcome"]) for each in items} == {("ada", "failed")}
    assert sum(each["details"]["times"] for each in items) == 3
    assert len(items) < 3, "whoever guesses fills the audit"


WAITING = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"


async def comes_while(portal: RunningPlatform, browser: Browser, how: str, *done: str) -> httpx.Response:
    """What is told to `ada`, who comes while somebody does that, of which the first locks her account."""
    database = connect(portal.configuration, pool_size=2)
    try:
        async with database.connect() as connection:
            await connection.execute(text(done[0]))
            coming = asyncio.ensure_future(getattr(browser, how)("ada"))

            async def waits() -> bool:
                async with database.connect() as other:
                    return coming.done() or bool(await other.scalar(text(WAITING)))

            await eventually(waits)
            assert not coming.done(), "somebody came in before it was done"
            for each in done[1:]:
                await connection.execute(text(each))
            await connection.commit()
        found: httpx.Response = await coming
        return found
    finally:
        await database.dispose()


@pytest.mark.parametrize("how", ["through", "prove"])
async def test_who_comes_while_an_administrator_changes_their_account_comes_in(
    portal: RunningPlatform, how: str
) -> None:
    browser = await at_work(portal)
    changed = "UPDATE users SET nickname = 'Countess', version = version + 1 WHERE name = 'ada'"
    answer = await comes_while(portal, browser, how, changed)
    assert answer.status_code == 201, "a change of an account is in the way of who signs in to it"
    assert answer.json()["session"]["user"]["nickname"] == "Countess"


@pytest.mark.parametrize("how", ["through", "prove"])
async def test_who_comes_by_a_link_that_is_being_ended_stays_out_and_holds_nobody_up(
    portal: RunningPlatform, how: str
) -> None:
    browser = await at_work(portal)
    locked = "SELECT 1 FROM users WHERE name = 'ada' FOR NO KEY UPDATE"
    # Raises where the other one holds the link already and waits for the account: each for the other.
    answer = await comes_while(portal, browser, how, locked, "DELETE FROM way_in_links")
    refused = {"through": (201, "unknown"), "prove": (403, "somebody_else")}[how]
    said = answer.json()
    assert (answer.status_code, said.get("outcome") or said["code"]) == refused, "an ended link lets somebody in"


async def test_nobody_proves_who_they_are_by_a_session_that_ended_meanwhile(portal: RunningPlatform) -> None:
    browser = await at_work(portal)
    locked = "SELECT 1 FROM users WHERE name = 'ada' FOR NO KEY UPDATE"
    answer = await comes_while(portal, browser, "prove", locked, "DELETE FROM sessions")
    assert told(answer)[:2] == (401, "not_signed_in"), "who was signed out everywhere is in again"
    assert await browser.who() is None
