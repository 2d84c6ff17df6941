"""An installation where nobody makes an account for themselves."""

from typing import Any

import pytest

from tests.unit.platform.conftest import PASSWORD, RunningPlatform
from tests.unit.platform.people import told


@pytest.fixture
def different() -> dict[str, Any]:
    """Closed."""
    return {"web": {"origin": "http://portal.test", "secure_cookies": False, "registration": False}}


async def test_where_registration_is_closed_nobody_registers_and_the_portal_knows(portal: RunningPlatform) -> None:
    http = portal.anonymous()
    assert (await http.get("/about")).json()["registration"] is False
    wanted = {"name": "ada", "nickname": "Ada", "password": PASSWORD}
    refused = await http.post("/registrations", json=wanted)
    assert told(refused)[:2] == (403, "registration_closed"), "somebody registered where nobody may"
    admin = await portal.admin()
    assert [item["name"] for item in (await admin.get("/users")).json()["items"]] == ["admin"]
