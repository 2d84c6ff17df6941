"""`python -m atoll.api.migrate`: migrate to the newest version, give rights, create what must exist, exit."""

import asyncio
import os
import sys

from atoll.api.contents import ensure_contents, ensure_tables
from atoll.configuration import Configuration, ConfigurationError, load
from atoll.database.connection import connect, sessions
from atoll.database.migrate import DatabaseUnreachable, wait_for
from atoll.database.rights import RolesMissing
from atoll.web.internal import configure_logs


async def _main(configuration: Configuration) -> None:
    database = connect(configuration, pool_size=2, command_timeout_s=None)  # migrations take what they take
    try:
        await wait_for(database, float(os.environ.get("ATOLL_DATABASE_TIMEOUT_S", "180")))
        await ensure_tables(database, configuration)
        await ensure_contents(sessions(database), configuration)
    finally:
        await database.dispose()


if __name__ == "__main__":
    configure_logs()
    try:
        asyncio.run(_main(load()))
    except (ConfigurationError, DatabaseUnreachable, RolesMissing) as error:
        sys.exit(str(error))
