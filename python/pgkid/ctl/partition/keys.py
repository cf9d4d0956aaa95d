"""The key of a table that contains IDs, and which IDs these are."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.kid import NUMBERS, TARGETS
from pgkid.ctl.partition.advice import without_ids


@dataclass(frozen=True)
class Ids:
    """What a column of a primary key can contain."""

    number: int  # of the column
    type: str  # of the IDs, as PostgreSQL prints it
    prefix: str  # of the functions of kid for them, such as kid53
    time_of: str  # the function of kid that returns their time
    is_number: bool  # IDs in a bigint
    is_default: bool  # the default of the column makes such IDs

    @property
    def is_told(self) -> bool:
        """Whether the database tells that the column contains these IDs. A bigint could contain any others."""
        return self.is_default or not self.is_number

    @property
    def name(self) -> Optional[str]:
        """What the functions of kid on tables have to be told of a bigint. The type of another column tells."""
        return self.prefix if self.is_number else None

    def time(self, home: str, key: sql.Composable) -> sql.Composed:
        """Returns the time of a key. A number that is no ID at all has none."""
        time = sql.SQL("{}.{}({}::{})").format(sql.SQL(home), sql.SQL(self.time_of), key, sql.SQL(self.type))
        if not self.is_number:
            return time
        return sql.SQL("CASE WHEN {} OPERATOR(pg_catalog.>=) 0 THEN {} END").format(key, time)

    def next(self, home: str) -> sql.Composed:
        """Returns a call that makes an ID now."""
        target = NUMBERS.get(self.prefix) if self.is_number else self.type.split(".")[-1]
        return sql.SQL("{}.{}").format(sql.SQL(home), sql.SQL(TARGETS.get(target or "", TARGETS["kid64"]).next))


def ids_of(conn: Connection, root: catalog.Table, home: str) -> list[Ids]:
    """Returns what the columns of a primary key can contain: a bigint, IDs of each type that has its bits.

    The numbers in `indkey` begin at 0, and those after the key are of INCLUDE.
    """
    query = sql.SQL(
        """
        SELECT DISTINCT a.attnum AS number, f.type::text AS type, f.prefix, f.time_of,
               a.atttypid = 'bigint'::regtype AS is_number,
               EXISTS (SELECT FROM {home}.kid_default_ids() AS d
                        WHERE (d.relid, d.attname, d.type) = (a.attrelid, a.attname, f.type)) AS is_default
          FROM pg_index AS i JOIN pg_attribute AS a
                   ON a.attrelid = i.indrelid AND a.attnum = ANY ((i.indkey::smallint[])[:i.indnkeyatts - 1])
               JOIN {home}.kid_stored_forms() AS f
                   ON f.type::oid = a.atttypid
                      OR f.stored_as = 'bigint'::regtype AND a.atttypid = 'bigint'::regtype
         WHERE i.indrelid = {root} AND i.indisprimary ORDER BY 1, 2
        """
    ).format(home=sql.SQL(home), root=root.oid)
    return read(conn, Ids, query.as_string(conn))


@dataclass(frozen=True)
class Key:
    """The column of a primary key that contains IDs, and which IDs these are. Rows can have the same ID."""

    column: catalog.Column
    ids: Ids


def key_of(
    conn: Connection,
    root: catalog.Table,
    home: str,
    given: Optional[str],
    has_begun: bool = False,
    name: Optional[str] = None,
) -> Key:
    """Returns the column of the primary key that contains IDs, or raises an error that says what is unclear.

    The database itself tells it by a type of kid's, or by a default of a bigint that makes IDs. `given` is what the
    user says of a bigint. If the move has begun, it is what the state says, and `name` is the column of then: the
    default can have changed since.
    """
    possible = ids_of(conn, root, home)
    columns = catalog.columns(conn, root.oid)
    of_name = [ids for ids in possible if any((c.number, c.name) == (ids.number, name) for c in columns)]
    possible = of_name or possible  # The user can have renamed the column.
    told = [ids for ids in possible if ids.is_told]
    found = told
    if given:
        if told and not has_begun:
            refuse_others(root, told, given)
        found = of_prefix(told, given) or of_prefix(possible, given)
    if not found:
        raise Refused(f"{root.label} has no primary key with IDs of kid", without_ids(conn, root, columns, home))
    if len(found) > 1:
        raise several(root, found)
    return Key(next(column for column in columns if column.number == found[0].number), found[0])


def of_prefix(several_ids: Sequence[Ids], prefix: str) -> list[Ids]:
    """Returns those of some IDs whose functions have a prefix."""
    return [ids for ids in several_ids if ids.prefix == prefix]


def refuse_others(root: catalog.Table, told: Sequence[Ids], given: str) -> None:
    """Raises an error if the type or the default of a column says that it contains other IDs than the user says."""
    if not of_prefix(told, given):
        what = "default" if told[0].is_number else "type"
        raise Refused(
            f"{root.label} has IDs {told[0].prefix}, as the {what} of its key says, and not {given}", "Omit --ids."
        )


def several(root: catalog.Table, found: Sequence[Ids]) -> Refused:
    """Returns the error for a key that can contain several kinds of IDs, in one column or in several."""
    if len({ids.number for ids in found}) == 1:
        types = ", ".join(f"--ids {ids.prefix}" for ids in found)
        return Refused(
            f"the default of the primary key of {root.label} makes IDs of several types", f"Say which: {types}."
        )
    hint = "kidctl cannot choose one of them."
    if any(ids.is_number for ids in found):
        hint += " Of columns of type bigint it takes the one whose default makes IDs."
    return Refused(f"the primary key of {root.label} has several columns of IDs", hint)


@dataclass(frozen=True)
class KeyPart:
    """A column of a primary key, and the operator by which the index of the key compares it."""

    name: str
    schema: str
    operator: str

    def equal(self, left: str, right: str) -> sql.Composed:
        """Returns the condition that two rows, such as OLD, have the same value."""
        a, b = (sql.SQL("{}.{}").format(sql.SQL(row), sql.Identifier(self.name)) for row in (left, right))
        return sql.SQL("{} OPERATOR({}.{}) {}").format(a, sql.Identifier(self.schema), sql.SQL(self.operator), b)


def primary_key(conn: Connection, root: catalog.Table) -> list[KeyPart]:
    """Returns the columns of the primary key of a table. Raises an error if its index is no B-tree."""
    rows = conn.execute(
        """
        SELECT a.attname, n.nspname, o.oprname
          FROM pg_index AS i
               CROSS JOIN unnest(i.indkey::smallint[], i.indclass::oid[]) WITH ORDINALITY AS u (number, class, place)
               JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = u.number
               JOIN pg_opclass AS c ON c.oid = u.class
               LEFT JOIN pg_am AS m ON m.oid = c.opcmethod AND m.amname = 'btree'
               LEFT JOIN pg_amop AS p ON m.oid IS NOT NULL AND p.amopfamily = c.opcfamily AND p.amopstrategy = 3
                         AND p.amoplefttype = c.opcintype AND p.amoprighttype = c.opcintype
               LEFT JOIN pg_operator AS o ON o.oid = p.amopopr LEFT JOIN pg_namespace AS n ON n.oid = o.oprnamespace
         WHERE i.indrelid = %s AND i.indisprimary AND u.place <= i.indnkeyatts ORDER BY u.place
        """,
        (root.oid,),
    ).fetchall()
    if any(operator is None for _name, _schema, operator in rows):
        raise Refused(f"the index of the primary key of {root.label} is no B-tree")
    return [KeyPart(*row) for row in rows]


def operators_of(conn: Connection, key: catalog.Column) -> str:
    """Returns the schema of the operators of a column. Those of a domain are of its base type."""
    return str(
        scalar(
            conn,
            """
            SELECT n.nspname
              FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
                   JOIN pg_type AS b ON b.oid = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END
                   JOIN pg_namespace AS n ON n.oid = b.typnamespace
             WHERE a.attrelid = %s AND a.attnum = %s
            """,
            (key.table, key.number),
        )
    )


def bound_at(conn: Connection, home: str, key: catalog.Column, ids: Ids, until: str) -> str:
    """Returns the lowest ID of a time, as text that the column takes."""
    query = sql.SQL(
        "SELECT {0}.kid_stored_bound({1}::regtype, a.atttypid::regtype,"
        " {0}.kid_bound_at({1}::regtype, {2}::timestamptz))"
        " FROM pg_attribute AS a WHERE a.attrelid = {3} AND a.attnum = {4}"
    ).format(sql.SQL(home), ids.type, until, key.table, key.number)
    return str(scalar(conn, query))
