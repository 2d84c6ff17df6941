"""Programs that ask by access tokens, as tests make them by the API."""

from dataclasses import dataclass
from typing import Any

import httpx

from tests.unit.platform.conftest import Client, RunningPlatform, trust

EVERYTHING = ("administration", "platform")


@dataclass
class Program(Client):
    """Who asks by an access token: no cookie, no header of the portal."""

    id: str = ""
    token: str = ""


def by(platform: RunningPlatform, authorization: str, **headers: str) -> httpx.AsyncClient:
    """A client that shows that, and nothing of a browser."""
    client = httpx.AsyncClient(
        base_url=f"{platform.url}/api/v1",
        headers={"Authorization": authorization, **headers},
        verify=trust(),
        timeout=20,
    )
    platform.clients.append(client)
    return client


async def program_of(platform: RunningPlatform, owner: Client, *grants: str, **more: Any) -> Program:
    """A program of `owner` with a new token; `more`: other fields of the request."""
    body = {"name": "a program", "grants": [*grants], "days": 30, **more}
    made = await owner.post("/access-tokens", body)
    assert made.status_code == 201, made.text
    told = made.json()
    return Program(by(platform, f"Bearer {told['token']}"), owner.name, told["id"], told["token"])
