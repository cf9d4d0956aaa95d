"""What kidctl reads from the catalog, as dataclasses.

Letters such as Table.kind are those of the catalogs. All names are printed with their schema, because the search_path
of kidctl's sessions contains only the catalog.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Iterable, NamedTuple, Optional, Sequence, TypeVar

from psycopg import sql
from psycopg.rows import class_row

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused


T = TypeVar("T")


def identifier(template: str, *names: str) -> sql.Composed:
    """Returns a statement in which each {} is a quoted name."""
    return sql.SQL(template).format(*map(sql.Identifier, names))


def read(conn: Connection, row: type[T], query: str, parameters: Any = None) -> list[T]:
    """Runs a query whose columns are the fields of a dataclass."""
    with conn.cursor(row_factory=class_row(row)) as cursor:
        return cursor.execute(query, parameters).fetchall()


@dataclass(frozen=True)
class Table:
    """A table, a partition, or another relation of pg_class."""

    oid: int
    schema: str
    name: str
    label: str  # as PostgreSQL prints it
    kind: str  # r: a table, p: a partitioned one, f: a foreign one, v: a view, m: a materialized one
    persistence: str  # p: permanent, u: unlogged, t: temporary
    owner: str
    acl: Optional[list[str]]
    options: Optional[list[str]]
    is_partition: bool
    row_security: bool
    force_row_security: bool
    replica_identity: str  # d: the primary key, i: another index, f: FULL, n: NOTHING
    tablespace: Optional[str]
    is_typed: bool
    inherits: bool  # or is inherited; not by partitions
    rows: float
    pages: int

    @property
    def sql(self) -> sql.Identifier:
        """The name as part of a statement."""
        return sql.Identifier(self.schema, self.name)


TABLES = """
    SELECT c.oid, n.nspname AS schema, c.relname AS name, c.oid::regclass::text AS label, c.relkind::text AS kind,
           c.relpersistence::text AS persistence, pg_get_userbyid(c.relowner) AS owner, c.relacl::text[] AS acl,
           c.reloptions AS options, c.relispartition AS is_partition, c.relrowsecurity AS row_security,
           c.relforcerowsecurity AS force_row_security, c.relreplident::text AS replica_identity,
           (SELECT s.spcname FROM pg_tablespace AS s WHERE s.oid = c.reltablespace) AS tablespace,
           c.reloftype <> 0 AS is_typed, c.relkind = 'r' AND NOT c.relispartition AND EXISTS (
               SELECT FROM pg_inherits AS i WHERE c.oid IN (i.inhrelid, i.inhparent)) AS inherits,
           c.reltuples::float8 AS rows, c.relpages AS pages
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
"""


def tables(conn: Connection, oids: Iterable[int]) -> list[Table]:
    """Returns relations in the order of their OIDs in the argument."""
    wanted = list(oids)
    return read(
        conn, Table, TABLES + "WHERE c.oid = ANY (%s) ORDER BY array_position(%s::oid[], c.oid)", (wanted, wanted)
    )


def table(conn: Connection, name: str) -> Table:
    """Returns the table of a name as a user writes it, found by the user's own search_path."""
    with conn.transaction():  # After an error, its rollback takes back the search_path.
        conn.execute("SET LOCAL search_path TO DEFAULT")
        found = scalar(conn, "SELECT pg_catalog.to_regclass(%s)::pg_catalog.oid", (name,))
        conn.execute("SELECT pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true)")
    if found is None:
        raise Refused(f"table {name} does not exist")
    return tables(conn, [found])[0]


def key_mark(conn: Connection, table: Table) -> Optional[str]:
    """Returns a text that is another one when a table of this name is another one, or has another primary key."""
    mark: Optional[str] = scalar(
        conn,
        """
        SELECT concat_ws(' ', c.oid, c.relkind, (
                   SELECT array_agg(row(a.attnum, a.atttypid, pg_get_expr(d.adbin, d.adrelid)) ORDER BY a.attnum)
                     FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
                          LEFT JOIN pg_attrdef AS d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
                    WHERE i.indrelid = c.oid AND i.indisprimary))
          FROM pg_class AS c WHERE c.oid = to_regclass(%s)
        """,
        (table.label,),
    )
    return mark


def family(conn: Connection, oids: Iterable[int]) -> list[Table]:
    """Returns some tables with their partitions, ordered by OID."""
    rows = conn.execute(
        "SELECT DISTINCT p.oid FROM unnest(%s::oid[]) AS t (oid),"
        " LATERAL (SELECT t.oid UNION SELECT relid FROM pg_partition_tree(t.oid)) AS p (oid) ORDER BY 1",
        (list(oids),),
    ).fetchall()
    return tables(conn, [row[0] for row in rows])


