"""People link their own accounts with what they have at a provider, and end that. Over real HTTP."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from atoll.database.connection import connect
from atoll.identity import passwords
from atoll.ways_in.openid import OpenId
from sqlalchemy import text

from tests.providers.openid import OpenIdServer
from tests.unit.platform.browsers import Browser, a_browser, has_account, of
from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import a_role, account, audited, id_of, registered, told

LINK = "/session/ways/{way}/link"
KNOWN = {"password": PASSWORD}


async def links(browser: Browser, person: str = "ada", way: str = "microsoft") -> tuple[int, str]:
    """Link the account of who sits there; status and code."""
    came = await browser.sign_in_there(await browser.begin(way, LINK, KNOWN), person, way)
    return told(await browser.come_back(came, way))[:2]


async def test_somebody_links_their_account_and_signs_in_that_way_from_then_on(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    before = (await ada.get("/session/ways")).json()
    assert (before["password"], before["linkable"]) == (True, True)
    assert [(each["way"], each["offered"], each["label"]) for each in before["ways"]] == [
        ("microsoft", True, None),
        ("wechat", True, None),
    ]
    browser = of(ada, portal)
    address = await browser.begin("microsoft", LINK, KNOWN)
    assert "prompt=select_account" in address, "whoever was signed in there last is linked"
    came = await browser.come_back(await browser.sign_in_there(address, "ada"))
    assert came.json() == {"outcome": "linked", "session": None, "account": None}
    after = (await ada.get("/session/ways")).json()["ways"][0]
    assert (after["label"], bool(after["linked_at"])) == ("ada.lovelace@example.com", True)
    elsewhere = a_browser(portal)
    assert (await elsewhere.through("ada")).json()["session"]["user"]["name"] == "ada"
    assert (await portal.sign_in("ada", PASSWORD)).name == "ada", "the password opens it no more"
    assert ("user.link", "ada", {"way": "microsoft"}) in await audited(admin, "user")


async def test_a_link_ends_and_leads_nowhere_then(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await registered(portal, "ada")
    assert await links(of(ada, portal)) == (201, "")
    assert (await ada.delete("/session/ways/microsoft")).status_code == 204
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "unknown"
    assert told(await ada.delete("/session/ways/microsoft"))[:2] == (404, "nothing_linked")
    assert ("user.unlink", "ada", {"way": "microsoft"}) in await audited(admin, "user")


async def test_who_sits_at_a_session_that_was_left_open_links_nothing_without_the_password(
    portal: RunningPlatform,
) -> None:
    ada = await registered(portal, "ada")
    for body, mistakes in (
        ({}, {"password": "missing"}),
        ({"password": "a wild guess"}, {"password": "wrong_password"}),
    ):
        refused = await ada.post(LINK.format(way="microsoft"), body)
        assert (refused.status_code, told(refused)[2]) == (422, mistakes), "a session that was left open is enough"
    for _ in range(4):
        await ada.post(LINK.format(way="microsoft"), {"password": "a wild guess"})
    limited = await ada.post(LINK.format(way="microsoft"), {"password": PASSWORD})
    assert told(limited)[:2] == (429, "too_many_attempts"), "passwords are guessed there without end"


async def test_a_session_that_ends_while_its_password_waits_links_nothing(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await registered(portal, "ada")
    other = await portal.sign_in("ada", PASSWORD)
    usual = passwords.fits

    async def fits(*arguments: Any, **more: Any) -> Any:
        found = await usual(*arguments, **more)
        assert (await other.post("/sessions/end-others")).is_success
        return found

    monkeypatch.setattr(passwords, "fits", fits)
    refused = await ada.post(LINK.format(way="microsoft"), KNOWN)
    assert told(refused)[:2] == (401, "not_signed_in"), "it begins a link for a session that had ended"


async def test_a_session_that_ends_while_the_provider_answers_links_nothing(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = await registered(portal, "ada")
    other = await portal.sign_in("ada", PASSWORD)
    browser = of(ada, portal)
    came = await browser.sign_in_there(await browser.begin("microsoft", LINK, KNOWN), "ada")
    usual = OpenId.who

    async def who(*arguments: Any) -> Any:
        found = await usual(*arguments)
        assert (await other.post("/sessions/end-others")).is_success
        return found

    monkeypatch.setattr(OpenId, "who", who)
    assert told(await browser.come_back(came))[:2] == (401, "not_signed_in"), "a session that had ended linked it"
    assert [way["linked_at"] for way in (await other.get("/session/ways")).json()["ways"]] == [None, None]


async def test_who_has_no_password_links_soon_after_signing_in_anew_only(portal: RunningPlatform) -> None:
    browser = await has_account(portal)
    refused = await browser.api.post(LINK.format(way="wechat"), json={})
    assert told(refused)[:2] == (403, "sign_in_again"), "that the provider sent somebody back is enough"
    assert refused.json()["params"] == {"minutes": int(timedelta(minutes=15).total_seconds() / 60)}
    assert (await browser.prove("ada")).json()["outcome"] == "signed_in"
    assert (await browser.api.post(LINK.format(way="wechat"), json={})).status_code == 201
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE sessions SET proven_at = now() - interval '15 minutes'"))
    await database.dispose()
    refused = await browser.api.post(LINK.format(way="wechat"), json={})
    assert told(refused)[:2] == (403, "sign_in_again")


async def test_what_is_linked_with_one_account_is_not_linked_with_another(portal: RunningPlatform) -> None:
    ada, eve = await registered(portal, "ada"), await registered(portal, "eve")
    assert await links(of(ada, portal)) == (201, "")
    assert await links(of(eve, portal)) == (409, "linked_elsewhere"), "one way leads into two accounts"
    assert (await a_browser(portal).through("ada")).json()["session"]["user"]["name"] == "ada"


async def test_an_account_is_linked_once_by_each_way(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    browser = of(ada, portal)
    first = await browser.sign_in_there(await browser.begin("microsoft", LINK, KNOWN), "ada")
    jar = dict(browser.api.cookies)
    assert await links(browser, "eve") == (201, "")
    assert told(await browser.api.post(LINK.format(way="microsoft"), json=KNOWN))[:2] == (409, "already_linked")
    other_tab = a_browser(portal)
    other_tab.api.cookies.update(jar)
    assert told(await other_tab.come_back(first))[:2] == (409, "already_linked"), "begun before the other one"
    assert await links(browser, "ada", "wechat") == (201, "")


async def test_two_who_link_the_same_at_once_are_not_both_linked(portal: RunningPlatform) -> None:
    browsers = [of(await registered(portal, name), portal) for name in ("ada", "eve")]
    came = [await each.sign_in_there(await each.begin("microsoft", LINK, KNOWN), "ada") for each in browsers]
    answers = await asyncio.gather(*(each.come_back(one) for each, one in zip(browsers, came, strict=True)))
    assert sorted(told(answer)[:2] for answer in answers) == [(201, ""), (409, "linked_elsewhere")]


async def test_nobody_is_made_to_link_what_an_attacker_has(portal: RunningPlatform) -> None:
    """Who gets that done signs in as the victim from then on."""
    victim, attacker = of(await registered(portal, "ada"), portal), of(await registered(portal, "eve"), portal)
    came = await attacker.sign_in_there(await attacker.begin("microsoft", LINK, KNOWN), "eve")
    assert told(await victim.come_back(came))[:2] == (403, "way_ended")
    # Also where the attacker could plant the cookie: whose way it is, is kept with the way.
    victim.api.cookies.set("atoll_session_way", str(attacker.api.cookies["atoll_session_way"]))
    assert told(await victim.come_back(came))[:2] == (401, "not_signed_in"), "the attacker's way links the victim"
    assert [each["label"] for each in (await victim.api.get("/session/ways")).json()["ways"]] == [None, None]


async def test_a_link_that_was_begun_needs_the_session_when_it_comes_back(portal: RunningPlatform) -> None:
    ada = await registered(portal, "ada")
    browser = of(ada, portal)
    came = await browser.sign_in_there(await browser.begin("microsoft", LINK, KNOWN), "ada")
    await browser.api.delete("/session")
    assert told(await browser.come_back(came))[:2] == (401, "not_signed_in")
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "unknown"


async def test_nobody_closes_the_only_way_into_their_own_account(portal: RunningPlatform) -> None:
    browser = await has_account(portal)
    shown = (await browser.api.get("/session/ways")).json()
    assert shown["password"] is False
    assert told(await browser.api.delete("/session/ways/microsoft"))[:2] == (409, "only_way")
    assert (await browser.prove("ada")).is_success
    came = await browser.sign_in_there(await browser.begin("wechat", LINK, {}), "ada", "wechat")
    assert (await browser.come_back(came, "wechat")).is_success
    both = await asyncio.gather(*(browser.api.delete(f"/session/ways/{way}") for way in ("microsoft", "wechat")))
    assert sorted(told(answer)[:2] for answer in both) == [(204, ""), (409, "only_way")], "at once both are closed"


async def test_the_account_of_the_installation_is_linked_with_nothing(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    refused = await admin.post(LINK.format(way="microsoft"), {"password": PASSWORD})
    assert told(refused)[:2] == (409, "protected_account")
    assert (await admin.get("/session/ways")).json()["linkable"] is False


async def test_who_is_disabled_or_deleted_stays_out(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    browser = await has_account(portal)
    ada = (await browser.api.get("/session")).json()["user"]["id"]
    out = (403, "account_inactive")
    assert (await admin.post(f"/users/{ada}/disable", {})).is_success
    assert told(await a_browser(portal).through("ada"))[:2] == out, "a disabled account is open by a provider"
    assert (await admin.post(f"/users/{ada}/enable")).is_success
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in"
    assert (await admin.post(f"/users/{ada}/delete", {})).is_success
    assert told(await a_browser(portal).through("ada"))[:2] == out, "who was deleted comes back"
    items = (await admin.get("/audit", params={"action": "session.create"})).json()["items"]
    assert ("ada", "failed") in {(each["actor_name"], each["outcome"]) for each in items}


async def test_of_a_deleted_account_no_words_are_kept_and_another_one_may_take_its_link(
    portal: RunningPlatform,
) -> None:
    admin = await portal.admin()
    browser = await has_account(portal)
    ada = (await browser.api.get("/session")).json()["user"]["id"]
    assert (await admin.post(f"/users/{ada}/delete", {})).is_success
    database = connect(portal.configuration, pool_size=1)
    async with database.connect() as connection:
        assert await connection.scalar(text("SELECT label FROM way_in_links")) == ""
    await database.dispose()
    back = await registered(portal, "ada-again")
    assert await links(of(back, portal)) == (201, "")
    assert (await a_browser(portal).through("ada")).json()["session"]["user"]["name"] == "ada-again"


async def test_who_manages_users_sees_and_ends_their_links_the_only_one_too(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    browser = await has_account(portal)
    ada = (await browser.api.get("/session")).json()["user"]["id"]
    shown = (await admin.get(f"/users/{ada}/ways")).json()
    assert (shown["password"], shown["ways"][0]["label"]) == (False, "ada.lovelace@example.com")
    assert (await admin.delete(f"/users/{ada}/ways/microsoft")).status_code == 204
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "unknown"
    assert told(await admin.delete(f"/users/{ada}/ways/microsoft"))[:2] == (404, "nothing_linked")
    assert (await admin.get("/users/nobody/ways")).status_code == 404
    (record,) = [one for one in (await admin.get("/audit")).json()["items"] if one["action"] == "user.unlink"]
    assert (record["actor_name"], record["object_name"]) == ("admin", "ada")


async def test_nobody_ends_the_link_of_who_holds_more(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    role = await a_role(admin, "Helpers", "users:read", "users:manage")
    assert (await admin.post("/users", account("helper", password=PASSWORD, roles=[role]))).is_success
    helper = await _settled(portal, "helper")
    boss = await portal.user(admin, "boss", roles=["admin"])
    assert await links(of(boss, portal)) == (201, "")
    refused = await helper.delete(f"/users/{await id_of(boss)}/ways/microsoft")
    assert told(refused)[:2] == (403, "more_than_you_hold")


async def _settled(portal: RunningPlatform, name: str) -> Client:
    """Somebody with a password of their own."""
    client = await portal.sign_in(name, PASSWORD)
    changed = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    assert (await client.post("/session/password", changed)).is_success
    return client


async def test_a_link_of_an_issuer_that_is_asked_no_more_is_none(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    ada = await registered(portal, "ada")
    assert await links(of(ada, portal)) == (201, "")
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE way_in_links SET issuer = 'https://before.example.com'"))
    await database.dispose()
    assert (await ada.get("/session/ways")).json()["ways"][0]["label"] is None
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "unknown", "any issuer names anybody"
    assert await links(of(ada, portal)) == (201, "")
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in"
    assert provider.asked
