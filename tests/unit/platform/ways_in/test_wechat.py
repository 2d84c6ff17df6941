"""People sign in by WeChat: it tells mistakes as 200, knows no signed token, and calls one person by two names."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from starlette.responses import Response

from tests.providers.wechat import WeChatServer
from tests.unit.platform.browsers import a_browser, has_account
from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.people import audited, told

NOT_BELIEVED = (403, "provider_not_believed")


async def test_somebody_makes_an_account_by_wechat_and_signs_in_with_it(portal: RunningPlatform) -> None:
    admin = await portal.admin()
    browser = a_browser(portal)
    offered = (await browser.through("ada", "wechat")).json()["account"]
    assert offered == {"name": "user", "nickname": "阿达", "label": "阿达"}, (
        "a name in Chinese letters makes no account"
    )
    assert (await browser.make("ada", "阿达", "wechat")).status_code == 201
    again = a_browser(portal)
    assert (await again.through("ada", "wechat")).json()["session"]["user"]["nickname"] == "阿达"
    assert ("user.register", "ada", {"way": "wechat"}) in await audited(admin, "user")


async def test_wechat_is_asked_in_its_own_words(portal: RunningPlatform, wechat: WeChatServer) -> None:
    address = await a_browser(portal).begin("wechat")
    parts = urlsplit(address)
    assert parts.fragment == "wechat_redirect"
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    assert list(query) == ["appid", "redirect_uri", "response_type", "scope", "state"], "WeChat wants this order"
    assert query["appid"] == wechat.app_id
    assert query["redirect_uri"] == "http://portal.test/sign-in/by/wechat"
    assert (query["response_type"], query["scope"]) == ("code", "snsapi_login")


async def test_who_is_called_by_openid_alone_keeps_the_account_once_there_is_a_unionid(
    portal: RunningPlatform, wechat: WeChatServer
) -> None:
    """It has one as soon as the application belongs to an owner with several."""
    await has_account(portal, "eve", "eve", "wechat")
    wechat.people["eve"]["unionid"] = "u-eve"
    assert (await a_browser(portal).through("eve", "wechat")).json()["session"]["user"]["name"] == "eve"
    wechat.people["eve"]["openid"] = "o-eve-of-another-application"
    assert (await a_browser(portal).through("eve", "wechat")).json()["session"]["user"]["name"] == "eve"


async def test_a_unionid_is_no_openid(portal: RunningPlatform, wechat: WeChatServer) -> None:
    await has_account(portal, "ada", "ada", "wechat")
    wechat.people["eve"] = {"openid": "u-ada", "nickname": "Eve"}
    assert (await a_browser(portal).through("eve", "wechat")).json()["outcome"] == "unknown"


async def test_an_error_that_comes_as_200_is_one(portal: RunningPlatform, wechat: WeChatServer) -> None:
    await has_account(portal, "ada", "ada", "wechat")
    browser = a_browser(portal)
    came = await browser.sign_in_there(await browser.begin("wechat"), "ada", "wechat")
    assert told(await browser.come_back({**came, "code": "guessed"}, "wechat"))[:2] == NOT_BELIEVED
    came = await browser.sign_in_there(await browser.begin("wechat"), "ada", "wechat")
    wechat.used.add(came["code"])
    assert told(await browser.come_back(came, "wechat"))[:2] == NOT_BELIEVED
    assert await browser.who() is None


@pytest.mark.parametrize(
    ("granted", "said"),
    [
        ({"openid": "o-eve"}, {}),
        ({}, {"openid": "o-eve"}),
        ({}, {"openid": None}),
        ({}, {"unionid": "u-eve"}),
        ({"openid": None}, {}),
        ({"openid": ""}, {}),
        ({"openid": "o" * 129}, {"openid": "o" * 129}),
        ({"openid": 7}, {"openid": 7}),
        ({"openid": "o\u0000"}, {"openid": "o\u0000"}),
        ({"access_token": None}, {}),
        ({"errcode": "40001"}, {}),
        ({}, {"errcode": -1}),
    ],
)
async def test_two_answers_that_do_not_name_the_same_person_name_nobody(
    portal: RunningPlatform, wechat: WeChatServer, granted: dict[str, Any], said: dict[str, Any]
) -> None:
    browser = a_browser(portal)
    wechat.granted, wechat.told = granted, said
    assert told(await browser.through("ada", "wechat"))[:2] == NOT_BELIEVED
    assert await browser.who() is None


async def test_what_is_not_json_is_no_answer(portal: RunningPlatform, wechat: WeChatServer) -> None:
    wechat.answers["/sns/userinfo"] = lambda: Response("系统繁忙", media_type="text/plain")
    assert told(await a_browser(portal).through("ada", "wechat"))[:2] == NOT_BELIEVED


async def test_who_cancels_at_a_provider_is_told_so(portal: RunningPlatform) -> None:
    browser = a_browser(portal)
    address = await browser.begin("wechat")
    state = parse_qs(urlsplit(address).query)["state"][0]
    assert told(await browser.come_back({"state": state}, "wechat"))[:2] == (403, "provider_declined")
    came = await browser.sign_in_there(await browser.begin(), "")
    assert came["error"] == "access_denied"
    assert told(await browser.come_back(came))[:2] == (403, "provider_declined")


async def test_a_nickname_that_hides_something_is_shown_without(portal: RunningPlatform, wechat: WeChatServer) -> None:
    wechat.people["eve"]["nickname"] = " Eve\u202e\nnimda \u200b"
    offered = (await a_browser(portal).through("eve", "wechat")).json()["account"]
    assert (offered["name"], offered["nickname"]) == ("evenimda", "Evenimda")
    assert offered["label"] == "Evenimda"


async def test_a_nickname_that_was_cut_within_a_letter_is_shown_without_its_half(
    portal: RunningPlatform, wechat: WeChatServer
) -> None:
    wechat.answers["/sns/userinfo"] = lambda: Response('{"openid": "o-eve", "nickname": "Eve\\ud83d"}')
    offered = (await a_browser(portal).through("eve", "wechat")).json()["account"]
    assert (offered["nickname"], offered["label"]) == ("Eve", "Eve")
