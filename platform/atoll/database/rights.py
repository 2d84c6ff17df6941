"""Who may do what with which table, and how a migration makes it so. Each manifest says it beside its tables.

Tables belong to the owner, as whom only migrations sign in. `api` and `jobs` have roles of their own, which make,
change and remove nothing but rows, and of these only what stands there: whoever takes one of them over gets no further.
What they may do with the audit beyond that, functions of the owner do for them (`atoll.audit_trail.functions`);
so they do with locks that belong to no table (`atoll.database.locks`).
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

    Rows are added without what is `filled` by the database itself, which nobody changes, and removed as a whole.
    """

    read: bool = True
    hidden: tuple[str, ...] = ()
    add: bool = False
    filled: tuple[str, ...] = ()
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
                return there - {*self.filled} if self.add else frozenset()
            case _:
                changed = self.changes or (there if self.change else ())
                return frozenset(changed) - {*self.filled}


@dataclass(frozen=True)
class TableRights:
    """What each of the services may do with a table."""

    api: Rights = field(default=Rights(read=False))
    jobs: Rights = field(default=Rights(read=False))

    def of(self, role: str) -> Rights:
        """What that role may do."""
        return {API: self.api, JOBS: self.jobs}[role]


READS = Rights()


def grant(connection: Connection, tables: Mapping[str, TableRights]) -> None:
    """Give each role exactly that, and nothing on other tables, in the transaction. Raises RolesMissing."""
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
        for table, rights in tables.items():
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
