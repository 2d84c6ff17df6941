"""What a key made stands in one table for all that is made; operations had a column of their own.

Revision ID: 0012
Revises: 0011
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """A key that was sent before is another request's: nothing is made twice."""
    op.execute(
        "INSERT INTO idempotency_keys (user_id, key, request_hash, object_id, created_at) "
        "SELECT owner_id, key, '', id, created_at FROM operations WHERE key IS NOT NULL ON CONFLICT DO NOTHING"
    )
    op.drop_constraint("uq_operations_owner_id", "operations")
    op.drop_column("operations", "key")


def downgrade() -> None:
    """Operations have the column again, without what was in it."""
    op.add_column("operations", sa.Column("key", sa.String()))
    op.create_unique_constraint("uq_operations_owner_id", "operations", ["owner_id", "key"])
