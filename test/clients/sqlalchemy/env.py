"""Alembic's migrations/env.py."""

from alembic import context
from shop import Base, Kid64


def render_item(kind, item, autogen_context):
    """Writes a migration that imports the type."""
    if kind == "type" and isinstance(item, Kid64):
        autogen_context.imports.add("from shop import Kid64")
        return "Kid64()"
    return False


connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=Base.metadata, compare_type=True, render_item=render_item)
with context.begin_transaction():
    context.run_migrations()
