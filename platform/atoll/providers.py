"""Others who may say who somebody is, as the configuration names them (`ways_in` of `/etc/atoll/config.yaml`)."""

from enum import StrEnum
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, field_validator

LOOPBACK = ("127.0.0.1", "::1", "localhost")


class WayName(StrEnum):
    """A way in beside the password."""

    MICROSOFT = "microsoft"
    WECHAT = "wechat"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _configured(url: str) -> str:
    """An address of a provider, which is asked by TLS wherever a network lies in between. Raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ValueError(f"a provider on a network is asked by https alone, not at {url}")
    if parts.query or parts.fragment or parts.username or not parts.hostname:
        raise ValueError(f"{url}: an address with nothing behind its path")
    return url


class Microsoft(_Section):
    """Microsoft Entra ID, by OpenID Connect."""

    issuer: str = Field(description="As it names itself, to the letter")
    client_id: str = Field(min_length=1)
    secret_file: Path

    _issuer = field_validator("issuer")(_configured)


class WeChat(_Section):
    """WeChat's own OAuth, of a website application of its open platform."""

    app_id: str = Field(min_length=1)
    secret_file: Path
    authorize: str = Field(default="https://open.weixin.qq.com/connect/qrconnect", description="Where browsers go")
    api: str = Field(default="https://api.weixin.qq.com", description="What is asked who somebody is")

    _addresses = field_validator("authorize", "api")(_configured)


class WaysIn(_Section):
    """Ways in beside the password; what is not there is not offered."""

    microsoft: Microsoft | None = None
    wechat: WeChat | None = None
    proxy: str | None = Field(default=None, description="By it providers are asked")
    authority: Path | None = Field(default=None, description="Is trusted as the public authorities are")

    @property
    def names(self) -> list[WayName]:
        """Those that are set up."""
        return [name for name in WayName if getattr(self, name) is not None]
