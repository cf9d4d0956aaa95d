"""What a move to partitions is about: the table, the column of its IDs, the time until which old rows stay together."""
from __future__ import annotations

from dataclasses import asdict, dataclass
from hashlib import md5
from typing import Any, Optional

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Refused
from pgkid.ctl.kid import home_of


UNTIL = "kid_until"  # the constraint that proves that no row of the first partition is later
MARGIN = "1 day"  # how long the steps up to the swap may take


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    width: str
    until: Optional[str]


@dataclass
class Plan:
    """A move of a table to partitions, on one connection."""

    conn: Connection
    root: catalog.Table
    key: catalog.Column
    home: str  # the schema of kid, as part of a statement
    operators: str  # the schema of the operators of the key
    options: Options
    until: str
    bound: str  # the lowest ID at that time
    old_name: str
    schema: str
    state: Optional[state.State]

    @property
    def is_swapped(self) -> bool:
        """Whether the table is partitioned already."""
        return self.state is not None and self.state.step == "swap"

    @property
    def old(self) -> sql.Identifier:
        """The first partition, as part of a statement."""
        return sql.Identifier(self.root.schema, self.old_name)

    @property
    def old_label(self) -> str:
        """The name of the first partition."""
        return str(one(self.conn, "SELECT format('%%I.%%I', %s::text, %s::text)", (self.root.schema, self.old_name)))

    def columns(self) -> list[catalog.KeyColumn]:
        """Returns all columns of the table and, as number 0, the table itself."""
        oid = self.root.oid
        return [
            catalog.KeyColumn(oid, number, name, "", oid, number)
            for number, name in [(0, ""), *((c.number, c.name) for c in catalog.columns(self.conn, oid))]
        ]

    def referenced(self) -> list[catalog.Table]:
        """Returns the other tables that foreign keys of this one refer to, always in the same order."""
        return self.read("confrelid", "conrelid")

    def referring(self) -> list[catalog.Table]:
        """Returns the other tables whose foreign keys refer to this one, always in the same order."""
        return self.read("conrelid", "confrelid")

    def read(self, wanted: str, given: str) -> list[catalog.Table]:
        """Returns the tables at the other end of foreign keys."""
        query = sql.SQL(
            "SELECT DISTINCT k.{0} FROM pg_constraint AS k"
            " WHERE k.contype = 'f' AND k.conparentid = 0 AND k.{1} = %s AND k.{0} <> k.{1} ORDER BY 1"
        ).format(sql.Identifier(wanted), sql.Identifier(given))
        return catalog.tables(self.conn, [row[0] for row in self.conn.execute(query, (self.root.oid,))])

    def tried(self) -> list[int]:
        """Returns the tables that a rehearsal tries: this one, and those that refer to it."""
        return [self.root.oid, *(table.oid for table in self.referring())]

    def incoming(self) -> list[catalog.Constraint]:
        """Returns the foreign keys that refer to the table, its own among them."""
        tables = [self.root.oid, *(table.oid for table in self.referring())]
        return [
            k
            for k in catalog.constraints(self.conn, tables)
            if k.kind == "f" and k.ref_table == self.root.oid and not k.parent
        ]

    def is_default(self, partition: int) -> bool:
        """Returns whether a partition of the table is its default partition."""
        query = "SELECT partdefid = %s FROM pg_partitioned_table WHERE partrelid = %s"
        return bool(one(self.conn, query, (partition, self.root.oid)))

    def saved(self) -> dict[str, Any]:
        """Returns what the state keeps of this plan."""
        return {"options": asdict(self.options), "until": self.until, "bound": self.bound, "old_name": self.old_name}

    def save(self, step: str, **kept: Any) -> None:
        """Notes in the state that a step is done."""
        assert self.state
        self.state.step = step
        self.state.options = self.saved()
        self.state.kept.update(kept)
        state.save(self.conn, self.schema, self.state)


def read_plan(conn: Connection, root: catalog.Table, options: Optional[Options]) -> Plan:
    """Reads the plan of a table from the catalog and, if the move has begun, from its state."""
    schema = state.schema_of("partition", root)
    begun = state.load(conn, schema)
    home = home_of(conn)
    if one(conn, "SELECT to_regproc(%s) IS NULL", (f"{home}.kid_create_partitions",)):
        raise Refused("kid in this database has no kid_create_partitions()", "Install kid-tables.")
    key = key_of(conn, root, home)
    given = Options(**begun.options["options"]) if begun else options
    if given is None:
        raise Refused(f"no move of {root.label} has begun", f"Begin it: kidctl partition run {root.label} --width …")
    kept = begun.options if begun else {}
    until = kept.get("until") or until_of(conn, given)
    return Plan(
        conn=conn,
        root=root,
        key=key,
        home=home,
        operators=operators_of(conn, key),
        options=given,
        until=until,
        bound=kept.get("bound") or bound_at(conn, home, key, until),
        old_name=kept.get("old_name") or free_name(conn, root.schema, f"{root.name}_old"),
        schema=schema,
        state=begun,
    )


