"""How ways in are set up: what a configuration may say, what starts with it, and what browsers keep."""

import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest
from atoll.configuration import ConfigurationError
from atoll.providers import WaysIn
from atoll.ways_in.asking import Asking
from atoll.ways_in.ways import Ways
from pydantic import ValidationError

from tests.providers.openid import OpenIdServer
from tests.unit.platform.browsers import ORIGIN, a_browser, has_account
from tests.unit.platform.conftest import RunningPlatform, configuration
from tests.unit.platform.people import told

MICROSOFT = {"issuer": "https://login.example.com/t/v2.0", "client_id": "portal", "secret_file": "/nowhere/secret"}
WECHAT = {"app_id": "wx1", "secret_file": "/nowhere/secret"}


@pytest.mark.parametrize(
    ("ways", "said"),
    [
        ({"microsoft": MICROSOFT | {"issuer": "http://login.example.com/"}}, "asked by https alone"),
        ({"microsoft": MICROSOFT | {"issuer": "https://login.example.com/?x=1"}}, "nothing behind its path"),
        ({"microsoft": MICROSOFT | {"issuer": "https://login.example.com/#x"}}, "nothing behind its path"),
        ({"microsoft": MICROSOFT | {"issuer": "https://ada@login.example.com/"}}, "nothing behind its path"),
        ({"microsoft": MICROSOFT | {"issuer": "https:///t"}}, "nothing behind its path"),
        ({"microsoft": MICROSOFT | {"issuer": "ftp://127.0.0.1/"}}, "asked by https alone"),
        ({"microsoft": MICROSOFT | {"client_id": ""}}, "at least 1 character"),
        ({"microsoft": MICROSOFT | {"client_secret": "x"}}, "Extra inputs"),
        ({"wechat": WECHAT | {"api": "http://api.weixin.qq.com"}}, "asked by https alone"),
        ({"wechat": WECHAT | {"authorize": "http://open.weixin.qq.com"}}, "asked by https alone"),
        ({"wechat": WECHAT | {"app_id": ""}}, "at least 1 character"),
        ({"github": {}}, "Extra inputs"),
    ],
)
def test_nothing_is_asked_in_clear_and_no_slip_is_taken(ways: dict[str, Any], said: str) -> None:
    with pytest.raises(ValidationError, match=said):
        WaysIn.model_validate(ways)


@pytest.mark.parametrize("issuer", ["http://127.0.0.1:9/", "http://localhost:9/", "https://login.example.com"])
def test_a_provider_on_this_machine_or_behind_tls_may_be_asked(issuer: str) -> None:
    assert WaysIn.model_validate({"microsoft": MICROSOFT | {"issuer": issuer}}).names == ["microsoft"]


def test_ways_are_told_in_one_order_and_none_where_there_are_none() -> None:
    assert WaysIn().names == []
    assert WaysIn.model_validate({"wechat": WECHAT}).names == ["wechat"]
    assert WaysIn.model_validate({"wechat": WECHAT, "microsoft": MICROSOFT}).names == ["microsoft", "wechat"]


def test_what_cannot_be_read_is_found_at_start(tmp_path: Path) -> None:
    usual = configuration(tmp_path, "/nowhere", "none")
    secret = tmp_path / "secret"
    for content, said in ((None, "cannot read this secret"), ("  \n", "this secret is empty")):
        if content is not None:
            secret.write_text(content)
        ways = WaysIn.model_validate({"microsoft": MICROSOFT | {"secret_file": secret}})
        with pytest.raises(ConfigurationError, match=said):
            Ways(usual.model_copy(update={"ways_in": ways}))
    for content in (None, "no certificate"):
        authority = tmp_path / "ca.crt"
        if content is not None:
            authority.write_text(content)
        with pytest.raises(ConfigurationError, match="cannot read this authority"):
            Asking(WaysIn(authority=authority))


async def test_the_public_authorities_are_trusted_and_no_certificate_is_taken_unlooked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[dict[str, Any]] = []
    real = httpx.AsyncClient

    def noted(**options: Any) -> httpx.AsyncClient:
        made.append(options)
        return real(**options)

    monkeypatch.setattr(httpx, "AsyncClient", noted)
    monkeypatch.setenv("HTTPS_PROXY", "http://192.0.2.9:1")
    asking = Asking(WaysIn(proxy="http://192.0.2.5:3128"))
    await asking.close()
    (options,) = made
    assert options["verify"].verify_mode is ssl.CERT_REQUIRED
    assert options["verify"].check_hostname
    assert options["proxy"] == "http://192.0.2.5:3128"
    assert options["trust_env"] is False, "a proxy of the environment is used"
    assert options["follow_redirects"] is False


