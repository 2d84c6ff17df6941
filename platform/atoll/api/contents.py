"""What must exist in every installation: tables, rights of services, the administrator, the first virtual clusters."""

import structlog
from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine, AsyncSession

from atoll.api.domains import rights
from atoll.audit_trail.functions import have_functions
from atoll.configuration import Configuration
from atoll.database.blockers import cleared_of_services
from atoll.database.connection import Sessions
from atoll.database.locks import have_locks
from atoll.database.migrate import MIGRATING, upgrade
from atoll.database.rights import grant
from atoll.identity import passwords, words
from atoll.identity.accounts import ADMIN, add_account
from atoll.identity.models import UserRoleRow
from atoll.identity.permissions import ADMIN_ROLE
from atoll.identity.repository import IdentityRepository
from atoll.tasks import root
from atoll.virtual_clusters.service import VirtualClusterService

log = structlog.get_logger(__name__)


async def ensure_tables(database: AsyncEngine, configuration: Configuration) -> None:
    """The tables of this version, and what each service may do with them. Raises RolesMissing."""

    def give(connection: Connection) -> None:
        grant(connection, rights())
        have_functions(connection, configuration.audit)
        have_locks(connection)
        words.let_call(connection)
        root.let_call(connection)

    await upgrade(database, give)


async def ensure_contents(sessions: Sessions, configuration: Configuration) -> None:
    """The administrator with the generated password, the first virtual clusters, and the one a member of the other."""
    async with sessions() as session, session.begin(), cleared_of_services(sessions, await session.connection()):
        await session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": MIGRATING})
        await _ensure(session, configuration)


async def _ensure(session: AsyncSession, configuration: Configuration) -> None:
    admin = await IdentityRepository(session).user_by_name(ADMIN)
    if admin is None:
        admin = await add_account(session, ADMIN, await passwords.hashed(configuration.secret("admin_password")))
        session.add(UserRoleRow(user_id=admin.id, role_id=ADMIN_ROLE))
        await session.flush()
        log.info("administrator created; the password must be changed at first sign-in", name=ADMIN)
    clusters = VirtualClusterService(session)
    for wanted in configuration.virtual_clusters:
        if await clusters.ensure(wanted):
            await clusters.join(wanted.name, admin.id)
            log.info("virtual cluster created", name=wanted.name)
