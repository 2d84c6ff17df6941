"""Ordinary users of the platform, made for a test and disabled when it ends."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import httpx

from tests.system.harness import CLUSTER_FILE, Atoll, Portal


@dataclass
class User:
    """One of the platform."""

    portal: Portal
    name: str
    password: str

    def browser(self) -> httpx.Client:
        """Signed in once more."""
        client = httpx.Client(
            base_url=self.portal.client.base_url,
            verify=self.portal.verify,
            headers={"X-Atoll-Request": "1", "Origin": self.portal.url},
            timeout=30,
        )
        answer = client.post("/session", json={"name": self.name, "password": self.password})
        assert answer.is_success, answer.text
        return client


@contextlib.contextmanager
def people(atoll: Atoll, portal: Portal) -> Iterator[Callable[[str], User]]:
    """Makes a user whose name begins so, and who has chosen a password."""
    assert portal.signed_in.is_success, portal.signed_in.text
    names: list[str] = []

    def make(kind: str) -> User:
        name, first, own = f"{kind}{secrets.token_hex(3)}", secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        body = {"name": name, "password": first, "virtual_clusters": ["default"]}
        answer = portal.client.post("/users", json=body)
        assert answer.is_success, answer.text
        names.append(name)
        with contextlib.closing(User(portal, name, first).browser()) as theirs:
            changed = theirs.post("/session/password", json={"current_password": first, "new_password": own})
            assert changed.is_success, changed.text
        return User(portal, name, own)

    try:
        yield make
    finally:
        for name in names:
            atoll("users", "disable", "-f", str(CLUSTER_FILE), name, "--stop-tasks")
