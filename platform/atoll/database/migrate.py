"""Migrations."""

import asyncio
import time
from collections.abc import Callable
from pathlib import Path

import structlog
from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncEngine

from atoll.database.blockers import cleared_of_services
from atoll.database.connection import sessions

# Two replicas that start at once must not migrate at once.
MIGRATING = 4_802_174_551
log = structlog.get_logger(__name__)


class DatabaseUnreachable(Exception):
    """The database did not answer in time."""


def alembic_config(connection: Connection | None = None) -> Config:
    """Alembic's settings; there is no alembic.ini."""
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    return config


async def wait_for(database: AsyncEngine, timeout_s: float) -> None:
    """Until the database answers. Raises DatabaseUnreachable."""
    until = time.monotonic() + timeout_s
    while True:
        try:
            async with database.connect() as connection:
                await connection.execute(text("SELECT 1"))
            return
        except (DBAPIError, OSError) as error:
            if time.monotonic() > until:
                raise DatabaseUnreachable(f"no answer within {timeout_s:.0f} s: {error}") from error
            log.info("waiting for the database", error=str(error).splitlines()[0])
            await asyncio.sleep(1)


async def upgrade(database: AsyncEngine, then: Callable[[Connection], None] | None = None) -> None:
    """Bring the schema to the newest version, and do `then` with it, both or none.

    Concurrent callers wait; services that are in the way do not keep it waiting.
    """

    def run(connection: Connection) -> None:
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
        command.upgrade(alembic_config(connection), "head")
        if then is not None:
            then(connection)

    async with database.begin() as connection, cleared_of_services(sessions(database), connection):
        await connection.run_sync(run)
