"""Sessions keep by which way their users came and when they proved who they are; access tokens and flows likewise.

Revision ID: 0029
Revises: 0028
"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

SESSIONS, TOKENS, FLOWS = "sessions", "access_tokens", "way_in_flows"


def upgrade() -> None:
    """Of what there is nobody knows the way: it ends with any link of its account, and nobody proved anything.

    What is under way begins anew.
    """
    for table in (SESSIONS, TOKENS):
        op.add_column(table, sa.Column("way", sa.String(), nullable=True))
    op.add_column(SESSIONS, sa.Column("proven_at", sa.DateTime(timezone=True), nullable=True))
    _begin_anew("machine", "site")
    op.add_column(FLOWS, sa.Column("proves", sa.Boolean(), nullable=False))
    op.add_column(FLOWS, sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False))


def downgrade() -> None:
    """Without."""
    for column in ("begun_at", "proves"):
        op.drop_column(FLOWS, column)
    _begin_anew("site", "machine")
    op.drop_column(SESSIONS, "proven_at")
    for table in (TOKENS, SESSIONS):
        op.drop_column(table, "way")


def _begin_anew(of: str, to: str) -> None:
    """What is under way is of ten minutes at most."""
    op.execute(sa.text(f"DELETE FROM {FLOWS}"))  # noqa: S608 - a name of this file
    op.drop_index(op.f(f"ix_{FLOWS}_{of}"), table_name=FLOWS)
    op.alter_column(FLOWS, of, new_column_name=to)
    op.create_index(op.f(f"ix_{FLOWS}_{to}"), FLOWS, [to], unique=False)
