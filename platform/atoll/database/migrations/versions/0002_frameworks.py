"""Preset images are frameworks; `engine` is what runs tasks.

Revision ID: 0002
Revises: 0001
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The column and the stored definitions get the word."""
    op.alter_column("tasks", "engine", new_column_name="framework")
    _rename_in_definitions("engine", "framework")


def downgrade() -> None:
    """The earlier word."""
    _rename_in_definitions("framework", "engine")
    op.alter_column("tasks", "framework", new_column_name="engine")


def _rename_in_definitions(old: str, new: str) -> None:
    renamed = sa.text(
        "UPDATE tasks SET definition = definition - :old || jsonb_build_object(:new, definition -> :old)"
        " WHERE definition ? :old"
    ).bindparams(*(sa.bindparam(name, type_=sa.Text()) for name in ("old", "new")))
    op.get_bind().execute(renamed, {"old": old, "new": new})
