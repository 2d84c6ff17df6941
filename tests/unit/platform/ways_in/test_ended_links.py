"""A link that ends takes with it who came by it: their sessions, and access tokens that were made in these."""

from atoll.database.connection import connect
from sqlalchemy import text

from tests.unit.platform.browsers import Browser, a_browser, of
from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import audited, id_of, told
from tests.unit.platform.programs import Program, program_of

LINK = "/session/ways/{way}/link"
CHANGE = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
WRONG = (401, "wrong_token")


async def linked(portal: RunningPlatform, ada: Client, way: str = "microsoft", person: str = "ada") -> Browser:
    """Somebody who came into the account of `ada` by that way, which is linked with it for that."""
    browser = of(ada, portal)
    came = await browser.sign_in_there(await browser.begin(way, LINK, {"password": PASSWORD}), person, way)
    assert (await browser.come_back(came, way)).json()["outcome"] == "linked"
    arrived = a_browser(portal)
    assert (await arrived.through(person, way)).json()["session"]["user"]["name"] == ada.name
    return arrived


async def proven(browser: Browser) -> Browser:
    """Who came by a link showed lately that it is they; the session is of that link still."""
    assert (await browser.api.post("/session/proof", json={"password": PASSWORD})).is_success
    return browser


async def programs(portal: RunningPlatform, *owners: Client | Browser) -> list[Program]:
    """A program of each, by a token that was made in that session."""
    clients = [each if isinstance(each, Client) else Client((await proven(each)).api, "ada") for each in owners]
    return [await program_of(portal, each, "platform") for each in clients]


async def lives(program: Program) -> bool:
    answer = await program.get("/tasks")
    assert answer.is_success or told(answer)[:2] == WRONG, answer.text
    return answer.is_success


async def test_what_was_made_by_a_link_ends_when_an_administrator_ends_that(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    intruder = await linked(portal, ada)
    by_wechat = await linked(portal, ada, "wechat")
    theirs, wechats, own = await programs(portal, intruder, by_wechat, ada)
    assert (await admin.delete(f"/users/{await id_of(ada)}/ways/microsoft")).status_code == 204
    assert await intruder.who() is None, "who came by a link is in after its end"
    assert not await lives(theirs), "a token that was made by a link outlives it"
    assert await lives(wechats), "tokens of another way end, too"
    assert await lives(own), "tokens of who came by the password end, too"
    assert (await by_wechat.who(), (await ada.get("/session")).status_code) == ("ada", 200)
    said = {"way": "microsoft", "sessions": 1, "access_tokens": 1}
    assert ("user.unlink", "ada", said) in await audited(admin, "user")


async def test_who_ends_their_own_link_stays_where_they_sit_and_nobody_else_does(portal: RunningPlatform) -> None:
    ada = await portal.user(await portal.admin(), "ada")
    here = await linked(portal, ada)
    elsewhere = a_browser(portal)
    assert (await elsewhere.through("ada")).json()["outcome"] == "signed_in"
    of_link, of_password = await programs(portal, elsewhere, ada)
    assert (await here.api.delete("/session/ways/microsoft")).status_code == 204
    assert (await here.who(), await elsewhere.who()) == ("ada", None)
    assert (await lives(of_link), await lives(of_password)) == (False, True)


async def test_who_changes_the_password_ends_the_links_where_that_is_wanted(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    intruder = await linked(portal, ada)
    await linked(portal, ada, "wechat")
    theirs, own = await programs(portal, intruder, ada)
    wrong = {**CHANGE, "current_password": "not " + PASSWORD, "end_links": True}
    assert (await ada.post("/session/password", wrong)).status_code == 422
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in"
    assert (await ada.post("/session/password", {**CHANGE, "end_links": True})).status_code == 200
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "unknown", "a link outlives the password"
    assert (await a_browser(portal).through("ada", "wechat")).json()["outcome"] == "unknown"
    assert (await lives(theirs), await lives(own)) == (False, True), "a token outlives the link by which it was made"
    record = (await admin.get("/audit", params={"action": "user.change_password"})).json()["items"][0]
    assert record["details"] == {"ways": ["microsoft", "wechat"], "access_tokens": 1}


async def test_who_linked_an_account_does_not_come_back_after_its_password_was_reset(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    await linked(portal, ada)
    await linked(portal, ada, "wechat")
    given = await admin.post(f"/users/{await id_of(ada)}/reset-password")
    came = [(await a_browser(portal).through("ada", way)).json()["outcome"] for way in ("microsoft", "wechat")]
    assert came == ["unknown", "unknown"], "who linked it first comes back"
    assert given.json()["ways"] == ["microsoft", "wechat"]
    record = (await admin.get("/audit", params={"action": "user.reset_password"})).json()["items"][0]
    assert record["details"]["ways"] == ["microsoft", "wechat"]


async def test_links_outlive_a_password_that_is_reset_where_they_are_to_stay(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    await linked(portal, ada)
    given = await admin.post(f"/users/{await id_of(ada)}/reset-password", {"end_links": False})
    assert given.json()["ways"] == []
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in"


async def test_links_outlive_a_password_that_their_owner_changes_where_nothing_else_is_wanted(
    portal: RunningPlatform,
) -> None:
    ada = await portal.user(await portal.admin(), "ada")
    intruder = await linked(portal, ada)
    (theirs,) = await programs(portal, intruder)
    assert (await ada.post("/session/password", CHANGE)).status_code == 200
    assert await intruder.who() is None
    assert await lives(theirs)
    assert (await a_browser(portal).through("ada")).json()["outcome"] == "signed_in"


async def test_what_was_made_before_that_was_kept_ends_with_any_link(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    await linked(portal, ada)
    (of_before,) = await programs(portal, ada)
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE access_tokens SET way = NULL"))
    await database.dispose()
    assert (await admin.delete(f"/users/{await id_of(ada)}/ways/microsoft")).status_code == 204
    assert not await lives(of_before)
