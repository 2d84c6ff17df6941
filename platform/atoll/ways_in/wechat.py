"""WeChat's own OAuth, of a website application of its open platform: by a QR code, as `snsapi_login`.

It says `appid` for `client_id`, wants its secret in the query, and tells mistakes with status 200 and `errcode`. There
is no signed token, no PKCE and no nonce: that the code is of this browser's way says the state alone.
"""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from atoll.providers import WayName, WeChat
from atoll.ways_in.asking import Asking, Guessed, NotBelieved
from atoll.ways_in.provider import Known, Sent, identifier, one_line

LONGEST = 128
# Whose names they are: one of each application (openid), one of all of an owner's (unionid).
ISSUER = "https://open.weixin.qq.com"
OF_THE_CODE = (40029, 40163)  # errcode of one that is none, and of one that was used


class WeChatOAuth:
    """WeChat."""

    way = WayName.WECHAT
    brand = "WeChat"
    issuer = ISSUER
    proves = False  # who is signed in there is sent back, and when they signed in is not told

    def __init__(self, wanted: WeChat, secret: str, asking: Asking) -> None:
        self._app = wanted.app_id
        self._secret = secret
        self._authorize = wanted.authorize
        self._api = wanted.api.removesuffix("/")
        self._asking = asking

    async def address(self, sent: Sent) -> str:
        """Where to send the browser; WeChat wants the fields in this order, and the mark at the end."""
        query = {
            "appid": self._app,
            "redirect_uri": sent.redirect,
            "response_type": "code",
            "scope": "snsapi_login",
            "state": sent.state,
        }
        return f"{self._authorize}?{urlencode(query)}#wechat_redirect"

    async def who(self, code: str, sent: Sent, issuer: str | None) -> Known:  # noqa: ARG002 - it knows neither
        """Who came back: by unionid where the application has an owner with several, else by openid."""
        granted = await self._ask(
            "/sns/oauth2/access_token",
            {"appid": self._app, "secret": self._secret, "code": code, "grant_type": "authorization_code"},
        )
        token, openid = identifier(granted.get("access_token"), 4096), identifier(granted.get("openid"), LONGEST)
        if not token or not openid:
            raise NotBelieved("what it granted names nobody")
        person = await self._ask("/sns/userinfo", {"access_token": token, "openid": openid, "lang": "zh_CN"})
        if person.get("openid") != openid:
            raise NotBelieved("it speaks of somebody else than it granted")
        unions = {union for found in (granted, person) if (union := identifier(found.get("unionid"), LONGEST))}
        if len(unions) > 1:
            raise NotBelieved("it calls one person by two names")
        nickname = one_line(person.get("nickname"))
        return Known(
            issuer=self.issuer,
            subjects=(*(f"unionid:{union}" for union in unions), f"openid:{self._app}:{openid}"),
            label=nickname,
            names=(nickname,),
            nickname=nickname,
        )

    async def _ask(self, path: str, query: Mapping[str, str]) -> dict[str, Any]:
        status, found = await self._asking.ask("GET", f"{self._api}{path}", params=query)
        error = found.get("errcode", 0)
        if status != 200 or error != 0:
            kind = Guessed if error in OF_THE_CODE else NotBelieved
            raise kind(f"{path}: status {status}, errcode {error if isinstance(error, int) else 'none'}")
        return found
