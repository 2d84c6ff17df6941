"""What a process that froze holds in the database is taken from it, so that others go on.

The server ends a transaction that is idle (`IDLE_IN_TRANSACTION_S`). Of a process that froze between the first two
messages of a statement it still waits for the next one, which it does not call idle; PostgreSQL has no limit of that
before version 17. So each process of `api` and `jobs` ends such connections of its role; none may end another role's.
"""

import asyncio
import contextlib

import structlog
from sqlalchemy import text

from atoll.database.connection import AWAY, IDLE_IN_TRANSACTION_S, Sessions

_HALF_SAID = text(
    """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE datname = current_database() AND usename = current_user AND state = 'active' AND wait_event = 'ClientRead'
    AND xact_start IS NOT NULL AND state_change < clock_timestamp() - make_interval(secs => :silent_s)
    """
)
log = structlog.get_logger(__name__)


async def end_half_said(sessions: Sessions, silent_s: float) -> int:
    """End connections of this role on which half a statement was said, and nothing for so long; the number of them."""
    async with sessions() as session:
        return sum((await session.scalars(_HALF_SAID, {"silent_s": silent_s})).all())


async def keep_half_said_ended(sessions: Sessions) -> None:
    """Until cancelled."""
    while True:
        await asyncio.sleep(IDLE_IN_TRANSACTION_S / 2)
        with contextlib.suppress(*AWAY):
            if ended := await end_half_said(sessions, IDLE_IN_TRANSACTION_S):
                log.warning("connections of a process that froze were ended", connections=ended)
