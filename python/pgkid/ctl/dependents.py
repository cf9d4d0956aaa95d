"""What PostgreSQL names as the reason if it refuses to drop something, as pg_depend of the database has it.

A rehearsal cannot tell it: what this role may not read is not in the copy.

What depends on a part that is dropped with an object, such as the type of a table's rows, is found as well, but not the
part. leave/uses.py finds what depends on objects of kid, and says how that differs.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection


@dataclass(frozen=True)
class Dependent:
    """An object that depends on something that is to be dropped, and is not dropped with it."""

    catalog: str
    oid: int
    number: int  # of its column, or 0
    relation: Optional[int]  # that it belongs to
    label: str
    target: str  # what it depends on


def dependents(conn: Connection, catalog: str, oids: Sequence[int]) -> list[Dependent]:
    """Returns what depends on some objects of a catalog, ordered by name. Views stand for their rules."""
    return read(
        conn,
        Dependent,
        """
        WITH RECURSIVE gone (classid, objid, top) AS (
            SELECT %(catalog)s::regclass::oid, o.oid, o.oid FROM unnest(%(oids)s::oid[]) AS o (oid)
            UNION
            SELECT d.classid, d.objid, g.top
              FROM gone AS g JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (g.classid, g.objid)
             WHERE d.deptype NOT IN ('n', 'e', 'x'))
        SELECT DISTINCT d.classid::regclass::text AS catalog, d.objid AS oid, d.objsubid AS number,
               coalesce(w.ev_class, f.adrelid, nullif(k.conrelid, 0), p.polrelid, t.tgrelid, i.indrelid,
                   c.oid) AS relation,
               CASE WHEN w.rulename = '_RETURN' THEN pg_describe_object('pg_class'::regclass, w.ev_class, 0)
                    ELSE pg_describe_object(d.classid, d.objid, d.objsubid) END AS label,
               pg_describe_object(%(catalog)s::regclass, g.top, 0) AS target
          FROM gone AS g JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (g.classid, g.objid)
               LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
               LEFT JOIN pg_attrdef AS f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
               LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
               LEFT JOIN pg_policy AS p ON d.classid = 'pg_policy'::regclass AND p.oid = d.objid
               LEFT JOIN pg_trigger AS t ON d.classid = 'pg_trigger'::regclass AND t.oid = d.objid
               LEFT JOIN pg_class AS c ON d.classid = 'pg_class'::regclass AND c.oid = d.objid
               LEFT JOIN pg_index AS i ON i.indexrelid = c.oid
         WHERE d.deptype = 'n' AND (d.classid, d.objid) NOT IN (SELECT o.classid, o.objid FROM gone AS o)
               -- Those of a foreign key's parts go with it.
               AND coalesce(k.conparentid, 0) = 0
         ORDER BY label, target
        """,
        {"catalog": f"pg_catalog.{catalog}", "oids": list(oids)},
    )
