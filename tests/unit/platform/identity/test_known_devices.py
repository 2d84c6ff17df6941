"""Who guesses passwords from elsewhere locks nobody out of a device that signed in before. On a real database."""

import statistics
import time
from collections.abc import Iterable
from datetime import timedelta

import httpx
import pytest
from atoll.database.base import now
from atoll.database.connection import Sessions, connect, sessions
from atoll.identity.models import SignInAttemptRow
from atoll.identity.repository import IdentityRepository
from atoll.identity.service import WINDOW

from tests.unit.platform.conftest import PASSWORD, Client, RunningPlatform
from tests.unit.platform.people import id_of
from tests.unit.platform.rows import a_caller

GUESS = "a wild guess"
WRONG = 401
LIMITED = 429
COOKIE = "atoll_session_device"


async def guess(http: httpx.AsyncClient, name: str, password: str = GUESS) -> int:
    return (await http.post("/session", json={"name": name, "password": password})).status_code


async def stranger(platform: RunningPlatform, number: int) -> httpx.AsyncClient:
    """Somebody at another address; uvicorn believes the gateway, which is loopback here."""
    return platform.anonymous(**{"X-Forwarded-For": f"198.51.100.{number}"})


async def write_down(platform: RunningPlatform, name: str, numbers: Iterable[int]) -> None:
    """Five guesses each of that name, at the addresses of these numbers."""
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session, session.begin():
        for number in numbers:
            keys = (f"pair:{name}@198.51.100.{number}", f"address:198.51.100.{number}", f"name:{name}")
            session.add_all(SignInAttemptRow(key=key) for key in keys for _ in range(5))
    await database.dispose()


async def lock(platform: RunningPlatform, name: str, *, addresses: int = 1) -> None:
    """Guess until a stranger is refused from everywhere; guesses but those of `addresses` are written down only."""
    for number in range(1, addresses + 1):
        http = await stranger(platform, number)
        for _ in range(5):
            assert await guess(http, name) == WRONG
    await write_down(platform, name, range(addresses + 1, 61))
    assert await guess(await stranger(platform, 99), name, PASSWORD) == LIMITED


async def again(platform: RunningPlatform, client: Client) -> httpx.AsyncClient:
    """The browser of `client`, signed out."""
    http = platform.anonymous()
    for cookie in client.http.cookies.jar:
        if cookie.name == COOKIE:
            http.cookies.jar.set_cookie(cookie)
    return http


async def test_guesses_from_twelve_addresses_do_not_lock_out_a_device_that_signed_in_before(
    platform: RunningPlatform,
) -> None:
    ada = await platform.user(await platform.admin(), "ada")
    await lock(platform, "ada", addresses=12)
    http = await again(platform, ada)
    assert await guess(http, "ada", PASSWORD) == 201
    changed = {"current_password": PASSWORD, "new_password": PASSWORD + "-2"}
    assert (await http.post("/session/password", json=changed)).status_code == 200


