"""Names that are free in a schema, and those of what `kidctl rekey` puts beside keys."""
from __future__ import annotations

from hashlib import md5
from typing import Collection

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused


def free_name(conn: Connection, schema: str, wanted: str, taken: Collection[str] = ()) -> str:
    """Returns a name that is free in a schema, and is none of those that are taken already.

    It has at most 62 bytes, so that PostgreSQL does not cut off that of the array type, which has a "_" before it.
    """
    for attempt in range(1000):
        mark = f"_{md5(f'{wanted} {attempt}'.encode()).hexdigest()[:8]}"
        name = (
            wanted
            if attempt == 0 and len(wanted.encode()) < 63
            else wanted.encode()[:50].decode(errors="ignore") + mark
        )
        if name not in taken and is_free(conn, schema, name):
            return name
    raise Refused(f"schema {schema} has no free name like {wanted}")


def is_free(conn: Connection, schema: str, name: str) -> bool:
    """Returns whether no relation and no type of a schema has a name, nor that of an array of such rows."""
    return bool(
        scalar(
            conn,
            "SELECT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = %(name)s) AND NOT"
            " EXISTS ("
            " SELECT FROM pg_type WHERE typnamespace = n.oid AND typname IN (%(name)s, ('_' || %(name)s)::name))"
            " FROM pg_namespace AS n WHERE nspname = %(schema)s",
            {"schema": schema, "name": name},
        )
    )


def beside(word: str, name: str) -> str:
    """Returns the name of what stands beside something with this name."""
    wanted = f"kid_{word}_{name}"
    if len(wanted.encode()) <= 63:
        return wanted
    mark = md5(name.encode()).hexdigest()[:8]
    return f"kid_{word}_{name.encode()[:40].decode(errors='ignore')}_{mark}"


def is_beside(name: str, *words: str) -> bool:
    """Returns whether something has a name that `beside` makes with one of these words."""
    return name.startswith(tuple(f"kid_{word}_" for word in words))