def key_of(conn: Connection, root: catalog.Table, home: str) -> catalog.Column:
    """Returns the column of the primary key that contains IDs."""
    numbers = [
        row[0]
        for row in conn.execute(
            sql.SQL(
                "SELECT a.attnum, {}.kid_bound_at(a.atttypid::regtype, now()) IS NOT NULL"
                " FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid"
                " WHERE i.indrelid = {} AND i.indisprimary AND a.attnum = ANY (i.indkey::smallint[])"
            ).format(sql.SQL(home), root.oid)
        ).fetchall()
        if row[1]
    ]
    columns = catalog.columns(conn, root.oid)
    if len(numbers) == 1:
        return next(c for c in columns if c.number == numbers[0])
    if numbers:
        raise Refused(f"the primary key of {root.label} has several columns of IDs", "kidctl cannot choose one.")
    integers = [c for c in columns if c.type == "bigint" and [c.number] == primary_key(conn, root)]
    hint = "`kidctl rekey` gives a table such keys."
    if root.kind == "p":
        hint = for_new_rows(conn, root, columns, home)
    elif integers:
        name = integers[0].name
        hint = f"If column {name} contains IDs of kid, give it their type, such as {home}.kid64. Otherwise " + hint
    raise Refused(f"{root.label} has no primary key with IDs of kid", hint)


def for_new_rows(conn: Connection, root: catalog.Table, columns: list[catalog.Column], home: str) -> str:
    """Returns the commands that make a table for new rows, whose key is an ID, and in the end drop the old table."""
    key = primary_key(conn, root)
    by = one(conn, "SELECT partattrs::int[] FROM pg_partitioned_table WHERE partrelid = %s", (root.oid,))
    name = next((c.sql.as_string(conn) for c in columns if c.number in key and c.number not in by), "id")
    new = sql.Identifier(root.schema, free_name(conn, root.schema, f"{root.name}_new")).as_string(conn)
    lines = [f"{name} {home}.kid64 PRIMARY KEY DEFAULT {home}.kid_next()"]
    for column in columns:
        label = column.sql.as_string(conn)
        if label == name:
            continue
        value = ""
        if column.identity:
            value = f" GENERATED {'ALWAYS' if column.identity == 'a' else 'BY DEFAULT'} AS IDENTITY"
        elif column.generated:
            text = "SELECT pg_get_expr(adbin, adrelid) FROM pg_attrdef WHERE adrelid = %s AND adnum = %s"
            expression = one(conn, text, (root.oid, column.number))
            value = f" GENERATED ALWAYS AS ({expression}) {'VIRTUAL' if column.generated == 'v' else 'STORED'}"
        elif column.default and not column.sequence:
            value = f" DEFAULT {column.default}"
        lines.append(f"{label} {column.type}{value}{' NOT NULL' * column.not_null}")
    register = sql.Literal(new).as_string(conn)
    return (
        f"Create a table for new rows: CREATE TABLE {new} ({', '.join(lines)}) PARTITION BY RANGE ({name});"
        f" SELECT {home}.kid_create_partitions({register}, '1 month', now() + interval '2 months');"
        f" Give it the indexes, constraints and privileges of {root.label}."
        f" When the time of the old rows has come: DROP TABLE {root.label};"
    )


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


def until_of(conn: Connection, options: Options) -> str:
    """Returns the time at which the first partition ends: the user's, or where a period ends, a day from now or later.

    Periods are those of kid_create_partitions(): months are counted from a January, others from Monday 2001-01-01, in
    UTC.
    """
    if options.until:
        until, passed = conn.execute(
            "SELECT u::text, u <= now() FROM (SELECT %s::timestamptz) AS t (u)", (options.until,)
        ).fetchall()[0]
        if passed:
            raise Refused(f"the time {until} has passed", "Rows until --until stay in the first partition.")
        return str(until)
    return str(
        one(
            conn,
            """
            SELECT (CASE WHEN w.months = 0 THEN date_bin(w.width, t.at, timestamp '2001-01-01') + w.width
                         ELSE date_trunc('month', t.at) + w.width - make_interval(months => mod(
                                  (extract(year FROM t.at) * 12 + extract(month FROM t.at) - 1)::integer, w.months))
                    END AT TIME ZONE 'UTC')::text
              FROM (SELECT i.width, (extract(year FROM i.width) * 12 + extract(month FROM i.width))::integer
                      FROM (SELECT %s::interval) AS i (width)) AS w (width, months),
                   (SELECT (now() + %s::interval) AT TIME ZONE 'UTC') AS t (at)
            """,
            (options.width, MARGIN),
        )
    )


def bound_at(conn: Connection, home: str, key: catalog.Column, until: str) -> str:
    """Returns the lowest ID of a time, as text."""
    query = sql.SQL(
        "SELECT ltrim({}.kid_bound_at(a.atttypid::regtype, {}::timestamptz)::text) FROM pg_attribute AS a"
        " WHERE a.attrelid = {} AND a.attnum = {}"
    ).format(sql.SQL(home), until, key.table, key.number)
    return str(one(conn, query))


def free_name(conn: Connection, schema: str, wanted: str) -> str:
    """Returns a name that is free in a schema, of at most 63 bytes."""
    for attempt in range(1000):
        mark = f"_{md5(f'{wanted} {attempt}'.encode()).hexdigest()[:8]}"
        name = (
            wanted
            if attempt == 0 and len(wanted.encode()) < 63
            else wanted.encode()[:50].decode(errors="ignore") + mark
        )
        if is_free(conn, schema, name):
            return name
    raise Refused(f"schema {schema} has no free name like {wanted}")


def is_free(conn: Connection, schema: str, name: str) -> bool:
    """Returns whether no relation and no type of a schema has a name, nor that of an array of such rows."""
    return bool(
        one(
            conn,
            "SELECT NOT EXISTS (SELECT FROM pg_class WHERE relnamespace = n.oid AND relname = %(name)s) AND NOT"
            " EXISTS ("
            " SELECT FROM pg_type WHERE typnamespace = n.oid AND typname IN (%(name)s, ('_' || %(name)s)::name))"
            " FROM pg_namespace AS n WHERE nspname = %(schema)s",
            {"schema": schema, "name": name},
        )
    )
