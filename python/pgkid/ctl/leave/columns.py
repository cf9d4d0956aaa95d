"""What changes when kid leaves: columns, domains and attributes of composite types that use kid."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from pgkid.ctl.catalog import ColumnAddress, read
from pgkid.ctl.connection import Connection
from pgkid.ctl.leave.uses import MEMBERS, PARAMETERS
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
    maker: Optional[int]  # the domain whose default the column has, as it has none of its own
    kind: str  # its type without domains, as PostgreSQL prints it
    generated: str
    is_top: bool  # not inherited
    is_key: bool  # of a partitioned table

    @property
    def address(self) -> ColumnAddress:
        """The table and the number of the column."""
        return ColumnAddress(self.table, self.number)


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


DOMAINS = (
    MEMBERS
    + """,
    -- The types of kid
    bases AS (SELECT t.oid, t.typname::text AS name FROM pg_type AS t JOIN members AS m ON m.objid = t.oid
               WHERE m.classid = 'pg_type'::regclass AND t.typname = ANY (%(types)s)),
    -- These types, whose depth is 0, and the domains over them, each with the domain that it is over
    layers (oid, base, parent, depth) AS (
        WITH RECURSIVE r (oid, base, parent, depth) AS (
            SELECT b.oid, b.name, NULL::oid, 0 FROM bases AS b
            UNION ALL
            SELECT t.oid, r.base, CASE WHEN r.depth > 0 THEN r.oid END, r.depth + 1
              FROM r JOIN pg_type AS t ON t.typbasetype = r.oid AND t.typtype = 'd')
        SELECT * FROM r),
    -- The domains whose default calls a function of kid. Each has a default of its own: PostgreSQL copies that of the
    -- domain that it is over, and columns have the default of their own domain.
    makers AS (SELECT DISTINCT t.oid FROM members AS m
                      JOIN pg_proc AS p ON m.classid = 'pg_proc'::regclass AND p.oid = m.objid
                                           AND p.proname !~ %(of_type)s
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
        PARAMETERS,
    )


def columns(conn: Connection) -> list[Column]:
    """Returns all columns of tables that use kid's types, or whose default, or that of their domain, depends on kid.

    Columns of kid's own tables are not among them.
    """
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
               AND NOT EXISTS (SELECT FROM members AS m WHERE (m.classid, m.objid) = ('pg_class'::regclass, c.oid))
         ORDER BY a.attrelid, a.attnum
        """,
        PARAMETERS,
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

    @property
    def object(self) -> Object:
        """The composite type as statements and findings name it."""
        return Object("type", self.schema, self.type, label=f"type {self.label}")


def attributes(conn: Connection) -> list[Attribute]:
    """Returns the attributes of the role's composite types that use kid's types."""
    return read(
        conn,
        Attribute,
        DOMAINS
        + """
        SELECT c.oid AS relation, n.nspname AS schema, c.relname AS type, t.oid::regtype::text AS label,
               a.attname AS name, l.base, a.atttypid <> l.oid AS is_array
          FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind = 'c'
               JOIN pg_type AS t ON t.oid = c.reltype JOIN pg_namespace AS n ON n.oid = c.relnamespace
               JOIN pg_type AS y ON y.oid = a.atttypid
               JOIN layers AS l ON l.oid IN (y.oid, CASE WHEN y.typcategory = 'A' THEN y.typelem END) AND l.depth = 0
         WHERE a.attnum > 0 AND NOT a.attisdropped AND pg_get_userbyid(c.relowner) = current_user
         ORDER BY n.nspname, c.relname, a.attnum
        """,
        PARAMETERS,
    )
