"""WeChat's open platform, as far as website applications sign people in: mistakes come as 200 with `errcode`.

Its answers have no charset and the media type text/plain; nicknames are UTF-8. Codes are good once.
"""

import html
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from tests.providers.openid import fields

Answer = dict[str, Any]


@dataclass
class WeChatServer:
    """WeChat: its people by name, each with `openid` and perhaps `unionid` and `nickname`, and one application."""

    app_id: str = "wx0123456789abcdef"
    secret: str = "0123456789abcdef-of-wechat"
    base: str = ""  # its address
    domain: str = ""  # where it may send browsers back to, in its words 授权回调域
    people: dict[str, dict[str, str]] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    codes: dict[str, str] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    tokens: dict[str, str] = field(default_factory=dict)
    granted: Answer = field(default_factory=dict)  # in place of what it would grant
    told: Answer = field(default_factory=dict)  # in place of what it would tell of the person
    answers: dict[str, Callable[[], Response]] = field(default_factory=dict)  # by path, in place of all

    def app(self) -> FastAPI:
        """The server: `open.weixin.qq.com` and `api.weixin.qq.com` in one."""
        routes = [
            ("/connect/qrconnect", self._connect, ["GET", "POST"]),
            ("/sns/oauth2/access_token", self._grant, ["GET"]),
            ("/sns/userinfo", self._person, ["GET"]),
        ]
        listed: list[BaseRoute] = [Route(path, self._kept(path, to), methods=how) for path, to, how in routes]
        return FastAPI(openapi_url=None, routes=listed)

    def _kept(self, path: str, to: Callable[[Request], Any]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            self.asked.append(path)
            if path in self.answers:
                return self.answers[path]()
            found: Response = await to(request)
            return found

        return answer

    async def _connect(self, request: Request) -> Response:
        asked = request.query_params
        redirect = asked.get("redirect_uri", "")
        if asked.get("appid") != self.app_id:
            return HTMLResponse("<h1>AppID 参数错误</h1>")
        if urlsplit(redirect).netloc != self.domain:
            return HTMLResponse("<h1>redirect_uri 参数错误</h1>")
        if asked.get("response_type") != "code" or asked.get("scope") != "snsapi_login":
            return HTMLResponse("<h1>Scope 参数错误或没有 Scope 权限</h1>")
        if request.method == "GET":
            buttons = "".join(
                f'<p><button name="person" value="{html.escape(name)}">{html.escape(name)}</button></p>'
                for name in self.people
            )
            return HTMLResponse(
                f'<!doctype html><html lang="zh"><title>微信登录</title><h1>微信登录</h1>'
                f'<form method="post">{buttons}</form></html>'
            )
        code = secrets.token_urlsafe(24)
        self.codes[code] = (await fields(request)).get("person", "")
        back = {"code": code} | ({"state": asked["state"]} if "state" in asked else {})
        return RedirectResponse(f"{redirect}?{urlencode(back)}", 302)

    async def _grant(self, request: Request) -> Response:
        asked = request.query_params
        if asked.get("appid") != self.app_id:
            return _said({"errcode": 40013, "errmsg": "invalid appid"})
        if asked.get("secret") != self.secret:
            return _said({"errcode": 40125, "errmsg": "invalid appsecret, view more at http://t.cn/RAEkdVq"})
        code = asked.get("code", "")
        if code in self.used:
            return _said({"errcode": 40163, "errmsg": "code been used"})
        person = self.codes.pop(code, None)
        if asked.get("grant_type") != "authorization_code" or person is None:
            return _said({"errcode": 40029, "errmsg": "invalid code"})
        self.used.add(code)
        token = secrets.token_urlsafe(48)
        self.tokens[token] = person
        names = {key: value for key, value in self.people[person].items() if key in ("openid", "unionid")}
        granted = {"access_token": token, "expires_in": 7200, "refresh_token": "of no use", "scope": "snsapi_login"}
        return _said({key: value for key, value in (granted | names | self.granted).items() if value is not None})

    async def _person(self, request: Request) -> Response:
        person = self.tokens.get(request.query_params.get("access_token", ""))
        if person is None:
            return _said({"errcode": 40001, "errmsg": "invalid credential, access_token is invalid or not latest"})
        if request.query_params.get("openid") != self.people[person]["openid"]:
            return _said({"errcode": 40003, "errmsg": "invalid openid"})
        shown = {"sex": 0, "language": "", "city": "", "province": "", "country": "", "headimgurl": "", "privilege": []}
        return _said(
            {key: value for key, value in (shown | self.people[person] | self.told).items() if value is not None}
        )


def _said(content: Answer) -> Response:
    return Response(json.dumps(content, ensure_ascii=False).encode(), media_type="text/plain")
