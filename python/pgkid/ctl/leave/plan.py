"""What leaving is about: the columns of kid's types, the defaults that call kid, and which tables change together."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, Optional, Sequence

from pgkid.ctl import catalog, hanging
from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.kid import CORE
from pgkid.ctl.leave.rewriter import Rewriter
from pgkid.ctl.leave.uses import MEMBERS, Kid, Use, read_kid, uses
from pgkid.ctl.objects import Object


@dataclass(frozen=True)
class Column:
    """A column with a type of kid's, a domain over one, or an array of either; or one whose default calls kid."""

    table: int
    number: int
    name: str
    base: Optional[str]  # the name of kid's type, without a schema
    domain: Optional[int]
    is_array: bool
    is_typed: bool
    default: Optional[str]
    maker: Optional[int]  # the domain that the default is of, and not of the column
    kind: str  # its type without domains, as PostgreSQL prints it
    generated: str
    is_top: bool  # not inherited
    is_key: bool  # of a partitioned table

    @property
    def key(self) -> catalog.KeyColumn:
        """The column as modules of other moves name it."""
        return catalog.KeyColumn(self.table, self.number, self.name, self.kind, self.table, self.number)


@dataclass(frozen=True)
class Domain:
    """A domain over a type of kid's, or over such a domain, or one over a core type whose default calls kid."""

    oid: int
    schema: str
    name: str
    label: str
    owner: str
    base: Optional[str]  # kid's type, without a schema
    parent: Optional[int]  # the domain that it is over
    not_null: bool
    default: Optional[str]
    depth: int

    @property
    def object(self) -> Object:
        """The domain as statements and findings name it."""
        return Object("domain", self.schema, self.name, label=f"domain {self.label}")


# Columns have the default of their own domain. PostgreSQL copies the default of the domain that this one is over.
DOMAINS = (
    MEMBERS
    + """,
    bases AS (SELECT t.oid, t.typname::text AS name FROM pg_type AS t JOIN members AS m ON m.objid = t.oid
               WHERE m.classid = 'pg_type'::regclass AND t.typname = ANY (%(types)s)),
    layers (oid, base, parent, depth) AS (
        WITH RECURSIVE r (oid, base, parent, depth) AS (
            SELECT b.oid, b.name, NULL::oid, 0 FROM bases AS b
            UNION ALL
            SELECT t.oid, r.base, CASE WHEN r.depth > 0 THEN r.oid END, r.depth + 1
              FROM r JOIN pg_type AS t ON t.typbasetype = r.oid AND t.typtype = 'd')
        SELECT * FROM r),
    makers AS (SELECT DISTINCT t.oid FROM members AS m
                      JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
                                           AND p.proname !~ '_(in|out|recv|send|typanalyze)$'
                      JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (m.classid, m.objid)
                                             AND d.classid = 'pg_type'::regclass
                      JOIN pg_type AS t ON t.oid = d.objid AND t.typtype = 'd' AND t.typdefaultbin IS NOT NULL)
"""
)


def domains(conn: Connection) -> list[Domain]:
    """Returns all domains over kid's types, or whose default calls kid; those below others first."""
    return read(
        conn,
        Domain,
        DOMAINS
        + """
        SELECT t.oid, n.nspname AS schema, t.typname AS name, t.oid::regtype::text AS label,
               pg_get_userbyid(t.typowner) AS owner, l.base, l.parent, t.typnotnull AS not_null,
               coalesce(pg_get_expr(t.typdefaultbin, 0), quote_literal(t.typdefault)) AS default,
               coalesce(l.depth, 0) AS depth
          FROM pg_type AS t JOIN pg_namespace AS n ON n.oid = t.typnamespace LEFT JOIN layers AS l ON l.oid = t.oid
         WHERE l.depth > 0 OR l.oid IS NULL AND t.oid IN (SELECT oid FROM makers)
         ORDER BY l.depth, n.nspname, t.typname
        """,
        {"types": list(CORE)},
    )


