"""A provider that does not answer, or answers what is no answer: told in time, and passwords open the portal still."""

import asyncio
import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from atoll.ways_in import asking
from starlette.responses import JSONResponse, RedirectResponse, Response, StreamingResponse
from structlog.testing import capture_logs

from tests.providers.openid import OpenIdServer
from tests.providers.wechat import WeChatServer
from tests.unit.platform.browsers import a_browser, has_account
from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import told

CODE = Path(__file__).parents[4] / "platform"
START = "/session/ways/microsoft/start"


class TestNobodyThere:
    """The addresses lead nowhere."""

    @pytest.fixture
    def different(self, different: dict[str, Any]) -> dict[str, Any]:
        """Port 1 is nobody's."""
        nowhere = "http://127.0.0.1:1"
        ways = different["ways_in"]
        return {
            "ways_in": {
                "microsoft": ways["microsoft"] | {"issuer": nowhere},
                "wechat": ways["wechat"] | {"api": nowhere},
            }
        }

    async def test_it_is_told_and_a_password_is_as_good_as_ever(self, portal: RunningPlatform) -> None:
        refused = await portal.anonymous().post(START)
        assert told(refused)[:2] == (503, "provider_unreachable")
        assert refused.json()["params"] == {"provider": "Microsoft"}
        # Where WeChat's page is, the browser finds out; that the platform cannot ask who came, when it comes back.
        assert told(await a_browser(portal).through("ada", "wechat"))[:2] == (503, "provider_unreachable")
        assert await portal.admin()

    async def test_that_it_is_away_is_nobodys_failure(self, portal: RunningPlatform) -> None:
        for _ in range(31):
            assert (await portal.anonymous().post(START)).status_code == 503
        assert await portal.admin()


class TestNobodySpeaks:
    """The provider takes connections and says nothing."""

    @pytest.fixture
    def different(self, different: dict[str, Any], silent: int, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        """Waited for half a second."""
        monkeypatch.setattr(asking, "WAIT_S", 0.5)
        ways = different["ways_in"]
        return {"ways_in": ways | {"microsoft": ways["microsoft"] | {"issuer": f"http://127.0.0.1:{silent}"}}}

    async def test_nobody_waits_for_longer_than_is_bearable(self, portal: RunningPlatform) -> None:
        began = time.monotonic()
        assert told(await portal.anonymous().post(START))[:2] == (503, "provider_unreachable")
        assert time.monotonic() - began < 5, "a provider that says nothing is waited for"


def test_a_provider_is_waited_for_as_long_as_people_bear() -> None:
    assert asking.WAIT_S <= 10
    assert asking.CONNECT_S <= asking.WAIT_S


async def test_all_that_is_asked_for_one_person_has_that_time_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(asking, "WAIT_S", 0.1)
    with pytest.raises(asking.Unreachable, match=r"no answer within 0\.1 seconds"):
        async with asking.in_time():
            await asyncio.Event().wait()


async def drip() -> Any:
    while True:
        yield b" " * 65536
        await asyncio.sleep(0)  # so that the server learns that nobody listens any more


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (lambda: Response(status_code=503), (503, "provider_unreachable")),
        (lambda: Response("<html>sign in to the hotel's network</html>"), (403, "provider_not_believed")),
        (lambda: Response("[]"), (403, "provider_not_believed")),
        (lambda: Response("[" * 100_000), (403, "provider_not_believed")),
        (lambda: Response(b"\xff\xfe{}"), (403, "provider_not_believed")),
        (lambda: Response(status_code=404, content="{}"), (403, "provider_not_believed")),
        (lambda: JSONResponse({}), (403, "provider_not_believed")),
        (lambda: RedirectResponse("http://127.0.0.1:1/"), (403, "provider_not_believed")),
        (lambda: StreamingResponse(drip()), (403, "provider_not_believed")),
    ],
)
async def test_what_is_no_answer_is_told_as_such(
    portal: RunningPlatform, provider: OpenIdServer, answer: Callable[[], Response], problem: tuple[int, str]
) -> None:
    provider.answers["/.well-known/openid-configuration"] = answer
    refused = await portal.anonymous().post(START)
    assert told(refused)[:2] == problem
    provider.answers.clear()
    assert (await portal.anonymous().post(START)).status_code == 201, "what was wrong once stays so"


@pytest.mark.parametrize("path", ["/token", "/keys"])
async def test_a_provider_that_goes_away_on_the_way_is_told_likewise(
    portal: RunningPlatform, provider: OpenIdServer, path: str
) -> None:
    browser = a_browser(portal)
    provider.answers[path] = lambda: Response(status_code=502)
    assert told(await browser.through("ada"))[:2] == (503, "provider_unreachable")
    provider.answers[path] = lambda: JSONResponse({"keys": [], "id_token": None})
    assert told(await browser.through("ada"))[:2] == (403, "provider_not_believed")


async def test_the_log_says_what_is_wrong_and_nothing_that_opens_anything(
    portal: RunningPlatform, provider: OpenIdServer, wechat: WeChatServer
) -> None:
    browser = a_browser(portal)
    with capture_logs() as logs:
        came = await browser.sign_in_there(await browser.begin(), "ada")
        provider.secret += "-changed"
        assert told(await browser.come_back(came))[:2] == (403, "provider_not_believed")
        wechat.secret += "-changed"
        assert told(await browser.through("ada", "wechat"))[:2] == (403, "provider_not_believed")
        wechat.answers["/sns/oauth2/access_token"] = lambda: Response(status_code=500)
        assert told(await browser.through("ada", "wechat"))[:2] == (503, "provider_unreachable")
    said = json.dumps(logs, default=str)
    assert "invalid_client AADSTS7000215" in said, "an administrator does not learn what is wrong"
    assert "errcode 40125" in said
    for secret in (provider.secret, wechat.secret, came["code"], came["state"]):
        assert secret.removesuffix("-changed") not in said, "a secret is in the log"


async def test_what_a_provider_says_of_itself_is_asked_for_once_an_hour(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    await has_account(portal)
    for _ in range(2):
        assert (await a_browser(portal).through("ada")).is_success
    assert provider.asked.count("/.well-known/openid-configuration") == 1
    assert provider.asked.count("/keys") == 1


async def test_no_line_of_a_library_names_an_address_with_a_secret_in_it(wechat: WeChatServer) -> None:
    program = (
        "import asyncio\n"
        "from atoll.providers import WaysIn\n"
        "from atoll.ways_in.asking import Asking\n"
        "from atoll.web.internal import configure_logs\n"
        "configure_logs()\n"
        f"asyncio.run(Asking(WaysIn()).ask('GET', '{wechat.base}/sns/userinfo', params={{'secret': 'of-the-app'}}))\n"
        "print('asked')\n"
    )
    running = await asyncio.create_subprocess_exec(
        sys.executable,
        "-c",
        program,
        env={**os.environ, "PYTHONPATH": str(CODE)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await running.communicate()
    assert "asked" in said.decode(), said.decode()
    assert wechat.asked == ["/sns/userinfo"]
    assert "of-the-app" not in said.decode(), "a library writes the secret into the log"


async def test_what_a_provider_gives_for_one_person_is_not_shown_for_the_next_one(
    portal: RunningPlatform, provider: OpenIdServer
) -> None:
    await has_account(portal)
    assert (await a_browser(portal).through("ada")).is_success
    assert provider.asked.count("/token") == 2
    assert provider.cookies == [], "a provider takes one person for another one by its cookies"
