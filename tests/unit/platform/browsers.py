"""A browser that goes by what providers and the portal tell it, and a portal where people may sign in by others."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from tests.providers.openid import OpenIdServer
from tests.providers.wechat import WeChatServer
from tests.unit.platform.conftest import Client, RunningPlatform, serving, trust

ORIGIN = "http://portal.test"
ADA = {"sub": "ada-at-provider", "name": "Ada Lovelace", "preferred_username": "ada.lovelace@example.com"}
EVE = {"sub": "eve-at-provider", "name": "Eve", "preferred_username": "eve@example.com"}


@dataclass
class Browser:
    """What somebody sits at: it keeps cookies of the portal and of providers, and what the portal's page keeps."""

    platform: RunningPlatform
    api: httpx.AsyncClient
    outside: httpx.AsyncClient = field(
        default_factory=lambda: httpx.AsyncClient(verify=trust(), timeout=20, follow_redirects=False)
    )

    async def begin(
        self, way: str = "microsoft", path: str = "/session/ways/{way}/start", body: Any = None, **more: Any
    ) -> str:
        """Press the button: where the browser is sent."""
        answer = await self.api.post(path.format(way=way), json=body, **more)
        assert answer.status_code == 201, answer.text
        address: str = answer.json()["address"]
        return address

    async def sign_in_there(self, address: str, person: str, way: str = "microsoft") -> dict[str, str]:
        """Sign in at the provider: with what the browser comes back to the portal."""
        answer = await self.outside.get(address)
        if answer.status_code == 200:
            answer = await self.outside.post(address, data={"person": person})
        assert answer.status_code == 302, answer.text
        return returned(answer.headers["location"], way)

    async def come_back(self, came: dict[str, str], way: str = "microsoft") -> httpx.Response:
        """What the portal's page does with what the browser came back with."""
        body = {key: came[key] for key in ("state", "code", "error") if key in came}
        return await self.api.post(
            f"/session/ways/{way}", json=body | ({"issuer": came["iss"]} if "iss" in came else {})
        )

    async def through(self, person: str, way: str = "microsoft") -> httpx.Response:
        """The whole way."""
        return await self.come_back(await self.sign_in_there(await self.begin(way), person, way), way)

    async def prove(self, person: str, way: str = "microsoft") -> httpx.Response:
        """Sign in anew at the provider."""
        address = await self.begin(way, "/session/ways/{way}/prove")
        return await self.come_back(await self.sign_in_there(address, person, way), way)

    async def make(self, name: str, nickname: str = "", way: str = "microsoft") -> httpx.Response:
        """Make the account that was offered."""
        return await self.api.post(f"/session/ways/{way}/account", json={"name": name, "nickname": nickname or name})

    async def who(self) -> str | None:
        """Whose session the browser has."""
        answer = await self.api.get("/session")
        return str(answer.json()["user"]["name"]) if answer.is_success else None


def returned(location: str, way: str = "microsoft") -> dict[str, str]:
    """With what a browser comes back to the portal's page."""
    parts = urlsplit(location)
    assert f"{parts.scheme}://{parts.netloc}{parts.path}" == f"{ORIGIN}/sign-in/by/{way}", location
    return {key: values[0] for key, values in parse_qs(parts.query).items()}


def a_browser(platform: RunningPlatform, **headers: str) -> Browser:
    """A new one."""
    made = Browser(platform, platform.anonymous(**headers))
    platform.clients.append(made.outside)
    return made


def of(client: Client, platform: RunningPlatform) -> Browser:
    """The browser of somebody who is signed in."""
    made = Browser(platform, client.http)
    platform.clients.append(made.outside)
    return made


async def has_account(
    platform: RunningPlatform, person: str = "ada", name: str = "ada", way: str = "microsoft"
) -> Browser:
    """The browser of somebody who made an account by a provider, and is signed in."""
    browser = a_browser(platform)
    assert (await browser.through(person, way)).json()["outcome"] == "unknown"
    made = await browser.make(name, way=way)
    assert made.status_code == 201, made.text
    return browser


@pytest.fixture
async def provider() -> AsyncIterator[OpenIdServer]:
    """Microsoft, or who speaks like it."""
    server = OpenIdServer(redirects=(f"{ORIGIN}/sign-in/by/microsoft",), people={"ada": dict(ADA), "eve": dict(EVE)})
    async with serving(server.app()) as port:
        server.issuer = f"http://127.0.0.1:{port}"
        yield server


@pytest.fixture
async def wechat() -> AsyncIterator[WeChatServer]:
    """WeChat, or who speaks like it; `base` is its address."""
    people = {
        "ada": {"openid": "o-ada", "unionid": "u-ada", "nickname": "阿达"},
        "eve": {"openid": "o-eve", "nickname": "Eve"},
    }
    server = WeChatServer(domain="portal.test", people=people)
    async with serving(server.app()) as port:
        server.base = f"http://127.0.0.1:{port}"
        yield server


@pytest.fixture
def different(provider: OpenIdServer, wechat: WeChatServer, tmp_path: Path) -> dict[str, Any]:
    """People may sign in by both."""
    return {"ways_in": ways_in(provider, wechat, tmp_path)}


def ways_in(provider: OpenIdServer, wechat: WeChatServer, tmp_path: Path) -> dict[str, Any]:
    """What the configuration says of both."""
    for name, secret in (("client_secret", provider.secret), ("app_secret", wechat.secret)):
        (tmp_path / name).write_text(secret + "\n")
    return {
        "microsoft": {
            "issuer": provider.issuer,
            "client_id": provider.client_id,
            "secret_file": tmp_path / "client_secret",
        },
        "wechat": {
            "app_id": wechat.app_id,
            "secret_file": tmp_path / "app_secret",
            "authorize": f"{wechat.base}/connect/qrconnect",
            "api": wechat.base,
        },
    }
