"""Operations know how often they got nowhere, and are found by when they ended.

Revision ID: 0009
Revises: 0008
"""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """None of those that there are has got nowhere yet."""
    for name in ("fruitless", "waits"):
        op.add_column("operations", sa.Column(name, sa.Integer(), nullable=False, server_default="0"))
    op.create_index(
        "ix_operations_finished", "operations", ["finished_at"], postgresql_where=sa.text("finished_at IS NOT NULL")
    )


def downgrade() -> None:
    """As it was."""
    op.drop_index("ix_operations_finished", table_name="operations")
    for name in ("waits", "fruitless"):
        op.drop_column("operations", name)
