"""The key of a table that contains IDs, and which IDs these are."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Refused
from pgkid.ctl.kid import NUMBERS, TARGETS
from pgkid.ctl.partition.names import free_name


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


def key_of(
    conn: Connection, root: catalog.Table, home: str, ids: Optional[str], has_begun: bool = False
) -> tuple[catalog.Column, Ids]:
    """Returns the column of the primary key that contains IDs, and what these are.

    A type of kid's tells it, and so does the default of a bigint. `ids` are those of a bigint whose default does not,
    or those with which the move has begun.
    """
    found = ids_of(conn, root, home)
    # What the database tells by itself. Of a bigint whose default makes no IDs, only `ids` tells.
    told = [i for i in found if i.is_default or not i.is_number]
    if ids and not has_begun:
        refuse_others(root, told, ids)
    wanted = [i for i in told if ids in (None, i.prefix)] or [i for i in found if i.prefix == ids]
    columns = catalog.columns(conn, root.oid)
    if len(wanted) == 1:
        return next(c for c in columns if c.number == wanted[0].number), wanted[0]
    if len({i.number for i in wanted}) == 1:
        types = ", ".join(f"--ids {i.prefix}" for i in wanted)
        raise Refused(
            f"the default of the primary key of {root.label} makes IDs of several types", f"Say which: {types}."
        )
    if wanted:
        hint = "kidctl cannot choose one."
        if any(i.is_number for i in wanted):
            hint += " Of columns of type bigint it takes the one whose default makes IDs."
        raise Refused(f"the primary key of {root.label} has several columns of IDs", hint)
    raise Refused(f"{root.label} has no primary key with IDs of kid", without_ids(conn, root, columns, home))


def refuse_others(root: catalog.Table, told: Sequence[Ids], ids: str) -> None:
    """Raises an error if the type or the default of a column says that it contains other IDs than the user says."""
    if told and all(i.prefix != ids for i in told):
        what = "default" if told[0].is_number else "type"
        raise Refused(
            f"{root.label} has IDs {told[0].prefix}, as the {what} of its key says, and not {ids}", "Omit --ids."
        )


def without_ids(conn: Connection, root: catalog.Table, columns: list[catalog.Column], home: str) -> str:
    """Returns what to do about a table whose key contains no IDs, as far as kidctl knows."""
    key = primary_key(conn, root)
    hint = for_new_rows(conn, root, columns, home) if root.kind == "p" else "`kidctl rekey` gives a table such keys."
    for column in columns:
        if column.number in key and column.type == "bigint":
            names = ", ".join(f"--ids {name}" for name in NUMBERS)
            otherwise = "" if column.is_partition_key else f" Otherwise: {hint}"
            return f"If column {column.name} contains IDs of kid, say which: {names}.{otherwise}"
        if column.number in key and is_domain(conn, column):
            return (
                f"If column {column.name} contains IDs of kid, give it their type, and not a domain. Otherwise: {hint}"
            )
    return hint


def is_domain(conn: Connection, column: catalog.Column) -> bool:
    """Returns whether the type of a column is a domain over a type of which a key can be."""
    query = (
        "SELECT t.typtype = 'd' AND t.typbasetype <> 'text'::regtype FROM pg_attribute AS a JOIN pg_type AS t"
        " ON t.oid = a.atttypid WHERE a.attrelid = %s AND a.attnum = %s"
    )
    return bool(one(conn, query, (column.table, column.number)))


def for_new_rows(conn: Connection, root: catalog.Table, columns: list[catalog.Column], home: str) -> str:
    """Returns the commands that make a table for new rows, whose key is an ID, and in the end drop the old table."""
    key = primary_key(conn, root)
    by = one(conn, "SELECT partattrs::int[] FROM pg_partitioned_table WHERE partrelid = %s", (root.oid,))
    free = "id" if all(c.name != "id" for c in columns) else free_name(conn, root.schema, "kid_id")
    name = next((c.sql.as_string(conn) for c in columns if c.number in key and c.number not in by), free)
    new = sql.Identifier(root.schema, free_name(conn, root.schema, f"{root.name}_new")).as_string(conn)
    lines = [f"{name} {home}.kid64 PRIMARY KEY DEFAULT {home}.kid_next()"]
    for column in columns:
        label = column.sql.as_string(conn)
        if label != name:
            lines.append(f"{label} {column.type}{value_of(conn, column)}{' NOT NULL' * column.not_null}")
    register = sql.Literal(new).as_string(conn)
    return (
        f"Create a table for new rows: CREATE TABLE {new} ({', '.join(lines)}) PARTITION BY RANGE ({name});"
        f" SELECT {home}.kid_create_partitions({register}, '1 month', now() + interval '2 months');"
        f" Give it the indexes, constraints and privileges of {root.label}."
        f" When the time of the old rows has come: DROP TABLE {root.label};"
    )


def value_of(conn: Connection, column: catalog.Column) -> str:
    """Returns what makes the values of a column, as the end of its definition, or an empty string."""
    if column.identity:
        return f" GENERATED {'ALWAYS' if column.identity == 'a' else 'BY DEFAULT'} AS IDENTITY"
    if column.generated:
        query = "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = %s AND adnum = %s"
        expression = one(conn, query, column.address)
        return f" GENERATED ALWAYS AS ({expression}) {'VIRTUAL' if column.generated == 'v' else 'STORED'}"
    return f" DEFAULT {column.default}" if column.default and not column.sequence else ""


def primary_key(conn: Connection, root: catalog.Table) -> list[int]:
    """Returns the numbers of the columns of the primary key."""
    return [n for index in catalog.indexes(conn, [root.oid]) if index.is_primary for n in index.keys]


def operators_of(conn: Connection, key: catalog.Column) -> str:
    """Returns the schema of the operators of a column. Those of a domain are of its base type."""
    return str(
        one(
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
    return str(one(conn, query))
