"""The audit is looked through: by who did it, what it was, to what, from where, and what became of it.

Revision ID: 0023
Revises: 0022
"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None

PATTERN = "text_pattern_ops"


def upgrade() -> None:
    """With an index for each; they end with the id, by which lists go."""
    op.create_index("ix_audit_action_id", "audit", ["action", "id"], postgresql_ops={"action": PATTERN})
    op.drop_index(op.f("ix_audit_action"), table_name="audit")
    op.create_index("ix_audit_actor_name_id", "audit", ["actor_name", "id"], postgresql_ops={"actor_name": PATTERN})
    op.create_index("ix_audit_address_id", "audit", ["address", "id"])
    op.create_index("ix_audit_object_id_id", "audit", ["object_id", "id"])
    op.create_index("ix_audit_object_name", "audit", [sa.text(f"lower(object_name) {PATTERN}")])
    op.create_index("ix_audit_not_done", "audit", ["outcome", "id"], postgresql_where=sa.text("outcome <> 'done'"))


def downgrade() -> None:
    """With one of actions alone."""
    for name in ("not_done", "object_name", "object_id_id", "address_id", "actor_name_id"):
        op.drop_index(f"ix_audit_{name}", table_name="audit")
    op.create_index(op.f("ix_audit_action"), "audit", ["action"], unique=False)
    op.drop_index("ix_audit_action_id", table_name="audit")
