"""One provider takes connections and says nothing; the other one is there, and who goes to it is held up by nobody."""

import asyncio
from typing import Any

import pytest
from atoll.ways_in import asking

from tests.unit.platform.browsers import a_browser
from tests.unit.platform.conftest import RunningPlatform

START = "/session/ways/microsoft/start"


@pytest.fixture
def different(different: dict[str, Any], silent: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Waited for for so long that who is held up by it is seen."""
    monkeypatch.setattr(asking, "WAIT_S", 10.0)
    ways = different["ways_in"]
    return {"ways_in": ways | {"microsoft": ways["microsoft"] | {"issuer": f"http://127.0.0.1:{silent}"}}}


@pytest.mark.parametrize("addresses", [1, 5], ids=["of one address", "all connections"])
async def test_it_holds_nobody_up_who_goes_the_other_way(portal: RunningPlatform, addresses: int) -> None:
    crowd = [
        asyncio.ensure_future(portal.anonymous(**{"X-Forwarded-For": f"198.51.100.{number}"}).post(START))
        for number in range(addresses)
        for _ in range(20 // addresses)
    ]
    await asyncio.sleep(1)  # all are there
    browser = a_browser(portal, **{"X-Forwarded-For": "198.51.100.0"})
    try:
        answer = await browser.api.post("/session/ways/wechat/start")
        assert answer.status_code == 201, f"one that is silent holds up the other one: {answer.text}"
        came = await browser.sign_in_there(answer.json()["address"], "ada", "wechat")
        answer = await browser.come_back(came, "wechat")
        assert answer.is_success, f"one that is silent holds up the other one: {answer.text}"
        assert not all(each.done() for each in crowd), "nobody was held up at all"
    finally:
        for each in crowd:
            each.cancel()
        await asyncio.gather(*crowd, return_exceptions=True)
