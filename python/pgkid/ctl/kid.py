"""Where kid is in a database, and which of its functions make keys."""
from __future__ import annotations

from typing import Iterator

from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Finding, Refused

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


def of_home(conn: Connection) -> Iterator[Finding]:
    """Yields the schema of kid if it belongs to a role that could run code as the owner by it."""
    home = home_of(conn)
    for owner in conn.execute(
        """
        SELECT pg_get_userbyid(n.nspowner)
          FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner
               JOIN pg_database AS d ON d.datname = current_database()
         WHERE n.oid = %s::regnamespace AND NOT (r.rolsuper OR n.nspowner = d.datdba OR pg_has_role(n.nspowner, 'USAGE'))
               AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid')
        """,
        (home,),
    ).fetchall():
        about = f"schema {home}"
        yield Finding(
            "rights",
            about,
            f"belongs to {owner[0]}, whose functions kidctl and defaults call",
            hint="Accept it if this is the role that installed kid.",
            stops=True,
            accept_name=about,
        )