def columns(conn: Connection) -> list[Column]:
    """Returns all columns of tables that use kid's types, or whose default, or that of their domain, depends on kid."""
    return read(
        conn,
        Column,
        DOMAINS
        + """,
        defaults AS (
            SELECT DISTINCT f.adrelid, f.adnum FROM members AS m
                   JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (m.classid, m.objid)
                                          AND d.classid = 'pg_attrdef'::regclass
                   JOIN pg_attrdef AS f ON f.oid = d.objid)
        SELECT a.attrelid AS table, a.attnum AS number, a.attname AS name, l.base,
               CASE WHEN l.depth > 0 THEN l.oid END AS domain, l.oid IS NOT NULL AND a.atttypid <> l.oid AS is_array,
               l.oid IS NOT NULL AS is_typed,
               coalesce(pg_get_expr(f.adbin, f.adrelid), pg_get_expr(z.typdefaultbin, 0)) AS default, z.oid AS maker,
               (WITH RECURSIVE b (oid, base) AS (
                       SELECT y.oid, y.typbasetype
                        UNION ALL SELECT t.oid, t.typbasetype FROM b JOIN pg_type AS t ON t.oid = b.base)
                SELECT format_type(b.oid, NULL) FROM b WHERE b.base = 0) AS kind, a.attgenerated::text AS generated,
               a.attinhcount = 0 AS is_top, coalesce(a.attnum = ANY (p.partattrs), false) AS is_key
          FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f')
               JOIN pg_type AS y ON y.oid = a.atttypid
               LEFT JOIN layers AS l ON l.oid IN (y.oid, CASE WHEN y.typcategory = 'A' THEN y.typelem END)
               LEFT JOIN pg_attrdef AS f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
               LEFT JOIN pg_type AS z ON z.oid = y.oid AND z.oid IN (SELECT oid FROM makers) AND f.oid IS NULL
               LEFT JOIN pg_partitioned_table AS p ON p.partrelid = a.attrelid
         WHERE a.attnum > 0 AND NOT a.attisdropped
               AND (l.oid IS NOT NULL OR z.oid IS NOT NULL
                    OR (a.attrelid, a.attnum) IN (SELECT * FROM defaults))
               AND c.relnamespace IS DISTINCT FROM
                   CASE WHEN (SELECT plain FROM kid) THEN to_regnamespace('kid')::oid END
         ORDER BY a.attrelid, a.attnum
        """,
        {"types": list(CORE)},
    )


@dataclass(frozen=True)
class Attribute:
    """An attribute of a composite type with a type of kid's, or an array of one."""

    relation: int
    schema: str
    type: str
    label: str  # of the composite type
    name: str
    base: str
    is_array: bool


def attributes(conn: Connection) -> list[Attribute]:
    """Returns the attributes of the role's composite types that use kid's types."""
    return read(
        conn,
        Attribute,
        DOMAINS
        + """
        SELECT c.oid AS relation, n.nspname AS schema, c.relname AS type, t.oid::regtype::text AS label,
            a.attname AS name,
               l.base, a.atttypid <> l.oid AS is_array
          FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind = 'c'
               JOIN pg_type AS t ON t.oid = c.reltype JOIN pg_namespace AS n ON n.oid = c.relnamespace
               JOIN pg_type AS y ON y.oid = a.atttypid
               JOIN layers AS l ON l.oid IN (y.oid, CASE WHEN y.typcategory = 'A' THEN y.typelem END) AND l.depth = 0
         WHERE a.attnum > 0 AND NOT a.attisdropped AND pg_get_userbyid(c.relowner) = current_user
         ORDER BY n.nspname, c.relname, a.attnum
        """,
        {"types": list(CORE)},
    )


