"""Virtual clusters in the engine: brought up to the database whenever members, quotas or machines change.

The process of `jobs` that began last does it. One of before, which ends beside it or lives on, knows an older
configuration: it writes nothing once the newer one took over, and does it again only when that one is gone.
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Sequence
from functools import partial
from typing import Any

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from atoll.configuration import Configuration
from atoll.database.base import now
from atoll.database.claims import Claim, ClaimLost, Claims, say_something
from atoll.database.connection import AWAY, Sessions
from atoll.database.notifications import DUE, Listener
from atoll.database.patience import patiently
from atoll.engines.base import ClusterProvision, Engine, EngineError, Member, Share, UserShare
from atoll.engines.reports import Reports
from atoll.homes.client import FilesClient
from atoll.networks import Opening
from atoll.provisioning.models import THE_ROW, ProvisionerRow
from atoll.tasks.repository import TaskRepository
from atoll.virtual_clusters.models import PodSecurity, Standing, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.virtual_clusters.service import PROVISION
from atoll.web.domain import Replica, Run
from atoll.web.errors import ApiError

RETRY_S = 5.0
# The database ends a transaction that says nothing for longer than `IDLE_IN_TRANSACTION_S`: so it does with a process
# that froze, and this is how one that works is told from it.
SIGN_OF_LIFE_S = 5.0
Work = Callable[[], Coroutine[Any, Any, bool]]
Confirm = Callable[[AsyncSession, bool], Awaitable[None]]

log = structlog.get_logger(__name__)


class Provisioner:
    """Makes name spaces, quotas and queues follow the tables."""

    def __init__(
        self, name: str, configuration: Configuration, sessions: Sessions, engine: Engine, files: FilesClient
    ) -> None:
        self._name = name
        self._claims: Claims[ProvisionerRow] = Claims(sessions, ProvisionerRow)
        self._claim: Claim | None = None
        self._began = False
        self.look_again_s = self._claims.lease.total_seconds() / 3
        self._configuration = configuration
        self._sessions = sessions
        self._engine = engine
        self._files = files
        self._done: dict[str, tuple[ClusterProvision, tuple[int | str, ...]]] = {}
        self._without_home: set[str] = set()

    async def run(self) -> bool:
        """Provision what changed since the last time. False when some of it, or all, has to be tried again."""
        try:
            claim = await self._have_claim()
            return claim is not None and await self._run(claim)
        except ClaimLost:
            log.info("a newer process provisions")
            self._forget_claim()
            return False

    async def give_back(self) -> None:
        """At the end of this process: who lives on need not wait until the lease ends."""
        if self._claim is not None:
            with contextlib.suppress(ClaimLost, *AWAY):
                await self._claims.give_back(self._claim, now())
            self._forget_claim()

    def _forget_claim(self) -> None:
        self._claim = None
        self._done.clear()  # whoever had it meanwhile did it their way

    async def _have_claim(self) -> Claim | None:
        """The claim, for a lease from now on; who begins takes it over, later on only from one that is gone."""
        if self._claim is not None:
            await self._claims.renew(self._claim)
        elif self._began:
            self._claim = await self._claims.take(self._name)
        else:
            self._claim = await self._claims.take_over(THE_ROW, self._name)
            self._began = True
        return self._claim

    async def _run(self, claim: Claim) -> bool:
        capacity = self._engine.capacity()
        rows, members = await self._read()
        complete = True
        for row in rows:
            if row.standing == Standing.DELETING:
                complete = await self._remove(claim, row) and complete
                continue
            wanted = self._wanted(row, members.get(row.id, set()))
            current = self._done.get(row.name) == (wanted, capacity)
            await self._make_homes(
                member for member in wanted.members if not current or member.name in self._without_home
            )
            if not current or row.standing == Standing.PREPARING:
                # Read again: the others took a while, and who came back meanwhile is not taken for gone.
                later = self._wanted(row, await self._now_of(row))
                await self._make_homes(set(later.members) - set(wanted.members))
                if await self._provision(claim, row, later):
                    self._done[row.name] = (later, capacity)
            complete = complete and row.name in self._done
        self._without_home &= {member.name for each in members.values() for member in each}
        return complete and not self._without_home

    async def _read(self) -> tuple[Sequence[VirtualClusterRow], dict[str, set[Member]]]:
        """All virtual clusters, and who is to have a queue in which."""
        async with self._sessions() as session, session.begin():
            await TaskRepository(session).wake_strangers()
            return await VirtualClusterRepository(session).visible(None), await _with_a_queue(session)

    async def _now_of(self, row: VirtualClusterRow) -> set[Member]:
        async with self._sessions() as session:
            return (await _with_a_queue(session, row.id)).get(row.id, set())

    async def _make_homes(self, members: Iterable[Member]) -> None:
        """One home that cannot be made (its owner put something odd there, or is nobody) keeps nobody else waiting."""
        for member in members:
            try:
                await self._files.ensure_home(member)
            except (ApiError, ValueError) as error:
                log.warning("home not made, trying again", user=member.name, error=str(error))
                self._without_home.add(member.name)
            else:
                self._without_home.discard(member.name)

    async def _provision(self, claim: Claim, row: VirtualClusterRow, wanted: ClusterProvision) -> bool:
        self._done.pop(wanted.name, None)

        async def confirm(session: AsyncSession, _complete: bool) -> None:
            """Its quotas hold, whatever is left of former members."""
            if await VirtualClusterRepository(session).confirm(row.id, row.version):
                await TaskRepository(session).wake_waiting_in(row.id)

        complete = await self._write(claim, wanted.name, partial(self._engine.provision, wanted), confirm)
        if complete:
            log.info("virtual cluster provisioned", cluster=wanted.name, members=len(wanted.members))
        return complete

    async def _remove(self, claim: Claim, row: VirtualClusterRow) -> bool:
        self._done.pop(row.name, None)  # one that is made anew under that name is not there yet

        async def confirm(session: AsyncSession, complete: bool) -> None:
            if complete:
                await VirtualClusterRepository(session).forget(row.id)

        complete = await self._write(claim, row.name, partial(self._engine.remove_cluster, row.name), confirm)
        if complete:
            log.info("virtual cluster removed", cluster=row.name)
        return complete

    async def _write(self, claim: Claim, cluster: str, work: Work, confirm: Confirm) -> bool:
        """Under the lock of the claim's row, on which a newer process waits; whether `work` was all. Raises ClaimLost.

        `confirm` keeps in the database what is so in the engine; when this process is killed before, it is done again.
        """
        try:
            async with self._sessions() as session, session.begin():
                await self._claims.hold(session, claim)
                working = asyncio.create_task(work())
                try:
                    while not (await asyncio.wait({working}, timeout=SIGN_OF_LIFE_S))[0]:
                        await say_something(session)
                    complete = await working
                finally:
                    working.cancel()
                    await asyncio.gather(working, return_exceptions=True)
                await confirm(session, complete)
        except EngineError as error:
            log.warning("virtual cluster not brought to the engine, trying again", cluster=cluster, error=str(error))
            return False
        return complete

    def _wanted(self, row: VirtualClusterRow, members: Collection[Member]) -> ClusterProvision:
        shares = []
        for quota in row.quotas:
            device = self._configuration.device(quota.device_type)
            if device is None:
                log.warning("device type is not configured", cluster=row.name, device_type=quota.device_type)
                continue
            shares.append(
                Share(
                    device_type=device.type,
                    resource=device.resource,
                    count=quota.count,
                    max_per_user=quota.max_per_user,
                )
            )
        return ClusterProvision(
            name=row.name,
            shares=tuple(shares),
            members=tuple(sorted(members, key=lambda member: member.name)),
            user_share=UserShare.configured(self._configuration, (share.device_type for share in shares)),
            borrows=row.borrows,
            egress=tuple(Opening.of(each) for each in row.egress),
            # What the installation does not let be is taken away, whatever was set before.
            privileged=self._configuration.engine.privileged_jobs and row.pod_security == PodSecurity.BASELINE,
        )


async def _with_a_queue(session: AsyncSession, cluster_id: str | None = None) -> dict[str, set[Member]]:
    """By virtual cluster (all, or one) its members, and who left but has tasks there that have begun."""
    found: dict[str, set[Member]] = {}
    members = await VirtualClusterRepository(session).members_of_each(cluster_id)
    for where, name, uid in (*members, *await TaskRepository(session).owners_in_each(cluster_id)):
        found.setdefault(where, set()).add(Member(name=name, uid=uid))
    return found


def keep_provisioned(replica: Replica) -> Run:
    """Look again when somebody says so and when the machines changed: quotas of CPU and memory follow those."""
    engine: Engine = replica.parts[Engine]
    reports: Reports = replica.parts[Reports]
    files = replica.parts[FilesClient]
    provisioner = Provisioner(replica.name, replica.configuration, replica.sessions, engine, files)
    due = reports.machines_kept.event()

    async def keep() -> None:
        while True:
            complete = await patiently("keep provisioned", provisioner.run) if engine.synced else False
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(provisioner.look_again_s if complete else RETRY_S):
                    await due.wait()
            due.clear()

    async def run() -> None:
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(_listen(replica.listener, due))
                group.create_task(keep())
        finally:
            await provisioner.give_back()

    return run


async def _listen(listener: Listener, due: asyncio.Event) -> None:
    async with listener.subscribe(DUE) as queue:
        while True:
            if await queue.get() in (None, PROVISION):
                due.set()
