"""Virtual clusters in the engine: brought up to the database whenever members, quotas or machines change."""

import asyncio
import contextlib

import structlog

from atoll.configuration import Configuration
from atoll.database.connection import Sessions
from atoll.database.notifications import DUE, Listener
from atoll.database.patience import patiently
from atoll.engines.base import ClusterProvision, Engine, EngineError, Member, Share, UserShare
from atoll.engines.reports import Reports
from atoll.homes.client import FilesClient
from atoll.virtual_clusters.models import MemberRow, VirtualClusterRow
from atoll.virtual_clusters.repository import VirtualClusterRepository
from atoll.web.domain import Replica, Run
from atoll.web.errors import ApiError

RETRY_S = 5.0

log = structlog.get_logger(__name__)


class Provisioner:
    """Makes name spaces, quotas and queues follow the tables."""

    def __init__(self, configuration: Configuration, sessions: Sessions, engine: Engine, files: FilesClient) -> None:
        self._configuration = configuration
        self._sessions = sessions
        self._engine = engine
        self._files = files
        self._done: dict[str, tuple[ClusterProvision, tuple[int, ...]]] = {}
        self._without_home: set[str] = set()

    async def run(self) -> bool:
        """Provision what changed since the last time. False when some of it has to be tried again."""
        capacity = self._engine.capacity()
        async with self._sessions() as session:
            rows = await VirtualClusterRepository(session).visible(None)
        for row in rows:
            wanted = self._wanted(row)
            current = self._done.get(row.name) == (wanted, capacity)
            for member in row.members:
                if not current or member.user.name in self._without_home:
                    await self._make_home(member)
            if not current and await self._provision(wanted):
                self._done[row.name] = (wanted, capacity)
        self._without_home &= {member.user.name for row in rows for member in row.members}
        return not self._without_home and all(row.name in self._done for row in rows)

    async def _make_home(self, member: MemberRow) -> None:
        """One home that cannot be made (its owner put something odd there) keeps nobody else waiting."""
        try:
            await self._files.ensure_home(member.user)
        except ApiError as error:
            log.warning("home not made, trying again", user=member.user.name, error=str(error))
            self._without_home.add(member.user.name)
        else:
            self._without_home.discard(member.user.name)

    async def _provision(self, wanted: ClusterProvision) -> bool:
        self._done.pop(wanted.name, None)
        try:
            await self._engine.provision(wanted)
        except EngineError as error:
            log.warning("virtual cluster not provisioned, trying again", cluster=wanted.name, error=str(error))
            return False
        log.info("virtual cluster provisioned", cluster=wanted.name, members=len(wanted.members))
        return True

    def _wanted(self, row: VirtualClusterRow) -> ClusterProvision:
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
        members = sorted(row.members, key=_name)
        return ClusterProvision(
            name=row.name,
            shares=tuple(shares),
            members=tuple(Member(name=member.user.name, uid=member.user.uid) for member in members),
            user_share=UserShare.configured(self._configuration, (share.device_type for share in shares)),
        )


def keep_provisioned(replica: Replica) -> Run:
    """Look again when somebody says so and when the machines changed: quotas of CPU and memory follow those."""
    engine: Engine = replica.parts[Engine]
    reports: Reports = replica.parts[Reports]
    provisioner = Provisioner(replica.configuration, replica.sessions, engine, replica.parts[FilesClient])
    due = reports.machines_kept.event()

    async def keep() -> None:
        while True:
            complete = await patiently("keep provisioned", provisioner.run) if engine.synced else False
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(None if complete else RETRY_S):
                    await due.wait()
            due.clear()

    async def run() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(_listen(replica.listener, due))
            group.create_task(keep())

    return run


async def _listen(listener: Listener, due: asyncio.Event) -> None:
    async with listener.subscribe(DUE) as queue:
        while True:
            if await queue.get() in (None, "provision"):
                due.set()


def _name(member: MemberRow) -> str:
    return member.user.name
