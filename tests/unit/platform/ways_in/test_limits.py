"""How often, how many, how long: ways in are limited as passwords are. Over real HTTP, on a real database."""

import asyncio
from functools import partial
from typing import Any

import pytest
from atoll.database.connection import connect
from atoll.database.locks import JUDGING
from atoll.identity import registration
from atoll.identity.tokens import new_token
from atoll.ways_in import arriving
from sqlalchemy import text
from starlette.responses import JSONResponse

from tests.providers.openid import OpenIdServer
from tests.providers.wechat import WeChatServer
from tests.unit.platform.browsers import Browser, a_browser, has_account, of
from tests.unit.platform.conftest import PASSWORD, RunningPlatform
from tests.unit.platform.people import told

TOO_MANY = (429, "too_many_attempts")


async def refused_tokens(platform: RunningPlatform, provider: OpenIdServer, address: str, times: int) -> None:
    """Somebody at `address` comes back with what is not believed."""
    provider.changed["nonce"] = "another"
    browser = a_browser(platform, **{"X-Forwarded-For": address})
    for _ in range(times):
        assert told(await browser.through("ada"))[:2] == (403, "provider_not_believed")
    provider.changed.clear()


async def failed(portal: RunningPlatform, key: str, times: int) -> None:
    """So many failures are counted under that key."""
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        query = "INSERT INTO sign_in_failures (key, at) SELECT :key, now() FROM generate_series(1, :times)"
        await connection.execute(text(query), {"key": key, "times": times})
    await database.dispose()


