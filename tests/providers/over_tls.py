"""`python -m tests.providers.over_tls ADDRESS ORIGIN FOLDER PERSON…`: the provider by OpenID Connect on a network.

It is at https://ADDRESS, for a portal at ORIGIN; ends with its caller. FOLDER has its `server.crt` and `server.key`,
and gets `client_id` and `client_secret`. PERSON is who can sign in there.
"""

import asyncio
import socket
import sys
from pathlib import Path

import uvicorn

from tests.providers.openid import OpenIdServer


async def serve(address: str, origin: str, folder: Path, *names: str) -> None:
    """Serve until the process ends."""
    people = {name: {"sub": f"{name}-at-provider", "name": name, "preferred_username": name} for name in names}
    redirects = (f"{origin}/sign-in/by/microsoft",)
    provider = OpenIdServer(issuer=f"https://{address}", redirects=redirects, people=people)
    (folder / "client_id").write_text(f"{provider.client_id}\n")
    secret = folder / "client_secret"
    secret.touch(mode=0o600)
    secret.write_text(f"{provider.secret}\n")
    config = uvicorn.Config(
        provider.app(),
        log_level="warning",
        ws="none",
        ssl_certfile=folder / "server.crt",
        ssl_keyfile=folder / "server.key",
    )
    with socket.create_server((address, 443), backlog=32) as door:
        print("ready", flush=True)
        await uvicorn.Server(config).serve([door])


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], sys.argv[2], Path(sys.argv[3]), *sys.argv[4:]))
