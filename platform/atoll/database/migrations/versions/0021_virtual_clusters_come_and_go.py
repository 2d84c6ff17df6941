"""Virtual clusters are edited and deleted, groups are members of them, and people set which one they use.

Revision ID: 0021
Revises: 0020
"""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None

PRESENT = "uq_virtual_clusters_present_name"
UNFINISHED = "ix_tasks_unfinished"
QUOTAS, CLUSTERS = "virtual_cluster_quotas", "virtual_clusters"


def upgrade() -> None:
    """What is there stands in the engine already; a limit per user above what there is never meant anything."""
    op.add_column(CLUSTERS, sa.Column("standing", sa.String(), nullable=False, server_default="ready"))
    op.alter_column(CLUSTERS, "standing", server_default=None)
    op.add_column(CLUSTERS, sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column(CLUSTERS, sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.alter_column(CLUSTERS, "version", server_default=None)
    op.drop_constraint("uq_virtual_clusters_name", CLUSTERS, type_="unique")
    op.create_index(PRESENT, CLUSTERS, ["name"], unique=True, postgresql_where=sa.text("deleted_at IS NULL"))
    op.execute("UPDATE virtual_cluster_quotas SET max_per_user = least(max_per_user, count)")
    op.drop_constraint("ck_virtual_cluster_quotas_not_negative", QUOTAS, type_="check")
    op.create_check_constraint(
        op.f("ck_virtual_cluster_quotas_within_the_count"), QUOTAS, "max_per_user >= 0 AND max_per_user <= count"
    )
    op.create_index(
        UNFINISHED, "tasks", ["virtual_cluster_id", "owner_id"], postgresql_where=sa.text("finished_at IS NULL")
    )
    op.create_table(
        "virtual_cluster_groups",
        sa.Column("virtual_cluster_id", sa.String(), nullable=False),
        sa.Column("group_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["group_id"], ["groups.id"], name=op.f("fk_virtual_cluster_groups_group_id_groups"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["virtual_cluster_id"],
            ["virtual_clusters.id"],
            name=op.f("fk_virtual_cluster_groups_virtual_cluster_id_virtual_clusters"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("virtual_cluster_id", "group_id", name=op.f("pk_virtual_cluster_groups")),
    )
    op.create_index(op.f("ix_virtual_cluster_groups_group_id"), "virtual_cluster_groups", ["group_id"], unique=False)
    op.create_table(
        "user_settings",
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("virtual_cluster_id", sa.String(), nullable=True),
        sa.Column("refresh_s", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.CheckConstraint("refresh_s BETWEEN 5 AND 3600", name=op.f("ck_user_settings_refresh_within_bounds")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_user_settings_user_id_users"), ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["virtual_cluster_id"],
            ["virtual_clusters.id"],
            name=op.f("fk_user_settings_virtual_cluster_id_virtual_clusters"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_user_settings")),
    )


def downgrade() -> None:
    """Without. What was deleted has a name of its own from now on, so that each has one."""
    op.drop_table("user_settings")
    op.drop_index(op.f("ix_virtual_cluster_groups_group_id"), table_name="virtual_cluster_groups")
    op.drop_table("virtual_cluster_groups")
    op.drop_index(UNFINISHED, table_name="tasks")
    op.drop_constraint("ck_virtual_cluster_quotas_within_the_count", QUOTAS, type_="check")
    op.create_check_constraint(
        op.f("ck_virtual_cluster_quotas_not_negative"), QUOTAS, "count >= 0 AND max_per_user >= 0"
    )
    op.execute("UPDATE virtual_clusters SET name = name || '.' || id WHERE deleted_at IS NOT NULL")
    op.drop_index(PRESENT, table_name=CLUSTERS)
    op.create_unique_constraint("uq_virtual_clusters_name", CLUSTERS, ["name"])
    for column in ("version", "deleted_at", "standing"):
        op.drop_column(CLUSTERS, column)
