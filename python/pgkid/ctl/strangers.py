"""Code of other roles, which must not run with the rights of this one.

Restoring a dump runs code: an index folds constants, a literal of a type with a domain in it is checked, and so is the
first value of an aggregate. In the source that code has the rights of whoever made the object, and in a copy those of
the role that restores. So what calls a function of another role, or uses a domain of another role that has a CHECK, is
left out of a copy, unless it belongs to this role, which then runs it anyway.
"""
from __future__ import annotations

from typing import Iterator, Sequence

from pgkid.ctl.catalog import ColumnAddress
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding, Report
from pgkid.ctl.made import Made
from pgkid.ctl.objects import Address


LEFT_OUT = """
    WITH RECURSIVE
    own AS (
        SELECT d.classid, d.objid
          FROM pg_shdepend AS d JOIN pg_roles AS r ON d.refclassid = 'pg_authid'::regclass AND r.oid = d.refobjid
               JOIN pg_database AS b ON b.oid = d.dbid AND b.datname = current_database()
         WHERE d.deptype = 'o' AND r.rolname = current_user
        UNION
        SELECT d.classid, d.objid
          FROM own AS o JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (o.classid, o.objid)
         WHERE d.deptype IN ('a', 'i')
               -- A trigger has no owner. A role that may create one on the table may have created this one.
               AND NOT EXISTS (SELECT FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
                                      JOIN pg_roles AS r ON r.oid = p.proowner
                                WHERE (d.classid, d.objid) = ('pg_trigger'::regclass, t.oid)
                                      AND NOT (r.rolsuper OR pg_has_role(r.oid, current_user, 'MEMBER'))
                                      AND has_table_privilege(r.oid, t.tgrelid, 'TRIGGER'))),
    -- What objects of this role call and consist of; not tables and views that they read
    chosen AS (
        SELECT * FROM own
        UNION
        SELECT x.* FROM chosen AS c, LATERAL (
            SELECT d.refclassid, d.refobjid FROM pg_depend AS d LEFT JOIN pg_class AS r
                   ON d.refclassid = 'pg_class'::regclass AND r.oid = d.refobjid
             WHERE (d.classid, d.objid) = (c.classid, c.objid) AND coalesce(r.relkind = 'c', true)
            UNION ALL
            SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k
             WHERE c.classid = 'pg_type'::regclass AND k.contypid = c.objid) AS x (classid, objid)),
    used AS (
        SELECT 'pg_proc'::regclass::oid AS classid, p.oid AS objid
          FROM pg_proc AS p JOIN pg_roles AS r ON r.oid = p.proowner
         WHERE NOT r.rolsuper AND r.rolname <> current_user
               -- The owner of kid in plain SQL, whose functions keys call, is accepted by name.
               AND NOT EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = 'kid' AND n.nspowner = r.oid
                                      AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid'))
               AND NOT EXISTS (SELECT FROM chosen AS c
                                WHERE (c.classid, c.objid) = ('pg_proc'::regclass, p.oid))
        UNION
        -- PostgreSQL's own functions can do harm: set_config() changes what all later statements of a restore mean.
        SELECT 'pg_constraint'::regclass::oid, k.oid
          FROM pg_constraint AS k JOIN pg_type AS t ON t.oid = k.contypid JOIN pg_roles AS r ON r.oid = t.typowner
         WHERE NOT r.rolsuper AND r.rolname <> current_user
               AND NOT EXISTS (SELECT FROM pg_namespace AS n WHERE n.nspname = 'kid' AND n.nspowner = r.oid
                                      AND NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid'))
               AND NOT EXISTS (SELECT FROM chosen AS c
                                WHERE (c.classid, c.objid) = ('pg_constraint'::regclass, k.oid))
        UNION
        SELECT x.* FROM used AS u, LATERAL (
            SELECT d.classid, d.objid FROM pg_depend AS d
             WHERE (d.refclassid, d.refobjid) = (u.classid, u.objid) AND d.deptype <> 'e'
            UNION ALL
            -- A CHECK, a default or a query is created with its table, type or view.
            SELECT d.refclassid, d.refobjid FROM pg_depend AS d
             WHERE (d.classid, d.objid) = (u.classid, u.objid) AND d.deptype IN ('a', 'i')
                   AND d.refclassid IN ('pg_class'::regclass, 'pg_type'::regclass)
                   AND u.classid IN ('pg_constraint'::regclass, 'pg_attrdef'::regclass, 'pg_rewrite'::regclass))
            AS x (classid, objid)
         WHERE NOT EXISTS (SELECT FROM own AS o WHERE (o.classid, o.objid) = (x.classid, x.objid)))
    SELECT u.classid::int8, u.objid::int8, o.rolname,
           CASE WHEN r.relkind IN ('r', 'p', 'v', 'm') THEN pg_describe_object(u.classid, u.objid, 0) END
      FROM used AS u LEFT JOIN pg_proc AS p ON u.classid = 'pg_proc'::regclass AND p.oid = u.objid
           LEFT JOIN pg_constraint AS k ON u.classid = 'pg_constraint'::regclass AND k.oid = u.objid
           LEFT JOIN pg_type AS t ON t.oid = k.contypid
           LEFT JOIN pg_roles AS o ON o.oid = coalesce(p.proowner, t.typowner)
                                      AND NOT o.rolsuper AND o.rolname <> current_user
           LEFT JOIN pg_class AS r ON u.classid = 'pg_class'::regclass AND r.oid = u.objid
     ORDER BY 4
"""


