"""Checks of ways to sign in: whether who is to be asked can be asked, and is one who may say who somebody is. Pure."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from urllib.parse import urlsplit

from installer.cluster.checks.finding import Check, Circumstances, Finding
from installer.cluster.schema import Cluster

# Entra ID's words for all tenants together: no token names them as its issuer, and anybody's account would do.
EVERY_TENANT = frozenset({"common", "organizations", "consumers", "9188040d-6c67-4c5b-b112-36a304b66dad"})
WIDEST = 8  # of a network that is opened


def _is_address(host: str | None) -> bool:
    try:
        ipaddress.IPv4Address(host or "")
    except ValueError:
        return False
    return True


def _reached(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    sign_in = cluster.sign_in
    if not sign_in.offered:
        for key in ("proxy", "networks", "ca_file"):
            if getattr(sign_in, key):
                yield Finding(
                    ("sign_in", key),
                    f"`sign_in.{key}` is given, but nobody signs in by others.",
                    "Set up `sign_in.microsoft` or `sign_in.wechat`, or remove it.",
                )
        return
    if sign_in.proxy is None and not sign_in.networks:
        yield Finding(
            ("sign_in",),
            "`sign_in.networks` is empty, so the API reaches no provider.",
            "Name the networks of the providers' addresses, or a `proxy`; docs/sign-in.md says where to find them.",
        )
    if sign_in.proxy is not None and not sign_in.networks and not _is_address(sign_in.proxy_host):
        yield Finding(
            ("sign_in", "proxy"),
            f"`sign_in.proxy`: nobody knows the address of `{sign_in.proxy_host}` beforehand.",
            "Write the proxy's address in its place, or name its network in `sign_in.networks`.",
        )


def _narrow(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    own = {f"`network.{key}`": getattr(cluster.network, key) for key in ("pod_network", "service_network")} | {
        "what every machine calls itself": "127.0.0.0/8"
    }
    named: list[tuple[tuple[str | int, ...], str]] = [
        (("networks", index), text) for index, text in enumerate(cluster.sign_in.networks)
    ]
    if _is_address(cluster.sign_in.proxy_host):
        named.append((("proxy",), f"{cluster.sign_in.proxy_host}/32"))
    for at, text in named:
        network = ipaddress.IPv4Network(text)
        if network.prefixlen < WIDEST:
            yield Finding(
                ("sign_in", *at),
                f"`sign_in.{at[0]}`: {network} is most of the internet.",
                f"Name the networks of the providers alone (each /{WIDEST} or smaller), or use a `proxy`.",
            )
            continue
        for name, inside in own.items():
            if network.overlaps(ipaddress.IPv4Network(inside)):
                yield Finding(
                    ("sign_in", *at),
                    f"`sign_in.{at[0]}`: {network} overlaps {name} {inside}.",
                    "Name what is outside of the cluster: what is inside has rules of its own.",
                )


def _providers(cluster: Cluster, _: Circumstances) -> Iterator[Finding]:
    microsoft, wechat = cluster.sign_in.microsoft, cluster.sign_in.wechat
    if microsoft is not None:
        every = EVERY_TENANT & {part.lower() for part in urlsplit(microsoft.issuer).path.split("/")}
        if every:
            yield Finding(
                ("sign_in", "microsoft", "issuer"),
                f"`sign_in.microsoft.issuer`: `{min(every)}` is no tenant of yours, anybody's account would do.",
                "Write the ID of your tenant in its place, like https://login.microsoftonline.com/TENANT/v2.0.",
            )
        if "TENANT" in microsoft.issuer:
            yield Finding(
                ("sign_in", "microsoft", "issuer"),
                "`sign_in.microsoft.issuer` is that of the example.",
                "Write the ID of your tenant in place of TENANT.",
            )
    if wechat is not None:
        origin = cluster.platform.origin
        if origin is None or _is_address(urlsplit(origin).hostname):
            yield Finding(
                ("sign_in", "wechat"),
                "WeChat sends browsers back to a domain alone, and `platform.origin` is none.",
                "Give `platform.origin` the portal's name, as it stands at WeChat's open platform.",
            )


CHECKS: tuple[Check, ...] = (_reached, _narrow, _providers)
