"""Locks that belong to no table: functions of the owner with keys of their own, each for one service.

PostgreSQL lets everybody take advisory locks, of any key and any number: one account keeps the others waiting by their
keys, or fills the table of all locks with one statement, and then nobody comes in. So in a cluster no service may call
those functions (the role's have_accounts.sh); it has one lock at a time from here, until its transaction ends, of few
that there are.
"""

from sqlalchemy import Connection

from atoll.database.rights import API, JOBS

JUDGING = 0x6964656E74697479  # each sign-in is judged after those before it, in every replica of the API
TURNS = 7_310_225_118  # turns are given out one after the other: what counts claims must not race with another count
STARTS = 731_022_512
UIDS = 4_802_174_552  # each account has its uid after those before it: taken by the trigger of migration 0017 itself
OWNERS = 256  # whose starts wait for each other only by chance

_FUNCTIONS = {
    "lock_judging()": (API, f"pg_advisory_xact_lock({JUDGING})"),
    "lock_turns()": (JOBS, f"pg_advisory_xact_lock({TURNS})"),
    "lock_starts(owner_id text)": (API, f"pg_advisory_xact_lock({STARTS}, hashtext(owner_id) & {OWNERS - 1})"),
}


def have_locks(connection: Connection) -> None:
    """Have them, for their callers only, in the transaction of `connection`."""
    for function, (caller, lock) in _FUNCTIONS.items():
        for statement in (
            f"CREATE OR REPLACE FUNCTION {function} RETURNS void LANGUAGE sql SECURITY DEFINER "
            f"SET search_path = pg_catalog, pg_temp AS $$ SELECT {lock} $$",
            f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC",
            f"GRANT EXECUTE ON FUNCTION {function} TO {caller}",
        ):
            connection.exec_driver_sql(statement)
