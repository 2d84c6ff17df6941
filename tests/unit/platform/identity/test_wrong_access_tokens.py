"""Wrong access tokens are all told alike, and whoever keeps showing some holds up nobody. On a real database."""

import asyncio
from typing import Any

import httpx
import pytest
from atoll.database.connection import connect
from atoll.identity.access_tokens import wrong
from atoll.identity.access_tokens.wrong import MOST, WINDOW_S, WrongTokens
from atoll.identity.codes import TooManyAttempts, WrongToken
from atoll.identity.tokens import new_access_token
from sqlalchemy import text

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import told
from tests.unit.platform.programs import Program, by, program_of

HERE = {"X-Forwarded-For": "198.51.100.1"}
ELSEWHERE = {"X-Forwarded-For": "198.51.100.2"}


@pytest.fixture
def different() -> dict[str, Any]:
    return {"access_tokens": {"most_per_user": 3}}


def at(platform: RunningPlatform, program: Program, address: dict[str, str]) -> httpx.AsyncClient:
    return by(platform, f"Bearer {program.token}", **address)


async def test_whatever_is_wrong_with_a_token_is_told_alike(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    ended, over, of_disabled = [await program_of(portal, ada, "tasks:read") for _ in range(3)]
    right = await program_of(portal, admin, "tasks:read")
    for program in (ended, over, of_disabled):  # the API has known them
        assert (await program.get("/tasks")).status_code == 200
    assert (await ada.delete(f"/access-tokens/{ended.id}")).status_code == 204
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        query = text("UPDATE access_tokens SET expires_at = now() WHERE id = :id")
        await connection.execute(query, {"id": over.id})
    answers = [await program.get("/tasks") for program in (ended, over)]
    async with database.begin() as connection:
        await connection.execute(text("UPDATE users SET active = false WHERE name = 'ada'"))
    await database.dispose()
    answers.append(await of_disabled.get("/tasks"))
    cookie = str(admin.http.cookies["atoll_session"])
    another_end = "1" if right.token[-1] == "0" else "0"
    for other in (new_access_token(), right.token[:-1] + another_end, right.token + "0", "atoll_", cookie):
        answers.append(await by(portal, f"Bearer {other}").get("/tasks"))
    said = [{**answer.json(), "request_id": ""} for answer in answers]
    assert [answer.status_code for answer in answers] == [401] * 8
    assert said[0]["code"] == "wrong_token"
    assert all(each == said[0] for each in said)
    assert {answer.headers["WWW-Authenticate"] for answer in answers} == {'Bearer realm="atoll", error="invalid_token"'}
    assert (await right.get("/tasks")).status_code == 200


async def test_who_keeps_showing_wrong_tokens_is_told_to_wait_and_nobody_else_is_kept_out(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wrong, "MOST", 5)
    admin = await portal.admin()
    right = await program_of(portal, admin, "tasks:read")
    here = [by(portal, f"Bearer {new_access_token()}", **HERE) for _ in range(7)]
    answers = [await http.get("/tasks") for http in here]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [401] * 5 + [429] * 2, "who shows wrong tokens is not told to wait"
    refused = answers[-1]
    assert told(refused)[:2] == (429, "too_many_attempts")
    assert 0 < int(refused.headers["Retry-After"]) <= WINDOW_S
    assert (await by(portal, "Bearer atoll_cut-off", **HERE).get("/tasks")).status_code == 429
    assert (await at(portal, right, HERE).get("/tasks")).status_code == 200, "others at the address are locked out"
    new = await program_of(portal, admin, "tasks:read")
    assert (await at(portal, new, HERE).get("/tasks")).status_code == 200, "it was not known to the API before"
    wrong_one = by(portal, f"Bearer {new_access_token()}", **ELSEWHERE)
    assert (await wrong_one.get("/tasks")).status_code == 401
    assert (await admin.get("/tasks", headers=HERE)).status_code == 200
    signed = {"name": "admin", "password": "a wild guess"}
    assert (await portal.anonymous(**HERE).post("/session", json=signed)).status_code == 401


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    class Clock:
        now = 1000.0

        def monotonic(self) -> float:
            return self.now

    made = Clock()
    monkeypatch.setattr(wrong, "time", made)
    return made


def test_wrong_tokens_of_an_address_count_for_some_minutes(clock: Any) -> None:
    limit = WrongTokens()
    kinds = [type(limit.refusal("192.0.2.1").problem) for _ in range(MOST + 1)]
    assert kinds == [WrongToken] * MOST + [TooManyAttempts]
    assert type(limit.refusal("192.0.2.2").problem) is WrongToken
    clock.now += WINDOW_S - 0.5
    late = limit.refusal("192.0.2.1")
    assert (type(late.problem), late.headers["Retry-After"]) == (TooManyAttempts, "1")
    assert late.problem.params == {"minutes": 1}
    clock.now += 0.5
    assert type(limit.refusal("192.0.2.1").problem) is WrongToken
    early = [limit.refusal("192.0.2.1") for _ in range(MOST)][-1]
    assert (early.headers["Retry-After"], early.problem.params) == ("300", {"minutes": 5})


def test_a_machine_has_one_count_however_many_addresses_of_ipv6_it_takes() -> None:
    limit = WrongTokens()
    kinds = [type(limit.refusal(f"2001:db8:1:1::{number:x}").problem) for number in range(MOST + 1)]
    assert kinds[-1] is TooManyAttempts
    assert type(limit.refusal("2001:db8:1:2::1").problem) is WrongToken


def test_of_many_addresses_those_that_were_quiet_for_longest_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wrong, "MOST_ADDRESSES", 2)
    monkeypatch.setattr(wrong, "MOST", 1)
    limit = WrongTokens()
    for address in ("192.0.2.1", "192.0.2.2", "192.0.2.1", "192.0.2.3"):
        limit.refusal(address)
    assert type(limit.refusal("192.0.2.1").problem) is TooManyAttempts, "the one that was here lately was forgotten"
    assert type(limit.refusal("192.0.2.2").problem) is WrongToken


async def test_of_one_user_there_are_so_many_tokens_also_when_made_at_once(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    body = {"name": "many", "grants": ["tasks:read"], "days": 1}
    assert (await program_of(portal, admin, "tasks:read")).id, "others have their own"
    answers = await asyncio.gather(*(ada.post("/access-tokens", body) for _ in range(5)))
    assert sorted(answer.status_code for answer in answers) == [201] * 3 + [409] * 2
    refused = next(answer for answer in answers if answer.status_code == 409).json()
    assert (refused["code"], refused["params"]) == ("too_many_access_tokens", {"limit": 3})
    first = (await ada.get("/access-tokens")).json()["items"][0]["id"]
    assert (await ada.delete(f"/access-tokens/{first}")).status_code == 204
    assert (await ada.post("/access-tokens", body)).status_code == 201
    assert (await ada.post("/access-tokens", body)).status_code == 409
    database = connect(portal.configuration, pool_size=1)
    async with database.begin() as connection:
        await connection.execute(text("UPDATE access_tokens SET expires_at = now()"))
    await database.dispose()
    assert (await ada.post("/access-tokens", body)).status_code == 201, "those whose time is over count"
