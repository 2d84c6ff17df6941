"""The database that tests copy."""

from atoll.api.contents import ensure_tables
from atoll.configuration import Configuration
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncEngine

ADVISORY = "SELECT oid::regprocedure::text FROM pg_proc WHERE proname ~ '^pg_(try_)?advisory_'"


async def make_template(database: AsyncEngine, settings: Configuration) -> None:
    """All tables, and as in a cluster no service may take locks of its own choice (have_accounts.sh)."""
    await ensure_tables(database, settings)
    async with database.begin() as connection:
        for function in (await connection.scalars(text(ADVISORY))).all():
            await connection.execute(text(f"REVOKE EXECUTE ON FUNCTION {function} FROM PUBLIC"))
    await database.dispose()