def left_out(source: Connection, report: Report) -> set[Address]:
    """Returns what must not be copied, and reports the tables and views among it."""
    found = source.execute(LEFT_OUT, ()).fetchall()
    owners = sorted({owner for _class, _oid, owner, _label in found if owner})
    relations = [label for _class, _oid, _owner, label in found if label]
    if relations:
        report.add(
            "not copied",
            ", ".join(relations),
            f"use functions or domains of {', '.join(owners)}, whose code would run with the rights of this role",
        )
    return {Address(catalog, oid) for catalog, oid, _owner, _label in found}


# Objects, functions and operators that they call, and others of the same names that another role has created
OVERLOADS = """
    WITH objects (class, oid) AS (
        SELECT d.classid, d.objid FROM unnest(%(tables)s::oid[], %(numbers)s::int[]) AS c (tab, num)
               JOIN pg_depend AS d ON (d.refclassid, d.refobjid, d.refobjsubid) = ('pg_class'::regclass, c.tab, c.num)
        UNION SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint AS k
               WHERE k.contypid = ANY (%(domains)s::oid[])
        UNION SELECT 'pg_type'::regclass, unnest(%(domains)s::oid[])
        UNION SELECT 'pg_rewrite'::regclass, r.oid FROM pg_rewrite AS r WHERE r.ev_class = ANY (%(views)s::oid[])),
    called (class, oid, label) AS (
        SELECT d.refclassid, d.refobjid, min(pg_describe_object(o.class, o.oid, 0))
          FROM objects AS o JOIN pg_depend AS d ON (d.classid, d.objid) = (o.class, o.oid) GROUP BY 1, 2),
    others (class, oid, name, owner) AS (
        SELECT 'pg_proc'::regclass, p.oid, x.oid::regprocedure::text, x.proowner
          FROM pg_proc AS p JOIN pg_proc AS x
               ON (x.proname, x.pronamespace) = (p.proname, p.pronamespace) AND x.proowner <> p.proowner
         WHERE p.pronargs > 0  -- No other function fits a call without arguments better.
        UNION ALL
        SELECT 'pg_operator'::regclass, p.oid, x.oid::regoperator::text, x.oprowner
          FROM pg_operator AS p JOIN pg_operator AS x
               ON (x.oprname, x.oprnamespace) = (p.oprname, p.oprnamespace) AND x.oprowner <> p.oprowner)
    SELECT c.label, pg_describe_object(c.class, c.oid, 0), x.name, r.rolname
      FROM called AS c JOIN others AS x ON (x.class, x.oid) = (c.class, c.oid) JOIN pg_roles AS r ON r.oid = x.owner
     WHERE NOT r.rolsuper AND r.rolname <> current_user ORDER BY 1, 2, 3"""


