"""People sign in by Microsoft: browser, portal and provider over real HTTP, on a real database."""

from tests.providers.openid import OpenIdServer, plain
from tests.unit.platform.browsers import a_browser
from tests.unit.platform.conftest import PASSWORD, RunningPlatform
from tests.unit.platform.people import audited, told


async def test_somebody_signs_in_by_microsoft(portal: RunningPlatform) -> None:
    browser = a_browser(portal)
    assert (await browser.api.get("/about")).json()["ways_in"] == ["microsoft", "wechat"]
    unknown = (await browser.through("ada")).json()
    assert (unknown["outcome"], unknown["session"]) == ("unknown", None)
    assert (await browser.make("ada")).status_code == 201
    again = a_browser(portal)
    came = await again.through("ada")
    assert came.json()["outcome"] == "signed_in"
    assert came.json()["session"]["user"]["name"] == "ada"
    assert await again.who() == "ada"
    assert (await again.api.delete("/session")).is_success
    assert await again.who() is None


async def test_a_way_is_three_requests_of_whoever_comes(portal: RunningPlatform) -> None:
    browser, way = a_browser(portal), "microsoft"
    begun = await browser.api.post(f"/session/ways/{way}/start")
    assert begun.status_code == 201, begun.text
    came = await browser.sign_in_there(begun.json()["address"], "ada")
    back = await browser.api.post(f"/session/ways/{way}", json={"state": came["state"], "code": came["code"]})
    assert (back.status_code, back.json()["outcome"]) == (201, "unknown")
    made = await browser.api.post(f"/session/ways/{way}/account", json={"name": "ada", "nickname": "Ada"})
    assert (made.status_code, await browser.who()) == (201, "ada")


async def test_who_is_unknown_makes_an_account_that_may_do_nothing(portal: RunningPlatform) -> None:
    browser = a_browser(portal)
    offered = (await browser.through("ada")).json()["account"]
    assert offered == {"name": "ada-lovelace", "nickname": "Ada Lovelace", "label": "ada.lovelace@example.com"}
    assert await browser.who() is None, "somebody is signed in before there is an account"
    made = await browser.make(offered["name"], offered["nickname"])
    assert made.status_code == 201, made.text
    session = (await browser.api.get("/session")).json()
    assert (session["user"]["name"], session["user"]["nickname"]) == ("ada-lovelace", "Ada Lovelace")
    assert (session["permissions"], session["virtual_clusters"], session["must_change_password"]) == ([], [], False)
    admin = await portal.admin()
    waiting = (await admin.get("/users", params={"waiting": True})).json()["items"]
    assert [each["name"] for each in waiting] == ["ada-lovelace"]
    assert ("user.register", "ada-lovelace", {"way": "microsoft"}) in await audited(admin, "user")


async def test_no_password_opens_an_account_that_has_none(portal: RunningPlatform) -> None:
    browser = a_browser(portal)
    await browser.through("ada")
    await browser.make("ada")
    for guess in (PASSWORD, "x", " "):
        refused = await portal.anonymous().post("/session", json={"name": "ada", "password": guess})
        assert told(refused)[:2] == (401, "wrong_credentials")
    changed = {"current_password": "x", "new_password": PASSWORD}
    assert told(await browser.api.post("/session/password", json=changed))[:2] == (409, "no_password")


async def test_a_new_key_of_the_provider_is_believed_and_one_of_before_is_not(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    browser = a_browser(portal)
    await browser.through("ada")
    await browser.make("ada")
    old = provider.keys[0]
    provider.rotate()
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in", "keys are asked for once"
    provider.signed = lambda header, claims, _: plain({**header, "kid": old.kid}, claims, old)
    refused = await a_browser(portal).through("ada")
    assert told(refused)[:2] == (403, "provider_not_believed"), "a key that the provider took back is believed"
