"""Rows of the audit are added by a function alone, and what is old is found by its time.

The functions themselves are made anew by each migration (`atoll.audit_trail.functions`).

Revision ID: 0015
Revises: 0014
"""

from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None

OF_BEFORE = (
    "audit_count_again(text)",
    "audit_forget_old(timestamptz, int)",
    "audit_forget_of(text, int, boolean)",
    "audit_forget_of_strangers(int)",
)


def upgrade() -> None:
    """With times in indexes."""
    op.create_index(op.f("ix_audit_at"), "audit", ["at"], unique=False)
    op.create_index(op.f("ix_audit_actor_id_at"), "audit", ["actor_id", "at"], unique=False)
    op.drop_index(op.f("ix_audit_actor_id"), table_name="audit")
    for function in OF_BEFORE:
        op.execute(f"DROP FUNCTION IF EXISTS {function}")


def downgrade() -> None:
    """Without; the version before makes its functions anew."""
    op.create_index(op.f("ix_audit_actor_id"), "audit", ["actor_id"], unique=False)
    op.drop_index(op.f("ix_audit_actor_id_at"), table_name="audit")
    op.drop_index(op.f("ix_audit_at"), table_name="audit")
