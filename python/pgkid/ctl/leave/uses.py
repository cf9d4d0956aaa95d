"""What kid has in a database, and what depends on it.

The members are the objects of the extensions kid, kid_seal and kid_workers or, where kid is in plain SQL, those of its
schemas. Each use is of one member, which decides whether something takes its place without kid. Unlike dependents.py,
which finds what keeps PostgreSQL from dropping an object, this also finds what PostgreSQL would drop with a member, and
does not look for what depends on that in turn.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.kid import CORE, home_of


# In which texts sort as the IDs did
COLLATION = ' COLLATE pg_catalog."C"'


def declaration(base: str, is_array: bool = False) -> str:
    """Returns the core type that takes the place of a type of kid's, as columns and domains are declared."""
    core = CORE[base]
    return core + "[]" * is_array + (COLLATION if core == "text" else "")


# What the queries about uses of kid get: its types that become core types, and patterns of the names of its functions
PARAMETERS = {
    "types": list(CORE),
    "of_type": "_(in|out|recv|send|typanalyze)$",  # that PostgreSQL calls for a type, and for the domains over it
    "of_integer": "_from_(integer|smallint)$",  # that cast integers, which core types need no function for
}

# Of kid in plain SQL
SCHEMAS = ("kid", "kid_clocks", "kid_workers", "kid_seal", "kid_seal_internal")

MEMBERS = f"""
    WITH kid (plain, homes) AS (
        SELECT NOT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid'),
               ARRAY(SELECT n.oid FROM pg_namespace AS n WHERE n.nspname IN {SCHEMAS})),
    given (classid, objid) AS MATERIALIZED (
        SELECT d.classid, d.objid FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
         WHERE d.deptype = 'e' AND d.refclassid = 'pg_extension'::regclass
               AND e.extname IN ('kid', 'kid_seal', 'kid_workers')
        UNION ALL
        SELECT 'pg_proc'::regclass, p.oid FROM kid, pg_proc AS p
         WHERE kid.plain AND p.pronamespace = ANY (kid.homes)
        UNION ALL
        SELECT 'pg_type'::regclass, t.oid FROM kid, pg_type AS t
         WHERE kid.plain AND t.typnamespace = ANY (kid.homes)
        UNION ALL
        SELECT 'pg_class'::regclass, c.oid FROM kid, pg_class AS c
         WHERE kid.plain AND c.relnamespace = ANY (kid.homes)
        UNION ALL
        SELECT 'pg_operator'::regclass, o.oid FROM kid, pg_operator AS o
         WHERE kid.plain AND o.oprnamespace = ANY (kid.homes)),
    members (classid, objid) AS MATERIALIZED (
        SELECT * FROM given
        UNION
        SELECT 'pg_type'::regclass, t.typarray FROM given AS g JOIN pg_type AS t ON t.oid = g.objid
         WHERE g.classid = 'pg_type'::regclass AND t.typarray <> 0)
"""

# Each object that depends on a member, with the relation or type that it belongs to. What belongs to members is left
# out, and so are triggers of partitions, which come and go with those of the parent.
DEPENDENTS = (
    MEMBERS
    + """,
    found AS (
        SELECT DISTINCT d.classid, d.objid, d.objsubid, d.refclassid, d.refobjid,
               CASE d.classid WHEN 'pg_class'::regclass THEN coalesce(i.indrelid, d.objid)
                              ELSE coalesce(w.ev_class, f.adrelid, nullif(k.conrelid, 0), t.tgrelid, p.polrelid,
                                  s.stxrelid)
               END AS relation, coalesce(nullif(k.contypid, 0), y.oid) AS type, a.amopfamily AS family,
               coalesce(t.tgparentid, 0) <> 0 AS is_part
          FROM members AS m JOIN pg_depend AS d ON (d.refclassid, d.refobjid) = (m.classid, m.objid)
               LEFT JOIN pg_index AS i ON d.classid = 'pg_class'::regclass AND i.indexrelid = d.objid
               LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
               LEFT JOIN pg_attrdef AS f ON d.classid = 'pg_attrdef'::regclass AND f.oid = d.objid
               LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
               LEFT JOIN pg_trigger AS t ON d.classid = 'pg_trigger'::regclass AND t.oid = d.objid
               LEFT JOIN pg_policy AS p ON d.classid = 'pg_policy'::regclass AND p.oid = d.objid
               LEFT JOIN pg_statistic_ext AS s ON d.classid = 'pg_statistic_ext'::regclass AND s.oid = d.objid
               LEFT JOIN pg_type AS y ON d.classid = 'pg_type'::regclass AND y.oid = d.objid
               LEFT JOIN (SELECT 'pg_amop'::regclass, oid, amopfamily FROM pg_amop
                          UNION ALL SELECT 'pg_amproc'::regclass, oid, amprocfamily FROM pg_amproc)
                      AS a (class, oid, amopfamily) ON (a.class, a.oid) = (d.classid, d.objid)
         WHERE d.deptype IN ('n', 'a') AND (d.classid, d.objid) NOT IN (SELECT * FROM members)),
    dependents AS MATERIALIZED (
        SELECT * FROM found AS f
         WHERE NOT EXISTS (SELECT FROM members AS m WHERE (m.classid, m.objid) IN (
                               ('pg_class'::regclass, f.relation), ('pg_type'::regclass, f.type),
                               ('pg_opfamily'::regclass, f.family)))
               AND NOT f.is_part
               AND NOT EXISTS (SELECT FROM pg_depend AS i WHERE i.deptype = 'e' AND i.classid = f.classid
                                                                AND i.objid = f.objid))
"""
)


