"""An account's uid is one of users, never one of the system.

Revision ID: 0016
Revises: 0015
"""

from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """From the first that is given, for what is written from now on: 0017 mends what was there, and looks at it."""
    op.create_check_constraint(op.f("ck_users_uid"), "users", "uid >= 30001", postgresql_not_valid=True)


def downgrade() -> None:
    """Whatever is written."""
    op.drop_constraint(op.f("ck_users_uid"), "users", type_="check")
