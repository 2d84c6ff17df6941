"""The ways in that are set up, as a part of the API's process."""

import asyncio
from pathlib import Path

from atoll.configuration import Configuration, ConfigurationError
from atoll.providers import WayName
from atoll.ways_in.asking import Asking
from atoll.ways_in.openid import OpenId
from atoll.ways_in.provider import Provider
from atoll.ways_in.wechat import WeChatOAuth

BRANDS = {WayName.MICROSOFT: "Microsoft", WayName.WECHAT: "WeChat"}


class Ways:
    """Providers by their names."""

    def __init__(self, configuration: Configuration) -> None:
        wanted = configuration.ways_in
        # Each has connections of its own: of one that is silent all are taken, and the other one is asked by its own.
        self._asking = {name: Asking(wanted) for name in wanted.names}
        self._providers: dict[WayName, Provider] = {}
        if wanted.microsoft is not None:
            secret, asking = _secret(wanted.microsoft.secret_file), self._asking[WayName.MICROSOFT]
            self._providers[WayName.MICROSOFT] = OpenId(wanted.microsoft, secret, asking)
        if wanted.wechat is not None:
            secret, asking = _secret(wanted.wechat.secret_file), self._asking[WayName.WECHAT]
            self._providers[WayName.WECHAT] = WeChatOAuth(wanted.wechat, secret, asking)

    async def close(self) -> None:
        """Let go of connections."""
        await asyncio.gather(*(asking.close() for asking in self._asking.values()))

    def provider(self, way: WayName) -> Provider | None:
        """The provider of that way, None where it is not set up."""
        return self._providers.get(way)

    def all(self) -> list[Provider]:
        """All of them."""
        return list(self._providers.values())


def made(configuration: Configuration) -> Ways | None:
    """The part, where any way is set up. Raises ConfigurationError."""
    return Ways(configuration) if configuration.ways_in.names else None


def _secret(path: Path) -> str:
    try:
        found = path.read_text(encoding="utf-8").strip()
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot read this secret ({error.strerror})") from error
    if not found:
        raise ConfigurationError(f"{path}: this secret is empty")
    return found
