"""No service keeps a migration waiting for long.

Locks are anybody's to take: a service that hangs, or whoever took one over, may hold what a migration waits for. So the
services' connections that stand in its way after `PATIENCE_S` are ended; a service makes new ones and goes on. Who
waits for the migration while it waits for them may find the deadlock and lose; the migration itself looks for none.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator

import structlog
from sqlalchemy import text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from atoll.database.connection import AWAY, Sessions
from atoll.database.rights import LEGACY, ROLES

PATIENCE_S = 10.0
EVERY_S = 1.0
# Whoever is before it in the line counts too. The accounts of services, never another migration. Whom it is about is
# found out before anybody is ended: conditions of one query are judged in any order.
_END_IN_THE_WAY = text(
    """
    WITH in_the_way AS MATERIALIZED (
        SELECT pid, usename FROM pg_stat_activity
        WHERE pid = ANY (pg_blocking_pids(:waiting)) AND usename = ANY (:roles) AND EXISTS (
            SELECT FROM pg_locks WHERE pid = :waiting AND NOT granted
            AND waitstart < clock_timestamp() - make_interval(secs => :patience_s)
        )
    )
    SELECT usename, pg_terminate_backend(pid) FROM in_the_way
    """
)
# The owner may set it in a cluster (have_accounts.sh); elsewhere whoever migrates may do all, or waits as usual.
_FINDS_NO_DEADLOCK = text(
    "SELECT set_config('deadlock_timeout', '1h', true) WHERE has_parameter_privilege('deadlock_timeout', 'SET')"
)
log = structlog.get_logger(__name__)


@contextlib.asynccontextmanager
async def cleared_of_services(sessions: Sessions, connection: AsyncConnection) -> AsyncIterator[None]:
    """Meanwhile `connection` waits for no service longer than `PATIENCE_S`, each time that it waits."""
    await connection.execute(_FINDS_NO_DEADLOCK)
    waiting = await connection.scalar(text("SELECT pg_backend_pid()"))
    done = asyncio.Event()
    clearing = asyncio.create_task(_clear(sessions, int(waiting or 0), done))
    try:
        yield
    finally:
        done.set()
        await clearing


async def _clear(sessions: Sessions, waiting: int, done: asyncio.Event) -> None:
    values = {"waiting": waiting, "roles": [*ROLES, LEGACY], "patience_s": PATIENCE_S}
    while True:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(done.wait(), EVERY_S)
            return
        try:
            async with sessions() as session:
                ended = sorted((await session.scalars(_END_IN_THE_WAY, values)).all())
        except (DBAPIError, *AWAY) as error:
            log.warning("cannot see to it that no service is in the migration's way", error=str(error).splitlines()[0])
            continue
        if ended:
            log.warning("connections of services that kept the migration waiting were ended", roles=ended)
