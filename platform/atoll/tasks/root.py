"""Whether who owns a task may still run privileged jobs: a function of the database (migration 0028) for `jobs` alone.

It reads the roles of owners, which no other thing tells `jobs`.
"""

from sqlalchemy import Connection

from atoll.database.rights import JOBS

FUNCTION = "may_be_root(text)"


def let_call(connection: Connection) -> None:
    """After rights were given anew, which takes all functions from everybody; in the transaction of `connection`."""
    connection.exec_driver_sql(f"REVOKE ALL ON FUNCTION {FUNCTION} FROM PUBLIC")
    connection.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION {FUNCTION} TO {JOBS}")
