"""Where people sign in by others the API is told how, holds the secrets, and reaches them and nobody else outside."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
import yaml
from atoll.configuration import Configuration

from .conftest import TREE, Rendered, render

SECRETS = {"microsoft_client_secret": "secret-of-microsoft", "wechat_app_secret": "secret-of-wechat"}


@pytest.fixture(scope="module")
def outside(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    """The reference topology with both ways, by a proxy."""
    root = tmp_path_factory.mktemp("ways_in")
    for name, content in (SECRETS | {"ca": "-----BEGIN CERTIFICATE-----\n"}).items():
        (root / name).write_text(content + "\n")
    content = yaml.safe_load((TREE / "cluster.example.yaml").read_text(encoding="utf-8"))
    content["platform"]["origin"] = "https://ai.example.com"
    content["sign_in"] = {
        "microsoft": {
            "issuer": "https://login.example.com/t/v2.0",
            "client_id": "portal",
            "client_secret_file": str(root / "microsoft_client_secret"),
        },
        "wechat": {"app_id": "wx1", "app_secret_file": str(root / "wechat_app_secret")},
        "proxy": "http://192.0.2.5:3128",
        "networks": ["192.0.2.0/28", "198.51.100.7/32"],
        "ca_file": str(root / "ca"),
    }
    file = root / "cluster.yaml"
    file.write_text(yaml.safe_dump(content))
    return render(file, root)


def egress(rendered: Rendered, name: str) -> list[Any]:
    found: list[Any] = rendered.one("NetworkPolicy", name)["spec"]["egress"]
    return found


def test_the_api_reaches_the_proxy_outside_and_nobody_else(outside: Rendered, rendered: Rendered) -> None:
    usual = egress(rendered, "api")
    assert all(rule.get("to") and rule.get("ports") for rule in usual), "the API may ask anybody"
    more = [rule for rule in egress(outside, "api") if rule not in usual]
    assert more == [
        {
            "to": [{"ipBlock": {"cidr": "192.0.2.0/28"}}, {"ipBlock": {"cidr": "198.51.100.7/32"}}],
            "ports": [{"port": 3128}],
        }
    ]
    for name in ("jobs", "files", "gateway", "migration"):
        assert egress(outside, name) == egress(rendered, name), f"{name} reaches further, too"


def test_the_api_alone_is_told_and_holds_the_secrets(outside: Rendered) -> None:
    held = outside.one("Secret", "ways-in")["data"]
    told = {name: base64.b64decode(value).decode().strip() for name, value in held.items()}
    assert {name: told[name] for name in SECRETS} == SECRETS
    for item in outside.objects():
        if item["kind"] != "Secret":
            for secret in SECRETS.values():
                text = json.dumps(item)
                assert secret not in text
                assert base64.b64encode(secret.encode()).decode() not in text
    holders = {
        name
        for name, template in outside.workloads()
        for volume in template["spec"].get("volumes", ())
        for source in volume.get("projected", {}).get("sources", ())
        if source.get("secret", {}).get("name") == "ways-in"
    }
    assert holders == {"Deployment api"}
    for service in ("api", "jobs", "files", "migration"):
        content = yaml.safe_load(outside.one("ConfigMap", f"{service}-config")["data"]["config.yaml"])
        ways = Configuration.model_validate(content).ways_in
        if service != "api":
            assert ways.names == [], f"{service} is told of providers"
            continue
        assert (ways.names, ways.proxy) == (["microsoft", "wechat"], "http://192.0.2.5:3128")
        assert ways.microsoft is not None
        assert ways.wechat is not None
        files = {ways.microsoft.secret_file, ways.wechat.secret_file, ways.authority}
        assert {f"/etc/atoll/secrets/{name}" for name in held} == {str(file) for file in files}


def test_no_way_in_leaves_everything_as_it_was(rendered: Rendered) -> None:
    assert not [item for item in rendered.objects("platform") if item["metadata"]["name"] == "ways-in"]
    content = yaml.safe_load(rendered.one("ConfigMap", "api-config")["data"]["config.yaml"])
    assert content["ways_in"] == {}
    blocks = json.dumps(egress(rendered, "api"))
    masters = {f"{node['address']}/32" for node in _nodes() if "master" in node["roles"]}
    assert blocks.count("ipBlock") == len(masters), "the API reaches outside where nobody signs in by others"


def _nodes() -> list[dict[str, Any]]:
    content = yaml.safe_load((TREE / "cluster.example.yaml").read_text(encoding="utf-8"))
    found: list[dict[str, Any]] = content["nodes"]
    return found
