"""Devices that users signed in with before, and which version of an account it is.

Revision ID: 0011
Revises: 0010
"""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """The table and the column."""
    op.create_table(
        "known_devices",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("seen_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name="fk_known_devices_user_id_users", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_known_devices"),
        sa.UniqueConstraint("token_hash", "user_id", name="uq_known_devices_token_hash"),
    )
    op.create_index("ix_known_devices_user_id", "known_devices", ["user_id"])
    op.create_index("ix_known_devices_expires_at", "known_devices", ["expires_at"])
    op.add_column("users", sa.Column("version", sa.Integer(), nullable=False, server_default="1"))
    op.alter_column("users", "version", server_default=None)


def downgrade() -> None:
    """Without them."""
    op.drop_column("users", "version")
    op.drop_table("known_devices")
