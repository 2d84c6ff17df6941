"""Accounts by the command line: what an administrator does when nobody can sign in to the portal."""

from __future__ import annotations

import csv
import re
import secrets
import stat
from pathlib import Path

import httpx
import pytest

from tests.system.harness import CLUSTER_FILE, Atoll, Portal, wait_for

FIRST = "first-for-" + "x" * 8


def users(atoll: Atoll, *arguments: str, ok: tuple[int, ...] = (0,)) -> str:
    ran = atoll("users", arguments[0], "-f", str(CLUSTER_FILE), *arguments[1:], ok=ok)
    return ran.out + ran.err


def browser(portal: Portal) -> httpx.Client:
    # The same certificates, another browser.
    return httpx.Client(
        base_url=portal.client.base_url,
        verify=portal.verify,
        headers={"X-Atoll-Request": "1", "Origin": portal.url},
        timeout=60,
    )


@pytest.mark.timeout(300)
def test_an_account_is_disabled_enabled_and_given_a_one_time_password(atoll: Atoll, portal: Portal) -> None:
    name = f"u{secrets.token_hex(4)}"
    made = portal.client.post("/users", json={"name": name, "nickname": name, "password": FIRST, "roles": ["user"]})
    assert made.is_success, made.text
    with browser(portal) as theirs:
        assert theirs.post("/session", json={"name": name, "password": FIRST}).status_code == 201
        assert f"{name} is disabled" in users(atoll, "disable", name)
        wait_for(f"{name} is signed out", lambda: theirs.get("/session").status_code == 401, 10)
        assert theirs.post("/session", json={"name": name, "password": FIRST}).status_code == 401
        assert "disabled" in users(atoll, "list")
        users(atoll, "enable", name)
        said = users(atoll, "reset-password", name)
        password = re.search(r"([a-z2-9]{5}-){3}[a-z2-9]{5}", said)
        assert password is not None, said
        again = theirs.post("/session", json={"name": name, "password": password[0]})
        assert again.status_code == 201, again.text
        assert again.json()["must_change_password"]
        users(atoll, "end-sessions", name)
        assert theirs.get("/session").status_code == 401
    audit = portal.client.get("/audit", params={"limit": 200})
    assert password[0] not in audit.text
    kept = {item["action"]: item["actor_name"] for item in audit.json()["items"] if item["object_name"] == name}
    assert {"user.disable", "user.enable", "user.reset_password", "user.end_sessions"} <= set(kept)
    assert "@" in kept["user.disable"]


@pytest.mark.timeout(120)
def test_the_account_of_the_installation_cannot_be_disabled_and_an_unknown_name_is_told(
    atoll: Atoll, portal: Portal
) -> None:
    assert "only the password can be changed" in users(atoll, "disable", portal.user, ok=(1,))
    assert "nobody-here" in users(atoll, "enable", "nobody-here", ok=(1,))


@pytest.mark.timeout(300)
def test_users_of_a_file_are_looked_at_and_made_with_passwords_of_their_own(
    atoll: Atoll, portal: Portal, tmp_path: Path
) -> None:
    names = [f"f{secrets.token_hex(4)}" for _ in range(3)]
    lines = [f"{name},人 {name},,,普通用户,,default" for name in names]
    written, passwords = tmp_path / "new.csv", tmp_path / "passwords.csv"
    head = users(atoll, "import", "--template", "--language", "zh").strip()
    assert head.startswith("用户名,")
    written.write_bytes("\r\n".join([head, *lines[:2], lines[2].replace("普通用户", "nothing")]).encode("gbk"))
    told = users(atoll, "import", str(written), "--dry-run", ok=(1,))
    assert f"{written}:4: Roles: There is no role `nothing`." in told
    assert "Read as gb18030" in told
    assert users(atoll, "import", str(written), "--passwords", str(passwords), ok=(1,))
    assert not passwords.exists()
    written.write_bytes("\r\n".join([head, *lines]).encode("gbk"))
    assert "New: 3" in users(atoll, "import", str(written), "--dry-run")
    said = users(atoll, "import", str(written), "--passwords", str(passwords))
    assert "Made: 3" in said
    assert stat.S_IMODE(passwords.stat().st_mode) == 0o600
    with passwords.open(newline="") as file:
        given = dict(list(csv.reader(file))[1:])
    assert [*given] == names
    assert not [password for password in given.values() if password in said]
    with browser(portal) as theirs:
        signed = theirs.post("/session", json={"name": names[0], "password": given[names[0]]})
        assert (signed.status_code, signed.json()["must_change_password"]) == (201, True)
    assert "is there already" in users(atoll, "import", str(written), "--passwords", str(passwords), ok=(1,))
    again = users(atoll, "import", str(written), "--passwords", str(tmp_path / "more.csv"), "--skip-existing")
    assert "Made: 0. There already: 3." in again
    audit = portal.client.get("/audit", params={"action": "user.import"}).json()["items"]
    assert audit[0]["details"] == {"made": 0, "existing": 3}
    assert not [password for password in given.values() if password in portal.client.get("/audit").text]
