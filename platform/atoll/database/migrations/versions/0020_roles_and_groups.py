"""What somebody may do is what their roles and those of their groups grant; accounts can be deleted.

Revision ID: 0020
Revises: 0019
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None

TEXTS = postgresql.ARRAY(sa.String())
PRESETS = (
    (
        "admin",
        "System Admin",
        "Everything: the platform, and users, groups, roles, virtual clusters, nodes, services, all tasks, the audit.",
        ["administration", "platform"],
    ),
    ("user", "User", "All of the platform, annotation included; no management of users.", ["platform"]),
    ("annotator", "Annotation person", "Annotation only.", ["annotation"]),
)
PRESET = """
INSERT INTO roles (id, name, name_key, description, preset, grants, created_at, version)
VALUES (:id, :name, :name_key, :description, true, :grants, now(), 1)
"""
# Whoever was an administrator could always use the platform, too, which the preset role grants as well.
MOVED = """
INSERT INTO user_roles (user_id, role_id)
SELECT users.id, role FROM users, unnest(users.roles) AS role WHERE role IN ('admin', 'user')
UNION SELECT id, 'admin' FROM users WHERE name = 'admin'
"""
# Earlier versions know two roles; what one held by a group, or by another role, does not fit there.
MOVED_BACK = """
UPDATE users SET roles = ARRAY(
    SELECT role_id FROM user_roles WHERE user_id = users.id AND role_id IN ('admin', 'user') ORDER BY role_id
)
"""


def upgrade() -> None:
    """Each holds the roles of before."""
    op.create_table(
        "roles",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("preset", sa.Boolean(), nullable=False),
        sa.Column("grants", TEXTS, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_roles")),
        sa.UniqueConstraint("name_key", name=op.f("uq_roles_name_key")),
    )
    op.create_table(
        "groups",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("name_key", sa.String(), nullable=False),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_groups")),
        sa.UniqueConstraint("name_key", name=op.f("uq_groups_name_key")),
    )
    _links("user_roles", ("user_id", "users"), ("role_id", "roles"))
    _links("group_members", ("group_id", "groups"), ("user_id", "users"))
    _links("group_roles", ("group_id", "groups"), ("role_id", "roles"))
    connection = op.get_bind()
    for identifier, name, description, grants in PRESETS:
        values = {
            "id": identifier,
            "name": name,
            "name_key": name.lower(),
            "description": description,
            "grants": grants,
        }
        connection.execute(sa.text(PRESET).bindparams(sa.bindparam("grants", type_=TEXTS)), values)
    op.execute(MOVED)
    op.drop_column("users", "roles")
    for column in ("phone", "email"):
        op.add_column("users", sa.Column(column, sa.String(), nullable=False, server_default=""))
    op.add_column("users", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))


def _links(table: str, first: tuple[str, str], second: tuple[str, str]) -> None:
    op.create_table(
        table,
        *(sa.Column(column, sa.String(), nullable=False) for column, _ in (first, second)),
        *(
            sa.ForeignKeyConstraint([column], [f"{of}.id"], name=op.f(f"fk_{table}_{column}_{of}"), ondelete="CASCADE")
            for column, of in (first, second)
        ),
        sa.PrimaryKeyConstraint(first[0], second[0], name=op.f(f"pk_{table}")),
    )
    op.create_index(op.f(f"ix_{table}_{second[0]}"), table, [second[0]])


def downgrade() -> None:
    """Other roles and groups are lost, and so is who holds them; deleted accounts are disabled ones."""
    op.add_column("users", sa.Column("roles", TEXTS, nullable=False, server_default="{}"))
    op.execute(MOVED_BACK)
    for column in ("deleted_at", "email", "phone"):
        op.drop_column("users", column)
    for table in ("group_roles", "group_members", "user_roles", "groups", "roles"):
        op.drop_table(table)
