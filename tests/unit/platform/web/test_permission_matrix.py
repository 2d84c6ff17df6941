"""Every operation of the API × who asks × whose object it is. On a real database.

The operations are those of the routes: a new route without a row here fails.
"""

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from tests.unit.platform.conftest import Client, RunningPlatform, training
from tests.unit.platform.web.test_contract import api_routes

Who = Literal["nobody", "owner", "colleague", "foreigner", "admin"]
OK = "ok"
HIDDEN = 404
DENIED = 403
SIGNED_OUT = 401


@dataclass(frozen=True)
class Row:
    """What each caller gets; `foreigner` is a member of no virtual cluster."""

    owner: int | str
    colleague: int | str
    foreigner: int | str
    admin: int | str
    body: Any = None
    params: Any = None

    def expected(self, who: Who) -> int | str:
        return SIGNED_OUT if who == "nobody" else getattr(self, who)


OWN = {"owner": OK, "colleague": HIDDEN, "foreigner": HIDDEN}
EVERYBODY = {"owner": OK, "colleague": OK, "foreigner": OK, "admin": OK}
ADMIN = {"owner": DENIED, "colleague": DENIED, "foreigner": DENIED, "admin": OK}
# The control service and Prometheus are not there: who may ask gets 503, who may not 403.
ABSENT = {"owner": DENIED, "colleague": DENIED, "foreigner": DENIED, "admin": 503}
# The control service is not there for anybody.
NOWHERE = {"owner": 503, "colleague": 503, "foreigner": 503, "admin": 503}
SAME_NAME = {"name": "owner", "password": "x" * 12}
MATRIX = {
    "GET /about": None,
    "POST /session": None,
    "GET /session": Row(**EVERYBODY),
    "DELETE /session": None,  # ends the caller's session: test_sign_in
    "POST /session/password": Row(owner=422, colleague=422, foreigner=422, admin=422, body={}),
    "GET /users": Row(**ADMIN),
    "POST /users": Row(owner=DENIED, colleague=DENIED, foreigner=DENIED, admin=409, body=SAME_NAME),
    "GET /overview": Row(**EVERYBODY),
    "GET /training/options": Row(**EVERYBODY),
    "GET /tasks/stream": None,  # endless: test_tasks and the test below
    "GET /tasks/{task_id}/log": Row(**OWN, admin=OK, params={"follow": "false"}),
    "GET /tasks/{task_id}/log/content": Row(**OWN, admin=OK),
    "GET /tasks/{task_id}/files": Row(**OWN, admin=OK),
    "GET /tasks/{task_id}/files/content": Row(**OWN, admin=OK, params={"path": "result"}),
    "GET /home/files": Row(**EVERYBODY),
    "GET /home/files/content": Row(**OWN, admin=HIDDEN, params={"path": "code/main.py"}),
    "GET /tasks": Row(**EVERYBODY),
    "POST /tasks": Row(owner=OK, colleague=OK, foreigner=422, admin=OK, body=training()),
    "POST /tasks/estimate": Row(**EVERYBODY, body=training()),
    "GET /tasks/{task_id}": Row(**OWN, admin=OK),
    # It has ended: who may stop it is told so.
    "POST /tasks/{task_id}/stop": Row(owner=409, colleague=HIDDEN, foreigner=HIDDEN, admin=409),
    "GET /tasks/{task_id}/events": Row(**OWN, admin=OK),
    "GET /tasks/{task_id}/metrics": Row(**OWN, admin=OK),
    # An administrator stops tasks but does not remove them from others' lists.
    "DELETE /tasks/{task_id}": Row(owner=OK, colleague=HIDDEN, foreigner=HIDDEN, admin=DENIED),
    "GET /virtual-clusters": Row(**EVERYBODY),
    "GET /images": Row(**NOWHERE),
    "GET /nodes": Row(**ADMIN),
    "GET /services": Row(**ABSENT),
    "POST /services/{name}/restart": Row(**ABSENT),
    "GET /services/{name}/logs": Row(**ABSENT),
    "GET /runs": Row(**ABSENT),
    "GET /runs/{run_id}": Row(**ABSENT),
    "GET /runs/{run_id}/events": Row(**ABSENT),
    "GET /monitoring/charts/{name}": Row(**ABSENT),
    "GET /audit": Row(**ADMIN),
}  # fmt: skip


def operations() -> set[str]:
    return {f"{method} {route.path}" for route in api_routes() for method in route.methods}


def test_every_operation_has_a_row() -> None:
    assert operations() == set(MATRIX)


async def test_everybody_gets_what_the_table_says(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    callers: dict[Who, Any] = {
        "nobody": Client(platform.anonymous(), "nobody"),
        "colleague": await platform.user(admin, "colleague"),
        "foreigner": await platform.user(admin, "foreigner", member=False),
        "admin": admin,
        "owner": await platform.user(admin, "owner"),  # last: only the owner may remove the task
    }
    program(
        "owner", "import os\nopen(os.environ['ATOLL_OUTPUT_DIR'] + '/result', 'w').write('secret')\nprint('secret')\n"
    )
    task_id = (await callers["owner"].post("/tasks", training())).json()["id"]
    await callers["owner"].until(task_id, "finished")
    wrong = []
    for who, client in callers.items():
        for operation, row in MATRIX.items():
            if row is None:
                continue
            method, path = operation.split(" ")
            path = path.format(task_id=task_id, name="node_cpu" if "charts" in path else "api", run_id="r1")
            answer = await client.http.request(method, path, json=row.body, params=row.params)
            expected = row.expected(who)
            got: int | str = OK if answer.is_success else answer.status_code
            if got != expected:
                wrong.append(f"{who}: {operation}: {got}, expected {expected}: {answer.text[:200]}")
            if expected in (HIDDEN, DENIED, SIGNED_OUT) and "secret" in answer.text:
                wrong.append(f"{who}: {operation} leaks")
    assert not wrong, "\n".join(wrong)


@pytest.mark.feature(233, on="simulated")
async def test_the_tasks_of_others_are_listed_for_administrators_only(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    program("ada", "")
    task_id = (await ada.post("/tasks", training(name="of_ada"))).json()["id"]
    refused = await ada.get("/tasks", params={"owner": "all"})
    assert refused.status_code == 403
    assert (await ada.get("/tasks/stream", params={"owner": "all"})).status_code == 403
    assert (await admin.get("/tasks")).json()["items"] == []
    listed = (await admin.get("/tasks", params={"owner": "all", "words": "of_a"})).json()["items"]
    assert [item["id"] for item in listed] == [task_id]
    await ada.until(task_id, "finished")


@pytest.mark.feature(231, on="simulated")
async def test_an_administrator_stops_the_task_of_another(platform: RunningPlatform, program: Any) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    program("ada", "import time\ntime.sleep(60)\n")
    task_id = (await ada.post("/tasks", training(devices=1))).json()["id"]
    await ada.until(task_id, "running")
    assert "stop" in (await admin.task(task_id))["actions"]
    await admin.post(f"/tasks/{task_id}/stop")
    task = await ada.until(task_id, "killed")
    assert task["reason"] == {"code": "stopped_by_user", "message": "Stopped by admin.", "params": {"user": "admin"}}
