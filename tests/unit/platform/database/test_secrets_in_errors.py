"""What fails is told and logged without what was in it: that may be a secret."""

import traceback
from pathlib import Path

import pytest
from atoll.database.connection import connect
from atoll.engines.specification import TaskSpec
from atoll.identity.schemas import NewPassword
from atoll.web.idempotency import _digest
from atoll.web.schema import Schema
from pydantic import SecretStr, ValidationError
from sqlalchemy import exc, text

from tests.unit.platform.conftest import configuration

SECRET = "hunter2-of-the-test"
SPECIFICATION = {
    "program": {"image": "i", "command": ["a"], "working_directory": "/x"},
    "devices": {"count": 0},
    "limits": {"cpu": "1", "memory": "1Gi"},
    "requests": {"cpu": "1", "memory": "1Gi"},
}


@pytest.mark.parametrize(
    "statement",
    [
        # A program's mistake, a broken rule whose detail is the row, one that the server finds while it runs.
        "INSERT INTO users (id, nowhere) VALUES ('1', :secret)",
        "INSERT INTO users (id, name, password_hash) VALUES ('1', NULL, :secret)",
        "SELECT CAST(:secret AS text), 1 / 0",
    ],
)
async def test_what_the_database_refuses_is_logged_without_its_values(
    tmp_path: Path, postgres: str, database_name: str, statement: str
) -> None:
    engine = connect(configuration(tmp_path, postgres, database_name))
    try:
        with pytest.raises(exc.DBAPIError) as refused:
            async with engine.begin() as connection:
                await connection.execute(text(statement), {"secret": SECRET})
    finally:
        await engine.dispose()
    assert "[SQL: " in str(refused.value)
    logged = "".join(traceback.format_exception(refused.value))
    assert "str() failed" not in logged
    assert SECRET not in logged


@pytest.mark.parametrize(
    "more",
    [
        {"secrets": {"TOKEN": SECRET}, "variables": {"TOKEN": "x"}},
        {"secrets": {"KUBERNETES_X": SECRET}},
        {"secrets": {"1BAD": SECRET}},
        {"secrets": {"A": [SECRET]}},
        {"secret": {"A": SECRET}},
    ],
)
def test_a_specification_that_does_not_fit_is_told_without_its_secrets(more: dict[str, object]) -> None:
    with pytest.raises(ValidationError) as refused:
        TaskSpec.model_validate({**SPECIFICATION, **more})
    assert SECRET not in "".join(traceback.format_exception(refused.value))


class _Request(Schema):
    password: NewPassword
    other: SecretStr = SecretStr("")
    number: int = 1


def test_a_request_that_does_not_fit_is_told_without_its_secrets() -> None:
    with pytest.raises(ValidationError) as refused:
        _Request.model_validate({"passwort": SECRET})
    assert SECRET not in str(refused.value)


def test_requests_that_differ_in_a_secret_alone_are_not_the_same() -> None:
    one, other = (_Request(password=SecretStr(f"{SECRET}-{number}")) for number in range(2))
    assert _digest(one) != _digest(other)
    assert _digest(one) == _digest(one.model_copy())