def of_overloads(
    conn: Connection, made: Sequence[Made], columns: Sequence[ColumnAddress], domains: Sequence[int]
) -> Iterator[Finding]:
    """Yields what is made again from its text, also by PostgreSQL, and could call code of another role then.

    These are domains, views, and all that depends on columns. PostgreSQL chooses among the functions of a name by the
    types of the arguments. These types change, or somebody can have created a function since that fits better.
    """
    given = {
        "tables": [column.table for column in columns],
        "numbers": [column.number for column in columns],
        "views": [m.oid for m in made if m.catalog == "view"],
        "domains": list(domains),
    }
    for label, called, other, owner in conn.execute(OVERLOADS, given).fetchall():
        yield Finding(
            "rights",
            label,
            f"is made again and calls {called}, in the place of which PostgreSQL could choose {other} of {owner}",
            hint="Drop that, give it another name or, if you trust it, give it to this role.",
            stops=True,
        )


# The trees of an object that is made again
TREES = """
    SELECT m.label, m.owner, t.tree
      FROM unnest(%s::text[], %s::text[], %s::text[], %s::oid[]) AS m (label, owner, catalog, oid), LATERAL (
               SELECT concat(r.ev_action, r.ev_qual) FROM pg_rewrite AS r
                WHERE m.catalog = 'pg_rewrite' AND r.oid = m.oid
                      OR m.catalog = 'view' AND r.ev_class = m.oid AND r.rulename = '_RETURN'
               UNION ALL SELECT f.adbin::text FROM pg_attrdef AS f WHERE m.catalog = 'pg_attrdef' AND f.oid = m.oid
               UNION ALL SELECT concat(p.polqual, p.polwithcheck) FROM pg_policy AS p
                          WHERE m.catalog = 'pg_policy' AND p.oid = m.oid
               UNION ALL SELECT g.tgqual::text FROM pg_trigger AS g WHERE m.catalog = 'pg_trigger' AND g.oid = m.oid
               UNION ALL SELECT s.stxexprs::text FROM pg_statistic_ext AS s
                          WHERE m.catalog = 'pg_statistic_ext' AND s.oid = m.oid
               UNION ALL SELECT concat(i.indexprs, i.indpred) FROM pg_index AS i
                                LEFT JOIN pg_constraint AS k ON k.conindid = i.indexrelid
                          WHERE m.catalog = 'pg_class' AND i.indexrelid = m.oid
                                OR m.catalog = 'pg_constraint' AND k.oid = m.oid) AS t (tree)
     WHERE m.owner <> current_user"""

LITERALS = f"""
    WITH RECURSIVE trees AS ({TREES}),
    types (label, type) AS (
        SELECT t.label, c.type[1]::oid FROM trees AS t, regexp_matches(t.tree, ':consttype (\\d+)', 'g') AS c (type)
        UNION
        SELECT t.label, x.type
          FROM types AS t JOIN pg_type AS y ON y.oid = t.type, LATERAL (
                   SELECT nullif(y.typelem, 0) UNION ALL SELECT nullif(y.typbasetype, 0)
                   UNION ALL SELECT a.atttypid FROM pg_attribute AS a
                              WHERE a.attrelid = y.typrelid AND a.attnum > 0 AND NOT a.attisdropped
                   UNION ALL SELECT r.rngsubtype FROM pg_range AS r
                              WHERE y.oid IN (r.rngtypid, r.rngmultitypid)) AS x (type)
         WHERE x.type IS NOT NULL)
    SELECT DISTINCT t.label, CASE d.typtype WHEN 'd' THEN 'domain ' ELSE 'type ' END || d.oid::regtype, o.rolname
      FROM types AS t JOIN pg_type AS d ON d.oid = t.type JOIN pg_roles AS o ON o.oid = d.typowner
     -- Its owner can give it a CHECK, or an attribute that has one, at any time.
     WHERE d.typtype IN ('d', 'c') AND NOT o.rolsuper AND o.rolname <> current_user ORDER BY 1, 2"""


def of_literals(conn: Connection, made: Sequence[Made]) -> Iterator[Finding]:
    """Yields objects that are to be made again, and whose creation could run code of another role.

    PostgreSQL reads a literal when it reads a definition, and checks it then if its type contains a domain.
    """
    given = [[m.object.label for m in made], [m.owner for m in made], [m.catalog for m in made], [m.oid for m in made]]
    for label, kind, owner in conn.execute(LITERALS, given).fetchall():
        yield Finding(
            "rights",
            label,
            f"must be made again, and has a literal of {kind}, whose code would run with the rights of this role",
            hint=f"Drop it before the swap, or let {owner} take the literal out of it.",
            stops=True,
        )
