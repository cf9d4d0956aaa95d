"""Alembic's migrations/env.py."""

from alembic import context
from pgkid.alembic import compare_server_default, render_item
from shop import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    compare_type=True,
    compare_server_default=compare_server_default,
    render_item=render_item,
)
with context.begin_transaction():
    context.run_migrations()
