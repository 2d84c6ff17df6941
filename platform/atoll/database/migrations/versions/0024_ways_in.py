"""Accounts are linked with who their users are at providers.

Revision ID: 0024
Revises: 0023
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

LINKS, FLOWS, STRANGERS = "way_in_links", "way_in_flows", "way_in_strangers"


def upgrade() -> None:
    """The links, and what is under way."""
    op.create_table(
        LINKS,
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=False),
        sa.Column("way", sa.String(), nullable=False),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["user_id"], ["users.id"], name=op.f("fk_way_in_links_user_id_users")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_way_in_links")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_way_in_links_issuer")),
        sa.UniqueConstraint("user_id", "way", name=op.f("uq_way_in_links_user_id")),
    )
    op.create_table(
        FLOWS,
        sa.Column("state_hash", sa.String(), nullable=False),
        sa.Column("browser_hash", sa.String(), nullable=False),
        sa.Column("way", sa.String(), nullable=False),
        sa.Column("nonce", sa.String(), nullable=False),
        sa.Column("verifier", sa.String(), nullable=False),
        sa.Column("user_id", sa.String(), nullable=True),
        sa.Column("machine", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_way_in_flows_user_id_users"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("state_hash", name=op.f("pk_way_in_flows")),
    )
    for column in ("user_id", "machine", "expires_at"):
        op.create_index(op.f(f"ix_way_in_flows_{column}"), FLOWS, [column], unique=False)
    op.create_table(
        STRANGERS,
        sa.Column("browser_hash", sa.String(), nullable=False),
        sa.Column("way", sa.String(), nullable=False),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("label", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("browser_hash", name=op.f("pk_way_in_strangers")),
    )
    op.create_index(op.f("ix_way_in_strangers_expires_at"), STRANGERS, ["expires_at"], unique=False)


def downgrade() -> None:
    """Without: whoever has no password gets one from an administrator."""
    for table in (STRANGERS, FLOWS, LINKS):
        op.drop_table(table)
