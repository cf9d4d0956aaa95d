"""Rows for the rehearsal: a few real ones, at the extremes of key and time, with the rows that they refer to."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import Iterable, Optional

import psycopg
from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, path_of_users, scalar, take_path
from pgkid.ctl.findings import Report


Sample = dict[int, set[str]]  # of each table, the ctids of rows


def sample(source: Connection, tables: Iterable[int], extremes: Iterable[catalog.ColumnName]) -> Sample:
    """Chooses rows of some tables: the first ones found, those with the extremes of some columns, and their parents."""
    chosen: Sample = defaultdict(set)
    for leaf in catalog.leaves(source, tables):
        choose(source, chosen, sql.SQL("SELECT tableoid, ctid::text FROM ONLY {} LIMIT 2").format(leaf.sql))
    for relation, column in extremes:
        name = catalog.tables(source, [relation])[0].sql
        for direction in ("ASC", "DESC"):
            choose(
                source,
                chosen,
                sql.SQL("SELECT tableoid, ctid::text FROM {} WHERE {} IS NOT NULL ORDER BY {} {} LIMIT 1").format(
                    name, sql.Identifier(column), sql.Identifier(column), sql.SQL(direction)
                ),
            )
    add_parents(source, chosen)
    return chosen


def choose(source: Connection, chosen: Sample, query: sql.Composed, parameters: Optional[list[object]] = None) -> int:
    """Adds the rows that a query finds, and returns how many are new."""
    count = 0
    for relation, ctid in source.execute(query, parameters).fetchall():
        count += ctid not in chosen[relation]
        chosen[relation].add(ctid)
    return count


def add_parents(source: Connection, chosen: Sample) -> None:
    """Adds the rows that chosen rows refer to, and what these refer to, until there are no more."""
    todo = set(chosen)
    known: dict[int, list[Reference]] = {}
    while todo:
        relation = todo.pop()
        if relation not in known:
            known[relation] = references(source, relation)
        for reference in known[relation]:
            child, parent = reference.child, reference.parent
            if parent.owner != child.owner:
                continue  # Its CHECKs would run with the rights of this role, which need not be able to read it.
            before = {name: len(ctids) for name, ctids in chosen.items()}
            choose(
                source,
                chosen,
                sql.SQL(
                    "SELECT p.tableoid, p.ctid::text FROM {} AS p, ONLY {} AS c WHERE c.ctid = ANY ({}) AND {}"
                ).format(parent.sql, child.sql, tids(chosen[relation]), reference.condition),
            )
            todo |= {name for name in chosen if len(chosen[name]) != before.get(name, 0)}


def tids(ctids: set[str]) -> sql.Composed:
    """Returns an array of the ctids of rows."""
    return sql.SQL("{}::tid[]").format(sql.Literal(sorted(ctids)))


@dataclass(frozen=True)
class Reference:
    """A foreign key from a table to another one."""

    child: catalog.Table
    parent: catalog.Table
    condition: sql.Composed  # on a row c of the child and the row p to which it refers


def references(source: Connection, relation: int) -> list[Reference]:
    """Returns the foreign keys of a table."""
    found = []
    child = catalog.tables(source, [relation])[0]
    for parent, pairs in source.execute(
        """
        SELECT k.confrelid, array_agg(ARRAY[a.attname, n.nspname, o.oprname, b.attname]::text[])
          FROM pg_constraint AS k, unnest(k.conkey, k.confkey, k.conpfeqop) AS u (child, parent, equals)
               JOIN pg_operator AS o ON o.oid = u.equals JOIN pg_namespace AS n ON n.oid = o.oprnamespace,
               pg_attribute AS a, pg_attribute AS b
         WHERE k.conrelid = %s AND k.contype = 'f' AND (a.attrelid, a.attnum) = (k.conrelid, u.child)
               AND (b.attrelid, b.attnum) = (k.confrelid, u.parent)
         GROUP BY k.oid, k.confrelid
        """,
        (relation,),
    ).fetchall():
        conditions = [
            sql.SQL("p.{} OPERATOR({}.{}) c.{}").format(
                sql.Identifier(theirs), sql.Identifier(schema), sql.SQL(operator), sql.Identifier(mine)
            )
            for mine, schema, operator, theirs in pairs
        ]
        found.append(Reference(child, catalog.tables(source, [parent])[0], sql.SQL(" AND ").join(conditions)))
    return found


def copy_rows(source: Connection, target: Connection, chosen: Sample, report: Report) -> None:
    """Copies chosen rows into the tables of the same names, and the values of sequences."""
    user, path = scalar(source, "SELECT current_user"), path_of_users(source)
    for table in catalog.tables(source, sorted(chosen)):
        if table.owner != user:
            report.add("no rows", table.label, f"belongs to {table.owner}")
            continue
        columns = [c.sql for c in catalog.columns(source, table.oid) if not c.generated]
        names = sql.SQL(", ").join(columns)
        reading = sql.SQL("COPY (SELECT {} FROM ONLY {} WHERE ctid = ANY ({})) TO STDOUT").format(
            names, table.sql, tids(chosen[table.oid])
        )
        writing = sql.SQL("COPY {} ({}) FROM STDIN").format(table.sql, names)
        try:
            with target.transaction():
                take_path(target, path)
                with source.cursor().copy(reading) as rows, target.cursor().copy(writing) as into:
                    for row in rows:
                        into.write(row)
        except psycopg.Error as error:
            report.add("no rows", table.label, error.diag.message_primary or str(error))
    copy_sequences(source, target)


def copy_sequences(source: Connection, target: Connection) -> None:
    """Gives sequences the values that they have, but none that the rows have already."""
    # Only with parameters, even if there are none, psycopg reads %% as %.
    values = source.execute(
        "SELECT format('%%I.%%I', schemaname, sequencename), last_value FROM pg_sequences WHERE last_value IS NOT NULL",
        (),
    ).fetchall()
    target.execute(
        "SELECT setval(to_regclass(s.name), s.value) FROM unnest(%s::text[], %s::bigint[]) AS s (name, value)"
        " WHERE to_regclass(s.name) IS NOT NULL AND has_sequence_privilege(to_regclass(s.name)::oid, 'UPDATE')",
        ([name for name, _value in values], [value for _name, value in values]),
    )
    for sequence, table, column in target.execute(
        """
        SELECT d.objid::regclass::text, a.attrelid::regclass::text, quote_ident(a.attname)
          FROM pg_depend AS d JOIN pg_sequence AS s ON s.seqrelid = d.objid
               JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
         WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')
               AND has_sequence_privilege(s.seqrelid, 'UPDATE') AND a.atttypid IN (20, 21, 23)
        """
    ).fetchall():
        target.execute(
            sql.SQL(
                "SELECT setval({}, r.last) FROM (SELECT max({}) AS last FROM {}) AS r, {} AS s"
                " WHERE r.last > s.last_value"
            ).format(sequence, sql.SQL(column), sql.SQL(table), sql.SQL(sequence))
        )
