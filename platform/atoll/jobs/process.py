"""One replica of `jobs`: it runs what the manifests of domains say, and names none of them."""

import asyncio
import os
import socket
from collections.abc import Iterable

from atoll.configuration import Configuration
from atoll.database.connection import Sessions
from atoll.database.frozen import keep_half_said_ended
from atoll.database.identifiers import new_id
from atoll.database.notifications import Listener
from atoll.jobs.composed import Parts, do_from_time_to_time
from atoll.jobs.operations import Operations
from atoll.web.domain import Domain, Replica


class Process:
    """All loops of it."""

    def __init__(
        self,
        configuration: Configuration,
        sessions: Sessions,
        listener: Listener,
        parts: Parts,
        operations: Operations,
        domains: Iterable[Domain],
    ) -> None:
        domains = tuple(domains)
        name = f"{socket.gethostname()}-{os.getpid()}-{new_id()[-6:]}"
        self._replica = Replica(name, configuration, sessions, listener, parts)
        self._operations = operations
        self._loops = [loop.make(self._replica) for domain in domains for loop in domain.loops]
        self._periodic = [work for domain in domains for work in domain.periodic]

    async def run(self) -> None:
        """All until cancelled; one that fails ends the process, and its supervisor starts it again."""
        replica = self._replica
        async with asyncio.TaskGroup() as group:
            group.create_task(replica.listener.run())
            group.create_task(keep_half_said_ended(replica.sessions))
            group.create_task(self._operations.run())
            group.create_task(do_from_time_to_time(replica.configuration, replica.sessions, self._periodic))
            for run in self._loops:
                group.create_task(run())
