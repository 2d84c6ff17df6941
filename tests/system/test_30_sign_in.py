"""The administrator's first sign-in."""

from __future__ import annotations

import secrets

import pytest
import yaml

from tests.system.harness import SCRATCH, Portal


@pytest.mark.feature(45)
def test_the_generated_password_must_be_changed_before_anything_else_works(portal: Portal) -> None:
    assert portal.signed_in.is_success, portal.signed_in.text
    if (SCRATCH / "password").exists():
        pytest.fail("the password was changed before: the cluster is not fresh")
    assert portal.credentials_file.stat().st_mode & 0o077 == 0
    assert portal.signed_in.json()["must_change_password"]
    refused = portal.client.get("/tasks")
    assert refused.status_code == 403, refused.text
    current = yaml.safe_load(portal.credentials_file.read_text("utf-8"))["password"]
    assert portal.change_password(current, secrets.token_urlsafe(18)).is_success
    assert portal.client.get("/tasks").is_success
    assert portal.user == "admin"
    # What only who operates the platform sees; of others, test_71_accounts.
    assert [user["name"] for user in portal.client.get("/users").json()["items"]] == ["admin"]


def test_a_wrong_password_is_refused_without_saying_why(portal: Portal) -> None:
    answers = [
        portal.client.post("/session", json={"name": name, "password": "wrong-" + secrets.token_hex(4)})
        for name in ("admin", "nobody")
    ]
    assert [answer.status_code for answer in answers] == [401, 401]
    assert answers[0].json()["code"] == answers[1].json()["code"]


def test_a_third_party_sees_the_version_over_the_api_with_our_certificate(portal: Portal) -> None:
    assert portal.client.get("/about").json()["version"]


def test_a_foreign_origin_may_not_write(portal: Portal) -> None:
    answer = portal.client.post("/session/password", json={}, headers={"Origin": "https://elsewhere.example"})
    assert answer.status_code == 403
