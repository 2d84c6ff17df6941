"""Operations from their start to each of their ends, on a real database."""

import asyncio
import json
from datetime import timedelta

import httpx
import pytest
from atoll.configuration import Operations as Settings
from atoll.operations.models import OperationRow
from atoll.web.errors import Conflict, TooMany
from sqlalchemy import text, update

from tests.unit.platform.conftest import Client, eventually
from tests.unit.platform.operations.conftest import Operated


async def test_an_operation_is_done_with_progress_result_and_events(operated: Operated) -> None:
    operation_id = await operated.start("test.steps", steps=4)
    row = await operated.once(operation_id, "finished")
    assert (row.progress, row.result, row.attempts) == (1.0, {"steps": 4}, 1)
    assert (row.lock_owner, row.due_at) == (None, None)
    assert [what for _, what, _ in await operated.ledger()] == [f"step {number}" for number in range(4)]
    admin = await operated.admin()
    told = (await admin.get(f"/operations/{operation_id}")).json()
    assert [event["reason"]["code"] for event in told["events"]] == [
        "operation_queued",
        "operation_started",
        "operation_finished",
    ]
    assert told["actions"] == []
    audit = (await admin.get("/audit", params={"action": "operation.create"})).json()["items"]
    assert [(item["object_id"], item["details"]) for item in audit] == [(operation_id, {"kind": "test.steps"})]


async def test_the_same_key_makes_one_operation(operated: Operated) -> None:
    made = await asyncio.gather(*(operated.start("test.steps", key="a-key-of-ada", steps=1) for _ in range(6)))
    assert len(set(made)) == 1
    await operated.once(made[0], "finished")
    assert await operated.start("test.steps", key="a-key-of-ada", steps=1) == made[0]
    with pytest.raises(Conflict):
        await operated.start("test.steps", key="a-key-of-ada", steps=2)
    assert len(await operated.ledger()) == 1


async def cancel(client: Client, operation_id: str) -> httpx.Response:
    return await client.post(f"/operations/{operation_id}/cancel")


async def test_one_that_waits_is_cancelled_at_once(without_jobs: Operated) -> None:
    operation_id = await without_jobs.start("test.steps", steps=1)
    admin = await without_jobs.admin()
    told = (await cancel(admin, operation_id)).json()
    assert (told["state"], told["reason"]["code"], told["reason"]["params"]) == (
        "cancelled",
        "operation_cancelled",
        {"user": "admin"},
    )
    again = await cancel(admin, operation_id)
    assert (again.status_code, again.json()["code"]) == (409, "operation_has_ended")


async def test_one_that_runs_is_cancelled_and_cleaned_up(operated: Operated) -> None:
    operation_id = await operated.start("test.waits")
    admin = await operated.admin()

    async def begun() -> bool:
        return bool(await operated.ledger(operation_id))

    await eventually(begun)
    told = (await cancel(admin, operation_id)).json()
    assert (told["cancel_wanted"], told["actions"]) == (True, [])
    row = await operated.once(operation_id, "cancelled", timeout_s=5)
    assert row.reason is not None
    assert row.reason["code"] == "operation_cancelled"
    assert await operated.ledger(operation_id) == []
    audit = (await admin.get("/audit", params={"action": "operation.cancel"})).json()["items"]
    assert [item["object_id"] for item in audit] == [operation_id]


@pytest.mark.parametrize(
    ("kind", "code"),
    [
        ("test.declines", "declined"),
        ("test.breaks", "operation_broke"),
        ("test.slow", "operation_too_long"),
    ],
)
async def test_one_that_fails_says_why_and_leaves_nothing(operated: Operated, kind: str, code: str) -> None:
    operation_id = await operated.start(kind)
    row = await operated.once(operation_id, "failed")
    assert row.reason is not None
    assert row.reason["code"] == code
    assert await operated.ledger(operation_id) == []


async def test_a_kind_runs_no_more_at_once_than_it_may(operated: Operated) -> None:
    first, second = [await operated.start("test.one") for _ in range(2)]
    admin = await operated.admin()

    async def one_runs() -> list[str]:
        return [row.id for row in await operated.rows() if row.state == "running"]

    running = await eventually(one_runs)
    await asyncio.sleep(0.5)
    assert await one_runs() == running == [first]
    await cancel(admin, first)
    await operated.once(second, "running", timeout_s=5)
    await cancel(admin, second)


