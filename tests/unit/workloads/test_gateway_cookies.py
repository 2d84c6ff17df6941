"""Cookies that the gateway's nginx and the API could understand differently, through the gateway's own nginx."""

from __future__ import annotations

import pytest
from starlette.requests import Request

from .conftest import Rendered
from .gateway import nginx
from .test_gateway import Stand, burst, session, stand

__all__ = ["nginx", "stand"]


@pytest.mark.parametrize("stand", [("2r/s", "100000r/s")], indirect=True)
@pytest.mark.parametrize(
    "cookies",
    [
        "atoll_session={made_up}; atoll_session={true}",
        "ATOLL_SESSION={made_up}; atoll_session={true}",
        "a=b,atoll_session={made_up}; atoll_session={true}",
        "a=b;\tatoll_session={true}; atoll_session_device={made_up}",
        "atoll_session={true}; atoll_session_device={made_up} a",
        "atoll_session\xa0={true}; atoll_session_device={made_up}",
    ],
    ids=["twice", "in capitals", "behind a comma", "behind a tab", "a device of two words", "before a blank"],
)
def test_a_session_beside_what_is_made_up_has_the_limit_of_one(rendered: Rendered, stand: Stand, cookies: str) -> None:
    """The API finds the same session in all of these."""
    with stand.client() as client:
        shown = [cookies.format(true=session(1), made_up=session(number)) for number in range(2, burst(rendered) + 62)]
        scope = {"type": "http", "headers": [(b"cookie", shown[0].encode("latin-1"))]}
        assert Request(scope).cookies["atoll_session"] == session(1)
        asked = [client.get("/api/things", headers=[(b"Cookie", each.encode("latin-1"))]) for each in shown]
    assert 429 in {answer.status_code for answer in asked}, "by cookies that are made up a session asks without a limit"
