"""The one list of domains: what the API, `jobs`, migrations, the contract and the portal's words are made from."""

from sqlalchemy import MetaData

from atoll.about.domain import DOMAIN as about
from atoll.archives.domain import DOMAIN as archives
from atoll.audit.domain import DOMAIN as audit
from atoll.control.domain import DOMAIN as control
from atoll.database.base import Table
from atoll.database.notifications import DUE
from atoll.database.rights import TableRights
from atoll.engines.domain import DOMAIN as engines
from atoll.groups.domain import DOMAIN as groups
from atoll.homes.domain import DOMAIN as homes
from atoll.identity.domain import DOMAIN as identity
from atoll.images.domain import DOMAIN as images
from atoll.measurements.domain import DOMAIN as measurements
from atoll.monitoring.domain import DOMAIN as monitoring
from atoll.nodes.domain import DOMAIN as nodes
from atoll.operations.domain import DOMAIN as operations
from atoll.overview.domain import DOMAIN as overview
from atoll.provisioning.domain import DOMAIN as provisioning
from atoll.roles.domain import DOMAIN as roles
from atoll.services.domain import DOMAIN as services
from atoll.settings.domain import DOMAIN as settings
from atoll.tasks.domain import DOMAIN as tasks
from atoll.training.domain import DOMAIN as training
from atoll.users.domain import DOMAIN as users
from atoll.virtual_clusters.domain import DOMAIN as virtual_clusters
from atoll.ways_in.domain import DOMAIN as ways_in
from atoll.web.domain import Domain, Permission, TaskKind

# By floor, from the ground up; within one the order means nothing.
DOMAINS: tuple[Domain, ...] = (
    about,
    identity,
    audit,
    virtual_clusters,
    engines,
    homes,
    measurements,
    control,
    operations,
    tasks,
    provisioning,
    users,
    groups,
    roles,
    ways_in,
    archives,
    overview,
    training,
    images,
    nodes,
    services,
    monitoring,
    settings,
)


def permissions() -> tuple[Permission, ...]:
    """All permissions, in the order of domains."""
    return tuple(permission for domain in DOMAINS for permission in domain.permissions)


def task_kinds() -> tuple[TaskKind, ...]:
    """All kinds of tasks."""
    return tuple(kind for domain in DOMAINS for kind in domain.task_kinds)


def channels() -> tuple[str, ...]:
    """All channels on which the database tells of changes; that something is due is everybody's."""
    return (DUE, *(channel for domain in DOMAINS for channel in domain.channels))


def tables() -> tuple[type[Table], ...]:
    """The tables of all domains."""
    return tuple(table for domain in DOMAINS for table in domain.tables)


def rights() -> dict[str, TableRights]:
    """What services may do with each table, the one of migrations too."""
    of_domains = {table.__tablename__: rights for domain in DOMAINS for table, rights in domain.tables.items()}
    return of_domains | {"alembic_version": TableRights()}


def metadata() -> MetaData:
    """The whole schema, as migrations must have made it."""
    tables()
    return Table.metadata