@dataclass
class Group:
    """Tables that change together, in one transaction."""

    tables: list[catalog.Table]  # without partitions
    columns: list[Column]
    domains: list[Domain]
    core_domains: list[Domain]  # over core types

    @property
    def root(self) -> catalog.Table:
        """The table whose name the group has."""
        return self.tables[0]

    @property
    def typed(self) -> list[Column]:
        """The columns that get another type."""
        return [c for c in self.columns if c.is_typed]

    @property
    def keys(self) -> list[catalog.KeyColumn]:
        """The same columns as modules of other moves name them."""
        return [c.key for c in self.typed]


def generated(conn: Connection, group: Group) -> list[tuple[int, str, str]]:
    """Returns table, name and expression of each generated column that depends on columns of a group, or on kid."""
    # An expression also depends on its own column.
    touched = [c for c in group.columns if c.is_typed or c.generated]
    return [
        (row[0], row[1], row[2])
        for row in conn.execute(
            """
            SELECT DISTINCT a.attrelid, a.attname::text, pg_get_expr(f.adbin, f.adrelid)
              FROM pg_attribute AS a JOIN pg_attrdef AS f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
                   JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid
                   JOIN unnest(%s::oid[], %s::int[]) AS c (tab, num) ON d.refobjid = c.tab AND d.refobjsubid = c.num
             WHERE a.attgenerated <> '' AND a.attinhcount = 0
            """,
            ([c.table for c in touched], [c.number for c in touched]),
        ).fetchall()
    ]


@dataclass
class Plan:
    """The tables that leave, on one connection."""

    conn: Connection
    kid: Kid
    groups: list[Group]
    uses: list[Use]
    rewriter: Rewriter
    attributes: list[Attribute]
    read_tables: dict[int, catalog.Table] = field(default_factory=dict)

    def table(self, oid: int) -> catalog.Table:
        """Returns a table by its OID."""
        if oid not in self.read_tables:
            self.read_tables[oid] = catalog.tables(self.conn, [oid])[0]
        return self.read_tables[oid]

    def without_counterpart(self, catalog_name: str, oid: int) -> list[str]:
        """Returns what an object uses of kid that nothing takes the place of."""
        return [u.member for u in self.uses if (u.catalog, u.oid) == (catalog_name, oid) and not u.has_counterpart]

    def made(self, group: Group) -> list[hanging.Made]:
        """Returns what hangs on the columns that change, and on tables that are created again.

        Generated columns and publications are another matter.
        """
        rows = self.conn.execute(
            "SELECT a.attrelid, a.attnum, a.attname::text FROM pg_attribute AS a WHERE a.attrelid = ANY (%(tabs)s)"
            " AND a.attnum > 0 AND NOT a.attisdropped UNION ALL SELECT t, 0, '' FROM unnest(%(tabs)s::oid[]) AS t",
            {"tabs": self.rebuilt(group)},
        ).fetchall()
        more = [catalog.KeyColumn(table, number, name, "", table, number) for table, number, name in rows]
        keys = [*group.keys, *(key for key in more if key not in group.keys)]
        return hanging.hanging(self.conn, keys, others=("pg_attrdef", "pg_publication_rel"))

    def rebuilt(self, group: Group) -> list[int]:
        """Returns the partitioned tables of trees partitioned by a column whose type changes, parents first."""
        keys = [c.table for c in group.typed if c.is_key]
        rows = self.conn.execute(
            "SELECT p.relid::oid FROM unnest(%s::oid[]) AS t (oid), pg_partition_tree(pg_partition_root(t.oid)) AS p"
            " WHERE NOT p.isleaf GROUP BY p.relid ORDER BY min(p.level), 1",
            (keys,),
        ).fetchall()
        return [row[0] for row in rows]

    def family(self, group: Group) -> list[catalog.Table]:
        """Returns the tables of a group with their partitions."""
        return catalog.family(self.conn, [t.oid for t in group.tables])

    def of_kid(self, catalog_name: str, oid: int) -> bool:
        """Returns whether an object depends on kid."""
        return any((u.catalog, u.oid) == (catalog_name, oid) for u in self.uses)


