"""The section `sign_in` of cluster.yaml: others who may say who somebody is, and how they are reached."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from pydantic import Field

from installer.cluster.sections import Section
from installer.cluster.values import AbsolutePath, Host, HttpProxy, Network, ProviderUrl, Text

SECRETS = "/etc/atoll/secrets"  # where a pod of the API has them
HTTPS = 443
MICROSOFT, WECHAT, AUTHORITY = "microsoft_client_secret", "wechat_app_secret", "providers_authority"


class Microsoft(Section):
    """Microsoft Entra ID, as an application that is registered there."""

    issuer: ProviderUrl = Field(description="Of one tenant, as its OpenID configuration says it")
    client_id: Text = Field(description="Of the application")
    client_secret_file: AbsolutePath = Field(description="A file with its secret, on the control host")


class WeChat(Section):
    """WeChat, as a website application of its open platform."""

    app_id: Text = Field(description="Of the application")
    app_secret_file: AbsolutePath = Field(description="A file with its secret, on the control host")
    api: ProviderUrl = Field(
        default="https://api.weixin.qq.com", description="Where WeChat is asked; another one for a relay of yours"
    )


class SignIn(Section):
    """Ways to sign in beside the password, which everybody keeps. What is not set up is not offered."""

    microsoft: Microsoft | None = Field(
        default=None,
        description="Sign in by Microsoft Entra ID",
        examples=[
            {
                "issuer": "https://login.microsoftonline.com/TENANT/v2.0",
                "client_id": "…",
                "client_secret_file": "/…",
            }
        ],
    )
    wechat: WeChat | None = Field(
        default=None,
        description="Sign in by WeChat",
        examples=[{"app_id": "wx…", "app_secret_file": "/…"}],
    )
    proxy: HttpProxy | None = Field(
        default=None,
        description="By it providers are asked; without it directly",
        examples=["http://10.0.0.5:3128"],
    )
    networks: list[Network] = Field(
        default=[],
        description="Where the providers are, or the proxy (by itself the one whose address is said): the API may ask "
        "these, and nobody else outside of the cluster",
    )
    ca_file: AbsolutePath | None = Field(
        default=None,
        description="An authority that is trusted there beside the public ones, on the control host",
    )

    @property
    def proxy_host(self) -> Host | None:
        """The name or address of the proxy."""
        return urlsplit(self.proxy).hostname if self.proxy else None

    @property
    def offered(self) -> bool:
        """Whether anybody signs in by others."""
        return self.microsoft is not None or self.wechat is not None


def ways_in(sign_in: SignIn, secrets: str = SECRETS) -> dict[str, Any]:
    """Return it in the form of the services' configuration, with secrets in the folder `secrets`."""
    found: dict[str, Any] = {}
    if sign_in.microsoft is not None:
        found["microsoft"] = {
            "issuer": sign_in.microsoft.issuer,
            "client_id": sign_in.microsoft.client_id,
            "secret_file": f"{secrets}/{MICROSOFT}",
        }
    if sign_in.wechat is not None:
        found["wechat"] = {
            "app_id": sign_in.wechat.app_id,
            "secret_file": f"{secrets}/{WECHAT}",
            "api": sign_in.wechat.api,
        }
    if found and sign_in.proxy is not None:
        found["proxy"] = sign_in.proxy
    if found and sign_in.ca_file is not None:
        found["authority"] = f"{secrets}/{AUTHORITY}"
    return found


def secret_files(sign_in: SignIn) -> dict[str, str]:
    """Return the user's files that `ways_in` names, by their names in the folder of secrets."""
    found = {}
    if sign_in.microsoft is not None:
        found[MICROSOFT] = sign_in.microsoft.client_secret_file
    if sign_in.wechat is not None:
        found[WECHAT] = sign_in.wechat.app_secret_file
    if found and sign_in.ca_file is not None:
        found[AUTHORITY] = sign_in.ca_file
    return found


def reached(sign_in: SignIn) -> dict[str, list[Any]]:
    """Return the `networks` and `ports` that the API may ask outside of the cluster; empty where it asks nobody."""
    if not sign_in.offered:
        return {"networks": [], "ports": []}
    if sign_in.proxy is not None:
        port = urlsplit(sign_in.proxy).port
        return {"networks": list(sign_in.networks) or [f"{sign_in.proxy_host}/32"], "ports": [port]}
    urls = [sign_in.microsoft.issuer if sign_in.microsoft else None, sign_in.wechat.api if sign_in.wechat else None]
    ports = {urlsplit(url).port or HTTPS for url in urls if url}
    return {"networks": list(sign_in.networks), "ports": sorted(ports)}
