"""A task that is being stopped says whether it ever had devices.

Revision ID: 0019
Revises: 0018
"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Whoever is being stopped now, or by a version that says nothing of it, is taken to have some."""
    op.add_column("tasks", sa.Column("admitted", sa.Boolean(), nullable=False, server_default=sa.text("true")))


def downgrade() -> None:
    """Without."""
    op.drop_column("tasks", "admitted")
