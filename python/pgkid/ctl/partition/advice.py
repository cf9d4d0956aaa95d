"""What to do about a table whose primary key contains no IDs, as far as kidctl knows."""
from __future__ import annotations

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.kid import NUMBERS
from pgkid.ctl.names import free_name


def without_ids(conn: Connection, root: catalog.Table, columns: list[catalog.Column], home: str) -> str:
    """Returns what to do about a table whose key contains no IDs, as far as kidctl knows."""
    key = primary_key(conn, root)
    if not key and root.kind != "p":
        return "Give it one that contains the column with the IDs, which can be a column that refers to another table."
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
    return bool(scalar(conn, query, (column.table, column.number)))


def for_new_rows(conn: Connection, root: catalog.Table, columns: list[catalog.Column], home: str) -> str:
    """Returns the commands that make a table for new rows, whose key is an ID, and in the end drop the old table."""
    key = primary_key(conn, root)
    by = scalar(conn, "SELECT partattrs::int[] FROM pg_partitioned_table WHERE partrelid = %s", (root.oid,))
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
        expression = scalar(conn, query, column.address)
        return f" GENERATED ALWAYS AS ({expression}) {'VIRTUAL' if column.generated == 'v' else 'STORED'}"
    return f" DEFAULT {column.default}" if column.default and not column.sequence else ""


def primary_key(conn: Connection, root: catalog.Table) -> list[int]:
    """Returns the numbers of the columns of the primary key."""
    return [n for index in catalog.indexes(conn, [root.oid]) if index.is_primary for n in index.keys]
