"""The keys that a table has and those that it gets: their types, their operators, and what makes them."""
from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.kid import TARGETS, Target, home_of, is_plain
from pgkid.ctl.steps import text


@dataclass(frozen=True)
class Keys:
    """Both kinds of keys, as parts of statements that PostgreSQL has printed."""

    home: str  # the schema of kid
    old_type: str
    old_equals: str
    old_next: str  # makes an old key
    new_type: str
    new_equals: str
    new_next: str
    new_at: str  # the function that makes a key with a given time
    more: str  # what follows the time in a call of that function, with the parenthesis

    def key_at(self, time: sql.Composable) -> sql.Composed:
        """Returns a call that makes a new key with a time."""
        return sql.SQL("{}({}{}").format(sql.SQL(self.new_at), time, sql.SQL(self.more))


# The script of kid in plain SQL that makes new keys, by what these are
SCRIPTS = {"kid64": "kid-ids", "kid53": "kid-ids", "bigint": "kid-ids", "uuid": "kid-uuid"}

# The operator that tells whether two keys are equal, of an operator class k
EQUALS = """
SELECT format('OPERATOR(%%s.%%s)', o.oprnamespace::regnamespace, o.oprname)
  FROM pg_opclass AS k
       JOIN pg_amop AS p ON p.amopfamily = k.opcfamily AND p.amopstrategy = 3
                            AND p.amoplefttype = k.opcintype AND p.amoprighttype = k.opcintype
       JOIN pg_operator AS o ON o.oid = p.amopopr
"""


def read_keys(conn: Connection, key: catalog.KeyColumn, to: str, schema: str) -> Keys:
    """Reads the types, operators and generators of both kinds of keys.

    `to` is what the new keys are, a name of TARGETS; `schema` is that of the move.
    """
    home = home_of(conn)
    target = TARGETS[to]
    new_type = target.type if "." in target.type else f"{home}.{target.type}"
    if is_missing(conn, home, target, new_type):
        script = SCRIPTS.get(to) if is_plain(conn) else None
        hint = f"Install {script}, or choose another type by --to." if script else "Choose another type by --to."
        raise Refused(f"kid in this database makes no keys of type {to}", hint)
    # In plain SQL, kid_next() returns a bigint, and kid_track() knows its call only without a cast.
    new_next = target.next.partition("::")[0] if is_plain(conn) else target.next
    old_equals = scalar(
        conn,
        EQUALS + " JOIN pg_index AS i ON k.oid = i.indclass[0] WHERE i.indrelid = %s AND i.indisprimary",
        (key.table,),
    )
    new_equals = scalar(
        conn,
        EQUALS + " JOIN pg_type AS t ON k.opcintype = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END"
        " WHERE t.oid = %s::regtype AND k.opcdefault AND k.opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree')",
        (new_type,),
    )
    return Keys(
        home=home,
        old_type=key.type,
        old_equals=old_equals,
        old_next=old_next(conn, key, schema),
        new_type=scalar(conn, "SELECT format_type(%s::regtype, -1)", (new_type,)),
        new_equals=new_equals,
        new_next=f"{home}.{new_next}",
        new_at=f"{home}.{target.at}",
        more=target.more,
    )


def is_missing(conn: Connection, home: str, target: Target, new_type: str) -> bool:
    """Returns whether kid in this database, an earlier version of it or a part, does not make such keys."""
    query = """
        SELECT to_regtype(%s) IS NULL OR NOT EXISTS (
            SELECT FROM pg_proc AS p WHERE p.pronamespace = to_regnamespace(%s) AND p.proname = %s)
        """
    return bool(scalar(conn, query, (new_type, home, target.at)))


def old_next(conn: Connection, key: catalog.KeyColumn, schema: str) -> str:
    """Returns what makes an old key for a row that is inserted after the swap, so that there is a way back."""
    column = next(c for c in catalog.columns(conn, key.table) if c.number == key.number)
    kind = sql.SQL(column.type)
    if column.identity:
        return text(conn, "pg_catalog.nextval({}::pg_catalog.regclass)", column.sequence)
    if column.default:
        return column.default
    if column.category == "N":
        numbers = sql.Identifier(schema, "numbers").as_string(conn)
        return text(conn, "pg_catalog.nextval({})::{}", numbers, kind)
    if column.type == "uuid" or column.category == "S" and column.type in ("text", "character varying"):
        return text(conn, "pg_catalog.gen_random_uuid()::{}", kind)
    raise Refused(
        f"keys of type {column.type} without a default cannot be moved",
        "Give the column a default that makes new keys. After the swap new rows need an old key for the way back, and"
        " kidctl cannot make one of this type.",
    )
