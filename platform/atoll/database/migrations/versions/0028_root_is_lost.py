"""Whether the owner of a task may still run privileged jobs is answered to `jobs`, which reads nobody's rights.

Revision ID: 0028
Revises: 0027
"""

from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None

# Of a task and not of a user: `jobs` learns nothing of others. `pg_temp` last, so that nobody puts a table of their own
# in the place of ours. What grants it, by roles of the owner's own or of groups: the permission, or a kind with it.
FUNCTION = """
    CREATE FUNCTION may_be_root(task_id text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
        SELECT EXISTS (
            SELECT FROM tasks JOIN roles ON roles.grants && ARRAY['tasks:privileged', 'administration']::varchar[]
            WHERE tasks.id = task_id AND (
                EXISTS (SELECT FROM user_roles WHERE user_id = tasks.owner_id AND role_id = roles.id)
                OR EXISTS (
                    SELECT FROM group_members JOIN group_roles USING (group_id)
                    WHERE group_members.user_id = tasks.owner_id AND group_roles.role_id = roles.id
                )
            )
        )
    $$
"""


def upgrade() -> None:
    """Who may call it, is said where rights are given (`atoll.tasks.root`)."""
    op.execute(FUNCTION)


def downgrade() -> None:
    """Without."""
    op.execute("DROP FUNCTION may_be_root(text)")
