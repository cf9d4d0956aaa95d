"""kid's types for psycopg2: columns arrive as IDs of pgkid.ids, in arrays, too.

    import psycopg2
    from pgkid.psycopg2 import register

    connection = psycopg2.connect("")
    register(connection)

Register the types after CREATE EXTENSION kid, once for each connection.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._needs import needs
from ._types import CLASSES, QUERY

with needs(__name__, "psycopg2"):
    from psycopg2 import extensions


def register(connection: Any) -> None:
    """Registers those types that the database of a connection has."""
    with connection.cursor(cursor_factory=extensions.cursor) as cursor:
        cursor.execute(QUERY)
        rows = cursor.fetchall()
    for name, oid, array_oid, _schema in rows:
        one = extensions.new_type((oid,), name, _cast(CLASSES[name]))
        extensions.register_type(one, connection)
        extensions.register_type(extensions.new_array_type((array_oid,), f"{name}[]", one), connection)


def _cast(of_text: Callable[[str], Any]) -> Callable[[str | None, Any], Any]:
    """Returns the function that psycopg2 calls with a text or None, and a cursor."""
    return lambda text, cursor: None if text is None else of_text(text)
