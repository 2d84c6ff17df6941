"""Claims have a fence."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tasks", sa.Column("fence", sa.BigInteger(), server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("tasks", "fence")