def leaves(conn: Connection, oids: Iterable[int]) -> list[Table]:
    """Returns the tables that have rows of their own: no partitioned ones, but their partitions."""
    return [table for table in family(conn, oids) if table.kind == "r"]


def blocks(conn: Connection, relation: int) -> int:
    """Returns how many blocks a table has now."""
    return int(scalar(conn, "SELECT pg_relation_size(%s::oid) / current_setting('block_size')::int", (relation,)))


def file_of(conn: Connection, relation: int) -> int:
    """Returns the file of a table. It is another one after a command that writes the rows anew, as VACUUM FULL does."""
    return int(scalar(conn, "SELECT pg_relation_filenode(%s::oid)", (relation,)))


class ColumnAddress(NamedTuple):
    """What tells a column from all others, as in pg_depend. Number 0 is the table itself."""

    table: int
    number: int


class ColumnName(NamedTuple):
    """A column as statements name it. A table of the same name has it in a copy."""

    table: int
    name: str


@dataclass(frozen=True)
class Column:
    """A column of a table."""

    table: int
    number: int
    name: str
    type: str
    category: str  # of the type, such as N: a number, S: a string
    not_null: bool  # in all rows
    default: Optional[str]
    identity: str  # a: always, d: by default, empty: no identity
    generated: str  # s: stored, v: virtual, empty: not generated
    sequence: Optional[str]  # the one that it owns, and draws from if it is an identity column
    is_partition_key: bool

    @property
    def address(self) -> ColumnAddress:
        """The table and the number of the column."""
        return ColumnAddress(self.table, self.number)

    @property
    def sql(self) -> sql.Identifier:
        """The name as part of a statement."""
        return sql.Identifier(self.name)


def columns(conn: Connection, relation: int) -> list[Column]:
    """Returns the columns of a table, in their order."""
    return read(
        conn,
        Column,
        """
        SELECT a.attrelid AS table, a.attnum AS number, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
               t.typcategory::text AS category, a.attnotnull AND NOT EXISTS (
                   SELECT FROM pg_constraint AS k WHERE k.conrelid = a.attrelid AND k.contype = 'n'
                          AND k.conkey = ARRAY[a.attnum] AND NOT k.convalidated) AS not_null,
               CASE a.attgenerated WHEN '' THEN pg_get_expr(d.adbin, d.adrelid) END AS default,
               a.attidentity::text AS identity, a.attgenerated::text AS generated,
               -- An identity column that was a serial before still owns that sequence as well.
               -- pg_get_serial_sequence() needs rights to the schema of the table.
               (SELECT s.objid::regclass::text FROM pg_depend AS s JOIN pg_class AS c ON c.oid = s.objid
                 WHERE s.refclassid = 'pg_class'::regclass AND s.refobjid = a.attrelid AND s.refobjsubid = a.attnum
                       AND s.classid = 'pg_class'::regclass AND c.relkind = 'S'
                       AND s.deptype = CASE a.attidentity WHEN '' THEN 'a' ELSE 'i' END::"char"
                 ORDER BY s.objid LIMIT 1) AS sequence,
               coalesce(a.attnum = ANY (p.partattrs), false) AS is_partition_key
          FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
               LEFT JOIN pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
               LEFT JOIN pg_partitioned_table AS p ON p.partrelid = a.attrelid
         WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
        """,
        (relation,),
    )


@dataclass(frozen=True)
class KeyColumn:
    """The key of a table, or a column that refers to it by foreign keys, also through others.

    A column of a partition names the table and number of its parent's column as `top` and `top_number`; otherwise these
    are its own.
    """

    table: int
    number: int
    name: str
    type: str
    top: int
    top_number: int

    @property
    def address(self) -> ColumnAddress:
        """The table and the number of the column."""
        return ColumnAddress(self.table, self.number)

    @property
    def is_top(self) -> bool:
        """Whether it is not the column of a partition."""
        return self.table == self.top

    @property
    def sql(self) -> sql.Identifier:
        """The name as part of a statement."""
        return sql.Identifier(self.name)


