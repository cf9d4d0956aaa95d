"""kid's types for Alembic: what autogenerate needs to write migrations, and to find no change where there is none.

In env.py, pass the functions of this module to the context:

    from pgkid.alembic import compare_server_default, render_item

    context.configure(
        connection=connection,
        target_metadata=Base.metadata,
        compare_type=True,
        compare_server_default=compare_server_default,
        render_item=render_item,
    )

In the first migration write op.execute("CREATE EXTENSION IF NOT EXISTS kid") before the tables.
"""

from __future__ import annotations

import re
from typing import Any

from . import sqlalchemy as types

_GENERATOR = re.compile(r"\s*((?:\w+\.)?(?:kid(?:64|53|96)?_next|sno_next|flake_next|flax_next|kid_uuidv7)\(\w*\))\s*")


def render_item(kind: str, item: Any, autogen_context: Any) -> str | bool:
    """Writes a type of pgkid.sqlalchemy into a migration, with its import."""
    if kind == "type" and type(item).__module__ == types.__name__:
        autogen_context.imports.add(f"import {types.__name__}")
        return f"{types.__name__}.{type(item).__name__}()"
    return False


def compare_server_default(
    _context: Any,
    _inspected_column: Any,
    _metadata_column: Any,
    inspected_default: str | None,
    _metadata_default: Any,
    rendered_metadata_default: str | None,
) -> bool | None:
    """Returns whether a default differs from that in the database, or None if Alembic can compare them itself.

    Alembic lets the server compare the results of two defaults. Two calls of a generator are never equal.
    """
    if not (_is_generator(inspected_default) and _is_generator(rendered_metadata_default)):
        return None
    return _name(inspected_default) != _name(rendered_metadata_default)


def _is_generator(default: str | None) -> bool:
    return bool(_GENERATOR.fullmatch(default or ""))


def _name(default: str | None) -> str:
    """Returns the function of a default without its schema. kid64_next() is the same as kid_next()."""
    return (default or "").strip().rpartition(".")[2].replace("kid64_next", "kid_next")