async def test_what_is_not_believed_counts_for_its_address_and_apart_from_wrong_passwords(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    await has_account(portal)
    here, there = {"X-Forwarded-For": "198.51.100.7"}, {"X-Forwarded-For": "198.51.100.8"}
    await refused_tokens(portal, provider, here["X-Forwarded-For"], 30)
    wrong = await portal.anonymous(**here).post("/session", json={"name": "admin", "password": "a wild guess"})
    assert wrong.status_code == 401, "who comes by a provider keeps out who has a password"
    assert told(await a_browser(portal, **here).through("ada"))[:2] == TOO_MANY, "codes are tried without end"
    await failed(portal, "address:198.51.100.8", 30)
    wrong = await portal.anonymous(**there).post("/session", json={"name": "admin", "password": "a wild guess"})
    assert told(wrong)[:2] == TOO_MANY
    came = await a_browser(portal, **there).through("ada")
    assert came.json()["outcome"] == "signed_in", "who types passwords keeps out who has none"


async def known(portal: RunningPlatform) -> Browser:
    """The browser of somebody with rights who signed in with it by a provider, and is signed out."""
    ada = await portal.user(await portal.admin(), "ada")
    browser = of(ada, portal)
    body = {"password": PASSWORD}
    came = await browser.sign_in_there(await browser.begin("microsoft", "/session/ways/{way}/link", body), "ada")
    assert (await browser.come_back(came)).json()["outcome"] == "linked"
    assert (await browser.api.delete("/session")).is_success
    return browser


async def test_strangers_behind_one_address_keep_out_nobody_whose_device_is_known(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    browser = await known(portal)
    await failed(portal, "ways:127.0.0.1", 30)
    assert told(await a_browser(portal).through("ada"))[:2] == TOO_MANY
    came = await browser.through("ada")
    assert told(came)[:2] == (201, ""), "strangers keep out who signed in there before"
    provider.changed["nonce"] = "another"
    refused = [told(await browser.through("ada"))[:2] for _ in range(6)]
    assert refused == [(403, "provider_not_believed")] * 5 + [TOO_MANY], "a known device guesses without end"


async def test_strangers_behind_one_address_end_nothing_that_was_begun_on_a_known_device(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arriving, "MOST_OPEN_OF_SITE", 1)
    browser = await known(portal)
    came = await browser.sign_in_there(await browser.begin(), "ada")
    await a_browser(portal).begin()
    assert told(await browser.come_back(came))[:2] == (201, ""), "strangers end what was begun there"


async def test_what_a_provider_does_wrong_itself_counts_for_nobody(
    portal: RunningPlatform, provider: OpenIdServer, wechat: WeChatServer
) -> None:
    browser = a_browser(portal)

    async def tries(way: str, *answers: dict[str, Any], at: str) -> None:
        told_instead = provider.answers if way == "microsoft" else wechat.answers
        for answer in answers:
            told_instead[at] = partial(JSONResponse, answer, answer.pop("status", 200))
            assert told(await browser.through("ada", way))[:2] == (403, "provider_not_believed"), answer
        told_instead.clear()

    busy = {"status": 429, "error": "temporarily_unavailable"}
    await tries("microsoft", {"status": 401, "error": "invalid_client"}, busy, {"id_token": "x"}, at="/token")
    for errcode in (-1, 40013, 40125, 45011):
        await tries("wechat", {"errcode": errcode}, at="/sns/oauth2/access_token")
    await tries("wechat", {"openid": "o-eve"}, at="/sns/userinfo")
    provider.rotate()
    await tries("microsoft", {"keys": []}, at="/keys")
    assert await counted(portal) == 0, "who comes is to blame for what a provider does wrong"
    came = await browser.sign_in_there(await browser.begin(), "ada")
    assert told(await browser.come_back({**came, "code": "guessed"}))[:2] == (403, "provider_not_believed")
    assert await counted(portal) == 1, "codes are guessed for nothing"
    for _ in range(2):
        came = await browser.sign_in_there(await browser.begin("wechat"), "ada", "wechat")
        wechat.used.add(came["code"])
        assert not (await browser.come_back(came, "wechat")).is_success
    assert await counted(portal) == 3


async def counted(portal: RunningPlatform) -> int:
    """How many failures there were."""
    database = connect(portal.configuration, pool_size=1)
    async with database.connect() as connection:
        found = await connection.scalar(text("SELECT count(*) FROM sign_in_failures WHERE key NOT LIKE 'succeeded:%'"))
    await database.dispose()
    return int(found)


async def test_failed_ones_stand_in_the_audit_by_their_way(portal: RunningPlatform, provider: OpenIdServer) -> None:
    await refused_tokens(portal, provider, "198.51.100.7", 3)
    admin = await portal.admin()
    items = (await admin.get("/audit", params={"action": "session.create"})).json()["items"]
    failed = [each for each in items if each["outcome"] == "failed"]
    assert {(each["address"], each["details"]["way"]) for each in failed} == {("198.51.100.7", "microsoft")}
    assert sum(each["details"]["times"] for each in failed) == 3
    assert len(failed) < 3, "one per minute, and the minute may have turned"


async def test_failures_of_one_way_hide_none_of_another_in_the_audit(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    here = {"X-Forwarded-For": "198.51.100.7"}
    await refused_tokens(portal, provider, here["X-Forwarded-For"], 1)
    browser = a_browser(portal, **here)
    came = await browser.sign_in_there(await browser.begin("wechat"), "ada", "wechat")
    assert not (await browser.come_back({**came, "code": "guessed"}, "wechat")).is_success
    wrong = {"name": "nobody-here", "password": "a wild guess"}
    assert (await portal.anonymous(**here).post("/session", json=wrong)).status_code == 401
    items = (await (await portal.admin()).get("/audit", params={"action": "session.create"})).json()["items"]
    ways = sorted(each["details"].get("way", "") for each in items if each["outcome"] == "failed")
    assert ways == ["", "microsoft", "wechat"]


async def test_of_many_codes_at_once_no_more_are_shown_to_a_provider_than_of_codes_in_a_row(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    here = {"X-Forwarded-For": "198.51.100.7"}
    browsers = [a_browser(portal, **here) for _ in range(16)]
    came = [await each.sign_in_there(await each.begin(), "ada") | {"code": "a wild guess"} for each in browsers]
    await failed(portal, "ways:198.51.100.7", 27)
    answers = await asyncio.gather(*(each.come_back(one) for each, one in zip(browsers, came, strict=True)))
    # Three are left, and beside the last of them as many as are asked for at a time.
    assert 3 <= provider.asked.count("/token") <= 6, "codes are guessed at once without end"
    assert {told(answer)[:2] for answer in answers} == {(403, "provider_not_believed"), TOO_MANY}


SITE = {1: "2001:db8:0:1::1", 2: "2001:db8:0:2::1"}


async def test_of_one_site_so_many_ways_are_open_and_the_oldest_goes_first(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(arriving, "MOST_OPEN_OF_SITE", 2)
    elsewhere = a_browser(portal, **{"X-Forwarded-For": "2001:db8:1::1"})
    theirs = await elsewhere.sign_in_there(await elsewhere.begin(), "eve")
    ways = []
    for number in (1, 2, 1):
        browser = a_browser(portal, **{"X-Forwarded-For": SITE[number]})
        ways.append((browser, await browser.sign_in_there(await browser.begin(), "ada")))
    said = [told(await browser.come_back(came))[:2] for browser, came in ways]
    assert said[0] == (403, "way_ended"), "one site has as many ways open as it likes"
    assert said[1:] == [(201, ""), (201, "")], "the newest go first"
    assert (await elsewhere.come_back(theirs)).is_success, "a site ends the ways of another one"


async def test_ways_that_are_open_elsewhere_shut_nobody_out(portal: RunningPlatform) -> None:
    database = connect(portal.configuration, pool_size=1)
    many = (
        "INSERT INTO way_in_flows (state_hash, browser_hash, way, nonce, verifier, proves, site, begun_at, expires_at)"
        " SELECT n, 'b', 'microsoft', 'n', 'v', false, '198.51.' || n % 200 || '.' || n / 200, now(),"
        " now() + interval '10 minutes' FROM generate_series(1, 10000) n"
    )
    async with database.begin() as connection:
        await connection.execute(text(many))
    begun = await a_browser(portal).api.post("/session/ways/microsoft/start")
    assert told(begun)[:2] == (201, ""), "ways that are open elsewhere shut everybody out"
    async with database.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM way_in_flows")) == 10001
    await database.dispose()


async def test_ways_that_were_left_are_forgotten(portal: RunningPlatform) -> None:
    await a_browser(portal).begin()
    other = a_browser(portal, **{"X-Forwarded-For": "198.51.100.7"})
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE way_in_flows SET expires_at = now() - interval '1 second'"))
    await other.begin()
    async with database.connect() as connection:
        assert await connection.scalar(text("SELECT count(*) FROM way_in_flows")) == 1, "what is over stays for ever"
    await database.dispose()


async def test_accounts_by_a_provider_and_by_a_password_have_the_same_limit_of_an_address(
    portal: RunningPlatform,
) -> None:
    here = {"X-Forwarded-For": "198.51.100.7"}
    browser = a_browser(portal, **here)
    assert (await browser.through("ada")).json()["outcome"] == "unknown"
    # That a name was proposed is the first of ten.
    for _ in range((registration.MOST_OF_ADDRESS - 1) // 2):
        assert told(await browser.make("admin")) == (409, "name_taken", {"name": "name_taken"})
        taken = {"name": "admin", "nickname": "A", "password": "x" * 12}
        assert (await browser.api.post("/registrations", json=taken)).status_code == 409
    assert told(await browser.make("admin"))[:2] == (409, "name_taken")
    assert told(await browser.make("ada"))[:2] == TOO_MANY, "names can be asked for without end"


@pytest.mark.parametrize("who", ["who never came back", "who asks too often"])
async def test_no_account_waits_to_be_judged_of_who_may_make_none(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch, who: str
) -> None:
    browser = a_browser(portal)
    if who == "who asks too often":
        assert (await browser.through("ada")).json()["outcome"] == "unknown"
        monkeypatch.setattr(registration, "MOST_OF_ADDRESS", 1)
    else:
        browser.api.cookies.set("atoll_session_way", new_token())
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text(f"SELECT pg_advisory_xact_lock({JUDGING})"))
        making = asyncio.ensure_future(browser.make("ada"))
        answered, _ = await asyncio.wait({making}, timeout=5)
    await database.dispose()
    answer = await making
    assert answered, "strangers are in the way of who signs in"
    assert told(answer)[:2] == (TOO_MANY if who == "who asks too often" else (403, "way_ended"))


async def test_names_that_are_proposed_count_as_names_that_are_asked_for(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(registration, "MOST_OF_ADDRESS", 2)
    for _ in range(2):
        assert (await a_browser(portal).through("ada")).json()["outcome"] == "unknown"
    assert told(await a_browser(portal).through("ada"))[:2] == TOO_MANY, "names are proposed without end"
    there = a_browser(portal, **{"X-Forwarded-For": "198.51.100.8"})
    assert (await there.through("ada")).json()["outcome"] == "unknown"


async def test_a_name_that_is_taken_leaves_the_choice_of_another_one(portal: RunningPlatform) -> None:
    browser = a_browser(portal)
    await browser.through("ada")
    assert told(await browser.make("admin")) == (409, "name_taken", {"name": "name_taken"})
    for name, code in (("Ada", "string_pattern_mismatch"), ("a", "string_too_short")):
        assert told(await browser.make(name))[2] == {"name": code}
    assert (await browser.make("ada")).status_code == 201


async def test_so_many_sign_in_to_one_account(portal: RunningPlatform) -> None:
    browser = await has_account(portal)
    await failed(portal, "succeeded:ada", 239)
    assert told(await browser.through("ada"))[:2] == TOO_MANY


async def test_two_who_make_an_account_of_one_person_at_once_make_one(portal: RunningPlatform) -> None:
    first, second = a_browser(portal), a_browser(portal)
    for browser in (first, second):
        assert (await browser.through("ada")).json()["outcome"] == "unknown"
    answers = await asyncio.gather(first.make("ada"), second.make("ada-too"))
    assert sorted(told(answer)[:2] for answer in answers) == [(201, ""), (409, "linked_elsewhere")]
    admin = await portal.admin()
    people: list[dict[str, Any]] = (await admin.get("/users")).json()["items"]
    assert len(people) == 2, "of one person two accounts were made"


class TestFewMayWait:
    """Where few accounts may wait for their rights."""

    @pytest.fixture
    def different(self, different: dict[str, Any]) -> dict[str, Any]:
        """One may."""
        return different | {"registration": {"most_waiting": 1}}

    async def test_who_comes_by_a_provider_waits_as_others_do(self, portal: RunningPlatform) -> None:
        await has_account(portal)
        late = a_browser(portal)
        assert (await late.through("eve")).json()["outcome"] == "unknown"
        assert told(await late.make("eve"))[:2] == (409, "too_many_waiting")
        assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in"


class TestNobodyRegisters:
    """Where nobody makes an account for themselves."""

    @pytest.fixture
    def different(self, different: dict[str, Any]) -> dict[str, Any]:
        """Closed."""
        return different | {"web": {"origin": "http://portal.test", "secure_cookies": False, "registration": False}}

    async def test_who_is_unknown_makes_no_account_where_nobody_does(self, portal: RunningPlatform) -> None:
        browser = a_browser(portal)
        assert told(await browser.through("ada"))[:2] == (403, "not_linked")
        assert told(await browser.make("ada"))[:2] == (403, "registration_closed")
        admin = await portal.admin()
        assert [each["name"] for each in (await admin.get("/users")).json()["items"]] == ["admin"]
