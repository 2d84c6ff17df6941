"""Rows of the policy table by sample, asked through the gateway of the installed cluster: who gets and is told what.

`dev` tries all of it (tests/unit/platform/web), by the same table and the same rule of what is alike. What is added
here lies between: the gateway, the services' own rights in the database, a task in Kubernetes, files of real homes.
"""

from __future__ import annotations

import contextlib
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import httpx
import pytest
from atoll.api.domains import DOMAINS
from atoll.web.domain import DENIED, HIDDEN, MatrixRow

from tests.system.harness import Atoll, Portal, wait_for
from tests.system.people import Browser, User, people
from tests.system.shares import Share
from tests.unit.platform.web.objects import MATRIX
from tests.unit.platform.web.test_hidden import Objects, may_know, said
from tests.unit.platform.web.test_permission_matrix import (
    GRANTS,
    SIGNED_OUT,
    TOKENS,
    Who,
    expected_by_token,
    expected_of,
    mistakes_of,
)

# What removes is last: then its owner, who is asked last, is who does.
SAMPLE = (
    "GET /home/files",
    "GET /settings",
    "GET /access-tokens",
    "GET /tasks/{task_id}",
    "GET /tasks/{task_id}/events",
    "GET /tasks/{task_id}/log/content",
    "GET /tasks/{task_id}/files",
    "GET /tasks/{task_id}/files/content",
    "POST /tasks/{task_id}/stop",
    "GET /operations/{operation_id}",
    "POST /operations/{operation_id}/cancel",
    "GET /virtual-clusters/{cluster_id}",
    "GET /virtual-clusters/{cluster_id}/members",
    "PATCH /virtual-clusters/{cluster_id}",
    "GET /users/{user_id}",
    "GET /groups/{group_id}",
    "GET /roles/{role_id}",
    "GET /audit/{record_id}",
    "GET /device-capacity",
    "DELETE /access-tokens/{token_id}",
    "DELETE /tasks/{task_id}",
)
OF_OBJECTS = [operation for operation in SAMPLE if "{" in operation]
SMALL = {"cpu": "500m", "memory": "400Mi"}
# What nobody else is told holds this word.
PROGRAM = """
import os

with open(os.environ["ATOLL_OUTPUT_DIR"] + "/result", "w") as file:
    file.write("secret")
print("secret", flush=True)
"""


@dataclass(frozen=True)
class Caller:
    """Somebody of the matrix, who asks by a session or (`token`) by an access token with all that they may."""

    who: Who
    client: httpx.Client
    token: bool = False

    @property
    def named(self) -> str:
        return f"a program of {self.who}" if self.token else self.who

    def seen_as(self, who: Who) -> Caller:
        """The same one, towards somebody else's objects."""
        return replace(self, who=who)

    def expected(self, operation: str) -> int | str:
        row = MATRIX[operation]
        assert isinstance(row, MatrixRow)
        if self.token:
            return expected_by_token(row, self.who, operation, read_only=False)
        return expected_of(row, self.who, operation)

    def ask(self, operation: str, objects: Mapping[str, str]) -> httpx.Response:
        row = MATRIX[operation]
        assert isinstance(row, MatrixRow)
        method, _, path = operation.partition(" ")
        return self.client.request(method, path.format(**objects), json=row.body, params=row.params)


@dataclass(frozen=True)
class Direction:
    """Whose objects they are, and who asks for them; the owner's session is last."""

    objects: dict[str, str]
    callers: list[Caller]


def a_client(portal: Portal, **headers: str) -> httpx.Client:
    return httpx.Client(base_url=portal.client.base_url, verify=portal.verify, headers=headers, timeout=60)


def nobody(portal: Portal) -> httpx.Client:
    """A browser in which nobody is signed in."""
    return a_client(portal, **{"X-Atoll-Request": "1", "Origin": portal.url})


def made(client: httpx.Client, address: str, body: Any) -> str:
    answer = client.post(address, json=body)
    assert answer.status_code in (201, 202), answer.text
    return str(answer.json()["id"])


