"""Where kid is in a database, and which of its functions make keys."""
from __future__ import annotations

from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Refused

# What makes keys of a name that the user gives as --to: a call for now, the function for a time in the past and what
# follows the time in its call, and the type of the column. All arguments are given, so that no function that somebody
# else has created in the same schema fits better.
TARGETS = {
    "kid64": ("kid_next()", "kid64_at", ")", "kid64"),
    "kid96": ("kid96_next()", "kid96_at", ")", "kid96"),
    "sno": ("sno_next(0)", "sno_at", ", 0)", "sno"),
    "flake": ("flake_next()", "flake_at", ")", "flake"),
    "flax": ("flax_next()", "flax_at", ")", "flax"),
    "uuid": ("kid_uuidv7()", "kid_uuidv7_at", ")", "pg_catalog.uuid"),
    "bigint": ("kid_next()::pg_catalog.int8", "kid64_at", ")::pg_catalog.int8", "pg_catalog.int8"),
}


def home_of(conn: Connection) -> str:
    """Returns the schema of kid, as part of a statement."""
    home = one(
        conn,
        """
        SELECT quote_ident(n.nspname)
          FROM pg_namespace AS n LEFT JOIN pg_extension AS e ON e.extname = 'kid' AND e.extnamespace = n.oid
         WHERE e.oid IS NOT NULL OR n.nspname = 'kid' ORDER BY e.oid LIMIT 1
        """,
    )
    if home is None:
        raise Refused(
            "kid is not installed in this database", "Run CREATE EXTENSION kid, or the script of kid in plain SQL."
        )
    return str(home)
