"""Ten thousand users of one file: in bounded time and memory, and nobody else waits for them. On a real database."""

import asyncio
import time
import tracemalloc
from typing import Any

import pytest
from atoll.users.csv_file import MOST_ROWS
from atoll.users.understanding import understood

from tests.unit.platform.conftest import Client, RunningPlatform
from tests.unit.platform.people import a_group, a_role
from tests.unit.platform.users.test_import import HEAD, sent

PATIENCE_S = 120.0  # for a machine that does much else
MIB = 1 << 20
# One mebibyte is what the gateway lets through.
LINE = "user-{0:05d},Person {0},+49 30 {0},u{0}@example.org,User,All,default"
LINES = "\n".join([HEAD, *(LINE.format(n) for n in range(MOST_ROWS))])


async def longest_wait(client: Client, until: "asyncio.Task[Any]") -> float:
    """The longest that somebody else's small request took meanwhile."""
    longest = 0.0
    while not until.done():
        began = time.monotonic()
        assert (await client.get("/session")).is_success
        longest = max(longest, time.monotonic() - began)
        await asyncio.sleep(0.02)
    return longest


@pytest.mark.long  # it judges who waits for how long, which machines that do other things answer wrongly
async def test_ten_thousand_users_are_made_while_others_go_on(portal: RunningPlatform) -> None:
    content = LINES.encode()
    assert len(content) <= MIB
    admin = await portal.admin()
    ada = await portal.user(admin, "ada")
    await a_group(admin, "All", [await a_role(admin, "Watch", "nodes:read")])
    admin.http.timeout = PATIENCE_S
    for dry_run, name in ((True, "looked at"), (False, "made")):
        began = time.monotonic()
        asking = asyncio.create_task(sent(admin, content, dry_run=dry_run))
        longest = await longest_wait(ada, asking)
        answer = await asking
        took = time.monotonic() - began
        assert answer.status_code == 200, answer.text[:500]
        assert (answer.json()["new"], answer.json()["mistakes"]) == (MOST_ROWS, 0)
        assert longest < took / 3, f"somebody else waited {longest:.2f} of the {took:.2f} s while they were {name}"
    assert (await admin.get("/user-management")).json()["users"] == MOST_ROWS + 2
    secrets = {each["name"]: each["password"] for each in answer.json()["passwords"]}
    assert len({*secrets.values()}) == MOST_ROWS
    await portal.sign_in("user-09999", secrets["user-09999"])
    found = (await admin.get("/users", params={"words": "user-09999"})).json()["items"][0]
    assert [role["name"] for role in found["roles"]] == ["User"]
    assert [group["name"] for group in found["groups"]] == ["All"]
    assert [cluster["name"] for cluster in found["virtual_clusters"]] == ["default"]


@pytest.mark.parametrize("cell", ["User", "x" * 280], ids=["usual", "largest"])
def test_what_is_kept_of_a_file_is_bounded(cell: str) -> None:
    content = "\n".join([HEAD, *(f"user-{n:05d},P {n},,,{cell},," for n in range(MOST_ROWS))]).encode()
    tracemalloc.start()
    asked = understood(content)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert len(asked.wishes) == MOST_ROWS
    assert most < 64 * MIB, f"{most / MIB:.0f} MiB"
