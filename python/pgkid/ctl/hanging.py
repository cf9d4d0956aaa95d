"""What hangs on columns and must be made again after they were replaced.

These are views that show the columns, views on these, rules, policies, triggers, statistics, and exclusion constraints.
Each is dropped, and made again from its original text, as made.py prints it.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

from psycopg import sql

from pgkid.ctl.catalog import ColumnAddress
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.made import Made, printed
from pgkid.ctl.operators import operators_of_kid
from pgkid.ctl.steps import Lock, Runner, Statement, raw


@dataclass(frozen=True)
class Hanging:
    """An object that hangs on the columns, as pg_depend has it. A view has the catalog `view`."""

    catalog: str
    oid: int
    number: int  # of its column, or 0


def hanging(
    conn: Connection, columns: Iterable[ColumnAddress], schema: str = "", others: Sequence[str] = ()
) -> list[Made]:
    """Returns what must be made again, in the order in which to make it. Drop it in the opposite order.

    What is in `schema`, that of the move, is left out. `others` are catalogs of which the caller takes care itself.
    Raises an error that names what cannot be made again.
    """
    wanted = list(columns)
    found: list[Made] = []
    unknown: list[str] = []
    dependents = find_dependents(conn, wanted, schema)
    views = {d.oid for d in dependents if d.catalog == "view"}
    for dependent in dependents:
        made = printed(conn, dependent.catalog, dependent.oid, views)
        if made:
            found.append(made)
        elif dependent.catalog not in others and not made_elsewhere(conn, dependent, wanted):
            unknown.append(description(conn, dependent))
    if unknown:
        raise Refused(
            "what depends on the columns cannot be made again: " + ", ".join(sorted(unknown)),
            "Drop it first, and make it again afterwards.",
        )
    return found


def description(conn: Connection, dependent: Hanging) -> str:
    """Returns how PostgreSQL calls an object that hangs on columns."""
    query = "SELECT pg_describe_object(%s::regclass, %s, %s)"
    return str(scalar(conn, query, (f"pg_catalog.{dependent.catalog}", dependent.oid, dependent.number)))


def find_dependents(conn: Connection, columns: Sequence[ColumnAddress], schema: str) -> list[Hanging]:
    """Returns all that depends on columns, also by way of views. Views themselves have the catalog `view`."""
    rows = conn.execute(
        """
        WITH RECURSIVE hanging AS (
            -- On columns, and by GROUP BY on a primary key
            SELECT d.classid, d.objid, d.objsubid, 1 AS level
              FROM unnest(%(tabs)s::oid[], %(nums)s::int[]) AS c (tab, num),
                   LATERAL (SELECT 'pg_class'::regclass, c.tab, c.num
                            UNION ALL
                            -- On the type of rows, if the number is 0
                            SELECT 'pg_type'::regclass, unnest(ARRAY[t.oid, t.typarray]), 0 FROM pg_type AS t
                             WHERE t.typrelid = c.tab AND c.num = 0
                            UNION ALL
                            SELECT 'pg_constraint'::regclass, k.oid, 0 FROM pg_constraint AS k
                             WHERE k.conrelid = c.tab AND c.num = ANY (k.conkey)) AS o (class, oid, num)
                   JOIN pg_depend AS d ON d.refclassid = o.class AND d.refobjid = o.oid AND d.refobjsubid = o.num
             WHERE d.deptype <> 'i' AND (o.class <> 'pg_constraint'::regclass OR d.classid = 'pg_rewrite'::regclass)
            UNION
            -- On whole rows. Without OFFSET 0, PostgreSQL would read the trees of all views, which takes long.
            SELECT w.classid, w.objid, w.objsubid, 1
              FROM (SELECT d.classid, d.objid, d.objsubid, r.ev_action
                      FROM pg_depend AS d JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
                     WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (%(tabs)s::oid[]) OFFSET 0) AS w
             WHERE w.ev_action::text LIKE '%%varattno 0 %%'
            UNION
            SELECT d.classid, d.objid, d.objsubid, h.level + 1
              FROM hanging AS h JOIN pg_rewrite AS r ON r.oid = h.objid JOIN pg_class AS v ON v.oid = r.ev_class
                   JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = v.oid
                                          OR d.refclassid = 'pg_type'::regclass AND d.refobjid = v.reltype
             WHERE h.classid = 'pg_rewrite'::regclass AND r.rulename = '_RETURN'
                   AND d.deptype <> 'i' AND (d.classid, d.objid) <> (h.classid, h.objid))
        SELECT x.relname AS catalog, h.objid, h.objsubid, max(h.level), 2 AS rank
          FROM hanging AS h JOIN pg_class AS x ON x.oid = h.classid GROUP BY 1, 2, 3
        UNION ALL
        SELECT 'view', r.ev_class, 0, max(h.level), 1
          FROM hanging AS h JOIN pg_rewrite AS r ON r.oid = h.objid JOIN pg_class AS v ON v.oid = r.ev_class
         WHERE h.classid = 'pg_rewrite'::regclass AND r.rulename = '_RETURN'
               AND v.relnamespace IS DISTINCT FROM to_regnamespace(quote_ident(%(schema)s)) GROUP BY r.ev_class
         -- Views come first, those that others show before these.
         ORDER BY rank, 4, 1, 2, 3
        """,
        {"tabs": [c.table for c in columns], "nums": [c.number for c in columns], "schema": schema},
    ).fetchall()
    return [Hanging(*row[:3]) for row in rows]


def made_elsewhere(conn: Connection, dependent: Hanging, columns: Sequence[ColumnAddress]) -> bool:
    """Returns whether a dependent is no obstacle: the caller has its own way, or it goes with a view."""
    if dependent.catalog in ("pg_constraint", "pg_rewrite", "pg_trigger"):
        return True
    if dependent.catalog == "pg_class":
        query = "SELECT relkind IN ('i', 'I', 'S') OR relispartition FROM pg_class WHERE oid = %s"
        return bool(scalar(conn, query, (dependent.oid,)))
    if dependent.catalog == "pg_attrdef":
        row = conn.execute("SELECT adrelid, adnum FROM pg_attrdef WHERE oid = %s", (dependent.oid,)).fetchall()[0]
        return row in columns
    return False


def remove(runner: Runner, made: Sequence[Made]) -> None:
    """Drops objects that are to be made again, those first that others show."""
    for one_made in reversed(made):
        if one_made.remove:
            runner.execute(Statement(raw(one_made.remove), one_made.object))


def make(runner: Runner, home: str, made: Sequence[Made]) -> None:
    """Runs the statements that make objects again. `home` is the schema of kid."""
    with operators_of_kid(runner, home):
        for one_made in made:
            for line in one_made.make:
                runner.execute(Statement(raw(line), one_made.object))


def lock_views(made: Sequence[Made]) -> list[Lock]:
    """Returns the locks of the views among some objects, as queries do before they lock the tables.

    PostgreSQL has no statement that locks a view without its tables, but this one, which changes nothing. If the name
    is that of another view by then, or the view has another owner, the statement changes that: the proof fails.
    """
    found = []
    for one_made in reversed(made):
        if one_made.is_view:
            kind, owner = sql.SQL(one_made.object.kind.upper()), sql.Identifier(one_made.owner)
            text = sql.SQL("ALTER {} {} OWNER TO {}").format(kind, sql.SQL(one_made.view), owner)
            proof = sql.SQL(
                "SELECT c.xmin IS DISTINCT FROM pg_current_xact_id_if_assigned()::xid FROM pg_class AS c"
                " WHERE c.oid = {} AND c.oid = to_regclass({})::oid"
            ).format(one_made.oid, one_made.view)
            found.append(Lock(text, proof=proof, about=one_made.object))
    return found
