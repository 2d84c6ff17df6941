"""Tasks from submit to the end, on a real database and with real processes. Needs nothing but the wheels."""

import asyncio
import json
from typing import Any

import pytest

from tests.unit.platform.conftest import RunningPlatform, eventually, training


async def test_a_task_waits_for_devices_says_why_and_starts_when_they_are_free(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    program("admin", "import time, pathlib\nwhile not pathlib.Path('go').exists(): time.sleep(0.05)\n")
    ada = await platform.user(admin, "ada")
    program("ada", "print('my turn')\n")
    first = (await admin.post("/trainings", training(devices=3))).json()["id"]
    await admin.until(first, "running")
    second = (await ada.post("/trainings", training(devices=2))).json()["id"]
    waiting = await ada.once(second, lambda task: task["reason"]["code"] == "devices_in_use")
    assert waiting["state"] == "queued"
    assert waiting["reason"]["params"] == {"needed": 2, "free": 1, "total": 4, "virtual_cluster": "default"}
    estimate = (await ada.post("/trainings/estimate", training(devices=2))).json()
    assert (estimate["starts"], estimate["free"], estimate["ahead"]) == ("waits", 1, 1)
    (platform.home("admin") / "code" / "go").touch()
    await admin.until(first, "finished")
    assert (await ada.until(second, "finished"))["exit_code"] == 0


async def test_the_digits_example_learns_and_leaves_a_model(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    listed = (await admin.get("/home/files", params={"path": "examples/digits"})).json()
    assert [item["name"] for item in listed["items"]] == ["train.py"]
    made = await admin.post(
        "/trainings",
        training(
            framework="numpy",
            code_directory="examples/digits",
            start_file="train.py",
            parameters=[{"name": "epochs", "value": "20"}],
        ),
    )
    assert made.status_code == 201, made.text
    task_id = made.json()["id"]
    lines = [event async for event in _log(admin, task_id)]
    text = "".join(event["text"] for name, event in lines if name == "log")
    assert text.startswith("1797 images: 1438 to learn from, 359 held out\n")
    assert text.count("held-out accuracy") == 21
    assert lines[-1] == ("end", {"state": "finished", "exit_code": 0})
    await admin.until(task_id, "finished")
    metrics = (await admin.get(f"/tasks/{task_id}/metrics")).json()
    accuracy = next(series for series in metrics["scalars"] if series["name"] == "accuracy")
    assert accuracy["steps"] == list(range(1, 21))
    assert accuracy["values"][-1] >= 0.95
    task = await admin.once(task_id, lambda task: task["progress"] is not None)
    assert task["progress"]["step"] == 20
    files = (await admin.get(f"/tasks/{task_id}/files")).json()["items"]
    model = next(item for item in files if item["name"] == "model.npz")
    content = await admin.get(f"/tasks/{task_id}/files/content", params={"path": "model.npz"})
    assert len(content.content) == model["size_bytes"] > 10_000
    assert content.headers["content-disposition"].startswith("attachment")
    part = await admin.get(
        f"/tasks/{task_id}/files/content", params={"path": "model.npz"}, headers={"Range": "bytes=2-5"}
    )
    assert (part.status_code, part.content) == (206, content.content[2:6])


async def _log(client: Any, task_id: str, **params: Any) -> Any:
    async with client.http.stream("GET", f"/tasks/{task_id}/log", params=params) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        name = ""
        async for line in answer.aiter_lines():
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: "):
                yield name, json.loads(line.removeprefix("data: "))


async def test_a_crash_shows_its_exit_code_and_last_lines(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "print('before')\nraise SystemExit('the data are missing')\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    task = await admin.until(task_id, "failed")
    assert task["reason"]["code"] == "exit_code"
    assert task["reason"]["params"] == {"exit_code": 1}
    task = await admin.once(task_id, lambda task: bool(task["last_lines"]))
    assert task["last_lines"] == ["before", "the data are missing"]
    assert task["exit_code"] == 1


async def test_a_log_that_is_a_link_out_of_the_home_is_refused_in_words(
    platform: RunningPlatform, program: Any
) -> None:
    admin = await platform.admin()
    program("admin", "pass")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    await admin.until(task_id, "finished")
    log = platform.home("admin") / f"tasks/{task_id}/log/1-0.log"
    log.unlink(missing_ok=True)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.symlink_to("/etc/passwd")
    answer = await admin.get(f"/tasks/{task_id}/log/content")
    assert (answer.status_code, answer.json()["code"]) == (403, "path_leads_out")


async def test_a_task_above_its_memory_limit_fails_with_that_reason(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "import time\nblock = bytearray(200 << 20)\nprint(len(block))\ntime.sleep(20)\n")
    task_id = (await admin.post("/trainings", training(limits={"cpu": "1", "memory": "100Mi"}))).json()["id"]
    task = await admin.until(task_id, "failed")
    assert task["reason"] == {
        "code": "memory_limit_exceeded",
        "message": "The memory limit of 100Mi was exceeded.",
        "params": {"limit": "100Mi"},
    }


async def test_stopping_ends_the_program_and_frees_its_devices(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program(
        "admin",
        "import signal, sys, time\n"
        "signal.signal(signal.SIGTERM, lambda *_: (print('told to stop'), sys.exit(0)))\n"
        "print('ready')\ntime.sleep(60)\n",
    )
    task_id = (await admin.post("/trainings", training(devices=2))).json()["id"]
    await admin.until(task_id, "running")

    async def ready() -> bool:
        return "ready" in (await admin.get(f"/tasks/{task_id}/log/content")).text

    await eventually(ready)
    stopped = await admin.post(f"/tasks/{task_id}/stop")
    assert stopped.status_code == 202
    assert stopped.json()["wanted"] == "stop"
    task = await admin.until(task_id, "killed", "finished")
    again = await admin.post(f"/tasks/{task_id}/stop")
    assert again.status_code == 202  # asking twice is asking once
    assert "told to stop" in (await admin.get(f"/tasks/{task_id}/log/content")).text
    overview = (await admin.get("/virtual-clusters")).json()["items"][0]
    assert {item["type"]: item["free"] for item in overview["devices"]}["nvidia_gpu_amd64"] == 4
    events = (await admin.get(f"/tasks/{task_id}/events")).json()
    assert [span["state"] for span in events["timeline"]] == ["queued", "running", "stopping", task["state"]]
    assert (await admin.delete(f"/tasks/{task_id}")).status_code == 204
    assert (await admin.get(f"/tasks/{task_id}")).status_code == 404


async def test_a_waiting_task_is_stopped_at_once(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "import time\ntime.sleep(60)\n")
    holder = (await admin.post("/trainings", training(devices=3))).json()["id"]
    await admin.until(holder, "running")
    task_id = (await admin.post("/trainings", training(devices=3))).json()["id"]
    await admin.post(f"/tasks/{task_id}/stop")
    task = await admin.until(task_id, "killed", timeout_s=10)
    assert task["reason"]["code"] == "stopped_by_user"
    await admin.post(f"/tasks/{holder}/stop")
    await admin.until(holder, "killed")


async def test_the_same_idempotency_key_makes_one_task(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "")
    headers = {"Idempotency-Key": "0123456789"}
    both = await asyncio.gather(*(admin.post("/trainings", training(), headers=headers) for _ in range(4)))
    assert {answer.status_code for answer in both} == {201}
    assert len({answer.json()["id"] for answer in both}) == 1
    other = await admin.post("/trainings", training(name="other"), headers=headers)
    assert (other.status_code, other.json()["code"]) == (409, "idempotency_key_reused")
    archive = await admin.post("/home/archives", {"path": "code"}, headers=headers)
    assert (archive.status_code, archive.json()["code"]) == (409, "idempotency_key_reused")


async def test_all_mistakes_of_a_request_are_named_at_once(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    answer = await admin.post(
        "/trainings",
        training(
            framework="none",
            code_directory="/etc",
            start_file="../main.py",
            device_type="huawei_npu_amd64",
            devices=3,
            nodes=2,
            limits={"cpu": "99", "memory": "1Mi"},
        ),
    )
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert {(item["field"], item["code"]) for item in answer.json()["errors"]} == {
        ("framework", "no_such_framework"),
        ("code_directory", "path_outside_home"),
        ("start_file", "path_outside_code"),
        ("devices", "device_count_not_allowed"),
        ("nodes", "not_distributed"),
        ("limits.cpu", "limit_out_of_bounds"),
        ("limits.memory", "limit_out_of_bounds"),
    }


@pytest.mark.parametrize("path", [".", "./", "/home/admin/.", "/home/admin", "a/..", "./a/../."])
async def test_results_do_not_go_to_the_home_itself_however_it_is_written(platform: RunningPlatform, path: str) -> None:
    admin = await platform.admin()
    asked = training(output_directory=path)
    answer = await admin.post("/trainings", asked)
    assert answer.status_code == 422, answer.text
    assert [error["field"] for error in answer.json()["errors"]] == ["output_directory"]
    estimate = (await admin.post("/trainings/estimate", asked)).json()
    assert [problem["field"] for problem in estimate["problems"]] == ["output_directory"]


@pytest.mark.parametrize("name", ["", "with space", "dash-ed", "é", "x" * 65])
async def test_names_hold_letters_digits_and_underscores(platform: RunningPlatform, name: str) -> None:
    admin = await platform.admin()
    answer = await admin.post("/trainings", training(name=name))
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "name"


async def test_more_than_a_user_may_hold_is_refused_and_never_starts(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    answer = await admin.post("/trainings", training(devices=4))
    assert answer.json()["code"] == "invalid_request"
    told = [(each["field"], each["code"], each["params"]) for each in answer.json()["errors"]]
    assert told == [("devices", "more_than_user_may_hold", {"max_per_user": 3})]
    estimate = (await admin.post("/trainings/estimate", training(devices=4))).json()
    assert (estimate["allowed"], estimate["starts"]) == (False, "never")


async def test_a_stop_with_an_old_version_is_refused(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "import time\ntime.sleep(60)\n")
    made = await admin.post("/trainings", training())
    task_id = made.json()["id"]
    await admin.until(task_id, "running")
    refused = await admin.post(f"/tasks/{task_id}/stop", headers={"If-Match": made.headers["etag"]})
    assert (refused.status_code, refused.json()["code"]) == (412, "changed_meanwhile")
    fresh = await admin.get(f"/tasks/{task_id}")
    assert (await admin.post(f"/tasks/{task_id}/stop", headers={"If-Match": fresh.headers["etag"]})).status_code == 202
    await admin.until(task_id, "killed")


async def test_the_live_view_shows_every_change(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "")
    seen: list[str] = []
    async with asyncio.timeout(15), admin.http.stream("GET", "/tasks/stream") as answer:
        lines = answer.aiter_lines()
        async for line in lines:
            if line == "event: hello":
                break
        await admin.post("/trainings", training())
        async for line in lines:
            if line.startswith("data: {") and '"state"' in line:
                state = json.loads(line.removeprefix("data: "))["state"]
                if state not in seen:
                    seen.append(state)
                if state == "finished":
                    break
    assert seen[0] == "queued"
    assert seen[-1] == "finished"


async def test_the_live_view_tells_nobody_of_the_tasks_of_others(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    program("admin", "")
    program("ada", "")
    seen: list[tuple[str, str]] = []
    async with asyncio.timeout(20), ada.http.stream("GET", "/tasks/stream") as answer:
        lines = answer.aiter_lines()
        async for line in lines:
            if line == "event: hello":
                break
        foreign = (await admin.post("/trainings", training())).json()["id"]
        await admin.until(foreign, "finished")
        own = (await ada.post("/trainings", training())).json()["id"]
        await ada.until(own, "finished")
        assert (await ada.delete(f"/tasks/{own}")).status_code == 204
        name = ""
        async for line in lines:
            if line.startswith("event: "):
                name = line.removeprefix("event: ")
            elif line.startswith("data: {") and '"id"' in line:
                seen.append((name, json.loads(line.removeprefix("data: "))["id"]))
                if name == "deleted":
                    break
    assert {task_id for _, task_id in seen} == {own}
    assert [name for name, _ in seen].count("deleted") == 1


async def test_a_log_goes_on_after_the_last_event_that_was_seen(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "print('ä' * 10)\nprint('end')\n")
    task_id = (await admin.post("/trainings", training())).json()["id"]
    await admin.until(task_id, "finished")
    whole = [event async for event in _log(admin, task_id)]
    assert "".join(event["text"] for name, event in whole if name == "log") == "ä" * 10 + "\nend\n"
    rest = [event async for event in _log(admin, task_id, offset=21)]
    assert "".join(event["text"] for name, event in rest if name == "log") == "end\n"
    content = await admin.get(f"/tasks/{task_id}/log/content")
    assert content.text == "ä" * 10 + "\nend\n"


async def test_the_nodes_page_shows_who_uses_which_device(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    program("admin", "import time\ntime.sleep(60)\n")
    task_id = (await admin.post("/trainings", training(device_type="huawei_npu_amd64", devices=2))).json()["id"]
    await admin.until(task_id, "running")

    async def held() -> Any:
        nodes = (await admin.get("/nodes")).json()["items"]
        found = next(node for node in nodes if node["name"] == "two")["devices"][0]
        return found if found["used"] == 2 else None

    two = await eventually(held)
    assert [slot["task_id"] for slot in two["slots"]] == [task_id, task_id, *[None] * 6]
    assert two["exact"]
    await admin.post(f"/tasks/{task_id}/stop")
    await admin.until(task_id, "killed")
