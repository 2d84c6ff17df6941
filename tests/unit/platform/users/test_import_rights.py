"""Nobody gives by a file of users what they do not hold, nor what they held when they sent it. On a real database."""

import asyncio
from collections.abc import Sequence

import pytest
from atoll.identity import passwords
from sqlalchemy.ext.asyncio import AsyncEngine

from tests.unit.platform.conftest import Client, RunningPlatform
from tests.unit.platform.people import a_group, a_role, id_of, told
from tests.unit.platform.users.test_import import accounts, admin, file, looked, sent, wrong
from tests.unit.platform.users.test_outlived_rights import Held
from tests.unit.platform.users.test_races import during, owner

__all__ = ["admin", "owner"]

# Who makes an account holds the number of the next one, for which each other new account waits.
DEMOTION_BESIDE_AN_ACCOUNT = """
    WITH gone AS (DELETE FROM user_roles WHERE user_id = :id)
    INSERT INTO users (id, name, nickname, password_hash, must_change_password, active, created_at, version)
    VALUES ('other', 'other', '', '', false, true, now(), 1)
"""


async def giver(portal: RunningPlatform, admin: Client, *grants: str) -> Client:
    """Somebody who manages users, with what else is granted."""
    role = await a_role(admin, "Giver", "users:read", "users:manage", *grants)
    return await portal.user(admin, "giver", member=False, roles=[role])


async def test_nobody_gives_by_a_file_what_they_do_not_hold(portal: RunningPlatform, admin: Client) -> None:
    by = await giver(portal, admin, "nodes:read")
    content = file("aa,A,,,Watch,Ops,", "bb,B,,,System Admin,,", "cc,C,,,Watch,,default")
    found = await looked(by, content)
    more = ["more_than_you_hold"]
    assert wrong(found) == {"3.roles": more, "4.virtual_clusters": more}
    (told_at,) = found["lines"][2]["errors"]
    assert told_at["params"] == {"permissions": "virtual_clusters:manage"}
    answer = await sent(by, content)
    body = answer.json()
    assert (answer.status_code, body["code"]) == (403, "more_than_you_hold")
    assert [each["field"] for each in body["errors"]] == ["3.roles", "4.virtual_clusters"]
    assert "virtual_clusters:manage" in body["params"]["permissions"]
    assert sorted(await accounts(admin)) == ["admin", "giver"]
    assert (await sent(by, file("aa,A,,,Watch,Ops,"))).is_success


async def test_nobody_gives_by_a_group_what_they_do_not_hold(portal: RunningPlatform, admin: Client) -> None:
    by = await giver(portal, admin, "runs:read")
    await a_role(admin, "Runs", "runs:read")
    content = file("aa,A,,,Runs,Ops,")
    assert (await sent(by, content)).status_code == 403
    found = wrong(await looked(by, content))
    assert found == {"2.groups": ["more_than_you_hold"]}, "a group gives more than its giver holds"
    assert (await sent(by, file("aa,A,,,Runs,,"))).is_success


async def test_what_a_skipped_line_would_give_is_not_judged(portal: RunningPlatform, admin: Client) -> None:
    by = await giver(portal, admin, "nodes:read")
    content = file("admin,A,,,System Admin,,", "aa,A,,,Watch,,")
    assert (await looked(by, content, skip_existing=True))["mistakes"] == 0
    assert (await sent(by, content, skip_existing=True)).json()["new"] == 1


async def test_nobody_gives_a_virtual_cluster_by_a_group_in_a_file(portal: RunningPlatform, admin: Client) -> None:
    group = await a_group(admin, "GPU team", ["annotator"])
    cluster = (await admin.get("/virtual-clusters")).json()["items"][0]["id"]
    assert (await admin.post(f"/virtual-clusters/{cluster}/members", {"groups": [group]})).is_success
    by = await giver(portal, admin, "annotation")
    content = file("aa,A,,,Annotation person,GPU team,")
    found = await looked(by, content)
    assert wrong(found) == {"2.groups": ["more_than_you_hold"]}, "a file gave a virtual cluster away"
    assert found["lines"][0]["errors"][0]["params"] == {"permissions": "virtual_clusters:manage"}
    assert told(await sent(by, content)) == (403, "more_than_you_hold", {"2.groups": "more_than_you_hold"})
    # What they are in themselves they give on.
    assert (await admin.post(f"/virtual-clusters/{cluster}/members", {"users": [await id_of(by)]})).is_success
    assert (await sent(by, content)).is_success


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Held:
    """Initial passwords that wait for their turn, as they do while many sign in: they came, they may go on."""
    came, go = asyncio.Event(), asyncio.Event()
    real = passwords.hashed_drawn

    async def hashed(drawn: Sequence[str]) -> list[str]:
        came.set()
        await go.wait()
        return await real(drawn)

    monkeypatch.setattr(passwords, "hashed_drawn", hashed)
    return came, go


@pytest.mark.parametrize(("how", "status"), [("disabled", 401), ("demoted", 403), ("deleted", 401)])
async def test_who_lost_their_rights_makes_nobody_from_a_file_after_that(
    portal: RunningPlatform, admin: Client, held: Held, how: str, status: int
) -> None:
    came, go = held
    eve = await portal.user(admin, "eve", roles=["admin"])
    user = await id_of(eve)
    asking = asyncio.ensure_future(sent(eve, file("backdoor,B,,,System Admin,,")))
    await asyncio.wait_for(came.wait(), 10)
    match how:
        case "disabled":
            done = await admin.post(f"/users/{user}/disable", {})
        case "deleted":
            done = await admin.post(f"/users/{user}/delete", {})
        case _:
            done = await admin.http.put(f"/users/{user}/roles", json={"roles": ["user"]})
    assert done.is_success
    go.set()
    assert (await asking).status_code == status, f"{how} first, then an administrator was made"
    assert "backdoor" not in await accounts(admin)


async def test_who_loses_their_rights_while_accounts_are_made_makes_none(
    portal: RunningPlatform, admin: Client, owner: AsyncEngine
) -> None:
    by = await giver(portal, admin, "nodes:read")
    content = file("aa,A,,,Watch,Ops,")
    answer = await during(owner, DEMOTION_BESIDE_AN_ACCOUNT, sent(by, content), id=await id_of(by))
    assert told(answer)[:2] == (403, "more_than_you_hold"), "demoted while it was made, and it was kept"
    assert sorted(await accounts(admin)) == ["admin", "giver", "other"]
