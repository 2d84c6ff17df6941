"""A task without devices needs no device type.

Revision ID: 0006
Revises: 0005
"""

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Where the cluster has no device type there is none to name."""
    op.alter_column("tasks", "device_type", nullable=True)


def downgrade() -> None:
    """Tasks that have none get a name that no type has."""
    op.execute("UPDATE tasks SET device_type = 'cpu' WHERE device_type IS NULL")
    op.alter_column("tasks", "device_type", nullable=False)
