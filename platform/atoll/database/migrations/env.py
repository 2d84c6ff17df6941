"""Alembic's environment; run by `atoll.database.migrate`, which hands the connection over."""

from alembic import context
from atoll.database.tables import metadata

connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError("run migrations by `python -m atoll.database`, not by the alembic command")
context.configure(connection=connection, target_metadata=metadata, compare_type=True, compare_server_default=True)
with context.begin_transaction():
    context.run_migrations()
