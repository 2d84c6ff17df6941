"""What the platform makes of refusals by `files`. Needs nothing."""

from typing import Any

import httpx
import pytest
from atoll.homes.client import FilesClient
from atoll.homes.schemas import Owner
from atoll.web.errors import ApiError, NotFound


@pytest.mark.parametrize(
    ("more", "code"),
    [({"params": {"path": "gone"}}, "no_such_file"), ({"params": None}, "files_failed"), ({}, "files_failed")],
)
async def test_a_refusal_is_told_as_declared_and_without_its_parameters_in_its_own_words(
    more: dict[str, Any], code: str
) -> None:
    said = {"code": "no_such_file", "detail": "There is no `gone`.", **more}
    problem = httpx.Response(404, json=said, headers={"Content-Type": "application/problem+json"})
    client = FilesClient("http://files", "token", "/home")
    client._http = httpx.AsyncClient(base_url="http://files", transport=httpx.MockTransport(lambda _: problem))
    with pytest.raises(ApiError) as told:
        await client.ensure_home(Owner(name="ada", uid=30007))
    assert isinstance(told.value, NotFound)
    assert (told.value.code, "`gone`" in told.value.detail) == (code, True)
