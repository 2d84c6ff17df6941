"""The machines as the engine sees them, kept for the API."""

import asyncio
from collections.abc import Sequence
from functools import partial

from atoll.database.patience import patiently
from atoll.engines.base import Engine, NodeObservation
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
                await patiently("keep what is seen of machines", partial(_write, replica, seen))
                written = seen
                reports.machines_kept.give()
            await asyncio.sleep(EVERY_S)

    return run


async def _write(replica: Replica, seen: Sequence[NodeObservation]) -> None:
    async with replica.sessions() as session, session.begin():
        await NodeRepository(session).replace(seen)
