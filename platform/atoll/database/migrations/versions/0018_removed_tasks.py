"""Tasks that were removed are found by when that was, to be forgotten.

Revision ID: 0018
Revises: 0017
"""

from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """With an index of these."""
    op.create_index(
        "ix_tasks_removed", "tasks", ["deleted_at"], unique=False, postgresql_where="deleted_at IS NOT NULL"
    )


def downgrade() -> None:
    """Without."""
    op.drop_index("ix_tasks_removed", table_name="tasks")
