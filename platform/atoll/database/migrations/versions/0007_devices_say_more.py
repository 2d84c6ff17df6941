"""Specifications say of devices what engines took from the name of their type.

Revision ID: 0007
Revises: 0006
"""

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Names ended with the architecture until here; cards of `_npu_` were in groups of four."""
    op.execute("""
        UPDATE tasks
        SET specification = jsonb_set(
            specification, '{devices}', specification -> 'devices' || jsonb_build_object(
                'architecture', substring(device_type from '[^_]+$'),
                'group', CASE WHEN device_type LIKE '%\\_npu\\_%' THEN 4 ELSE 1 END
            )
        )
        WHERE device_type IS NOT NULL
    """)


def downgrade() -> None:
    """The name says it, where there is one."""
    op.execute("UPDATE tasks SET specification = specification #- '{devices,group}'")
    op.execute(
        "UPDATE tasks SET specification = specification #- '{devices,architecture}' WHERE device_type IS NOT NULL"
    )