class Sets:
    """Sets of tables that are joined two by two. A negative number stands for a domain."""

    def __init__(self) -> None:
        self.parent: dict[int, int] = {}

    def find(self, one: int) -> int:
        """Returns the table that stands for a set."""
        while self.parent.setdefault(one, one) != one:
            one = self.parent[one]
        return one

    def join(self, one: int, other: int) -> None:
        """Joins two sets."""
        a, b = self.find(one), self.find(other)
        self.parent[max(a, b)] = min(a, b)


def read_plan(conn: Connection, names: Optional[Sequence[str]]) -> Plan:
    """Reads which tables leave: those with these names and what is linked with them, or all of the session's role."""
    kid = read_kid(conn)
    found, layers, depending = columns(conn), domains(conn), uses(conn)
    sets = join_tables(conn, found, layers, depending)
    wanted: list[int] = []
    if names is None:
        user = one(conn, "SELECT current_user")
        everything = catalog.tables(conn, sorted(t for t in sets.parent if t > 0))
        wanted = sorted({sets.find(t.oid) for t in everything if t.owner == user})
    for name in names or []:
        oid = catalog.table(conn, name).oid
        if oid in sets.parent:
            wanted.append(sets.find(oid))
    groups = []
    for mark in dict.fromkeys(wanted):
        members = [t for t in list(sets.parent) if t > 0 and sets.find(t) == mark]
        groups.append(group_of(conn, members, found, layers, names))
    return Plan(conn, kid, groups, depending, Rewriter(conn, kid), attributes(conn) if names is None else [])


def group_of(
    conn: Connection,
    members: Iterable[int],
    found: Sequence[Column],
    layers: Sequence[Domain],
    names: Optional[Sequence[str]],
) -> Group:
    """Returns the group of some tables. The first that the user named comes first."""
    oids = set(members)
    all_tables = catalog.tables(conn, sorted(oids))
    first = [catalog.table(conn, name).oid for name in names or []]
    tops = [t for t in all_tables if not t.is_partition]
    tops.sort(key=lambda t: (first.index(t.oid) if t.oid in first else len(first), t.oid))
    mine = [c for c in found if c.table in oids]
    used = {c.domain for c in mine} | {c.maker for c in mine}
    for domain in reversed(layers):
        if domain.oid in used:
            used.add(domain.parent)
    all_domains = [d for d in layers if d.oid in used]
    return Group(tops, mine, [d for d in all_domains if d.base], [d for d in all_domains if not d.base])


def join_tables(conn: Connection, found: Sequence[Column], layers: Sequence[Domain], depending: Sequence[Use]) -> Sets:
    """Joins tables that have to change together: by foreign keys, inheritance, domains, and views that use kid."""
    sets = Sets()
    typed = {(c.table, c.number) for c in found if c.is_typed}
    for use in depending:
        if use.catalog in ("pg_trigger", "pg_constraint") and use.relation:
            sets.find(use.relation)
    above = {d.oid: d.parent or d.oid for d in layers}
    for column in found:
        sets.find(column.table)
        if column.domain:
            domain = column.domain
            while above[domain] != domain:
                domain = above[domain]
            sets.join(column.table, -domain)
        if column.maker:
            sets.join(column.table, -column.maker)
    for child, parent, numbers, others in conn.execute(
        "SELECT conrelid, confrelid, conkey::int[], confkey::int[] FROM pg_constraint WHERE contype = 'f'"
    ).fetchall():
        if any((child, n) in typed for n in numbers) or any((parent, n) in typed for n in others):
            sets.join(child, parent)
    join_family(conn, sets)
    return sets


def join_family(conn: Connection, sets: Sets) -> None:
    """Joins tables with those that they inherit from, as partitions do."""
    for child, parent in conn.execute(
        "SELECT i.inhrelid, i.inhparent FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
        " WHERE c.relkind IN ('r', 'p', 'f')"
    ).fetchall():
        if child in sets.parent or parent in sets.parent:
            sets.join(child, parent)
