"""Of several processes of `jobs` one provisions: the one that began last.

Revision ID: 0014
Revises: 0013
"""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Nobody provisions yet."""
    table = op.create_table(
        "provisioners",
        sa.Column("id", sa.String(), primary_key=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("lock_owner", sa.String(), nullable=True),
        sa.Column("lock_expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("fence", sa.BigInteger(), nullable=False, server_default="0"),
    )
    op.execute(table.insert().values(id="provisioner", due_at=sa.func.now()))


def downgrade() -> None:
    """Everybody provisions."""
    op.drop_table("provisioners")
