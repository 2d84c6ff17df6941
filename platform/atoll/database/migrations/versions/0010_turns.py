"""Who had a turn last is found without reading all that he ever did.

Revision ID: 0010
Revises: 0009
"""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The index."""
    op.create_index("ix_operations_turns", "operations", ["owner_id", "started_at"])


def downgrade() -> None:
    """Without it."""
    op.drop_index("ix_operations_turns", "operations")