async def test_a_known_device_is_one_of_its_own_user_only(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada, eve = await platform.user(admin, "ada"), await platform.user(admin, "eve")
    await lock(platform, "ada")
    assert await guess(await again(platform, eve), "ada", PASSWORD) == LIMITED
    forged = platform.anonymous()
    forged.cookies.set(COOKIE, "forged", path="/api/v1/session")
    assert await guess(forged, "ada", PASSWORD) == LIMITED
    assert await guess(await again(platform, ada), "ada", PASSWORD) == 201


async def test_a_known_device_may_not_guess_without_limit_either(platform: RunningPlatform) -> None:
    ada = await platform.user(await platform.admin(), "ada")
    await lock(platform, "ada")
    http = await again(platform, ada)
    assert [await guess(http, "ada") for _ in range(6)] == [WRONG] * 5 + [LIMITED]
    assert await guess(http, "ada", PASSWORD) == LIMITED


async def test_who_shares_a_browser_gets_no_further_guesses_by_signing_in_as_themselves(
    platform: RunningPlatform,
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    await platform.user(admin, "eve")
    http = await again(platform, ada)
    assert await guess(http, "eve", PASSWORD) == 201
    await lock(platform, "ada")
    for _ in range(5):
        assert await guess(http, "ada") == WRONG
    assert await guess(http, "eve", PASSWORD) == 201
    assert await guess(http, "ada", PASSWORD) == LIMITED


async def test_who_had_an_account_before_its_password_was_reset_guesses_at_the_new_one_as_a_stranger(
    platform: RunningPlatform,
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    thief = await again(platform, ada)
    assert (await admin.post(f"/users/{await id_of(ada)}/reset-password")).is_success
    await write_down(platform, "ada", range(1, 61))
    assert await guess(thief, "ada") == LIMITED, "the device of a thief is known for ever"


async def test_wrong_passwords_from_a_device_of_before_a_reset_count_for_its_address(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    thief = await again(platform, ada)
    thief.headers["X-Forwarded-For"] = "198.51.100.7"
    assert (await admin.post(f"/users/{await id_of(ada)}/reset-password")).is_success
    assert await guess(thief, "ada") == WRONG
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session:
        counted = await IdentityRepository(session).attempts("address:198.51.100.7", WINDOW)
    await database.dispose()
    assert counted == 1


async def test_two_people_of_one_browser_are_both_known_there(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    await platform.user(admin, "eve")
    http = await again(platform, ada)
    first = str(http.cookies[COOKIE])
    assert await guess(http, "eve", PASSWORD) == 201
    assert http.cookies[COOKIE] != first, "a cookie that somebody planted would be known"
    await lock(platform, "ada")
    await http.delete("/session")
    assert await guess(http, "ada", PASSWORD) == 201


async def test_of_many_devices_of_a_user_the_latest_are_known(stored: Sessions) -> None:
    ends = now() + timedelta(days=1)
    async with stored() as session, session.begin():
        ada = await a_caller(session, "ada")
        repository = IdentityRepository(session)
        for number in range(4):
            await repository.know_device(ada.id, f"device-{number}", None, ends, 3)
        known = [number for number in range(4) if await repository.known_device(f"device-{number}", "ada")]
        assert known == [1, 2, 3], "the latest device is a stranger"
        await repository.know_device(ada.id, "device-4", None, now() - timedelta(seconds=1), 3)
        assert await repository.known_device("device-4", "ada") is None, "a device is known for longer than it should"


async def test_the_cookie_of_a_device_is_out_of_reach_and_opens_nothing(platform: RunningPlatform) -> None:
    await platform.admin()
    answer = await platform.anonymous().post("/session", json={"name": "admin", "password": PASSWORD})
    (cookie,) = [line for line in answer.headers.get_list("set-cookie") if line.startswith(COOKIE + "=")]
    for word in ("HttpOnly", "SameSite=strict", "Path=/api/v1/session"):
        assert word in cookie
    only = platform.anonymous()
    only.cookies.set(COOKIE, cookie.split("=", 1)[1].split(";")[0], path="/api/v1/session")
    assert (await only.get("/session")).status_code == 401


@pytest.mark.usefixtures("costly_passwords")
async def test_neither_the_answer_nor_its_time_tells_whether_a_name_exists(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    seen = []
    # What else the machine does makes guesses slow; who tells names apart does so however often one looks.
    for look in range(4):
        await platform.user(admin, f"ada-{look}")
        took = await _guessed(platform, look, f"ada-{look}", f"nobody-{look}")
        seen.append(took)
        if 0.5 < statistics.median(took[0]) / statistics.median(took[1]) < 2:
            return
    pytest.fail(f"a name is told apart by the time of its answer, in seconds: {seen}")


async def _guessed(platform: RunningPlatform, look: int, *names: str) -> list[list[float]]:
    """How long each of five guesses of each name took, in seconds; what is said must be the same."""
    said: dict[str, dict[str, object]] = {}
    took: dict[str, list[float]] = {name: [] for name in names}
    for number in range(1, 6):
        for name, times in took.items():
            http = await stranger(platform, 10 * look + number)
            began = time.perf_counter()
            answer = await http.post("/session", json={"name": name, "password": GUESS})
            times.append(time.perf_counter() - began)
            said[name] = {**answer.json(), "request_id": "", "instance": "", "status": answer.status_code}
    first, *others = said.values()
    assert others == [first] * len(others)
    return [*took.values()]
