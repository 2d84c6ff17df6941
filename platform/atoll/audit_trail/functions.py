"""What the services may do with rows of the audit that are there: functions of the tables' owner, and these alone.

No service changes or removes such a row itself (`atoll.database.rights`). The functions hold what is configured when
the database is migrated, so whoever takes a service over shortens no retention.
"""

from sqlalchemy import Connection

from atoll.configuration import Audit
from atoll.database.rights import API, JOBS

# By whom each is called; `pg_temp` last, so that nobody puts a table of their own in the place of ours.
_FUNCTIONS = """
CREATE OR REPLACE FUNCTION audit_count_again(row_id text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    UPDATE audit SET details = details || jsonb_build_object('times', coalesce((details->>'times')::int, 1) + 1)
    WHERE id = row_id AND outcome <> 'done'
$$;

CREATE OR REPLACE FUNCTION audit_forget_old(before timestamptz, at_once int) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    -- Ids are sorted by time: the oldest stand first, so that a batch ends where the young begin.
    WITH oldest AS (SELECT id, at FROM audit ORDER BY id LIMIT at_once),
    gone AS (
        DELETE FROM audit USING oldest
        WHERE audit.id = oldest.id AND oldest.at < least(before, now() - make_interval(days => {retention_days}))
        RETURNING audit.id
    )
    SELECT count(*) FROM gone
$$;

CREATE OR REPLACE FUNCTION audit_forget_of(actor text, most int, only_refused boolean) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    WITH oldest AS (
        SELECT id FROM audit WHERE actor_id IS NOT DISTINCT FROM actor AND (outcome <> 'done' OR NOT only_refused)
        ORDER BY id LIMIT least(most, greatest(0, (SELECT count(*) FROM audit) - {rows}))
    ),
    gone AS (DELETE FROM audit USING oldest WHERE audit.id = oldest.id RETURNING audit.id)
    SELECT count(*) FROM gone
$$;

CREATE OR REPLACE FUNCTION audit_forget_of_strangers(most int) RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    -- Of nobody's refused rows those of the address that has most of them, its oldest first; of addresses that have
    -- as many, the newer rows: with many addresses nobody pushes out what was there before.
    WITH theirs AS (
        SELECT id, row_number() OVER (PARTITION BY address ORDER BY id DESC) AS newer_of_address
        FROM audit WHERE actor_id IS NULL AND outcome <> 'done'
    ),
    first AS (
        SELECT id FROM theirs
        ORDER BY newer_of_address DESC, id DESC LIMIT least(most, greatest(0, (SELECT count(*) FROM audit) - {rows}))
    ),
    gone AS (DELETE FROM audit USING first WHERE audit.id = first.id RETURNING audit.id)
    SELECT count(*) FROM gone
$$;
"""
CALLERS = {
    "audit_count_again(text)": API,
    "audit_forget_old(timestamptz, int)": JOBS,
    "audit_forget_of(text, int, boolean)": JOBS,
    "audit_forget_of_strangers(int)": JOBS,
}


def have_functions(connection: Connection, audit: Audit) -> None:
    """Have them as `audit` is configured, for their callers only, in the transaction of `connection`."""
    told = _FUNCTIONS.format(retention_days=int(audit.retention_days), rows=int(audit.rows))
    for function in filter(str.strip, told.split(";\n")):
        connection.exec_driver_sql(function)
    for function, caller in CALLERS.items():
        connection.exec_driver_sql(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        connection.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION {function} TO {caller}")
