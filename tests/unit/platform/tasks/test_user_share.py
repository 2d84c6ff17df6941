"""The share of CPU and memory that the tasks of one user may reserve, on a running platform."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.platform.conftest import Client, RunningPlatform, eventually, training

WAITS = "import time; print('begun', flush=True); time.sleep(600)"


@pytest.fixture
def different() -> dict[str, Any]:
    """Of 128 cores 1.28 for each user."""
    return {"tasks": {"user_share_percent": 1}}


async def test_who_has_used_up_the_share_waits_is_told_so_before_and_keeps_nobody_waiting(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    ada, bob = [await platform.user(admin, name) for name in ("ada", "bob")]
    for name in ("ada", "bob"):
        program(name, WAITS)
    half = training(limits={"cpu": "2", "memory": "512Mi"})

    async def begin(client: Client, name: str) -> str:
        answer = await client.post("/trainings", {**half, "name": name})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["id"])

    async def reads(client: Client, task: str) -> dict[str, Any]:
        found: dict[str, Any] = (await client.get(f"/tasks/{task}")).json()
        return found

    assert (await ada.post("/trainings/estimate", half)).json()["starts"] == "now"
    first = await begin(ada, "first")
    await ada.until(first, "running")
    told = (await ada.post("/trainings/estimate", half)).json()
    assert (told["allowed"], told["reason"]["code"]) == (True, "user_share_used_up")
    assert told["reason"]["params"] == {"resource": "cpu", "needed": "1", "held": "1", "most": "1280m"}
    second = await begin(ada, "second")

    async def waits_and_says_why() -> bool:
        task = await reads(ada, second)
        return (task["state"], task["reason"]["code"]) == ("queued", "user_share_used_up")

    await eventually(waits_and_says_why)
    assert (await bob.post("/trainings/estimate", half)).json()["starts"] == "now"
    await bob.until(await begin(bob, "of_bob"), "running")
    await ada.post(f"/tasks/{first}/stop")
    await ada.until(second, "running")
