"""What hangs on columns and must be made again after they were replaced.

These are views that show the columns, views on these, rules, policies, triggers, statistics, and exclusion constraints.
Each is dropped, and made again from its original text, as PostgreSQL prints it.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Optional, Sequence

from psycopg import sql

from pgkid.ctl import objects
from pgkid.ctl.catalog import KeyColumn, indexes, tables
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.details import details, extensions, of_index
from pgkid.ctl.findings import Refused
from pgkid.ctl.objects import Object
from pgkid.ctl.operators import operators_of_kid
from pgkid.ctl.steps import Lock, Runner, Statement, raw


@dataclass(frozen=True)
class Made:
    """One object that is made again. `remove` is empty if it goes with its view."""

    object: Object
    owner: str
    remove: str
    make: list[str]  # statements
    place: str = ""  # the name of a view as part of a statement
    is_filled: bool = False  # a materialized view that has to be filled after the transaction
    catalog: str = ""  # of the system, or `view`
    oid: int = 0

    @property
    def is_view(self) -> bool:
        """Whether it is a view, also a materialized one."""
        return self.object.kind in ("view", "materialized view")


@dataclass(frozen=True)
class Hanging:
    """What hangs on the columns, as pg_depend has it. A view has the catalog `view`."""

    catalog: str
    oid: int
    number: int  # of its column, or 0


def hanging(conn: Connection, columns: Sequence[KeyColumn], schema: str = "", others: Sequence[str] = ()) -> list[Made]:
    """Returns what must be made again, in the order in which to make it. Drop it in the opposite order.

    What is in `schema`, that of the move, is left out. `others` are catalogs of which the caller takes care itself.
    """
    found: list[Made] = []
    unknown: list[str] = []
    dependents = find_dependents(conn, columns, schema)
    views = {d.oid for d in dependents if d.catalog == "view"}
    for dependent in dependents:
        made = PRINTERS[dependent.catalog](conn, dependent.oid, views) if dependent.catalog in PRINTERS else None
        if made:
            found.append(replace(made, catalog=dependent.catalog, oid=dependent.oid))
        elif dependent.catalog not in others and not made_elsewhere(conn, dependent, columns):
            unknown.append(
                one(
                    conn,
                    "SELECT pg_describe_object(%s::regclass, %s, %s)",
                    (f"pg_catalog.{dependent.catalog}", dependent.oid, dependent.number),
                )
            )
    if unknown:
        raise Refused(
            "what depends on the columns cannot be made again: " + ", ".join(sorted(unknown)),
            "Drop it first, and make it again afterwards.",
        )
    return found


def find_dependents(conn: Connection, columns: Sequence[KeyColumn], schema: str) -> list[Hanging]:
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
            -- On whole rows
            SELECT d.classid, d.objid, d.objsubid, 1
              FROM pg_depend AS d JOIN pg_rewrite AS r ON d.classid = 'pg_rewrite'::regclass AND r.oid = d.objid
             WHERE d.refclassid = 'pg_class'::regclass AND d.refobjid = ANY (%(tabs)s::oid[])
                   AND r.ev_action::text LIKE '%%varattno 0 %%'
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


def made_elsewhere(conn: Connection, dependent: Hanging, columns: Sequence[KeyColumn]) -> bool:
    """Returns whether a dependent is no obstacle: the caller has its own way, or it goes with a view."""
    if dependent.catalog in ("pg_constraint", "pg_rewrite", "pg_trigger"):
        return True
    if dependent.catalog == "pg_class":
        query = "SELECT relkind IN ('i', 'I', 'S') OR relispartition FROM pg_class WHERE oid = %s"
        return bool(one(conn, query, (dependent.oid,)))
    if dependent.catalog == "pg_attrdef":
        row = conn.execute("SELECT adrelid, adnum FROM pg_attrdef WHERE oid = %s", (dependent.oid,)).fetchall()[0]
        return row in {(c.table, c.number) for c in columns}
    return False


def view(conn: Connection, oid: int, _views: set[int]) -> Optional[Made]:
    """Prints a view. A materialized one is made empty, so that its query never runs as another role than its owner."""
    kind, name, schema, own_name, owner, head, body, filled = conn.execute(
        """
        SELECT k.kind, v.oid::regclass::text, n.nspname, v.relname, pg_get_userbyid(v.relowner),
               concat(' USING ' || (SELECT quote_ident(a.amname) FROM pg_am AS a WHERE a.oid = v.relam),
                      ' WITH (' || nullif(array_to_string(v.reloptions || ARRAY(
                          SELECT 'toast.' || o.option FROM pg_class AS t, unnest(t.reloptions) AS o (option)
                           WHERE t.oid = v.reltoastrelid), ', '), '') || ')',
                      ' TABLESPACE ' || (SELECT quote_ident(s.spcname) FROM pg_tablespace AS s
                                          WHERE s.oid = v.reltablespace)),
               rtrim(pg_get_viewdef(v.oid), ';'), v.relkind = 'm' AND v.relispopulated
          FROM pg_class AS v JOIN pg_namespace AS n ON n.oid = v.relnamespace,
               LATERAL (SELECT CASE v.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END) AS k (kind)
         WHERE v.oid = %s
        """,
        (oid,),
    ).fetchall()[0]
    end = "\n WITH NO DATA" if kind == "MATERIALIZED VIEW" else ""
    return Made(
        Object(kind.lower(), schema, own_name, label=f"{kind.lower()} {name}"),
        owner,
        f"DROP {kind} {name}",
        [
            f"CREATE {kind} {name}{head} AS\n{body}{end}",
            *details(conn, oid),
            *extensions(conn, "pg_class", oid, f"{kind} {name}"),
        ],
        name,
        filled,
    )


def default_of_view(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints the default of a view's column."""
    for table, name, schema, view_name, column, value, owner in conn.execute(
        """
        SELECT f.adrelid, c.oid::regclass::text, n.nspname, c.relname, quote_ident(a.attname),
               pg_get_expr(f.adbin, f.adrelid), pg_get_userbyid(c.relowner)
          FROM pg_attrdef AS f JOIN pg_class AS c ON c.oid = f.adrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
               JOIN pg_attribute AS a ON a.attrelid = f.adrelid AND a.attnum = f.adnum WHERE f.oid = %s
        """,
        (oid,),
    ).fetchall():
        if table in views:
            make = f"ALTER VIEW {name} ALTER {column} SET DEFAULT {value}"
            label = f"default of column {column} of view {name}"
            return Made(Object("default", schema, column, view_name, label), owner, "", [make])
    return None


