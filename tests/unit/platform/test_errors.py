"""What callers are told when something behind the API is away. Needs nothing."""

from __future__ import annotations

import asyncpg
import httpx
import pytest
from atoll.web import errors
from fastapi import FastAPI
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError


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
    ],
)
async def test_a_database_that_is_away_is_a_503_that_says_so(error: Exception) -> None:
    said = await answer(error)
    assert (said.status_code, said.json()["code"]) == (503, "database_unavailable")
    assert said.json()["remedy"]


async def test_a_mistake_in_a_query_stays_an_error_of_the_program() -> None:
    said = await answer(IntegrityError("insert", {}, Exception("duplicate key")))
    assert said.status_code == 500