def belongings(admin: httpx.Client, owner: Browser, share: Share, user_id: str, task: str) -> dict[str, str]:
    """The objects of somebody, by the places in paths; the virtual cluster is one of which only they are a member."""
    name = f"secret-{share.name}"
    owner.wait_state(task, {"finished"}, 300)
    archive = made(owner.client, "/home/archives", {"path": "code"})
    role = made(admin, "/roles", {"name": name, "grants": ["overview:read"]})
    group = {"name": name, "description": "secret", "roles": [role], "users": [user_id]}
    (token,) = [domain.examples["token_id"] for domain in DOMAINS if "token_id" in domain.examples]

    def ended() -> bool:
        return str(owner.client.get(f"/operations/{archive}").json()["state"]) == "finished"

    wait_for("the archive", ended, 120)
    return {
        "task_id": task,
        "operation_id": archive,
        "cluster_id": str(share.made["id"]),
        "user_id": user_id,
        "role_id": role,
        "group_id": made(admin, "/groups", group),
        "record_id": str(admin.get("/audit").json()["items"][0]["id"]),
        "token_id": made(owner.client, token.address, token.body),
    }


@dataclass
class Company:
    """Makes callers, and lets go of what they were made of."""

    portal: Portal
    kept: contextlib.ExitStack

    def by_token(self, caller: Caller) -> Caller:
        """A program of that caller."""
        body = {"name": "of a test", "grants": [*TOKENS[caller.who]], "days": 1}
        answer = caller.client.post("/access-tokens", json=body)
        assert answer.status_code == 201, answer.text
        self.kept.callback(self.portal.client.delete, f"/access-tokens/{answer.json()['id']}")
        client = self.kept.enter_context(a_client(self.portal, Authorization=f"Bearer {answer.json()['token']}"))
        return replace(caller, client=client, token=True)

    def by_session(self, who: Who, user: User) -> Caller:
        return Caller(who, self.kept.enter_context(contextlib.closing(user.browser())))

    def registered(self, share: Share) -> tuple[Caller, Caller]:
        """Somebody who made an account for themselves, and their program: of a time when they might do something."""
        admin, user = self.portal.client, User(self.portal, f"new{secrets.token_hex(3)}", secrets.token_urlsafe(18))
        body = {"name": user.name, "nickname": user.name, "password": user.password}
        with nobody(self.portal) as client:
            answer = client.post("/registrations", json=body)
            assert answer.status_code == 201, answer.text
        path = f"/users/{share.id_of(user)}"
        self.kept.callback(admin.post, f"{path}/disable", json={})
        caller = self.by_session("unentitled", user)
        assert admin.put(f"{path}/roles", json={"roles": ["user"]}).is_success
        program = self.by_token(caller)
        assert admin.put(f"{path}/roles", json={"roles": []}).is_success
        return caller, program

    def joined(self, share: Share, user: User) -> None:
        """A group of theirs is a member of `default`; they are none themselves."""
        admin = self.portal.client
        body = {"name": f"group {share.name}", "description": "of a test", "roles": ["user"]}
        group = made(admin, "/groups", body | {"users": [share.id_of(user)]})
        self.kept.callback(admin.delete, f"/groups/{group}")
        (default,) = [
            each["id"] for each in admin.get("/virtual-clusters").json()["items"] if each["name"] == "default"
        ]
        assert admin.post(f"/virtual-clusters/{default}/members", json={"groups": [group]}).is_success


