"""What callers are told when something behind the API is away. Needs nothing."""

from __future__ import annotations

from typing import Any

import asyncpg
import httpx
import pytest
from atoll.web import errors
from fastapi import FastAPI
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from tests.unit.platform.conftest import RunningPlatform, training
from tests.unit.platform.people import portal

__all__ = ["portal"]


async def answer(error: Exception) -> httpx.Response:
    app = FastAPI()
    errors.install(app)

    @app.get("/")
    async def fails() -> None:
        raise error

    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://api") as client:
        return await client.get("/")


@pytest.mark.parametrize(
    "error",
    [
        ConnectionRefusedError("nobody listens"),
        OperationalError("select 1", {}, Exception("terminating connection")),
        DBAPIError("select 1", {}, asyncpg.ConnectionDoesNotExistError("gone"), connection_invalidated=True),
        TimeoutError(),  # a command without an answer, as asyncpg says it
        PoolTimeoutError("no free connection"),
        asyncpg.InterfaceError("connection is closed"),  # while it is set up
    ],
)
async def test_a_database_that_is_away_is_a_503_that_says_so(error: Exception) -> None:
    said = await answer(error)
    assert (said.status_code, said.json()["code"]) == (503, "database_unavailable")
    assert said.json()["remedy"]


async def test_a_mistake_in_a_query_stays_an_error_of_the_program() -> None:
    said = await answer(IntegrityError("insert", {}, Exception("duplicate key")))
    assert said.status_code == 500


async def test_odd_characters_are_a_mistake_of_the_request(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    requests: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", "/tasks/a%00b", {}),
        ("GET", "/tasks?virtual_cluster=%00", {}),
        ("GET", "/tasks?cursor=AAAA", {}),
        ("GET", "/users?cursor=AAAA", {}),
        ("GET", "/home/files?path=%00", {}),
        ("GET", "/home/files/content?path=%00", {}),
        ("GET", "/tasks/x/log", {"headers": {"last-event-id": "9" * 5000}}),
        ("POST", "/session", {"json": {"name": "a\0b", "password": "x"}}),
        ("POST", "/users", {"json": {"name": "bob", "password": "a-long-password", "nickname": "\0"}}),
        ("POST", "/trainings", {"json": training(description="a\0b")}),
    ]
    for method, path, more in requests:
        answer = await admin.http.request(method, path, **more)
        assert answer.status_code in (404, 422), (path, answer.text)


@pytest.mark.parametrize("origin", ["http://[", "http://[::1", "[", "http://a]b", "null"])
async def test_an_origin_that_is_none_is_a_foreign_one(portal: RunningPlatform, origin: str) -> None:
    answer = await portal.anonymous(Origin=origin).post("/session", json={"name": "ada", "password": "x" * 12})
    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin"), "it is an error of the program"
    assert answer.json()["remedy"]


async def test_of_a_request_that_is_all_mistakes_a_few_are_told(platform: RunningPlatform) -> None:
    """Everybody waits while they are put into words. Who has no session is read less of."""
    many = {f"k{number}": 1 for number in range(90_000)}
    said = await (await platform.admin()).post("/trainings", many)
    assert (said.status_code, said.json()["code"]) == (422, "invalid_request")
    assert len(said.json()["errors"]) == errors.MOST_MISTAKES
