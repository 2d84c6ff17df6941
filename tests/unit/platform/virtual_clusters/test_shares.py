"""No virtual cluster and no user ever holds more than its share, whatever is edited in the midst of it.

First the rule of admission by itself, then with the tables, the rules of edits and an engine that lags behind. The
first needs nothing, the second PostgreSQL.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from atoll.database.connection import Sessions
from atoll.engines.admission import Ask, NodeState, Obstacle, Placement, Share, Snapshot, decide
from atoll.engines.base import Phase
from atoll.engines.repository import NodeRepository
from atoll.identity.caller import Caller
from atoll.tasks.decisions import Act, Facts
from atoll.tasks.decisions import decide as what_to_do
from atoll.tasks.life_cycle import State, Wanted
from atoll.tasks.models import TaskRow
from atoll.tasks.snapshot import snapshot
from atoll.tasks.usage import CLUSTER_TASKS, READER
from atoll.virtual_clusters.changes import Quota, Terms, only_grows
from atoll.virtual_clusters.management import VirtualClusterManagement
from atoll.virtual_clusters.models import Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.schemas import VirtualClusterEdit
from atoll.web.errors import Conflict
from hypothesis import HealthCheck, event, example, given, settings
from hypothesis import strategies as st
from sqlalchemy.ext.asyncio import AsyncSession

from tests.unit.platform.conftest import configuration
from tests.unit.platform.rows import GPU, NPU, a_caller, a_node, a_task
from tests.unit.platform.tasks.test_life_cycle import _observation

USERS = st.sampled_from(["ada", "bob", "cy"])
CLUSTERS = st.sampled_from(["lab", "zoo"])
QUOTA = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda each: Quota(max(each), min(each)))
STEPS = st.one_of(
    st.tuples(st.just("submit"), CLUSTERS, USERS, st.integers(0, 4), st.integers(1, 2)),
    st.tuples(st.just("end"), st.integers(0, 9)),
    st.tuples(st.just("edit"), CLUSTERS, QUOTA),
)


@dataclass
class Cluster:
    """Two machines with four cards each, and who holds which."""

    quotas: dict[str, Quota]
    waiting: list[Ask] = field(default_factory=list)
    held: list[tuple[Ask, Placement]] = field(default_factory=list)

    def snapshot(self) -> Snapshot:
        taken: dict[str, set[int]] = {"a": set(), "b": set()}
        held: Counter[tuple[str, str, str]] = Counter()
        for ask, placement in self.held:
            held[ask.virtual_cluster, GPU, ask.user] += ask.devices * ask.nodes
            for node, devices in placement.replicas:
                assert not taken[node] & {*devices}, "a card is given twice"
                taken[node] |= {*devices}
        nodes = [
            NodeState(name, "amd64", {GPU: frozenset(range(4)) - used}, {GPU: 4}, Decimal(64), Decimal(1 << 40))
            for name, used in taken.items()
        ]
        shares = {(name, GPU): Share(quota.count, quota.max_per_user) for name, quota in self.quotas.items()}
        return Snapshot(nodes=nodes, shares=shares, held=held)

    def start(self) -> None:
        """All that may, in their order."""
        for ask in list(self.waiting):
            verdict = decide(self.snapshot(), ask)
            if isinstance(verdict, Placement):
                self.waiting.remove(ask)
                self.held.append((ask, verdict))

    def edit(self, name: str, quota: Quota) -> None:
        mine = [ask for ask in (*self.waiting, *(ask for ask, _ in self.held)) if ask.virtual_cluster == name]
        if only_grows(Terms({GPU: self.quotas[name]}), Terms({GPU: quota})) or not mine:
            event("edited in use" if mine else "edited idle")
            self.quotas[name] = quota

    def check(self) -> None:
        by_cluster: Counter[str] = Counter()
        by_user: Counter[tuple[str, str]] = Counter()
        for ask, _ in self.held:
            by_cluster[ask.virtual_cluster] += ask.devices * ask.nodes
            by_user[ask.virtual_cluster, ask.user] += ask.devices * ask.nodes
        for name, quota in self.quotas.items():
            assert by_cluster[name] <= quota.count, f"{name} holds more than its share"
            assert all(count <= quota.max_per_user for (where, _), count in by_user.items() if where == name), (
                f"somebody holds more than one user may in {name}"
            )


@given(st.lists(STEPS, max_size=40), QUOTA, QUOTA)
@settings(report_multiple_bugs=False)
def test_nobody_ever_holds_more_than_a_share_also_when_shares_are_edited(
    steps: list[tuple[Any, ...]], lab: Quota, zoo: Quota
) -> None:
    cluster = Cluster({"lab": lab, "zoo": zoo})
    for kind, *what in steps:
        match kind:
            case "submit":
                name, user, devices, nodes = what
                cluster.waiting.append(Ask(name, user, GPU, devices, nodes, Decimal(1), Decimal(1 << 20), "amd64"))
            case "end" if what[0] < len(cluster.held):
                cluster.held.pop(what[0])
            case "edit":
                cluster.edit(*what)
        cluster.start()
        cluster.check()
    # Nobody waits for what would never come, and is not told so: with everything free, who may start does.
    for ask in cluster.waiting:
        cluster.held.clear()
        verdict = decide(cluster.snapshot(), ask)
        assert isinstance(verdict, Placement) or verdict.forever, verdict


@given(st.lists(st.tuples(USERS, st.integers(0, 4), st.integers(1, 2)), max_size=20), QUOTA)
def test_who_is_refused_because_others_hold_the_share_is_told_what_is_free_of_it(
    asks: list[tuple[str, int, int]], quota: Quota
) -> None:
    cluster = Cluster({"lab": quota})
    for user, devices, nodes in asks:
        ask = Ask("lab", user, GPU, devices, nodes, Decimal(1), Decimal(1 << 20), "amd64")
        before = sum(each.devices * each.nodes for each, _ in cluster.held)
        verdict = decide(cluster.snapshot(), ask)
        if isinstance(verdict, Obstacle) and verdict.reason.code == "devices_in_use":
            assert verdict.reason.params["free"] == quota.count - before < devices * nodes
        cluster.waiting.append(ask)
        cluster.start()


# The tables, and an engine that knows only what it was told.


@dataclass(frozen=True)
class Episode:
    """An edit, perhaps brought to the engine at once, or only after what is submitted then; and what ends."""

    quota: Quota | None
    provisioned: bool
    submitted: list[tuple[str, int]]
    late: bool
    ended: int


FEW = st.tuples(st.integers(1, 4), st.integers(1, 4)).map(lambda each: Quota(max(each), min(each)))
EPISODES = st.builds(
    Episode,
    st.none() | FEW,
    st.booleans(),
    st.lists(st.tuples(USERS, st.integers(1, 3)), max_size=4),
    st.booleans(),
    st.integers(0, 9),
)


class Engine:
    """What `jobs` handed to it, and the quota that it was brought to last."""

    def __init__(self, quota: Quota) -> None:
        self.quota = quota
        self.waiting: list[TaskRow] = []
        self.running: list[TaskRow] = []

    def let_in(self) -> None:
        for row in list(self.waiting):
            mine = sum(each.devices for each in self.running if each.owner_id == row.owner_id)
            all_of_them = sum(each.devices for each in self.running)
            if mine + row.devices <= self.quota.max_per_user and all_of_them + row.devices <= self.quota.count:
                self.waiting.remove(row)
                self.running.append(row)
                row.state = State.RUNNING


class Tables:
    """One virtual cluster in the database, its administrator and its users."""

    def __init__(self, session: AsyncSession, manage: VirtualClusterManagement, admin: Caller) -> None:
        self.session = session
        self.manage = manage
        self.admin = admin
        self.clusters = VirtualClusterRepository(session)
        self.tasks: list[TaskRow] = []

    async def row(self) -> VirtualClusterRow:
        found = await self.clusters.by_name("default")
        assert found is not None
        await self.session.refresh(found)
        return found

    async def quota(self) -> Quota:
        (found,) = (each for each in (await self.row()).quotas if each.device_type == GPU)
        return Quota(found.count, found.max_per_user)

    async def submit(self, name: str, devices: int) -> None:
        """As `TaskService.submit` judges it."""
        caller, row = await a_caller(self.session, name), await self.row()
        ask = Ask("default", caller.id, GPU, devices, 1, Decimal(1), Decimal(1), "amd64")
        verdict = decide(await snapshot(self.session, row, caller.id, None), ask)
        if isinstance(verdict, Placement) or not verdict.forever:
            self.tasks.append(await a_task(self.session, caller, "a_task", devices=devices))

    async def work(self, engine: Engine) -> None:
        """What `jobs` does with tasks that it has not handed over."""
        granted = (await self.row()).standing != Standing.PREPARING
        for row in self.tasks:
            if row.state == State.QUEUED and row not in engine.waiting:
                facts = Facts(state=State.QUEUED, wanted=Wanted.RUN, submitted=False, granted=granted)
                if what_to_do(facts, _observation(Phase.GONE, False, None)).act is Act.SUBMIT:
                    engine.waiting.append(row)
        engine.let_in()

    async def check(self, engine: Engine) -> None:
        await self.session.flush()
        granted, held = await self.quota(), Counter[str]()
        for row in engine.running:
            held[row.owner_id] += row.devices
        assert held.total() <= granted.count, "the virtual cluster holds more than it is granted"
        assert all(each <= granted.max_per_user for each in held.values()), "a user holds more than one may"

    async def edit(self, quota: Quota) -> None:
        body = VirtualClusterEdit(devices={GPU: quota.count, NPU: 8}, max_devices_per_user={GPU: quota.max_per_user})
        try:
            await self.manage.edit(self.admin, (await self.row()).id, body, None)
        except Conflict:
            event("refused")

    async def provision(self, engine: Engine) -> None:
        row = await self.row()
        engine.quota = await self.quota()
        await self.clusters.confirm(row.id, row.version)
        self.session.expire(row)


@given(st.lists(EPISODES, min_size=1, max_size=6))
@example([Episode(Quota(2, 2), False, [("ada", 2), ("bob", 2)], late=True, ended=0)])
@settings(
    max_examples=50,
    deadline=None,
    report_multiple_bugs=False,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_no_edit_lets_an_engine_that_lags_behind_give_more_than_is_granted(
    stored: Sessions, tmp_path: Path, postgres: str, database_name: str, episodes: list[Episode]
) -> None:
    async with stored() as session:
        await NodeRepository(session).replace([a_node("a", total=9)])
        manage = VirtualClusterManagement(
            session, configuration(tmp_path, postgres, database_name), READER, CLUSTER_TASKS
        )
        tables = Tables(session, manage, await a_caller(session, "admin"))
        engine = Engine(await tables.quota())
        await tables.provision(engine)
        for episode in episodes:
            if episode.quota is not None:
                await tables.edit(episode.quota)
            if episode.provisioned:
                await tables.provision(engine)
            for user, devices in episode.submitted:
                await tables.submit(user, devices)
            await tables.work(engine)
            await tables.check(engine)
            if episode.late:
                await tables.provision(engine)
                await tables.work(engine)
                await tables.check(engine)
            for row in engine.running[: episode.ended]:
                row.state = State.FINISHED
            del engine.running[: episode.ended]
            engine.let_in()
            await tables.check(engine)
        await session.rollback()


def test_the_steps_of_the_tables_are_those_of_the_product() -> None:
    """Else the test above would be about something else: what the engine is told is what `jobs` waits for."""
    handed = Facts(state=State.QUEUED, wanted=Wanted.RUN, submitted=False, granted=True)
    nothing = _observation(Phase.GONE, False, None)
    assert what_to_do(handed, nothing).act is Act.SUBMIT
    waits = what_to_do(Facts(state=State.QUEUED, wanted=Wanted.RUN, submitted=False, granted=False), nothing)
    assert (waits.act, waits.steps) == (Act.NOTHING, ())
    assert waits.reason is not None
    assert waits.reason.code == "preparing_virtual_cluster"
    for state in (State.QUEUED, State.RUNNING):
        facts = Facts(state=state, wanted=Wanted.RUN, submitted=True, granted=False)
        assert what_to_do(facts, _observation(Phase.RUNNING, True, None)).reason is None