def related(conn: Connection, relation: int) -> list[KeyColumn]:
    """Returns the primary key of a table, and then all columns that refer to it."""
    found = read(
        conn,
        KeyColumn,
        """
        WITH RECURSIVE key AS (
            SELECT c.oid AS tab, i.indkey[0] AS num FROM pg_class AS c JOIN pg_index AS i ON i.indrelid = c.oid
             WHERE c.oid = %s AND i.indisprimary AND i.indnkeyatts = 1),
        m (tab, num) AS (
            SELECT k.* FROM key AS k
            UNION
            SELECT k.conrelid, p.child
              FROM m JOIN pg_constraint AS k ON k.contype = 'f' AND k.confrelid = m.tab AND k.conparentid = 0,
                   unnest(k.conkey, k.confkey) AS p (child, parent)
             WHERE p.parent = m.num)
        SELECT t.relid AS table, a.attnum AS number, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type,
               m.tab AS top, m.num AS top_number
          FROM key, m JOIN pg_attribute AS n ON n.attrelid = m.tab AND n.attnum = m.num,
               LATERAL (SELECT m.tab UNION SELECT p.relid FROM pg_partition_tree(m.tab) AS p) AS t (relid)
               JOIN pg_attribute AS a ON a.attrelid = t.relid
         WHERE a.attname = n.attname
         ORDER BY m.tab <> key.tab, m.num <> key.num, m.tab, m.num, t.relid <> m.tab, t.relid
        """,
        (relation,),
    )
    if not found:
        # A foreign key to a partitioned table has one more constraint for each partition.
        referenced = {k.ref_table for k in constraints(conn, [relation]) if not k.parent} - {0, relation}
        others = ", ".join(table.label for table in tables(conn, sorted(referenced)))
        hint = "Make one column its primary key first."
        if others:
            hint += f" Columns that refer to {others} get new values in the move of that table."
        raise Refused(f"{tables(conn, [relation])[0].label} has no primary key of one column", hint)
    return found


@dataclass(frozen=True)
class Index:
    """An index of a table."""

    oid: int
    table: int
    schema: str
    name: str
    label: str
    definition: str
    is_unique: bool
    is_primary: bool
    is_exclusion: bool  # also WITHOUT OVERLAPS
    is_valid: bool
    is_replica_identity: bool
    is_clustered: bool
    is_partitioned: bool
    parent: Optional[int]
    constraint: Optional[str]
    constraint_kind: str  # p: a primary key, u: UNIQUE, x: an exclusion constraint, empty: none
    constraint_definition: Optional[str]
    tablespace: Optional[str]
    columns: list[int]  # all that it depends on, also those of INCLUDE
    keys: list[int]  # without those of INCLUDE; 0 is an expression
    other_classes: list[int]  # columns whose operator class is not the default
    comment: Optional[str]
    constraint_comment: Optional[str]

    @property
    def sql(self) -> sql.Identifier:
        """The name as part of a statement."""
        return sql.Identifier(self.schema, self.name)


def indexes(conn: Connection, relations: Sequence[int]) -> list[Index]:
    """Returns the indexes of some tables, ordered by table and name."""
    return read(
        conn,
        Index,
        """
        SELECT c.oid, i.indrelid AS table, n.nspname AS schema, c.relname AS name, c.oid::regclass::text AS label,
               pg_get_indexdef(c.oid) AS definition, i.indisunique AS is_unique, i.indisprimary AS is_primary,
               i.indisexclusion AS is_exclusion, i.indisvalid AS is_valid,
               i.indisreplident AS is_replica_identity, i.indisclustered AS is_clustered,
               c.relkind = 'I' AS is_partitioned, h.inhparent AS parent, k.conname AS constraint,
               coalesce(k.contype::text, '') AS constraint_kind, pg_get_constraintdef(k.oid) AS constraint_definition,
               (SELECT s.spcname FROM pg_tablespace AS s WHERE s.oid = c.reltablespace) AS tablespace,
               ARRAY(SELECT u FROM unnest(i.indkey::smallint[]) AS u WHERE u > 0
                     UNION
                     SELECT d.refobjsubid FROM pg_depend AS d
                      WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.refobjid = i.indrelid
                            AND d.refclassid = 'pg_class'::regclass AND d.refobjsubid > 0)::int[] AS columns,
               (i.indkey::smallint[]::int[])[:i.indnkeyatts - 1] AS keys,  -- indkey begins at 0
               ARRAY(SELECT u.num FROM unnest(i.indkey::smallint[], i.indclass::oid[]) AS u (num, class)
                       JOIN pg_opclass AS o ON o.oid = u.class WHERE NOT o.opcdefault)::int[] AS other_classes,
               obj_description(c.oid, 'pg_class') AS comment,
               obj_description(k.oid, 'pg_constraint') AS constraint_comment
          FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
               JOIN pg_namespace AS n ON n.oid = c.relnamespace
               LEFT JOIN pg_inherits AS h ON h.inhrelid = c.oid
               LEFT JOIN pg_constraint AS k ON k.conindid = c.oid AND k.contype IN ('p', 'u', 'x')
         WHERE i.indrelid = ANY (%s) AND i.indislive
         ORDER BY array_position(%s::oid[], i.indrelid), c.relname
        """,
        (list(relations), list(relations)),
    )


def is_valid_index(conn: Connection, table: int, schema: str, name: str) -> Optional[bool]:
    """Returns whether an index of a table is valid, or None if the table has no index of this name."""
    found: Optional[bool] = scalar(
        conn,
        "SELECT i.indisvalid FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid"
        " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE i.indrelid = %s AND n.nspname = %s AND c.relname = %s",
        (table, schema, name),
    )
    return found


