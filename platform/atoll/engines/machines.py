"""The machines as the engine sees them, kept for the API."""

import asyncio

from atoll.engines.base import Engine
from atoll.engines.reports import Reports
from atoll.engines.repository import NodeRepository
from atoll.web.domain import Replica, Run

EVERY_S = 2.0


def keep_machines(replica: Replica) -> Run:
    """Machines change often (every pod moves their use): written at most every two seconds."""
    engine: Engine = replica.parts[Engine]
    reports: Reports = replica.parts[Reports]
    changed = reports.machines.event()

    async def run() -> None:
        written = None
        while True:
            await changed.wait()
            changed.clear()
            seen = list(engine.nodes())
            if seen != written:
                async with replica.sessions() as session, session.begin():
                    await NodeRepository(session).replace(seen)
                written = seen
                reports.machines_kept.give()
            await asyncio.sleep(EVERY_S)

    return run
