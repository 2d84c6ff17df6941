"""What the services may do with rows of the audit: functions of the tables' owner, and these alone.

No service adds, changes or removes such a row itself (`atoll.database.rights`). Whoever takes one over dates no row and
chooses none that is forgotten: how long and how many are kept is what was configured when the database was migrated.
"""

from sqlalchemy import Connection

from atoll.configuration import Audit
from atoll.database.rights import API, JOBS

# Users' words stand in rows that they do not own: so much of them, and no more, whoever writes.
LONGEST_TEXT = 256
MOST_DETAILS_BYTES = 4096  # as many as three hundred names, each told in part
AT_ONCE = 2000  # rows that are old
MANY_AT_ONCE = 50_000  # rows that are too many: to find whose, all are counted
OF_ALL_REFUSED = 10

# By whom each is called; `pg_temp` last, so that nobody puts a table of their own in the place of ours, and a time zone
# of ours, for a caller's makes days longer and shorter.
_FUNCTIONS = """
CREATE OR REPLACE FUNCTION audit_add(
    actor_id text, actor_name text, action text, object_kind text, object_id text, object_name text,
    outcome text, address text, request_id text, details jsonb, once_a_minute text
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' AS $$
    -- The id as `atoll.database.identifiers` makes them: milliseconds, then chance, or for what is a row a minute what
    -- this is. Only such a row is counted up.
    WITH moment AS (SELECT clock_timestamp() AS at),
    made AS (
        SELECT at, CASE WHEN once_a_minute IS NULL THEN at ELSE date_trunc('minute', at) END AS sorted,
            CASE WHEN once_a_minute IS NULL THEN uuid_send(gen_random_uuid()) ELSE sha256(convert_to(
                jsonb_build_array(actor_id, actor_name, action, outcome, address, once_a_minute)::text, 'UTF8'
            )) END AS rest
        FROM moment
    ),
    digits AS (
        SELECT place, (trunc(extract(epoch FROM sorted) * 1000)::bigint >> (45 - 5 * place)) & 31 AS digit
        FROM made, generate_series(0, 9) AS place
        UNION ALL SELECT 10 + place, get_byte(rest, place) & 31 FROM made, generate_series(0, 15) AS place
    )
    INSERT INTO audit (
        id, at, actor_id, actor_name, action, object_kind, object_id, object_name, outcome, address, request_id, details
    )
    SELECT (
            SELECT string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', digit::int + 1, 1), '' ORDER BY place)
            FROM digits
        ),
        at, actor_id, left(actor_name, {longest}), left(action, {longest}), left(object_kind, {longest}),
        left(object_id, {longest}), left(object_name, {longest}),
        CASE WHEN outcome IN ('done', 'denied') THEN outcome ELSE 'failed' END,
        left(address, {longest}), left(request_id, {longest}),
        CASE WHEN jsonb_typeof(details) = 'object' AND octet_length(details::text) <= 2 * {most_details}
            THEN details ELSE jsonb_build_object('truncated', true) END
        || CASE WHEN once_a_minute IS NULL THEN jsonb_build_object() ELSE jsonb_build_object('times', 1) END
    FROM made
    ON CONFLICT (id) DO UPDATE
        SET details = audit.details || jsonb_build_object('times', (audit.details->>'times')::int + 1)
$$;

CREATE OR REPLACE FUNCTION audit_forget_old() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' AS $$
    WITH gone AS (
        DELETE FROM audit WHERE id = ANY (ARRAY(
            SELECT id FROM audit WHERE at < now() - make_interval(days => {retention_days})
            ORDER BY at LIMIT {at_once}
        ))
        RETURNING id
    )
    SELECT count(*) FROM gone
$$;

CREATE OR REPLACE FUNCTION audit_forget_too_many() RETURNS bigint
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp SET timezone = 'UTC' AS $$
    WITH counted AS (
        SELECT count(*) AS all_rows, count(*) FILTER (WHERE outcome <> 'done') AS refused
        FROM audit WHERE (SELECT true FROM audit ORDER BY at OFFSET {rows} LIMIT 1)
    ),
    beyond AS (
        SELECT refused > {refused} AS only_refused,
            least(all_rows - {rows}, CASE WHEN refused > {refused} THEN refused - {refused} END) AS most
        FROM counted WHERE all_rows > {rows}
    ),
    days AS (
        SELECT actor_id, outcome <> 'done' AS refused, date_trunc('day', at, 'UTC') AS day, count(*) AS n,
            sum(count(*)) OVER (PARTITION BY date_trunc('day', at, 'UTC')) AS n_of_day
        FROM audit, beyond WHERE outcome <> 'done' OR NOT only_refused GROUP BY 1, 2, 3
    ),
    -- Of the day with most: a flood is of the day on which it is written, however many names it has. Of that day the
    -- one with most, and those with nearly as many: until there is enough for once.
    fullest AS (
        SELECT actor_id, refused, day, n FROM (
            SELECT *, max(n) OVER () AS n_of_first,
                sum(n) OVER (ORDER BY n DESC ROWS UNBOUNDED PRECEDING) - n AS before
            FROM days WHERE n_of_day = (SELECT max(n_of_day) FROM days)
        ) AS counted_up
        WHERE n > n_of_first / 2 AND before < 4 * {many_at_once}
    ),
    middle AS (
        SELECT fullest.*, each.* FROM fullest, LATERAL (
            (
                SELECT id, at, address FROM audit WHERE audit.actor_id = fullest.actor_id
                AND (outcome <> 'done') = fullest.refused AND at >= day AND at < day + interval '24 hours'
                ORDER BY at OFFSET n / 4 LIMIT least(greatest(n / 2, 1), 2 * {many_at_once})
            ) UNION ALL (
                SELECT id, at, address FROM audit WHERE audit.actor_id IS NULL AND fullest.actor_id IS NULL
                AND (outcome <> 'done') = fullest.refused AND at >= day AND at < day + interval '24 hours'
                ORDER BY at OFFSET n / 4 LIMIT least(greatest(n / 2, 1), 2 * {many_at_once})
            )
        ) AS each
    ),
    -- How far a row is from the first and from the last of its address there.
    inner_ones AS (
        SELECT id, at, least(
            row_number() OVER of_address, 1 + count(*) OVER all_of_address - row_number() OVER of_address
        ) AS inside
        FROM middle
        WINDOW all_of_address AS (PARTITION BY actor_id, refused, day, address),
            of_address AS (all_of_address ORDER BY at)
    ),
    gone AS (
        DELETE FROM audit WHERE id = ANY (ARRAY(
            SELECT id FROM inner_ones ORDER BY inside DESC, at DESC
            LIMIT (SELECT least(most, (1 + (SELECT count(*) FROM middle)) / 2) FROM beyond)
        ))
        RETURNING id
    )
    SELECT count(*) FROM gone
$$;
"""
CALLERS = {
    "audit_add(text, text, text, text, text, text, text, text, text, jsonb, text)": API,
    "audit_forget_old()": JOBS,
    "audit_forget_too_many()": JOBS,
}


def have_functions(connection: Connection, audit: Audit) -> None:
    """Have them as `audit` is configured, for their callers only, in the transaction of `connection`."""
    told = _FUNCTIONS.format(
        longest=LONGEST_TEXT,
        most_details=MOST_DETAILS_BYTES,
        at_once=AT_ONCE,
        many_at_once=MANY_AT_ONCE,
        retention_days=int(audit.retention_days),
        rows=int(audit.rows),
        refused=int(audit.rows) // OF_ALL_REFUSED,
    )
    for function in filter(str.strip, told.split(";\n")):
        connection.exec_driver_sql(function)
    for function, caller in CALLERS.items():
        connection.exec_driver_sql(f"REVOKE ALL ON FUNCTION {function} FROM PUBLIC")
        connection.exec_driver_sql(f"GRANT EXECUTE ON FUNCTION {function} TO {caller}")
