"""How much one user may hand to the queue: text of a task, tasks that have not ended, and tasks of ten minutes."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from atoll.database.connection import connect, sessions
from atoll.tasks.models import TaskRow
from sqlalchemy import update

from tests.unit.platform.conftest import Client, RunningPlatform, training

MOST = 3
WAITS = "import time; time.sleep(60)"


@pytest.fixture
def different() -> dict[str, Any]:
    return {"tasks": {"unfinished_per_user": MOST}}


async def create(client: Client, **changes: Any) -> Any:
    return await client.post("/trainings", training(devices=1, **changes))


async def test_a_user_has_a_limited_number_of_tasks_that_have_not_ended_also_by_requests_at_once(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    for name in ("ada", "admin"):
        program(name, WAITS)
    answers = await asyncio.gather(*(create(ada, name=f"at_once_{number}") for number in range(3 * MOST)))
    made = [answer.json()["id"] for answer in answers if answer.status_code == 201]
    refused = [answer.json() for answer in answers if answer.status_code == 429]
    assert (len(made), len(refused)) == (MOST, 2 * MOST), [answer.text for answer in answers]
    assert {problem["code"] for problem in refused} == {"too_many_tasks"}
    assert str(MOST) in refused[0]["detail"]
    assert [error["params"] for error in refused[0]["errors"]] == [{"limit": MOST}], "the number, for every language"

    before = (await ada.post("/trainings/estimate", training(devices=1))).json()
    assert (before["allowed"], before["starts"]) == (False, "never"), "it is told before it is refused"
    assert (before["reason"]["code"], before["reason"]["params"]) == ("too_many_unfinished", {"limit": MOST})
    assert [problem["code"] for problem in before["problems"]] == ["unfinished_tasks"]

    assert (await admin.post("/trainings/estimate", training(devices=1))).json()["allowed"]
    assert (await create(admin)).status_code == 201, "others are not told of it"
    await ada.post(f"/tasks/{made[0]}/stop")
    await ada.until(made[0], "killed")
    assert (await create(ada)).status_code == 201
    assert (await create(ada)).status_code == 429


async def test_a_request_that_is_sent_again_is_answered_though_no_more_may_be_made(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    program("admin", WAITS)
    key = {"Idempotency-Key": "asked-for-once"}
    first = await admin.post("/trainings", training(devices=1), headers=key)
    while (await create(admin)).status_code == 201:
        pass
    again = await admin.post("/trainings", training(devices=1), headers=key)
    assert (again.status_code, again.json()["id"]) == (201, first.json()["id"])


@pytest.mark.parametrize("value", ["a", "$", "中"])
async def test_the_text_of_a_task_is_limited_at_its_field(platform: RunningPlatform, value: str) -> None:
    admin = await platform.admin()
    much = [{"name": "a", "value": value * 4000}] * 20
    answer = await create(admin, parameters=much)
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_request"), answer.text
    assert [problem["code"] for problem in answer.json()["errors"]] == ["program_text_too_long"]
    assert [error["field"] for error in answer.json()["errors"]] == ["parameters"]
    estimate = await admin.post("/trainings/estimate", training(parameters=much))
    assert [problem["code"] for problem in estimate.json()["problems"]] == ["program_text_too_long"]
    assert (await create(admin, parameters=[{"name": "a", "value": value * 2000}] * 10)).status_code == 201


IN_TEN_MINUTES = 4


@pytest.mark.parametrize("different", [{"tasks": {"unfinished_per_user": 3, "submitted_per_user": IN_TEN_MINUTES}}])
async def test_who_submits_and_stops_over_and_over_has_to_wait_until_the_first_was_ten_minutes_ago(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    for name in ("ada", "admin"):
        program(name, WAITS)

    async def submitted_and_removed() -> str:
        answer = await create(ada)
        assert answer.status_code == 201, answer.text
        made: str = answer.json()["id"]
        await ada.post(f"/tasks/{made}/stop")
        await ada.until(made, "killed")
        assert (await ada.delete(f"/tasks/{made}")).status_code == 204
        return made

    first, *_ = [await submitted_and_removed() for _ in range(IN_TEN_MINUTES - 1)]
    answers = await asyncio.gather(*(create(ada) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [201, 429, 429], "of several at once one passes"
    refused = next(answer for answer in answers if answer.status_code == 429)
    wait_s = int(refused.headers["Retry-After"])
    assert 9 * 60 < wait_s <= 10 * 60, "not until the oldest falls out"
    told = {"limit": IN_TEN_MINUTES, "minutes": 10, "wait_s": wait_s}
    problem = refused.json()
    assert (problem["code"], problem["params"]) == ("too_many_submissions", told)
    assert [(error["code"], error["params"]) for error in problem["errors"]] == [("recent_submissions", told)]

    before = (await ada.post("/trainings/estimate", training(devices=1))).json()
    assert (before["allowed"], before["starts"]) == (False, "never"), "it is told before it is refused"
    assert before["reason"]["code"] == "submitted_too_fast"
    assert [problem["code"] for problem in before["problems"]] == ["recent_submissions"]
    assert (await create(admin)).status_code == 201, "others are not told of it"

    await passes(platform, first, minutes=9)
    again = await create(ada)
    assert again.status_code == 429, "the window is shorter than it is said to be"
    assert int(again.headers["Retry-After"]) <= 60, "it is told longer than it takes"
    await passes(platform, first, minutes=1)
    assert (await create(ada)).status_code == 201
    assert (await create(ada)).status_code == 429


async def passes(platform: RunningPlatform, task_id: str, minutes: int) -> None:
    """That task was made earlier, by so much."""
    database = connect(platform.configuration, pool_size=1)
    async with sessions(database)() as session, session.begin():
        earlier = TaskRow.created_at - timedelta(minutes=minutes)
        await session.execute(update(TaskRow).where(TaskRow.id == task_id).values(created_at=earlier))
    await database.dispose()
