"""Reads the definitions that depend on some tables, as trees and as SQL."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection


@dataclass(frozen=True)
class Definition:
    """A tree of a definition. An object has several, for example the conditions USING and WITH CHECK of a policy."""

    kind: str
    object: str  # as pg_identify_object() names it
    sql: str  # as PostgreSQL prints it
    tree: str
    condition: Optional[str]  # the tree of the condition of a rule
    relation: int  # to whose columns the tree refers, or 0
    number: int  # of the column whose value this is, or 0
    is_copy: bool  # of a partition, and the same as that of its parent


# Everything that depends on the tables, directly or through others. A view depends on a table by its rule _RETURN, and
# a function on the row type of a table.
REACHED = """
    WITH RECURSIVE reached (class, object) AS (
        SELECT 'pg_catalog.pg_class'::regclass::oid, t.oid FROM unnest(%(tables)s::oid[]) AS t (oid)
        UNION
        SELECT n.class, n.object
          FROM reached AS r, LATERAL (
                   SELECT d.classid, d.objid FROM pg_catalog.pg_depend AS d
                    WHERE d.refclassid = r.class AND d.refobjid = r.object
                   UNION ALL
                   SELECT 'pg_catalog.pg_class'::regclass, w.ev_class FROM pg_catalog.pg_rewrite AS w
                    WHERE r.class = 'pg_catalog.pg_rewrite'::regclass AND w.oid = r.object AND w.rulename = '_RETURN')
               AS n (class, object)
    )"""

RELATIONS = REACHED + "SELECT object FROM reached WHERE class = 'pg_catalog.pg_class'::regclass"

# What a partition has from its parent is told of the parent alone. A generated column of a partition may still be used
# by what only the partition has, so its definition is read, and marked as a copy.
DEFINITIONS = (
    REACHED
    + """,
    here AS (SELECT object AS oid FROM reached WHERE class = 'pg_catalog.pg_class'::regclass),
    domains AS (
        SELECT a.atttypid AS oid, a.attrelid, a.attnum
          FROM unnest(%(tables)s::oid[], %(numbers)s::int[]) AS k (tab, num)
               JOIN pg_catalog.pg_attribute AS a ON a.attrelid = k.tab AND a.attnum = k.num
        UNION
        SELECT t.typbasetype, d.attrelid, d.attnum FROM domains AS d
               JOIN pg_catalog.pg_type AS t ON t.oid = d.oid AND t.typtype = 'd'
    ),
    found (kind, class, oid, sql, tree, condition, relation, number) AS (
        SELECT CASE WHEN w.rulename = '_RETURN' THEN 'view' ELSE 'rule' END,
               CASE WHEN w.rulename = '_RETURN' THEN 'pg_catalog.pg_class'::regclass ELSE 'pg_catalog.pg_rewrite' END,
               CASE WHEN w.rulename = '_RETURN' THEN w.ev_class ELSE w.oid END,
               CASE WHEN w.rulename = '_RETURN' THEN pg_catalog.pg_get_viewdef(w.ev_class)
                    ELSE pg_catalog.pg_get_ruledef(w.oid) END,
               w.ev_action::text, w.ev_qual::text, w.ev_class, 0
          FROM pg_catalog.pg_rewrite AS w
         WHERE w.ev_class IN (SELECT oid FROM here)
               OR w.oid IN (SELECT object FROM reached WHERE class = 'pg_catalog.pg_rewrite'::regclass)
        UNION ALL
        SELECT 'policy', 'pg_catalog.pg_policy', p.oid,
               v.word || ' (' || pg_catalog.pg_get_expr(v.tree, p.polrelid) || ')',
               v.tree::text, NULL, p.polrelid, 0
          FROM pg_catalog.pg_policy AS p,
               LATERAL (VALUES ('USING', p.polqual), ('WITH CHECK', p.polwithcheck)) AS v (word, tree)
         WHERE p.polrelid IN (SELECT oid FROM here)
               OR p.oid IN (SELECT object FROM reached WHERE class = 'pg_catalog.pg_policy'::regclass)
        UNION ALL
        SELECT 'constraint', 'pg_catalog.pg_constraint', k.oid, pg_catalog.pg_get_constraintdef(k.oid), k.conbin::text,
               NULL, k.conrelid, 0
          FROM pg_catalog.pg_constraint AS k JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid
         WHERE k.conrelid IN (SELECT oid FROM here) AND NOT (c.relispartition AND k.coninhcount > 0)
        UNION ALL
        SELECT 'domain', 'pg_catalog.pg_constraint', k.oid, pg_catalog.pg_get_constraintdef(k.oid), k.conbin::text,
               NULL, 0, 0
          FROM pg_catalog.pg_constraint AS k WHERE k.contypid IN (SELECT oid FROM domains)
        UNION ALL
        SELECT 'default', 'pg_catalog.pg_type', t.oid, 'DEFAULT ' || pg_catalog.pg_get_expr(t.typdefaultbin, 0),
               t.typdefaultbin::text, NULL, d.attrelid, d.attnum
          FROM domains AS d JOIN pg_catalog.pg_type AS t ON t.oid = d.oid AND t.typtype = 'd'
         WHERE NOT EXISTS (SELECT FROM pg_catalog.pg_attrdef AS a WHERE a.adrelid = d.attrelid AND a.adnum = d.attnum)
        UNION ALL
        SELECT 'index',
               CASE WHEN k.oid IS NULL THEN 'pg_catalog.pg_class'::regclass ELSE 'pg_catalog.pg_constraint' END,
               coalesce(k.oid, i.indexrelid),
               coalesce(pg_catalog.pg_get_constraintdef(k.oid), pg_catalog.pg_get_indexdef(i.indexrelid)),
               v.tree::text, NULL, i.indrelid, 0
          FROM pg_catalog.pg_index AS i
               JOIN pg_catalog.pg_class AS c ON c.oid = i.indexrelid AND NOT c.relispartition
               LEFT JOIN pg_catalog.pg_constraint AS k ON k.conindid = i.indexrelid AND k.contype = 'x',
               LATERAL (VALUES (i.indexprs), (i.indpred)) AS v (tree)
         WHERE i.indrelid IN (SELECT oid FROM here)
        UNION ALL
        SELECT 'trigger', 'pg_catalog.pg_trigger', t.oid, pg_catalog.pg_get_triggerdef(t.oid), t.tgqual::text,
               NULL, t.tgrelid, 0
          FROM pg_catalog.pg_trigger AS t
         WHERE t.tgrelid IN (SELECT oid FROM here) AND NOT t.tgisinternal AND t.tgparentid = 0
        UNION ALL
        SELECT 'statistics', 'pg_catalog.pg_statistic_ext', s.oid, pg_catalog.pg_get_statisticsobjdef(s.oid),
               s.stxexprs::text,
               NULL, s.stxrelid, 0
          FROM pg_catalog.pg_statistic_ext AS s WHERE s.stxrelid IN (SELECT oid FROM here)
        UNION ALL
        SELECT CASE WHEN a.attgenerated = '' THEN 'default' ELSE 'generated' END, 'pg_catalog.pg_attrdef', d.oid,
               CASE WHEN a.attgenerated = '' THEN 'DEFAULT ' ELSE 'GENERATED ALWAYS AS ' END
               || pg_catalog.pg_get_expr(d.adbin, d.adrelid), d.adbin::text, NULL, d.adrelid, d.adnum
          FROM pg_catalog.pg_attrdef AS d
               JOIN pg_catalog.pg_attribute AS a ON a.attrelid = d.adrelid AND a.attnum = d.adnum
         WHERE d.adrelid IN (SELECT oid FROM here)
        UNION ALL
        SELECT 'publication', 'pg_catalog.pg_publication_rel', r.oid,
               'WHERE (' || pg_catalog.pg_get_expr(r.prqual, r.prrelid) || ')', r.prqual::text, NULL, r.prrelid, 0
          FROM pg_catalog.pg_publication_rel AS r WHERE r.prrelid IN (SELECT oid FROM here)
        UNION ALL
        SELECT 'function', 'pg_catalog.pg_proc', p.oid, pg_catalog.pg_get_functiondef(p.oid), p.prosqlbody::text,
               NULL, 0, 0
          FROM pg_catalog.pg_proc AS p
         WHERE p.oid IN (SELECT object FROM reached WHERE class = 'pg_catalog.pg_proc'::regclass) AND p.prokind <> 'a'
        UNION ALL
        SELECT 'partition key', 'pg_catalog.pg_class', p.partrelid, pg_catalog.pg_get_partkeydef(p.partrelid),
               p.partexprs::text, NULL, p.partrelid, 0
          FROM pg_catalog.pg_partitioned_table AS p WHERE p.partrelid IN (SELECT oid FROM here)
    )
    SELECT f.kind, i.type || ' ' || i.identity AS object, f.sql, f.tree, f.condition, f.relation, f.number,
           f.number > 0 AND EXISTS (
               SELECT FROM pg_catalog.pg_inherits AS h
                      JOIN pg_catalog.pg_attribute AS a ON a.attrelid = f.relation AND a.attnum = f.number
                      JOIN pg_catalog.pg_attribute AS b ON b.attrelid = h.inhparent AND b.attname = a.attname
                      JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = b.attrelid AND d.adnum = b.attnum
                      JOIN LATERAL pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS e ON true
                WHERE h.inhrelid = f.relation AND f.sql IN ('DEFAULT ' || e, 'GENERATED ALWAYS AS ' || e)) AS is_copy
      FROM found AS f, LATERAL pg_catalog.pg_identify_object(f.class, f.oid, 0) AS i
     WHERE f.tree IS NOT NULL
     ORDER BY f.kind, i.identity, f.sql"""
)


def relations(conn: Connection, tables: Sequence[int]) -> list[int]:
    """Returns the tables, views and other relations that depend on some tables, and these."""
    return [row[0] for row in conn.execute(RELATIONS, {"tables": list(tables)})]


def definitions(conn: Connection, columns: Sequence[tuple[int, int]]) -> list[Definition]:
    """Returns the definitions in which some columns can stand, given as OID of the table and number of the column."""
    parameters = {"tables": [table for table, _ in columns], "numbers": [number for _, number in columns]}
    return read(conn, Definition, DEFINITIONS, parameters)


@dataclass(frozen=True)
class Bounds:
    """The bounds of a partition, and the columns or expressions by which its parent is partitioned"""

    object: str
    sql: str
    tree: str
    parent: int
    numbers: list[int]  # 0 stands for the next expression
    expressions: Optional[str]


BOUNDS = """
    SELECT i.type || ' ' || i.identity AS object, pg_catalog.pg_get_expr(c.relpartbound, c.oid) AS sql,
           c.relpartbound::text AS tree, h.inhparent AS parent, p.partattrs::int2[]::int[] AS numbers,
           p.partexprs::text AS expressions
      FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_inherits AS h ON h.inhrelid = c.oid
           JOIN pg_catalog.pg_partitioned_table AS p ON p.partrelid = h.inhparent,
           LATERAL pg_catalog.pg_identify_object('pg_catalog.pg_class'::regclass, c.oid, 0) AS i
     WHERE h.inhparent = ANY (%s) AND c.relpartbound IS NOT NULL
     ORDER BY i.identity"""


def bounds(conn: Connection, parents: Sequence[int]) -> list[Bounds]:
    """Returns the bounds of the partitions of some tables."""
    return read(conn, Bounds, BOUNDS, (list(parents),))


# Objects that depend on columns, other than those whose definitions are read, and indexes, sequences and foreign keys.
OTHERS = """
    SELECT DISTINCT i.type || ' ' || i.identity
      FROM unnest(%(tables)s::oid[], %(numbers)s::int[]) AS k (tab, num)
           JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = k.tab
                                             AND d.refobjsubid = k.num,
           LATERAL pg_catalog.pg_identify_object(d.classid, d.objid, d.objsubid) AS i
     WHERE d.classid NOT IN (
               'pg_catalog.pg_class'::regclass, 'pg_catalog.pg_rewrite'::regclass, 'pg_catalog.pg_policy'::regclass,
               'pg_catalog.pg_constraint'::regclass, 'pg_catalog.pg_trigger'::regclass, 'pg_catalog.pg_proc'::regclass,
               'pg_catalog.pg_statistic_ext'::regclass, 'pg_catalog.pg_attrdef'::regclass,
               'pg_catalog.pg_publication_rel'::regclass)
     ORDER BY 1"""


def others(conn: Connection, columns: Sequence[tuple[int, int]]) -> list[str]:
    """Returns the objects of unknown kinds that depend on some columns."""
    parameters = {"tables": [table for table, _ in columns], "numbers": [number for _, number in columns]}
    return [row[0] for row in conn.execute(OTHERS, parameters)]