async def test_what_a_browser_keeps_of_a_way_is_out_of_reach_and_gone_with_it(portal: RunningPlatform) -> None:
    await has_account(portal)
    browser = a_browser(portal)
    answer = await browser.api.post("/session/ways/microsoft/start")
    (cookie,) = [line for line in answer.headers.get_list("set-cookie") if line.startswith("atoll_session_way=")]
    for word in ("HttpOnly", "SameSite=strict", "Path=/", "Max-Age=600"):
        assert word in cookie
    came = await browser.sign_in_there(answer.json()["address"], "ada")
    signed_in = await browser.come_back(came)
    kept = {line.split("=")[0]: line for line in signed_in.headers.get_list("set-cookie")}
    assert kept.keys() == {"atoll_session", "atoll_session_device", "atoll_session_way"}
    assert "Max-Age=0" in kept["atoll_session_way"]
    assert "Path=/api/v1/session;" in kept["atoll_session_device"], "the device is not known where one signs in"
    assert "SameSite=lax" in kept["atoll_session"]


async def test_the_session_of_before_ends_and_the_device_is_known(portal: RunningPlatform) -> None:
    browser = await has_account(portal)
    before = portal.anonymous()
    before.cookies.set("atoll_session", str(browser.api.cookies["atoll_session"]))
    assert (await before.get("/session")).is_success
    device = browser.api.cookies["atoll_session_device"]
    assert (await browser.through("ada")).is_success
    assert (await before.get("/session")).status_code == 401, "the session of before a sign-in lives on"
    assert browser.api.cookies["atoll_session_device"] != device


async def test_who_signed_in_stands_in_the_audit_with_the_way(portal: RunningPlatform) -> None:
    await has_account(portal)
    assert (await a_browser(portal).through("ada")).is_success
    admin = await portal.admin()
    items = (await admin.get("/audit", params={"action": "session.create"})).json()["items"]
    told_of = [(each["actor_name"], each["outcome"], each["details"]) for each in items]
    assert told_of.count(("ada", "done", {"way": "microsoft"})) == 2
    assert ("admin", "done", {}) in told_of


class TestOthersToo:
    """Where the portal has a second address."""

    @pytest.fixture
    def different(self, different: dict[str, Any]) -> dict[str, Any]:
        """Allowed, and not the one to which providers lead."""
        web = {"origin": ORIGIN, "origins": ["http://other.portal.test"], "secure_cookies": False}
        return different | {"web": web}

    async def test_the_portal_is_told_where_it_has_to_be_open(self, portal: RunningPlatform) -> None:
        browser = a_browser(portal)
        start = "/session/ways/microsoft/start"
        refused = await browser.api.post(start, headers={"Origin": "http://other.portal.test"})
        assert told(refused)[:2] == (409, "other_address")
        assert refused.json()["params"] == {"provider": "Microsoft", "origin": ORIGIN}
        assert (await browser.api.post(start, headers={"Origin": ORIGIN})).status_code == 201


class TestBehindTls:
    """Where cookies go by TLS alone."""

    @pytest.fixture
    def different(self, different: dict[str, Any]) -> dict[str, Any]:
        """As in a cluster."""
        return different | {"web": {"origin": ORIGIN}}

    async def test_no_other_host_can_plant_what_binds_a_way_to_a_browser(
        self, portal: RunningPlatform, provider: OpenIdServer
    ) -> None:
        answer = await a_browser(portal).api.post("/session/ways/microsoft/start")
        (cookie,) = answer.headers.get_list("set-cookie")
        assert cookie.startswith("__Host-atoll_session_way="), "a task below the same domain could set it"
        assert "Secure" in cookie
        assert "Domain" not in cookie
        assert provider.asked


class TestNone:
    """Where nobody signs in by others."""

    @pytest.fixture
    def different(self) -> dict[str, Any]:
        """As it is shipped."""
        return {}

    async def test_nothing_is_offered_and_nothing_answers(self, portal: RunningPlatform) -> None:
        http = portal.anonymous()
        assert (await http.get("/about")).json()["ways_in"] == []
        for path, body in (("start", {}), ("account", {"name": "ada", "nickname": "Ada"})):
            refused = await http.post(f"/session/ways/microsoft/{path}", json=body)
            assert told(refused)[:2] == (404, "no_such_way")
        assert told(await http.post("/session/ways/wechat", json={"state": "x", "code": "y"}))[:2] == (
            404,
            "no_such_way",
        )
        assert (await http.post("/session/ways/github/start")).status_code == 422
        admin = await portal.admin()
        assert (await admin.get("/session/ways")).json()["ways"] == []
