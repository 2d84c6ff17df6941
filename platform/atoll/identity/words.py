"""By what letters users are found: pure functions of the database (migration 0025), which `api` may call and no other.

Whoever writes a row of users calls them, too, for the index.
"""

from sqlalchemy import Connection

from atoll.database.rights import API

FUNCTIONS = ("grams(text[])", "sought(text)")


def let_call(connection: Connection) -> None:
    """After rights were given anew, which takes all functions from everybody; in the transaction of `connection`."""
    for function in FUNCTIONS:
        connection.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION {function} TO {API}")
