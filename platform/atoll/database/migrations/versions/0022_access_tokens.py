"""Tokens that people make for their programs, and sessions that their users see and end.

Revision ID: 0022
Revises: 0021
"""

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None

SESSIONS, TOKENS = "sessions", "access_tokens"


def upgrade() -> None:
    """Of sessions that there are nobody knows the device, and they were seen when they began."""
    op.create_table(
        TOKENS,
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("grants", sa.ARRAY(sa.String()), nullable=False),
        sa.Column("read_only", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("last_used_address", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_access_tokens_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_access_tokens")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_access_tokens_token_hash")),
    )
    op.create_index(op.f("ix_access_tokens_user_id"), TOKENS, ["user_id"], unique=False)
    op.create_index(op.f("ix_access_tokens_expires_at"), TOKENS, ["expires_at"], unique=False)
    op.add_column(SESSIONS, sa.Column("id", sa.String(), nullable=True))
    op.execute("UPDATE sessions SET id = replace(gen_random_uuid()::text, '-', '')")
    op.alter_column(SESSIONS, "id", nullable=False)
    op.create_unique_constraint(op.f("uq_sessions_id"), SESSIONS, ["id"])
    op.add_column(SESSIONS, sa.Column("device", sa.String(), nullable=False, server_default=""))
    op.alter_column(SESSIONS, "device", server_default=None)
    op.add_column(SESSIONS, sa.Column("last_seen_at", sa.DateTime(timezone=True), nullable=True))
    op.execute("UPDATE sessions SET last_seen_at = created_at")
    op.alter_column(SESSIONS, "last_seen_at", nullable=False)


def downgrade() -> None:
    """Programs ask by tokens no more."""
    for column in ("last_seen_at", "device", "id"):
        op.drop_column(SESSIONS, column)
    op.drop_table(TOKENS)