@pytest.fixture(scope="module")
def directions(atoll: Atoll) -> Iterator[list[Direction]]:
    """Ada of `default` and a virtual cluster of her own, Bob of another one alone, and whoever else there is."""
    portal = Portal(atoll)
    with contextlib.ExitStack() as kept:
        kept.callback(portal.client.close)
        make = kept.enter_context(people(atoll, portal))
        company = Company(portal, kept)
        hers, his = Share(atoll, portal), Share(atoll, portal)
        for share in (hers, his):
            kept.callback(share.delete)
        ada, bob, joe = make("ada"), make("bob", virtual_clusters=[]), make("joe", virtual_clusters=[])
        role = made(portal.client, "/roles", {"name": f"reads {hers.name}", "grants": [*GRANTS]})
        reader = make("reader", virtual_clusters=[], roles=[role])
        company.joined(hers, joe)
        owners = []
        for share, user in ((hers, ada), (his, bob)):
            assert share.members(user).is_success
            wait_for("the queue", partial(share.of_member, user), 60)
            owners.append(Browser(user, kept.enter_context(contextlib.closing(user.browser()))))
        tasks = [
            owner.run(atoll, "code", PROGRAM, virtual_cluster=share.name, limits=SMALL)
            for owner, share in zip(owners, (hers, his), strict=True)
        ]
        objects = [
            belongings(portal.client, owner, share, share.id_of(user), task)
            for owner, share, user, task in zip(owners, (hers, his), (ada, bob), tasks, strict=True)
        ]
        new, of_new = company.registered(hers)
        others = [
            Caller("nobody", kept.enter_context(nobody(portal))),
            new,
            Caller("admin", portal.client),
            company.by_session("custom", reader),
        ]
        others += [of_new, *(company.by_token(each) for each in others[2:])]
        of_ada, of_bob = [Caller("owner", owner.client) for owner in owners]
        of_joe = company.by_session("member_through_a_group", joe)
        programs = {each.client: company.by_token(each) for each in (of_ada, of_bob, of_joe)}

        def both(caller: Caller, who: Who) -> list[Caller]:
            return [programs[caller.client].seen_as(who), caller.seen_as(who)]

        colleague, elsewhere = both(of_joe, "member_through_a_group"), both(of_joe, "member_elsewhere")
        yield [
            Direction(objects[0], [*others, *colleague, *both(of_bob, "foreigner"), *both(of_ada, "owner")]),
            Direction(objects[1], [*others, *elsewhere, *both(of_ada, "foreigner"), *both(of_bob, "owner")]),
        ]


@pytest.mark.timeout(900)
def test_what_is_somebody_elses_and_what_never_was_are_answered_alike_through_the_gateway(
    directions: list[Direction],
) -> None:
    tried: Counter[int] = Counter()
    different = []
    for direction in directions:
        there = direction.objects
        never = {place: each[:-1] + ("0" if each[-1] != "0" else "1") for place, each in there.items()}
        objects = Objects(there, never)
        for caller in direction.callers:
            for operation in OF_OBJECTS:
                if may_know(caller.who, operation):
                    continue
                told = [said(caller.ask(operation, each), each) for each in (objects.there, objects.never)]
                tried[told[0][0]] += 1
                if told[0] != told[1] or told[0][0] not in (SIGNED_OUT, DENIED, HIDDEN):
                    different.append(f"{caller.named}: {operation}: {told[0]} is told apart from {told[1]}")
    assert not different, "\n".join(different)
    assert min(tried[status] for status in (SIGNED_OUT, DENIED, HIDDEN)) >= len(OF_OBJECTS)


@pytest.mark.timeout(900)
def test_everybody_gets_through_the_gateway_what_the_table_says(directions: list[Direction]) -> None:
    """After the other one: here the owners remove what there is."""
    wrong = []
    asked: Counter[tuple[Who, bool]] = Counter()
    for direction in directions:
        *others, owner = direction.callers
        assert (owner.who, owner.token) == ("owner", False)
        for caller in (*others, owner):
            for operation in SAMPLE:
                if operation.startswith("DELETE /tasks") and caller.who == "owner" and caller.token:
                    continue  # as the owner does, and there is one task
                row = MATRIX[operation]
                assert isinstance(row, MatrixRow)
                answer = caller.ask(operation, {**direction.objects, **row.path})
                asked[caller.who, caller.token] += 1
                wrong += mistakes_of(f"{caller.named}: {operation}", answer, caller.expected(operation))
    assert not wrong, "\n".join(wrong)
    whoever: set[Who] = {"unentitled", "custom", "admin", "member_through_a_group", "member_elsewhere"}
    assert {*asked} >= {(who, token) for who in whoever | {"foreigner", "owner"} for token in (True, False)}
    assert asked["nobody", False] == len(directions) * len(SAMPLE)
