"""Virtual clusters may borrow idle devices of others, where somebody says so.

Revision ID: 0026
Revises: 0025
"""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """None of those that there are does."""
    op.add_column("virtual_clusters", sa.Column("borrows", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.alter_column("virtual_clusters", "borrows", server_default=None)


def downgrade() -> None:
    """Without."""
    op.drop_column("virtual_clusters", "borrows")