@dataclass(frozen=True)
class Use:
    """An object, and what of kid it depends on."""

    catalog: str
    oid: int
    number: int
    relation: Optional[int]  # that it belongs to, or is
    type: Optional[int]  # that it belongs to, or is
    object: str
    member: str
    has_counterpart: bool  # kidctl knows what the member becomes


def uses(conn: Connection) -> list[Use]:
    """Returns all that depends on kid, ordered by object.

    Types and operator classes become core types' own, as do comparisons of two IDs, min() and max(). Casts from
    integers are needless. Nothing else has a counterpart.
    """
    return read(
        conn,
        Use,
        DEPENDENTS
        + """
        SELECT d.classid::regclass::text AS catalog, d.objid AS oid, d.objsubid AS number, d.relation::oid, d.type,
               CASE WHEN w.rulename = '_RETURN' THEN pg_describe_object('pg_class'::regclass, w.ev_class, 0)
                    ELSE pg_describe_object(d.classid, d.objid, d.objsubid) END AS object,
               pg_describe_object(d.refclassid, d.refobjid, 0) AS member,
               (d.refclassid = 'pg_type'::regclass AND coalesce(e.typname, y.typname) = ANY (%(types)s))
               OR (o.oprleft = o.oprright AND o.oprname IN ('<', '<=', '=', '<>', '>=', '>')
                   AND l.typname = ANY (%(types)s))
               OR (p.proname IN ('min', 'max') AND p.prokind = 'a')
               OR p.proname ~ %(of_integer)s
               OR d.refclassid = 'pg_opclass'::regclass
               -- Domains have the output of their base type.
               OR (d.classid = 'pg_type'::regclass AND p.proname ~ %(of_type)s)
               AS has_counterpart
          FROM dependents AS d
               LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
               LEFT JOIN pg_type AS y ON d.refclassid = 'pg_type'::regclass AND y.oid = d.refobjid
               LEFT JOIN pg_type AS e ON e.typarray = y.oid
               LEFT JOIN pg_operator AS o ON d.refclassid = 'pg_operator'::regclass AND o.oid = d.refobjid
               LEFT JOIN pg_type AS l ON l.oid = o.oprleft
               LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
         ORDER BY object, member
        """,
        PARAMETERS,
    )


@dataclass(frozen=True)
class Kid:
    """The schema of kid, as part of statements, and what its types and operator classes become."""

    home: str
    is_extension: bool
    types: dict[str, str]  # by name as PostgreSQL prints it
    classes: dict[str, str]


def read_kid(conn: Connection) -> Kid:
    """Reads what kid has in a database."""
    home = home_of(conn)
    is_extension = bool(scalar(conn, "SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'kid')"))
    types = {}
    for label, name in conn.execute(
        "SELECT t.oid::regtype::text, t.typname FROM pg_type AS t"
        " WHERE t.typnamespace = %s::regnamespace AND t.typname = ANY (%s)",
        (home, list(CORE)),
    ).fetchall():
        types[label] = CORE[name]
    classes = {}
    for label, name in conn.execute(
        "SELECT format('%%s.%%I', c.opcnamespace::regnamespace, c.opcname), c.opcname FROM pg_opclass AS c"
        " JOIN pg_type AS t ON t.oid = c.opcintype"
        " WHERE c.opcnamespace = %s::regnamespace AND t.typname = ANY (%s)",
        (home, list(CORE)),
    ).fetchall():
        kind, rest = name.split("_", 1)
        classes[label] = {"bigint": "int8", "text": "text"}.get(CORE.get(kind, ""), kind) + "_" + rest
    return Kid(home, is_extension, types, classes)
