"""Alembic's environment; run by `atoll.database.migrate`, which hands the connection over."""

from alembic import context

connection = context.config.attributes.get("connection")
if connection is None:
    raise RuntimeError("run migrations by `python -m atoll.api.migrate`, not by the alembic command")
context.configure(connection=connection)
with context.begin_transaction():
    context.run_migrations()
