"""How often the API asks the database for one look at tasks."""

from collections import Counter

from tests.unit.platform.conftest import RunningPlatform, training
from tests.unit.platform.round_trips import asked

__all__ = ["asked"]


async def test_a_look_at_tasks_is_few_round_trips(platform: RunningPlatform, asked: Counter[str]) -> None:
    admin = await platform.admin()
    task = (await admin.post("/trainings", training())).json()
    found = {}
    for path in ("/tasks", f"/tasks/{task['id']}", "/session"):
        took = []
        for _ in range(10):  # each connection of the pool prepares a statement at first
            asked.clear()
            answer = await admin.get(path)
            assert answer.status_code == 200, answer.text
            took.append(asked[f"/api/v1{path}"])
        found[path.removesuffix(task["id"])] = min(took)
    # Who asks is one, begin and end of the transaction are two; a task that was tried has rows of that.
    most = {"/tasks": 3 + 5, "/tasks/": 3 + 5, "/session": 3 + 1}
    assert {path: times for path, times in found.items() if times > most[path]} == {}
    assert found["/session"], "nothing was counted"
