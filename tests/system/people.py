"""Ordinary users of the platform, made for a test and disabled when it ends."""

from __future__ import annotations

import contextlib
import secrets
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.system.harness import CLUSTER_FILE, Atoll, Portal
from tests.system.jobs import submit


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


class Browser(Portal):
    """The API, as an ordinary user."""

    def __init__(self, user: User, client: httpx.Client) -> None:
        self.user, self.client = user.name, client

    def run(self, atoll: Atoll, name: str, program: str, **more: Any) -> str:
        """Write a program into the home and submit it as a task without cards."""
        made = self.client.get("/home/files")  # makes the home
        assert made.is_success, made.text
        home = f"/mnt/atoll/home/{self.user}"
        place = Path(home, name, "main.py")
        write = (
            f"mkdir -p {place.parent} && printf %s {shlex.quote(program)} > {place}"
            f" && chown -R --reference={home} {place.parent}"
        )
        atoll.node("worker1", "sh", "-c", write)
        return submit(self, name, f"{name}/main.py", **more)


@contextlib.contextmanager
def people(atoll: Atoll, portal: Portal) -> Iterator[Callable[..., User]]:
    """Makes a user whose name begins so, and who has chosen a password: of `default`, unless more is said."""
    assert portal.signed_in.is_success, portal.signed_in.text
    names: list[str] = []

    def make(kind: str, **more: Any) -> User:
        name, first, own = f"{kind}{secrets.token_hex(3)}", secrets.token_urlsafe(18), secrets.token_urlsafe(18)
        account = {"name": name, "nickname": name, "password": first}
        body = {**account, "roles": ["user"], "virtual_clusters": ["default"], **more}
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
