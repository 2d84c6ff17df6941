"""A task keeps its specification: what its engine gets, beside the definition that its owner reads.

Revision ID: 0005
Revises: 0003
"""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0003"
branch_labels = None
depends_on = None
_JSON = postgresql.JSONB(astext_type=sa.Text())
# What the installer's device types meant until here.
_RESOURCES = {"nvidia": "nvidia.com/gpu", "huawei": "huawei.com/Ascend910"}
_RUNTIME = "registry.atoll.internal:5000/atoll/runtime:0.1.0"


def upgrade() -> None:
    """Trainings are all tasks that there are: their definitions say what a specification says."""
    op.add_column("tasks", sa.Column("specification", _JSON, nullable=True))
    op.add_column("tasks", sa.Column("secrets", _JSON, nullable=True))
    connection = op.get_bind()
    users = sa.table("users", sa.column("id"), sa.column("name"))
    tasks = sa.table(
        "tasks",
        sa.column("id"),
        sa.column("owner_id"),
        sa.column("definition", _JSON),
        sa.column("specification", _JSON),
    )
    query = sa.select(tasks.c.id, users.c.name, tasks.c.definition).join_from(
        tasks, users, users.c.id == tasks.c.owner_id
    )
    for identifier, user, definition in connection.execute(query).all():
        made = _specification(user, definition)
        connection.execute(sa.update(tasks).where(tasks.c.id == identifier).values(specification=made))
    op.alter_column("tasks", "specification", nullable=False)


def downgrade() -> None:
    """The definition has it all."""
    op.drop_column("tasks", "secrets")
    op.drop_column("tasks", "specification")


def _specification(user: str, definition: dict[str, Any]) -> dict[str, Any]:
    home = f"/home/{user}"
    output, device_type = definition["output_directory"], definition["device_type"]
    code = f"{home}/{definition['code_directory']}".rstrip("/")
    return {
        "version": 1,
        "mode": "batch",
        "program": {
            "image": definition["image"],
            "command": definition["command"],
            "working_directory": definition.get("working_directory") or code,
            "needs_file": definition["start_file"],
            "runtime": _RUNTIME if definition["framework"] is None else None,
        },
        "mounts": [
            {"kind": "home", "source": f"home/{user}", "target": home, "read_only": False},
            {"kind": "output", "source": f"home/{user}/{output}", "target": f"{home}/{output}", "read_only": False},
        ],
        "variables": {},
        "ports": [],
        "readiness": None,
        "devices": {
            "type": device_type,
            "resource": _RESOURCES.get(device_type.split("_")[0], device_type),
            "count": definition["devices"],
            "nodes": definition["nodes"],
        },
        "limits": definition["limits"],
        "requests": definition["requests"],
        "restartable": False,
        "grace_s": 30,
    }
