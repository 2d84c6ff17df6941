"""Tasks are counted by indexes; settings follow the person; virtual clusters say where tasks are let out to.

Revision ID: 0027
Revises: 0026
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

OF_OWNER, ALL = "ix_tasks_counted_of_owner", "ix_tasks_counted"
SHOWN = sa.text("deleted_at IS NULL")
SETTINGS, CLUSTERS = "user_settings", "virtual_clusters"
KNOWN = {"language": "language IN ('en', 'zh-CN')", "appearance": "appearance IN ('light', 'dark', 'system')"}
LEVEL = "ck_virtual_clusters_pod_security_is_a_level"


TAKEN = "SELECT name FROM virtual_clusters WHERE '-' || name LIKE '%-root' AND deleted_at IS NULL ORDER BY name"


def upgrade() -> None:
    """Tasks that were removed are counted nowhere; nobody is root and nothing is opened until somebody says so.

    Raises RuntimeError where the name space of a virtual cluster is from now on taken for one of privileged jobs.
    """
    if names := op.get_bind().execute(sa.text(TAKEN)).scalars().all():
        raise RuntimeError(
            f"virtual clusters {', '.join(names)}: `root` and names that end with `-root` are kept for the platform."
            " With the version of before, make them anew under another name, delete these, and upgrade again."
        )
    op.create_index(OF_OWNER, "tasks", ["owner_id", "kind", "state", "virtual_cluster_id"], postgresql_where=SHOWN)
    op.create_index(ALL, "tasks", ["virtual_cluster_id", "kind", "state"], postgresql_where=SHOWN)
    for name in ("language", "appearance", "time_zone"):
        op.add_column(SETTINGS, sa.Column(name, sa.String(), nullable=True))
    for name, rule in KNOWN.items():
        op.create_check_constraint(op.f(f"ck_user_settings_{name}_is_known"), SETTINGS, rule)
    op.add_column(SETTINGS, sa.Column("privileged_jobs", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column(CLUSTERS, sa.Column("pod_security", sa.String(), nullable=False, server_default="restricted"))
    op.alter_column(CLUSTERS, "pod_security", server_default=None)
    op.create_check_constraint(op.f(LEVEL), CLUSTERS, "pod_security IN ('restricted', 'baseline')")
    op.add_column(CLUSTERS, sa.Column("egress", postgresql.JSONB(), nullable=False, server_default="[]"))
    op.alter_column(CLUSTERS, "egress", server_default=None)


def downgrade() -> None:
    """Without."""
    op.drop_column(CLUSTERS, "egress")
    op.drop_constraint(op.f(LEVEL), CLUSTERS, type_="check")
    op.drop_column(CLUSTERS, "pod_security")
    op.drop_column(SETTINGS, "privileged_jobs")
    for name in KNOWN:
        op.drop_constraint(op.f(f"ck_user_settings_{name}_is_known"), SETTINGS, type_="check")
    for name in ("time_zone", "appearance", "language"):
        op.drop_column(SETTINGS, name)
    op.drop_index(ALL, table_name="tasks")
    op.drop_index(OF_OWNER, table_name="tasks")