async def test_nobody_queues_without_end(without_jobs: Operated) -> None:
    settings = Settings(waiting_per_user=2)
    without_jobs.configuration = without_jobs.configuration.model_copy(update={"operations": settings})
    await without_jobs.start("test.steps", steps=1)
    await without_jobs.start("test.steps", steps=1)
    with pytest.raises(TooMany):
        await without_jobs.start("test.steps", steps=1)


async def test_who_starts_and_cancels_over_and_over_has_to_wait(without_jobs: Operated) -> None:
    settings = Settings(started_per_user=2)
    without_jobs.configuration = without_jobs.configuration.model_copy(update={"operations": settings})
    admin = await without_jobs.admin()
    made = [await without_jobs.start("test.steps", steps=1) for _ in range(2)]
    for each in made:
        assert (await cancel(admin, each)).json()["state"] == "cancelled"
    with pytest.raises(TooMany) as refused:
        await without_jobs.start("test.steps", steps=1)
    assert refused.value.code == "too_many_starts"
    assert 9 * 60 < int(refused.value.headers["Retry-After"]) <= 10 * 60
    async with without_jobs.sessions() as session, session.begin():
        earlier = {"created_at": OperationRow.created_at - timedelta(minutes=10)}
        await session.execute(update(OperationRow).where(OperationRow.id == made[0]).values(**earlier))
    await without_jobs.start("test.steps", steps=1)


async def test_what_was_cancelled_while_nobody_worked_on_it_is_cleaned_up_and_not_resumed(operated: Operated) -> None:
    # As a killed process leaves it: running, half done, the lease over.
    operation_id = "0" * 26
    admin = await operated.caller()
    async with operated.sessions() as session, session.begin():
        await session.execute(
            text("INSERT INTO ledger (operation_id, what, attempt) VALUES (:id, 'half done', 1)"), {"id": operation_id}
        )
        session.add(
            OperationRow(
                id=operation_id,
                kind="test.waits",
                name="x",
                owner_id=admin.id,
                parameters={},
                state="running",
                attempts=1,
                cancel_wanted=True,
                reason={"code": "operation_cancelled", "message": "", "params": {}},
            )
        )
        await session.execute(text("SELECT pg_notify('atoll_due', 'operation x')"))
    await operated.once(operation_id, "cancelled")
    assert await operated.ledger(operation_id) == []


async def test_the_list_goes_on_page_by_page_and_others_see_nothing(without_jobs: Operated) -> None:
    admin = await without_jobs.admin()
    ada = await without_jobs.user(admin, "ada")
    bob = await without_jobs.user(admin, "bob")
    made = [await without_jobs.start("test.steps", "ada", steps=1) for _ in range(3)]
    first = (await ada.get("/operations", params={"limit": 2})).json()
    second = (await ada.get("/operations", params={"limit": 2, "cursor": first["next_cursor"]})).json()
    assert [item["id"] for item in first["items"] + second["items"]] == made[::-1]
    assert second["next_cursor"] is None
    assert (await bob.get("/operations")).json()["items"] == []
    assert (await bob.get("/operations", params={"owner": "all"})).status_code == 403
    assert (await bob.get(f"/operations/{made[0]}")).status_code == 404
    assert (await cancel(bob, made[0])).status_code == 404
    assert (await admin.get("/operations")).json()["items"] == []
    assert len((await admin.get("/operations", params={"owner": "all"})).json()["items"]) == 3
    assert (await cancel(admin, made[0])).json()["reason"]["params"] == {"user": "admin"}
    assert (await ada.get("/operations", params={"state": "cancelled"})).json()["items"][0]["id"] == made[0]


async def test_a_viewer_sees_the_own_operations_change_and_no_others(operated: Operated) -> None:
    admin = await operated.admin()
    ada = await operated.user(admin, "ada")
    async with ada.http.stream("GET", "/operations/stream") as answer:
        lines = answer.aiter_lines()

        async def following() -> tuple[str, dict[str, object]]:
            name = ""
            async for line in lines:
                if line.startswith("event:"):
                    name = line.split(":", 1)[1].strip()
                if line.startswith("data:"):
                    return name, json.loads(line.split(":", 1)[1])
            raise AssertionError("the stream ended")

        async with asyncio.timeout(20):
            assert (await following())[0] == "hello"
            await operated.start("test.steps", "admin", steps=1)
            mine = await operated.start("test.steps", "ada", steps=3)
            states = []
            while "finished" not in states:
                name, data = await following()
                if name == "operation":
                    assert data["id"] == mine
                    states.append(str(data["state"]))
    assert states[0] in ("queued", "running")
