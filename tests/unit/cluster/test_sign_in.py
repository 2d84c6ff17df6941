"""Ways to sign in, as cluster.yaml says them: what the services are told, whom the API may ask, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from atoll.providers import WaysIn

from installer.cluster import Cluster, ClusterError, loads
from installer.cluster.given import given_files
from installer.cluster.sign_in import reached, secret_files, ways_in

SMALL = "name: one\nnodes:\n  - {name: master1, address: 10.0.0.11, roles: [master, worker, storage]}\n"
MICROSOFT = "microsoft: {issuer: 'https://login.example.com/t/v2.0', client_id: portal, client_secret_file: /etc/a}"
WECHAT = "wechat: {app_id: wx1, app_secret_file: /etc/b}"
NAMED = "platform: {origin: 'https://ai.example.com'}\n"
PROXY = "proxy: 'http://10.0.0.5:3128'"


def of(*lines: str, more: str = NAMED) -> Cluster:
    body = "".join(f"  {line}\n" for line in lines)
    return loads(f"{SMALL}{more}sign_in:\n{body}" if lines else SMALL, installed=False)


def refused(*lines: str, more: str = NAMED) -> str:
    with pytest.raises(ClusterError) as caught:
        of(*lines, more=more)
    return str(caught.value)


def test_nobody_signs_in_by_others_unless_it_is_set_up() -> None:
    sign_in = of().sign_in
    assert (ways_in(sign_in), secret_files(sign_in)) == ({}, {})
    assert reached(sign_in) == {"networks": [], "ports": []}, "the API reaches outside where nothing is set up"


def test_the_services_are_told_where_their_secrets_lie_and_none_of_them() -> None:
    cluster = of(MICROSOFT, WECHAT, PROXY, "ca_file: /etc/ca.crt")
    told = ways_in(cluster.sign_in)
    assert told == {
        "microsoft": {
            "issuer": "https://login.example.com/t/v2.0",
            "client_id": "portal",
            "secret_file": "/etc/atoll/secrets/microsoft_client_secret",
        },
        "wechat": {
            "app_id": "wx1",
            "secret_file": "/etc/atoll/secrets/wechat_app_secret",
            "api": "https://api.weixin.qq.com",
        },
        "proxy": "http://10.0.0.5:3128",
        "authority": "/etc/atoll/secrets/providers_authority",
    }
    assert [*WaysIn.model_validate(told).names] == ["microsoft", "wechat"]
    files = {"microsoft_client_secret": "/etc/a", "wechat_app_secret": "/etc/b", "providers_authority": "/etc/ca.crt"}
    assert secret_files(cluster.sign_in) == files
    assert set(files.values()) <= set(given_files(cluster)), "a second control host and the masters have no copy"
    assert {Path(told[way]["secret_file"]).name for way in ("microsoft", "wechat")} < files.keys()


@pytest.mark.parametrize(
    ("lines", "networks", "ports"),
    [
        ((MICROSOFT, PROXY), ["10.0.0.5/32"], [3128]),
        ((MICROSOFT, PROXY, "networks: [10.0.0.0/24]"), ["10.0.0.0/24"], [3128]),
        ((MICROSOFT, "proxy: 'http://proxy.example.com:8080'", "networks: [10.0.0.0/24]"), ["10.0.0.0/24"], [8080]),
        ((MICROSOFT, "networks: [20.190.128.0/18, 40.126.0.0/18]"), ["20.190.128.0/18", "40.126.0.0/18"], [443]),
        ((WECHAT, "networks: [203.0.113.0/24]"), ["203.0.113.0/24"], [443]),
        (
            (MICROSOFT.replace(".com/t", ".com:8443/t"), WECHAT, "networks: [203.0.113.0/24]"),
            ["203.0.113.0/24"],
            [443, 8443],
        ),
    ],
)
def test_the_api_may_ask_the_proxy_or_the_providers_at_their_ports_and_nobody_else(
    lines: tuple[str, ...], networks: list[str], ports: list[int]
) -> None:
    assert reached(of(*lines).sign_in) == {"networks": networks, "ports": ports}


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((MICROSOFT,), "`sign_in.networks` is empty, so the API reaches no provider."),
        ((MICROSOFT, "proxy: 'http://proxy:3128'"), "`sign_in.proxy`: nobody knows the address of `proxy` beforehand."),
        ((MICROSOFT, "proxy: '10.0.0.5:3128'"), "is not a proxy"),
        ((MICROSOFT, "proxy: 'http://10.0.0.5'"), "is not a proxy"),
        ((MICROSOFT, "proxy: 'http://ada:secret@10.0.0.5:3128'"), "is not a proxy"),
        ((PROXY,), "`sign_in.proxy` is given, but nobody signs in by others."),
        (("networks: [10.0.0.0/24]",), "`sign_in.networks` is given, but nobody signs in by others."),
        (("ca_file: /etc/ca.crt",), "`sign_in.ca_file` is given, but nobody signs in by others."),
        ((MICROSOFT, "networks: [0.0.0.0/0]"), "0.0.0.0/0 is most of the internet."),
        ((MICROSOFT, "networks: [126.0.0.0/7]"), "126.0.0.0/7 is most of the internet."),
        ((MICROSOFT, "networks: [10.244.7.0/24]"), "10.244.7.0/24 overlaps `network.pod_network` 10.244.0.0/16."),
        ((MICROSOFT, "networks: [10.0.0.0/8]"), "10.0.0.0/8 overlaps `network.service_network` 10.96.0.0/16."),
        ((MICROSOFT, "networks: [127.0.0.0/8]"), "overlaps what every machine calls itself 127.0.0.0/8."),
        ((MICROSOFT, "proxy: 'http://127.0.0.1:3128'"), "`sign_in.proxy`: 127.0.0.1/32 overlaps what every machine"),
        ((MICROSOFT, "proxy: 'http://10.244.0.9:3128'"), "10.244.0.9/32 overlaps `network.pod_network` 10.244.0.0/16."),
        ((MICROSOFT, "proxy: 'http://10.0.0.5:65536'"), "is not a proxy"),
        ((MICROSOFT, "proxy: 'http://10.0.0.5:0'"), "is not a proxy"),
        ((MICROSOFT.replace("https:", "http:"), PROXY), "is not the address of a provider"),
        ((MICROSOFT.replace(".com/t", ".com:99999/t"), PROXY), "is not the address of a provider"),
        ((MICROSOFT.replace("v2.0", "v2.0?x=1"), PROXY), "is not the address of a provider"),
        ((MICROSOFT.replace("login.", "ada@login."), PROXY), "is not the address of a provider"),
        ((WECHAT.replace("}", ", api: 'https://relay/#x'}"), PROXY), "is not the address of a provider"),
        ((MICROSOFT.replace("/t/", "/TENANT/"), PROXY), "`sign_in.microsoft.issuer` is that of the example."),
        ((MICROSOFT.replace("/t/", "/Organizations/"), PROXY), "`organizations` is no tenant of yours"),
        ((MICROSOFT.replace(", client_id: portal", ""), PROXY), "key `sign_in.microsoft.client_id` is missing."),
        ((MICROSOFT.replace("client_secret_file: /etc/a", "client_secret: a"), PROXY), "client_secret"),
    ],
)
def test_what_cannot_work_or_opens_too_much_is_refused(lines: tuple[str, ...], said: str) -> None:
    assert said in refused(*lines)


@pytest.mark.parametrize("more", ["", "platform: {origin: 'https://203.0.113.7'}\n"])
def test_wechat_needs_a_name_to_send_people_back_to(more: str) -> None:
    assert "WeChat sends browsers back to a domain alone" in refused(WECHAT, PROXY, more=more)
    assert of(MICROSOFT, PROXY, more=more).sign_in.offered


def test_a_network_of_eight_bits_is_none_of_most_of_the_internet() -> None:
    assert of(MICROSOFT, "networks: [20.0.0.0/8]").sign_in.networks == ["20.0.0.0/8"]
