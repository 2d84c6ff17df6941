"""People sign in to the installed cluster by OpenID Connect: a provider of ours in the house, set up in cluster.yaml.

It speaks the protocol (tests/providers) over TLS with an authority of its own. What is tried is what lies between it
and the services: cluster.yaml, the secret in its file, the API's network policy, and the gateway.
"""

from __future__ import annotations

import secrets
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from installer.cluster import load
from tests.system.harness import CLUSTER_FILE, ROOT, Atoll, Portal, wait_for
from tests.system.hosts import host

ADDRESS = "10.79.0.197"
PERSON = f"grace{secrets.token_hex(3)}"
Edit = Callable[[Callable[[dict[str, Any]], None]], None]


def certificates(folder: Path) -> None:
    """An authority, and by it the provider's certificate."""
    new = ("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2")
    authority = ("-subj", "/CN=authority of the house", "-keyout", "ca.key", "-out", "ca.crt")
    own = ("-subj", "/CN=provider", "-keyout", "server.key", "-out", "server.crt", "-CA", "ca.crt", "-CAkey", "ca.key")
    more = ("-addext", f"subjectAltName=IP:{ADDRESS}", "-addext", "basicConstraints=critical,CA:FALSE")
    for words in (authority, (*own, *more)):
        subprocess.run([*new, *words], check=True, capture_output=True, cwd=folder)


@pytest.fixture
def provider(atoll: Atoll, portal: Portal, tmp_path: Path) -> Iterator[Path]:
    """The provider in the house; gives the folder of its files."""
    certificates(tmp_path)
    with host(atoll, load(CLUSTER_FILE), "provider", ADDRESS) as there:
        argv = [*there, sys.executable, "-m", "tests.providers.over_tls", ADDRESS, portal.url, str(tmp_path), PERSON]
        with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, cwd=ROOT) as running:
            try:
                assert running.stdout is not None
                assert running.stdout.readline() == "ready\n"
                yield tmp_path
            finally:
                running.kill()


def offered(portal: Portal) -> list[str]:
    """The ways in beside the password that the sign-in page shows; an API that starts anew shows none."""
    answer = portal.client.get("/about")
    return list(answer.json()["ways_in"]) if answer.is_success else ["nobody answers"]


@pytest.fixture
def set_up(atoll: Atoll, portal: Portal, provider: Path, edit_cluster: Edit) -> Iterator[Path]:
    """As docs/sign-in.md says; afterwards nobody signs in that way any more."""

    def apply(section: dict[str, Any]) -> None:
        edit_cluster(lambda wanted: wanted.update(sign_in=section))
        assert atoll("apply", "-f", str(CLUSTER_FILE), "-o", "json").finished["ok"]

    microsoft = {
        "issuer": f"https://{ADDRESS}",
        "client_id": (provider / "client_id").read_text().strip(),
        "client_secret_file": str(provider / "client_secret"),
    }
    assert offered(portal) == []
    try:
        apply({"microsoft": microsoft, "networks": [f"{ADDRESS}/32"], "ca_file": str(provider / "ca.crt")})
        wait_for("the way is offered", lambda: offered(portal) == ["microsoft"], 60)
        yield provider
    finally:
        apply({})
        wait_for("it is offered no more", lambda: offered(portal) == [], 60)


def through(portal: Portal, api: httpx.Client, outside: httpx.Client) -> dict[str, Any]:
    """The whole way of a browser: from the button to the provider's page, and back to the portal's."""
    begun = api.post("/session/ways/microsoft/start")
    assert begun.status_code == 201, begun.text
    address = begun.json()["address"]
    assert address.startswith(f"https://{ADDRESS}/authorize?")
    back = outside.get(address)
    if back.status_code == 200:  # it asks who somebody is, whom it has not seen in this browser
        assert PERSON in back.text
        back = outside.post(address, data={"person": PERSON})
    assert back.status_code == 302, back.text
    page_of_portal, _, query = back.headers["location"].partition("?")
    assert page_of_portal == f"{portal.url}/sign-in/by/microsoft"
    came = dict(parse_qsl(query))
    answer = api.post("/session/ways/microsoft", json={"state": came["state"], "code": came["code"]})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


@pytest.mark.timeout(900)
def test_somebody_signs_in_by_a_provider_and_may_do_what_they_are_given(
    atoll: Atoll, portal: Portal, set_up: Path
) -> None:
    with ExitStack() as kept:

        def browser() -> httpx.Client:
            headers = {"X-Atoll-Request": "1", "Origin": portal.url}
            base = portal.client.base_url
            return kept.enter_context(httpx.Client(base_url=base, verify=portal.verify, headers=headers, timeout=30))

        trusted = ssl.create_default_context(cafile=set_up / "ca.crt")
        outside = kept.enter_context(httpx.Client(verify=trusted, timeout=30))
        first = browser()
        unknown = through(portal, first, outside)
        assert (unknown["outcome"], unknown["session"], unknown["account"]["name"]) == ("unknown", None, PERSON)
        assert first.get("/session").status_code == 401, "somebody is signed in before there is an account"
        made = first.post("/session/ways/microsoft/account", json={"name": PERSON, "nickname": PERSON})
        assert made.status_code == 201, made.text
        kept.callback(atoll, "users", "disable", "-f", str(CLUSTER_FILE), PERSON)
        session = first.get("/session").json()
        assert (session["user"]["name"], session["permissions"], session["virtual_clusters"]) == (PERSON, [], [])
        assert first.get("/home/files").status_code == 403
        waiting = portal.client.get("/users", params={"waiting": True, "words": PERSON}).json()["items"]
        (account,) = [each for each in waiting if each["name"] == PERSON]
        assert portal.client.put(f"/users/{account['id']}/roles", json={"roles": ["user"]}).is_success
        second = browser()
        known = through(portal, second, outside)
        assert (known["outcome"], known["session"]["user"]["name"]) == ("signed_in", PERSON)
        for each in (first, second):
            assert each.get("/home/files").is_success, "what was given does not hold"
        done = portal.client.get("/audit", params={"limit": 200}).json()["items"]
        of_person = {each["action"]: each["details"] for each in done if each["object_name"] == PERSON}
        assert of_person["user.register"] == {"way": "microsoft"}
        secret = (set_up / "client_secret").read_text().strip()
        logged = atoll.kubectl("-n", "atoll-system", "logs", "deployment/api", "--tail=-1").out
        assert secret not in logged