@dataclass(frozen=True)
class Constraint:
    """A foreign key or a CHECK."""

    oid: int
    table: int
    name: str
    kind: str  # c: a CHECK, f: a foreign key
    definition: str
    columns: list[int]
    ref_table: int  # 0 of a CHECK
    ref_columns: list[int]
    is_validated: bool
    is_enforced: bool  # from PostgreSQL 18 on there are others
    has_period: bool  # a foreign key with PERIOD, from PostgreSQL 18 on
    parent: int  # of a foreign key of a partition, the parent's; otherwise 0
    is_inherited: bool
    comment: Optional[str]

    @property
    def sql(self) -> sql.Identifier:
        """The name as part of a statement."""
        return sql.Identifier(self.name)


def constraints(conn: Connection, relations: Sequence[int]) -> list[Constraint]:
    """Returns the CHECKs and then the foreign keys of some tables."""
    return read(
        conn,
        Constraint,
        """
        SELECT k.oid, k.conrelid AS table, k.conname AS name, k.contype::text AS kind,
               pg_get_constraintdef(k.oid) AS definition, coalesce(k.conkey, '{}')::int[] AS columns,
               k.confrelid AS ref_table, coalesce(k.confkey, '{}')::int[] AS ref_columns,
               k.convalidated AS is_validated, k.conparentid AS parent, k.coninhcount > 0 AS is_inherited,
               -- These columns are new in PostgreSQL 18.
               coalesce((to_jsonb(k) ->> 'conenforced')::boolean, true) AS is_enforced,
               coalesce((to_jsonb(k) ->> 'conperiod')::boolean, false) AS has_period,
               obj_description(k.oid, 'pg_constraint') AS comment
          FROM pg_constraint AS k
         WHERE k.conrelid = ANY (%s) AND k.contype IN ('c', 'f')
         ORDER BY k.contype, array_position(%s::oid[], k.conrelid), k.conname
        """,
        (list(relations), list(relations)),
    )


def is_valid_constraint(conn: Connection, table: Optional[int], name: str) -> Optional[bool]:
    """Returns whether a constraint of a table is valid, or None if the table has none of this name, or is gone."""
    query = "SELECT convalidated FROM pg_constraint WHERE conrelid = %s AND conname = %s"
    found: Optional[bool] = scalar(conn, query, (table, name))
    return found


@dataclass(frozen=True)
class NotNull:
    """A NOT NULL constraint. Before version 18 PostgreSQL has none that have a name."""

    table: int
    column: str
    name: str
    is_validated: bool
    is_inherited: bool
    is_no_inherit: bool
    comment: Optional[str]


def not_nulls(conn: Connection, relations: Sequence[int]) -> list[NotNull]:
    """Returns the NOT NULL constraints of some tables."""
    return read(
        conn,
        NotNull,
        """
        SELECT k.conrelid AS table, a.attname AS column, k.conname AS name, k.convalidated AS is_validated,
               k.coninhcount > 0 AS is_inherited, k.connoinherit AS is_no_inherit,
               obj_description(k.oid, 'pg_constraint') AS comment
          FROM pg_constraint AS k JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
         WHERE k.conrelid = ANY (%s) AND k.contype = 'n' ORDER BY k.conrelid, a.attnum
        """,
        (list(relations),),
    )


@dataclass(frozen=True)
class Trigger:
    """A trigger of a table, other than those of foreign keys."""

    oid: int
    table: int
    name: str
    definition: str
    enabled: str  # O: yes, D: no, R: in sessions of replication, A: in all sessions
    function: str
    function_schema: str
    is_before_row: bool
    runs_at_update: bool
    runs_at_truncate: bool
    has_columns: bool  # UPDATE OF some columns
    parent: int  # of a trigger of a partition, the parent's; otherwise 0


def triggers(conn: Connection, relations: Sequence[int]) -> list[Trigger]:
    """Returns the triggers of some tables."""
    return read(
        conn,
        Trigger,
        """
        SELECT t.oid, t.tgrelid AS table, t.tgname AS name, pg_get_triggerdef(t.oid) AS definition,
               t.tgenabled::text AS enabled, t.tgfoid::regprocedure::text AS function, n.nspname AS function_schema,
               t.tgtype & 3 = 3 AS is_before_row,
               t.tgtype & 16 <> 0 AS runs_at_update, t.tgtype & 32 <> 0 AS runs_at_truncate,
               t.tgattr::text <> '' AS has_columns, t.tgparentid AS parent
          FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid JOIN pg_namespace AS n ON n.oid = p.pronamespace
         WHERE t.tgrelid = ANY (%s) AND NOT t.tgisinternal
         ORDER BY array_position(%s::oid[], t.tgrelid), t.tgname
        """,
        (list(relations), list(relations)),
    )
