"""Objects that are dropped and made again, with the statements for that, as PostgreSQL prints them.

A printer reads one object of a catalog. It gets the views that are dropped as well, since what belongs to one of them
goes with it, and returns None for an object that nobody has to make again.
"""
from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Callable, Optional, Sequence

from psycopg import sql

from pgkid.ctl import objects
from pgkid.ctl.catalog import Index, indexes, read, tables
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.details import details, extensions, of_index
from pgkid.ctl.objects import Object
from pgkid.ctl.steps import text


@dataclass(frozen=True)
class Made:
    """One object that is made again. `remove` is empty if it goes with its view."""

    object: Object
    owner: str
    remove: str
    make: list[str]  # statements
    view: str = ""  # the name of a view as part of a statement
    is_filled: bool = False  # a materialized view that has to be filled after the transaction
    catalog: str = ""  # of the system, or `view`
    oid: int = 0

    @property
    def definition(self) -> str:
        """The statement that makes it. Those after it give it its details."""
        return self.make[0]

    @property
    def is_view(self) -> bool:
        """Whether it is a view, also a materialized one."""
        return self.object.kind in ("view", "materialized view")


def has_statistics(made: Sequence[Made]) -> bool:
    """Returns whether extended statistics are among some objects."""
    return any(m.object.kind == "statistics" for m in made)


def printed(conn: Connection, catalog: str, oid: int, views: set[int]) -> Optional[Made]:
    """Returns an object of a catalog, or None if it is of a kind that kidctl does not make again, or goes with another.

    The catalog of views is `view`.
    """
    made = PRINTERS[catalog](conn, oid, views) if catalog in PRINTERS else None
    return made and replace(made, catalog=catalog, oid=oid)


@dataclass(frozen=True)
class View:
    """A view as PostgreSQL prints it."""

    kind: str  # a word of statements
    schema: str
    name: str
    label: str  # its name as part of a statement
    owner: str
    head: str  # what follows the name in CREATE
    query: str
    is_filled: bool


