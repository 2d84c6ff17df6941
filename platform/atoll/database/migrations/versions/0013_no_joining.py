"""Nobody reads since when somebody is a member of a virtual cluster.

Revision ID: 0013
Revises: 0012
"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Members are members."""
    op.drop_column("virtual_cluster_members", "joined_at")


def downgrade() -> None:
    """All members joined now."""
    column = sa.Column("joined_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())
    op.add_column("virtual_cluster_members", column)
    op.alter_column("virtual_cluster_members", "joined_at", server_default=None)
