"""Virtual clusters have no generations: `jobs` compares what is wanted with what it provisioned.

Revision ID: 0008
Revises: 0007
"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nothing ever read or raised them."""
    op.drop_column("virtual_clusters", "generation")
    op.drop_column("virtual_clusters", "provisioned_generation")
    op.drop_column("virtual_cluster_members", "provisioned_generation")


def downgrade() -> None:
    """As new rows had them."""
    op.add_column("virtual_clusters", sa.Column("generation", sa.Integer(), nullable=False, server_default="1"))
    op.add_column(
        "virtual_clusters", sa.Column("provisioned_generation", sa.Integer(), nullable=False, server_default="0")
    )
    op.add_column(
        "virtual_cluster_members", sa.Column("provisioned_generation", sa.Integer(), nullable=False, server_default="0")
    )
    for table, column in (
        ("virtual_clusters", "generation"),
        ("virtual_clusters", "provisioned_generation"),
        ("virtual_cluster_members", "provisioned_generation"),
    ):
        op.alter_column(table, column, server_default=None)