def view(conn: Connection, oid: int, _views: set[int]) -> Optional[Made]:
    """Prints a view. A materialized one is made empty, so that its query never runs as another role than its owner."""
    (found,) = read(
        conn,
        View,
        """
        SELECT k.kind, n.nspname AS schema, v.relname AS name, v.oid::regclass::text AS label,
               pg_get_userbyid(v.relowner) AS owner,
               concat(' USING ' || (SELECT quote_ident(a.amname) FROM pg_am AS a WHERE a.oid = v.relam),
                      ' WITH (' || nullif(array_to_string(v.reloptions || ARRAY(
                          SELECT 'toast.' || o.option FROM pg_class AS t, unnest(t.reloptions) AS o (option)
                           WHERE t.oid = v.reltoastrelid), ', '), '') || ')',
                      ' TABLESPACE ' || (SELECT quote_ident(s.spcname) FROM pg_tablespace AS s
                                          WHERE s.oid = v.reltablespace)) AS head,
               rtrim(pg_get_viewdef(v.oid), ';') AS query, v.relkind = 'm' AND v.relispopulated AS is_filled
          FROM pg_class AS v JOIN pg_namespace AS n ON n.oid = v.relnamespace,
               LATERAL (SELECT CASE v.relkind WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'VIEW' END) AS k (kind)
         WHERE v.oid = %s
        """,
        (oid,),
    )
    what = sql.SQL("{} {}").format(sql.SQL(found.kind), sql.SQL(found.label))
    end = sql.SQL("\n WITH NO DATA" if found.kind == "MATERIALIZED VIEW" else "")
    kind = found.kind.lower()
    return Made(
        object=Object(kind, found.schema, found.name, label=f"{kind} {found.label}"),
        owner=found.owner,
        remove=text(conn, "DROP {}", what),
        make=[
            text(conn, "CREATE {}{} AS\n{}{}", what, sql.SQL(found.head), sql.SQL(found.query), end),
            *details(conn, oid),
            *extensions(conn, "pg_class", oid, what),
        ],
        view=found.label,
        is_filled=found.is_filled,
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
            make = text(conn, "ALTER VIEW {} ALTER {} SET DEFAULT {}", *map(sql.SQL, (name, column, value)))
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
            index = index_of(conn, table, oid)
            about = replace(objects.of_index(index), label=f"index {index.label} of {name}")
            return Made(about, owner, "", [index.definition, *place(conn, index), *of_index(conn, index)])
    return None


def place(conn: Connection, index: Index) -> list[str]:
    """Returns the statement that moves an index to its tablespace, which its definition does not name."""
    space = index.tablespace
    return [text(conn, "ALTER INDEX {} SET TABLESPACE {}", index.sql, sql.Identifier(space))] if space else []


def index_of(conn: Connection, table: int, oid: int) -> Index:
    """Returns an index of a table by its OID."""
    return next(index for index in indexes(conn, [table]) if index.oid == oid)


# The words for the states in which the catalogs of triggers and rules have them. An object is made in the first one.
STATES = {"O": "ENABLE", "D": "DISABLE", "R": "ENABLE REPLICA", "A": "ENABLE ALWAYS"}


@dataclass(frozen=True)
class OnTable:
    """An object that belongs to a table, such as a rule, as PostgreSQL prints it."""

    table: int
    name: str
    definition: str
    state: str = ""  # a key of STATES, or empty if it has none
    comment: Optional[str] = None


def on_table(conn: Connection, kind: str, found: OnTable, views: set[int]) -> Made:
    """Returns the statements for an object that belongs to a table."""
    table = tables(conn, [found.table])[0]
    word, name, relation = sql.SQL(kind.upper()), sql.Identifier(found.name), sql.SQL(table.label)
    make = [found.definition.rstrip(";")]
    if found.state in STATES and found.state != "O":
        make.append(text(conn, "ALTER TABLE {} {} {} {}", relation, sql.SQL(STATES[found.state]), word, name))
    if found.comment:
        make.append(text(conn, "COMMENT ON {} {} ON {} IS {}", word, name, relation, found.comment))
    remove = "" if found.table in views else text(conn, "DROP {} {} ON {}", word, name, relation)
    return Made(objects.on_table(kind, found.name, table), table.owner, remove, make)


def rule(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints a rule, unless it is that of a view."""
    query = """
        SELECT ev_class AS table, rulename AS name, pg_get_ruledef(oid) AS definition, ev_enabled::text AS state,
               obj_description(oid, 'pg_rewrite') AS comment
          FROM pg_rewrite WHERE oid = %s AND rulename <> '_RETURN'
        """
    for found in read(conn, OnTable, query, (oid,)):
        return on_table(conn, "rule", found, views)
    return None


def trigger(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints a trigger, unless it goes with that of a partitioned table, or is a foreign key's."""
    query = """
        SELECT tgrelid AS table, tgname AS name, pg_get_triggerdef(oid) AS definition, tgenabled::text AS state,
               obj_description(oid, 'pg_trigger') AS comment
          FROM pg_trigger WHERE oid = %s AND NOT tgisinternal AND tgparentid = 0
        """
    for found in read(conn, OnTable, query, (oid,)):
        made = on_table(conn, "trigger", found, views)
        relation = sql.SQL(tables(conn, [found.table])[0].label)
        what = sql.SQL("TRIGGER {} ON {}").format(sql.Identifier(found.name), relation)
        return replace(made, make=[*made.make, *extensions(conn, "pg_trigger", oid, what), *of_parts(conn, oid)])
    return None


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
            words = map(sql.SQL, (relation, STATES[state], name))
            lines.append(text(conn, "ALTER TABLE ONLY {} {} TRIGGER {}", *words))
        if comment:
            lines.append(text(conn, "COMMENT ON TRIGGER {} ON {} IS {}", *map(sql.SQL, (name, relation, comment))))
    return lines


def policy(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints a policy."""
    query = """
        SELECT p.polrelid AS table, p.polname AS name,
               format('CREATE POLICY %%I ON %%s AS %%s FOR %%s TO %%s', p.polname, p.polrelid::regclass,
                      CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
                      CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE'
                                    WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
                      (SELECT string_agg(coalesce(nullif(r::regrole::text, '-'), 'PUBLIC'), ', ')
                         FROM unnest(p.polroles) AS r))
               || concat(' USING (' || pg_get_expr(p.polqual, p.polrelid) || ')',
                         ' WITH CHECK (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')') AS definition,
               obj_description(p.oid, 'pg_policy') AS comment
          FROM pg_policy AS p WHERE p.oid = %s
        """
    for found in read(conn, OnTable, query, (oid,)):
        return on_table(conn, "policy", found, views)
    return None


def exclusion(conn: Connection, oid: int, views: set[int]) -> Optional[Made]:
    """Prints an exclusion constraint, or a key WITHOUT OVERLAPS."""
    query = """
        SELECT k.conrelid AS table, k.conname AS name,
               format('ALTER TABLE %%s ADD CONSTRAINT %%I %%s', k.conrelid::regclass, k.conname,
                      pg_get_constraintdef(k.oid)) AS definition
          FROM pg_constraint AS k LEFT JOIN pg_index AS i ON i.indexrelid = k.conindid
         WHERE k.oid = %s AND k.contype IN ('x', 'p', 'u') AND i.indisexclusion AND k.conparentid = 0
        """
    for found in read(conn, OnTable, query, (oid,)):
        made, table = on_table(conn, "constraint", found, views), tables(conn, [found.table])[0]
        index = index_of(conn, found.table, scalar(conn, "SELECT conindid FROM pg_constraint WHERE oid = %s", (oid,)))
        remove = text(conn, "ALTER TABLE {} DROP CONSTRAINT {}", sql.SQL(table.label), sql.Identifier(found.name))
        return replace(made, remove=remove, make=made.make + place(conn, index) + of_index(conn, index))
    return None


def statistics(conn: Connection, oid: int, _views: set[int]) -> Optional[Made]:
    """Prints extended statistics."""
    label, schema, own_name, owner, definition, target, comment = conn.execute(
        """
        SELECT format('%%I.%%I', n.nspname, s.stxname), n.nspname, s.stxname, pg_get_userbyid(s.stxowner),
               pg_get_statisticsobjdef(s.oid), coalesce(s.stxstattarget, -1),
               quote_literal(obj_description(s.oid, 'pg_statistic_ext'))
          FROM pg_statistic_ext AS s JOIN pg_namespace AS n ON n.oid = s.stxnamespace WHERE s.oid = %s
        """,
        (oid,),
    ).fetchall()[0]
    name = sql.SQL(label)
    make = [definition, text(conn, "ALTER STATISTICS {} OWNER TO {}", name, sql.Identifier(owner))]
    if target >= 0:
        make.append(text(conn, "ALTER STATISTICS {} SET STATISTICS {}", name, target))
    if comment:
        make.append(text(conn, "COMMENT ON STATISTICS {} IS {}", name, sql.SQL(comment)))
    about = Object("statistics", schema, own_name, label=f"statistics {label}")
    return Made(about, owner, text(conn, "DROP STATISTICS {}", name), make)


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
