"""Where kid is in a database, and which of its functions make keys."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional

from psycopg import sql

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Finding, Refused


@dataclass(frozen=True)
class Target:
    """What new keys can be: a type, and the functions of kid that make its values.

    Calls have all arguments, so that no function that somebody else has created in the same schema fits better.
    """

    type: str  # of a column with such keys; without a schema it is a type of kid's
    next: str  # a call that makes a key now
    at: str  # the function that makes a key of a time in the past, ...
    more: str = ")"  # ... and what follows the time in its call
    time: str = "kid_timestamp"  # the function that returns the time of a key, ...
    id: Optional[str] = None  # ... and the type to which the key is cast for it, if that is another one
    core: Optional[str] = None  # what columns of a type of kid's become when kid leaves the database

    def time_in(self, home: str, key: sql.Composable) -> sql.Composed:
        """Returns a call that returns the time of a key, for kid in a schema: the beginning of its time unit."""
        id = self.id or self.type
        type = id if "." in id else f"{home}.{id}"
        return sql.SQL("{}.{}({}::{})").format(sql.SQL(home), sql.SQL(self.time), key, sql.SQL(type))


# By the name that the user gives as --to. A new type of kid's needs a line here, and one in NUMBERS if a bigint can
# contain its IDs. By the names of its functions and operator classes, uses() and read_kid() in leave/uses.py tell which
# of them core types have, too.
TARGETS = {
    "kid64": Target("kid64", "kid_next()", "kid64_at", core="bigint"),
    "kid96": Target("kid96", "kid96_next()", "kid96_at", core="text"),
    "sno": Target("sno", "sno_next(0)", "sno_at", ", 0)", core="text"),
    "flake": Target("flake", "flake_next()", "flake_at", core="bigint"),
    "flax": Target("flax", "flax_next()", "flax_at", core="text"),
    "kid53": Target("pg_catalog.int8", "kid53_next()", "kid53_at", time="kid53_timestamp"),
    "uuid": Target("pg_catalog.uuid", "kid_uuidv7()", "kid_uuidv7_at"),
    "bigint": Target("pg_catalog.int8", "kid_next()::pg_catalog.int8", "kid64_at", ")::pg_catalog.int8", id="kid64"),
}
# The IDs that a bigint can contain, by the prefix of the functions for them, and what makes them in TARGETS
NUMBERS = {"kid53": "kid53", "kid64": "bigint", "flake": "flake"}
# The types of kid, with what each becomes.
CORE = {target.type: target.core for target in TARGETS.values() if target.core}
# The functions that a default may call. kid64_next() is another name of kid_next().
GENERATORS = sorted({target.next.split("(")[0] for target in TARGETS.values()} | {f"{name}_next" for name in CORE})
# The beginning of a call of what returns the time of an ID
TIME_OF = rf"\b({'|'.join(['kid', *NUMBERS])})_timestamp\("


def find_home(conn: Connection) -> Optional[str]:
    """Returns the schema of kid, as part of a statement, or None if kid is not in this database."""
    home: Optional[str] = scalar(
        conn,
        """
        SELECT quote_ident(n.nspname)
          FROM pg_namespace AS n LEFT JOIN pg_extension AS e ON e.extname = 'kid' AND e.extnamespace = n.oid
         WHERE e.oid IS NOT NULL OR n.nspname = 'kid' ORDER BY e.oid LIMIT 1
        """,
    )
    return home


def home_of(conn: Connection) -> str:
    """Returns the schema of kid, as part of a statement, or raises an error if kid is not in this database."""
    home = find_home(conn)
    if home is None:
        raise Refused(
            "kid is not installed in this database", "Run CREATE EXTENSION kid, or the script of kid in plain SQL."
        )
    return home


def is_plain(conn: Connection) -> bool:
    """Returns whether kid is in this database in plain SQL, in the schema kid, and not as the extension."""
    return not scalar(conn, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid')")


def of_home(conn: Connection) -> Iterator[Finding]:
    """Yields the schema of kid if it belongs to a role that could run code as the owner by it."""
    home = home_of(conn)
    for owner in conn.execute(
        """
        SELECT pg_get_userbyid(n.nspowner)
          FROM pg_namespace AS n JOIN pg_roles AS r ON r.oid = n.nspowner
               JOIN pg_database AS d ON d.datname = current_database()
         WHERE n.oid = %s::regnamespace
               AND NOT (r.rolsuper OR n.nspowner = d.datdba OR pg_has_role(n.nspowner, 'USAGE'))
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
