"""Who may do what with which table: the one table of it, and how a migration makes it so.

Tables belong to the owner, as whom only migrations sign in. `api` and `jobs` have roles of their own, which make,
change and remove nothing but rows, and of these only what stands here: whoever takes one of them over gets no further.
What they may do with the audit beyond that, functions of the owner do for them (`atoll.audit_trail.functions`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from sqlalchemy import Connection, text

API, JOBS = "atoll_api", "atoll_jobs"
ROLES = (API, JOBS)
LEGACY = "atoll"  # of earlier versions: one account for all, until the services have come with their own


class RolesMissing(Exception):
    """The database lacks roles of the services."""


@dataclass(frozen=True)
class Rights:
    """What a role may do with a table. `hidden` columns are not read; where `changes` is given, no others are written.

    Only rows as a whole are added and removed.
    """

    read: bool = True
    hidden: tuple[str, ...] = ()
    add: bool = False
    change: bool = False
    changes: tuple[str, ...] = ()
    remove: bool = False

    def columns(self, right: str, all_of_them: Iterable[str]) -> frozenset[str]:
        """Of `all_of_them` the columns for which it holds SELECT, INSERT or UPDATE."""
        there = frozenset(all_of_them)
        match right:
            case "SELECT":
                return there - {*self.hidden} if self.read else frozenset()
            case "INSERT":
                return there if self.add else frozenset()
            case _:
                return frozenset(self.changes) if self.changes else there if self.change else frozenset()


@dataclass(frozen=True)
class TableRights:
    """What each of the services may do with a table."""

    api: Rights = field(default=Rights(read=False))
    jobs: Rights = field(default=Rights(read=False))

    def of(self, role: str) -> Rights:
        """What that role may do."""
        return {API: self.api, JOBS: self.jobs}[role]


READS = Rights()
# A task's row changes hands: the API says what is wanted, `jobs` all else.
WANTED = ("wanted", "stop_reason", "deleted_at", "due_at", "version")
TABLES: Mapping[str, TableRights] = {
    "users": TableRights(api=Rights(add=True, change=True), jobs=Rights(hidden=("password_hash",))),
    "sessions": TableRights(api=Rights(add=True, remove=True)),
    "known_devices": TableRights(api=Rights(add=True, change=True, remove=True)),
    "sign_in_failures": TableRights(api=Rights(add=True, remove=True)),
    "idempotency_keys": TableRights(api=Rights(add=True, changes=("object_id",)), jobs=Rights(remove=True)),
    "audit": TableRights(api=READS),
    "virtual_clusters": TableRights(api=READS, jobs=READS),
    "virtual_cluster_quotas": TableRights(api=READS, jobs=READS),
    "virtual_cluster_members": TableRights(api=Rights(add=True), jobs=READS),
    "nodes": TableRights(api=READS, jobs=Rights(add=True, change=True, remove=True)),
    "provisioners": TableRights(jobs=Rights(change=True)),
    "operations": TableRights(
        api=Rights(
            add=True, changes=("cancel_wanted", "reason", "state", "finished_at", "due_at")
        ),
        jobs=Rights(change=True, remove=True),
    ),
    "operation_events": TableRights(api=Rights(add=True), jobs=Rights(add=True)),
    # Secret variables are for the engine: the API writes them and does not get them back.
    "tasks": TableRights(api=Rights(hidden=("secrets",), add=True, changes=WANTED), jobs=Rights(change=True)),
    "attempts": TableRights(api=READS, jobs=Rights(add=True, change=True)),
    "replicas": TableRights(api=READS, jobs=Rights(add=True, change=True)),
    "task_events": TableRights(api=Rights(add=True), jobs=Rights(add=True)),
    "alembic_version": TableRights(),
}  # fmt: skip


def grant(connection: Connection) -> None:
    """Give each role exactly what stands above, in the transaction of `connection`. Raises RolesMissing."""
    there = set(connection.scalars(text("SELECT rolname FROM pg_roles")))
    if missing := [role for role in ROLES if role not in there]:
        raise RolesMissing(
            f"the database has no role {' and no role '.join(missing)}: whoever makes the database makes them "
            "(in a cluster the phase `database`)"
        )
    columns = _columns(connection)
    for role in ROLES:
        for right in ("TABLES", "SEQUENCES", "FUNCTIONS"):
            connection.execute(text(f"REVOKE ALL ON ALL {right} IN SCHEMA public FROM {role}, PUBLIC"))
        connection.execute(text(f"REVOKE CREATE ON SCHEMA public FROM {role}, PUBLIC"))
        connection.execute(text(f"GRANT CONNECT ON DATABASE {_database(connection)} TO {role}"))
        for table, rights in TABLES.items():
            for statement in _statements(table, columns.get(table, frozenset()), role, rights.of(role)):
                connection.execute(text(statement))


def _columns(connection: Connection) -> dict[str, frozenset[str]]:
    """The columns of each table that is there."""
    found: dict[str, set[str]] = {}
    query = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'public'"
    for table, column in connection.execute(text(query)):
        found.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in found.items()}


def _database(connection: Connection) -> str:
    name = connection.scalar(text("SELECT quote_ident(current_database())"))
    return str(name)


def _statements(table: str, there: frozenset[str], role: str, rights: Rights) -> Iterable[str]:
    """What grants it. Where a column is left out, a right is given by columns."""
    for right in ("SELECT", "INSERT", "UPDATE"):
        granted = rights.columns(right, there)
        if granted:
            some = "" if granted == there else " ({})".format(", ".join(f'"{name}"' for name in sorted(granted)))
            yield f"GRANT {right}{some} ON {table} TO {role}"
    if rights.remove:
        yield f"GRANT DELETE ON {table} TO {role}"