def index_of_view(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints an index of a materialized view."""
    for table, name, owner in conn.execute(
        "SELECT i.indrelid, i.indrelid::regclass::text, pg_get_userbyid(c.relowner)"
        " FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid WHERE c.oid = %s",
        (oid,),
    ).fetchall():
        if table in views:
            index = next(i for i in indexes(conn, [table]) if i.oid == oid)
            about = replace(objects.of_index(index), label=f"index {index.label} of {name}")
            return Made(about, owner, "", [index.definition, *of_index(conn, index)])
    return None


def on_table(conn: Connection, oid: int, views: set[int], kind: str, query: str) -> Optional[Made]:
    """Prints a rule, trigger, policy or exclusion constraint. The query tells table, name, state and definition."""
    for table, own_name, state, definition, comment in conn.execute(query, (oid,)).fetchall():
        on, name = tables(conn, [table])[0], sql.Identifier(own_name).as_string(conn)
        relation = on.label
        make = [definition.rstrip(";")]
        if state in STATES and state != "O":
            make.append(f"ALTER TABLE {relation} {STATES[state]} {kind.upper()} {name}")
        if comment:
            make.append(f"COMMENT ON {kind.upper()} {name} ON {relation} IS {comment}")
        if kind == "trigger":
            make += extensions(conn, "pg_trigger", oid, f"TRIGGER {name} ON {relation}") + of_parts(conn, oid)
        remove = f"DROP {kind.upper()} {name} ON {relation}"
        if kind == "constraint":
            remove = f"ALTER TABLE {relation} DROP CONSTRAINT {name}"
        return Made(objects.on_table(kind, own_name, on), on.owner, "" if table in views else remove, make)
    return None


STATES = {"O": "ENABLE", "D": "DISABLE", "R": "ENABLE REPLICA", "A": "ENABLE ALWAYS"}


def of_parts(conn: Connection, trigger: int) -> list[str]:
    """Returns the statements for what the triggers of partitions have otherwise than that of the partitioned table."""
    lines = []
    for relation, name, state, is_other, comment in conn.execute(
        """
        WITH RECURSIVE parts (oid) AS (
            SELECT %(top)s::oid UNION ALL SELECT t.oid FROM parts AS p JOIN pg_trigger AS t ON t.tgparentid = p.oid)
        SELECT t.tgrelid::regclass::text, quote_ident(t.tgname), t.tgenabled::text, t.tgenabled <> o.tgenabled,
               quote_literal(obj_description(t.oid, 'pg_trigger'))
          FROM parts AS p JOIN pg_trigger AS t ON t.oid = p.oid JOIN pg_trigger AS o ON o.oid = %(top)s
         WHERE t.oid <> o.oid ORDER BY t.oid
        """,
        {"top": trigger},
    ).fetchall():
        if is_other:
            lines.append(f"ALTER TABLE ONLY {relation} {STATES[state]} TRIGGER {name}")
        if comment:
            lines.append(f"COMMENT ON TRIGGER {name} ON {relation} IS {comment}")
    return lines


def rule(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints a rule, unless it is that of a view."""
    query = """
        SELECT ev_class, rulename, ev_enabled::text, pg_get_ruledef(oid),
               quote_literal(obj_description(oid, 'pg_rewrite'))
          FROM pg_rewrite WHERE oid = %s AND rulename <> '_RETURN'
        """
    return on_table(conn, oid, views, "rule", query)


def trigger(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints a trigger, unless it goes with that of a partitioned table, or is a foreign key's."""
    query = """
        SELECT tgrelid, tgname, tgenabled::text, pg_get_triggerdef(oid),
               quote_literal(obj_description(oid, 'pg_trigger'))
          FROM pg_trigger WHERE oid = %s AND NOT tgisinternal AND tgparentid = 0
        """
    return on_table(conn, oid, views, "trigger", query)


def policy(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints a policy."""
    query = """
        SELECT p.polrelid, p.polname, '',
               format('CREATE POLICY %%I ON %%s AS %%s FOR %%s TO %%s', p.polname, p.polrelid::regclass,
                      CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                      CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                                    WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
                      (SELECT string_agg(coalesce(nullif(r::regrole::text, '-'), 'PUBLIC'), ', ')
                         FROM unnest(p.polroles) AS r))
               || concat(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                         ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')'),
               quote_literal(obj_description(p.oid, 'pg_policy'))
          FROM pg_policy AS p WHERE p.oid = %s
        """
    return on_table(conn, oid, views, "policy", query)


def exclusion(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints an exclusion constraint, or a key WITHOUT OVERLAPS."""
    query = """
        SELECT k.conrelid, k.conname, '',
               format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', k.conrelid::regclass, k.conname,
                      pg_get_constraintdef(k.oid)), NULL
          FROM pg_constraint AS k LEFT JOIN pg_index AS i ON i.indexrelid = k.conindid
         WHERE k.oid = %s AND k.contype IN ('x', 'p', 'u') AND i.indisexclusion AND k.conparentid = 0
        """
    made = on_table(conn, oid, views, "constraint", query)
    if made is None:
        return None
    table, number = conn.execute("SELECT conrelid, conindid FROM pg_constraint WHERE oid = %s", (oid,)).fetchall()[0]
    index = next(i for i in indexes(conn, [table]) if i.oid == number)
    return replace(made, make=made.make + of_index(conn, index))


def statistics(conn: Connection, oid: int, _views: set[int]) -> Optional[Made]:
    """Prints extended statistics."""
    name, schema, own_name, owner, definition, target, comment = conn.execute(
        """
        SELECT format('%%I.%%I', n.nspname, s.stxname), n.nspname, s.stxname, pg_get_userbyid(s.stxowner),
               pg_get_statisticsobjdef(s.oid), coalesce(s.stxstattarget, -1),
               quote_literal(obj_description(s.oid, 'pg_statistic_ext'))
          FROM pg_statistic_ext AS s JOIN pg_namespace AS n ON n.oid = s.stxnamespace WHERE s.oid = %s
        """,
        (oid,),
    ).fetchall()[0]
    make = [definition, f"ALTER STATISTICS {name} OWNER TO {sql.Identifier(owner).as_string(conn)}"]
    if target >= 0:
        make.append(f"ALTER STATISTICS {name} SET STATISTICS {target}")
    if comment:
        make.append(f"COMMENT ON STATISTICS {name} IS {comment}")
    about = Object("statistics", schema, own_name, label=f"statistics {name}")
    return Made(about, owner, f"DROP STATISTICS {name}", make)


def has_statistics(made: Sequence[Made]) -> bool:
    """Returns whether extended statistics are among some objects."""
    return any(one_made.object.kind == "statistics" for one_made in made)


PRINTERS: dict[str, Callable[[Connection, int, set[int]], Optional[Made]]] = {
    "view": view,
    "pg_attrdef": default_of_view,
    "pg_class": index_of_view,
    "pg_rewrite": rule,
    "pg_trigger": trigger,
    "pg_policy": policy,
    "pg_constraint": exclusion,
    "pg_statistic_ext": statistics,
}


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
            text = sql.SQL("ALTER {} {} OWNER TO {}").format(kind, sql.SQL(one_made.place), owner)
            proof = sql.SQL(
                "SELECT c.xmin IS DISTINCT FROM pg_current_xact_id_if_assigned()::xid FROM pg_class AS c"
                " WHERE c.oid = {} AND c.oid = to_regclass({})::oid"
            ).format(one_made.oid, one_made.place)
            found.append(Lock(text, proof=proof, about=one_made.object))
    return found
