"""A uid is given to the row that is really added: the smallest above all that were given, and never one of nobody.

A sequence gave one to each row that was tried, so that whoever may add accounts could use them up and leave no trace.
An account with a uid of the system or of nobody gets one of its own here, and is disabled until somebody has looked.

Revision ID: 0017
Revises: 0016
"""

import sqlalchemy as sa
import structlog
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

# `pg_temp` last, so that nobody puts a table of their own in the place of ours. One after the other: of two at once the
# later sees what the earlier has added. Rows of accounts are never removed, so that the greatest was the last.
FUNCTIONS = (
    """
    CREATE FUNCTION users_next_uid() RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    DECLARE
        given bigint;
    BEGIN
        PERFORM pg_advisory_xact_lock(4802174552);
        SELECT greatest(max(uid), 30000)::bigint + 1 INTO given FROM users;
        IF given IN (65534, 65535) THEN
            given := 65536;
        END IF;
        IF given > 2147483647 THEN
            RAISE EXCEPTION 'no uid is left for an account' USING ERRCODE = 'AT001';
        END IF;
        RETURN given;
    END
    $$
    """,
    """
    CREATE FUNCTION users_have_uids() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
    BEGIN
        NEW.uid := users_next_uid();
        RETURN NEW;
    END
    $$
    """,
)
TRIGGER = "CREATE TRIGGER users_uid BEFORE INSERT ON users FOR EACH ROW EXECUTE FUNCTION users_have_uids()"
MENDED = "UPDATE users SET uid = users_next_uid(), active = false, version = version + 1 WHERE id = :id RETURNING name"
OF_OTHERS = "SELECT id FROM users WHERE uid < 30001 OR uid IN (65534, 65535) ORDER BY id"
OF_USERS = "uid >= 30001 AND uid NOT IN (65534, 65535)"
log = structlog.get_logger(__name__)


def upgrade() -> None:
    """With a function in the place of the sequence."""
    op.execute("ALTER TABLE users ALTER COLUMN uid DROP IDENTITY")
    for function in FUNCTIONS:
        op.execute(function)
    op.execute(TRIGGER)
    op.drop_constraint(op.f("ck_users_uid"), "users", type_="check")
    connection = op.get_bind()
    for identifier in connection.scalars(sa.text(OF_OTHERS)).all():
        name = connection.scalar(sa.text(MENDED), {"id": identifier})
        log.warning("an account had a uid that is no user's: it has another one and is disabled", name=name)
    op.create_check_constraint(op.f("ck_users_uid"), "users", OF_USERS)


def downgrade() -> None:
    """With a sequence that goes on where the function was."""
    op.execute("DROP TRIGGER users_uid ON users")
    op.execute("ALTER TABLE users ALTER COLUMN uid ADD GENERATED ALWAYS AS IDENTITY (START 30001 MINVALUE 30001)")
    op.execute("SELECT setval(pg_get_serial_sequence('users', 'uid'), users_next_uid(), false)")
    op.execute("DROP FUNCTION users_have_uids()")
    op.execute("DROP FUNCTION users_next_uid()")
    op.drop_constraint(op.f("ck_users_uid"), "users", type_="check")
    op.create_check_constraint(op.f("ck_users_uid"), "users", "uid >= 30001")
