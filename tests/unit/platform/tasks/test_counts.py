"""How many tasks of each kind are in each state: of whom, and what it costs with ten thousand. Needs PostgreSQL."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from atoll.configuration import FirstVirtualCluster
from atoll.database.base import now
from atoll.database.connection import Sessions
from atoll.database.identifiers import new_id
from atoll.identity.caller import Caller
from atoll.tasks.life_cycle import State
from atoll.tasks.models import TaskRow
from atoll.tasks.repository import TaskRepository
from atoll.tasks.schemas import KindCounts
from atoll.tasks.service import TaskService
from atoll.virtual_clusters.service import VirtualClusterService
from atoll.web.errors import NotAllowed
from sqlalchemy import event, insert, text
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.conftest import RunningPlatform
from tests.unit.platform.rows import a_caller, a_task

MANY = 10_000
KINDS = ("training", "environment", "evaluation")


async def another_cluster(session: AsyncSession, name: str) -> str:
    assert await VirtualClusterService(session).ensure(FirstVirtualCluster(name=name, devices={}))
    found = await session.scalar(text("SELECT id FROM virtual_clusters WHERE name = :name"), {"name": name})
    assert isinstance(found, str)
    return found


async def counts(session: AsyncSession, caller: Caller, **what: Any) -> dict[str, dict[str, int]]:
    found = await TaskService(session).counts(caller, **{"everybody": False, "virtual_cluster": None} | what)
    assert all(isinstance(each, KindCounts) for each in found)
    return {each.kind: each.states for each in found}


async def test_who_sees_what_is_counted_is_as_in_the_list(stored: Sessions) -> None:
    async with stored() as session:
        ada, bob, admin = [await a_caller(session, name) for name in ("ada", "bob", "admin")]
        lab = await another_cluster(session, "lab")
        await a_task(session, ada, "one", state="running")
        await a_task(session, ada, "two", state="running", virtual_cluster_id=lab)
        await a_task(session, ada, "three", state="failed", kind="evaluation")
        await a_task(session, ada, "gone", state="failed", deleted_at=now())
        await a_task(session, bob, "his", state="queued", virtual_cluster_id=lab)
        assert await counts(session, ada) == {"training": {"running": 2}, "evaluation": {"failed": 1}}
        assert await counts(session, ada, virtual_cluster="lab") == {"training": {"running": 1}}
        assert await counts(session, ada, virtual_cluster="nowhere") == {}
        assert await counts(session, admin) == {}
        assert await counts(session, admin, everybody=True) == {
            "evaluation": {"failed": 1},
            "training": {"queued": 1, "running": 2},
        }
        in_lab = await counts(session, admin, everybody=True, virtual_cluster="lab")
        assert in_lab == {"training": {"queued": 1, "running": 1}}


async def test_tasks_of_others_are_counted_for_who_may_see_them_alone(stored: Sessions) -> None:
    async with stored() as session:
        ada = await a_caller(session, "ada")
        await a_task(session, await a_caller(session, "bob"), "his", state="running")
        with pytest.raises(NotAllowed):
            await counts(session, ada, everybody=True)
        # The query itself is scoped, too: what a service forgets to ask gives nobody what is not theirs.
        found = await TaskRepository(session).counts(ada, everybody=True)
        assert found == [], "somebody counts what is not theirs"


async def test_counts_are_read_over_http(platform: RunningPlatform) -> None:
    admin = await platform.admin()
    ada = await platform.user(admin, "ada")
    assert (await ada.get("/task-counts")).json() == []
    assert (await ada.get("/task-counts", params={"owner": "all"})).status_code == 403
    assert (await admin.get("/task-counts", params={"owner": "all", "virtual_cluster": "default"})).json() == []


async def ten_thousand(session: AsyncSession, callers: list[Caller], clusters: list[str]) -> Counter[Any]:
    """Of four people in two virtual clusters; gives how many there are of each kind and state, owner and cluster."""
    states, tally = [*State], Counter[Any]()
    rows = []
    for number in range(MANY):
        owner, cluster = callers[number % len(callers)], clusters[number // 7 % len(clusters)]
        kind, state = KINDS[number // 3 % len(KINDS)], states[number // 5 % len(states)]
        removed = number % 50 == 0
        rows.append(
            {
                "id": new_id(),
                "name": f"t{number}",
                "kind": kind,
                "state": state,
                "owner_id": owner.id,
                "virtual_cluster_id": cluster,
                "framework": "plain",
                "devices": 0,
                "nodes": 1,
                "definition": {"description": "x" * 300},
                "specification": {"program": "y" * 600},
                "deleted_at": now() if removed else None,
                "finished_at": now(),
            }
        )
        if not removed:
            tally[owner.name, cluster, kind, str(state)] += 1
    for start in range(0, MANY, 1000):
        await session.execute(insert(TaskRow), rows[start : start + 1000])
    return tally


def expected(tally: Counter[Any], owner: str | None, cluster: str | None) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for (of, where, kind, state), count in tally.items():
        if owner in (None, of) and cluster in (None, where):
            found.setdefault(kind, {})[state] = found.get(kind, {}).get(state, 0) + count
    return found


async def test_ten_thousand_tasks_are_counted_by_one_statement_that_reads_an_index_alone(stored: Sessions) -> None:
    async with stored() as session, session.begin():
        callers = [await a_caller(session, name) for name in ("ada", "bob", "cleo", "dan")]
        lab = await another_cluster(session, "lab")
        default = await session.scalar(text("SELECT id FROM virtual_clusters WHERE name = 'default'"))
        tally = await ten_thousand(session, callers, [lab, str(default)])
        admin = await a_caller(session, "admin")
    async with stored.kw["bind"].connect() as connection:
        await (await connection.execution_options(isolation_level="AUTOCOMMIT")).execute(text("VACUUM ANALYZE tasks"))
    asked: list[tuple[str, Any]] = []

    def note(_connection: Any, _cursor: Any, statement: str, parameters: Any, *_more: Any) -> None:
        asked.append((statement, parameters))

    engine = stored.kw["bind"].sync_engine
    async with stored() as session:
        connection = await session.connection()
        # What the index has is asked, not what reading all costs here, where others may keep old rows in sight.
        await session.execute(text("SET enable_seqscan = off"))
        await session.execute(text("SET enable_bitmapscan = off"))
        for caller, what, cluster in (
            (callers[0], {}, None),
            (callers[1], {"virtual_cluster": "lab"}, lab),
            (admin, {"everybody": True}, None),
            (admin, {"everybody": True, "virtual_cluster": "lab"}, lab),
        ):
            asked.clear()
            event.listen(engine, "before_cursor_execute", note)
            try:
                found = await counts(session, caller, **what)
            finally:
                event.remove(engine, "before_cursor_execute", note)
            owner = None if "everybody" in what else caller.name
            assert found == expected(tally, owner, cluster), what
            assert len(asked) == 1, "counts took more than one statement"
            statement, parameters = asked[0]
            rows = await connection.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters)
            plan = json.dumps(rows.scalar_one())
            assert (
                '"Node Type": "Seq Scan", "Parallel Aware": false, "Async Capable": false, "Relation Name": "tasks"'
                not in (plan)
            ), plan
            assert "Index Only Scan" in plan, f"tasks are counted by reading them: {plan}"
            assert "ix_tasks_counted" in plan, plan
