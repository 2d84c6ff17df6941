"""Who registered and was given nothing is a stranger, with as many accounts as may be. On a real database."""

import asyncio
import time
from typing import Any

import pytest
from atoll.identity import passwords, registration
from atoll.identity.passwords import Line

from tests.unit.platform.browsers import different, provider, wechat  # noqa: F401 - the portal has ways to link
from tests.unit.platform.conftest import PASSWORD, RunningPlatform, eventually
from tests.unit.platform.people import registered


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/session/password", {"current_password": PASSWORD, "new_password": "another-" + PASSWORD}),
        ("/session/ways/microsoft/link", {"password": PASSWORD}),
    ],
)
async def test_accounts_without_rights_keep_nobody_else_from_signing_in(
    portal: RunningPlatform, monkeypatch: pytest.MonkeyPatch, path: str, body: dict[str, Any]
) -> None:
    monkeypatch.setattr(registration, "MOST_OF_ADDRESS", 30)
    monkeypatch.setattr(passwords, "PLACES", dict.fromkeys(Line, 8))
    admin = await portal.admin()
    strangers = [await registered(portal, f"stranger-{n}") for n in range(24)]
    real = passwords._verified

    def verified(*given: str) -> tuple[bool, str | None]:
        time.sleep(0.1)  # about what argon2id takes in earnest
        return real(*given)

    monkeypatch.setattr(passwords, "_verified", verified)
    asking = [asyncio.ensure_future(each.post(path, body)) for each in strangers for _ in range(2)]

    async def crowded() -> bool:
        return any(each.done() for each in asking)

    await eventually(crowded)
    try:
        # With the cookie of the device on which `admin` signed in before.
        answers = [
            (await admin.post("/session", {"name": "admin", "password": PASSWORD})).status_code for _ in range(3)
        ]
    finally:
        await asyncio.gather(*asking, return_exceptions=True)
    assert 503 not in answers, "strangers with accounts have all places"
