"""`python -m tests.providers ORIGIN FOLDER`: both providers on loopback, for a portal at ORIGIN; ends with its caller.

What the portal has to be told lies in FOLDER: `ways_in.yaml`, as `./atoll dev --ways-in` takes it, and two secrets.
"""

import asyncio
import socket
import sys
from pathlib import Path
from urllib.parse import urlsplit

import uvicorn
import yaml

from tests.providers.openid import OpenIdServer
from tests.providers.wechat import WeChatServer

MICROSOFT_PEOPLE = {
    name: {"sub": f"{name}-at-provider", "name": shown, "preferred_username": f"{name}@example.com"}
    for name, shown in (("grace", "Grace Hopper"), ("ada", "Ada Lovelace"), ("edsger", "Edsger Dijkstra"))
}
WECHAT_PEOPLE = {
    "阿达": {"openid": "o-ada", "unionid": "u-ada", "nickname": "阿达"},
    "小明": {"openid": "o-ming", "nickname": "小明"},
}


def _door() -> tuple[socket.socket, str]:
    door = socket.socket()
    door.bind(("127.0.0.1", 0))
    door.listen(32)
    return door, f"http://127.0.0.1:{door.getsockname()[1]}"


async def serve(origin: str, folder: Path) -> None:
    """Serve both until the process ends."""
    (first, issuer), (second, base) = _door(), _door()
    microsoft = OpenIdServer(issuer=issuer, redirects=(f"{origin}/sign-in/by/microsoft",), people=MICROSOFT_PEOPLE)
    wechat = WeChatServer(base=base, domain=urlsplit(origin).netloc, people=WECHAT_PEOPLE)
    for name, secret in (("client_secret", microsoft.secret), ("app_secret", wechat.secret)):
        (folder / name).write_text(f"{secret}\n")
    told = {
        "microsoft": {
            "issuer": issuer,
            "client_id": microsoft.client_id,
            "secret_file": str(folder / "client_secret"),
        },
        "wechat": {
            "app_id": wechat.app_id,
            "secret_file": str(folder / "app_secret"),
            "authorize": f"{base}/connect/qrconnect",
            "api": base,
        },
    }
    (folder / "ways_in.yaml").write_text(yaml.safe_dump(told))
    print("ready", flush=True)
    servers = [
        uvicorn.Server(uvicorn.Config(each.app(), log_level="warning", ws="none")) for each in (microsoft, wechat)
    ]
    await asyncio.gather(servers[0].serve([first]), servers[1].serve([second]))


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], Path(sys.argv[2])))
