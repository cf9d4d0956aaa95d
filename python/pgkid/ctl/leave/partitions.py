"""Tables partitioned by a column of kid's types. PostgreSQL cannot change the type of such a column.

So partitions are detached, each gets the new type by itself, and a new partitioned table takes them. PostgreSQL looks
whether their rows are within the new bounds. Indexes that are no constraints, foreign keys, triggers, policies and the
like are made again by the caller.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Iterator, Optional

from psycopg import sql

from pgkid.ctl import catalog, constraints
from pgkid.ctl.connection import Connection, in_statement, scalar
from pgkid.ctl.details import details, of_index, of_new_table
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.leave.columns import Column
from pgkid.ctl.leave.domains import Domains
from pgkid.ctl.leave.plan import Group, Plan
from pgkid.ctl.leave.rewriter import LITERAL
from pgkid.ctl.objects import of_table, on_table
from pgkid.ctl.obstacles import refused
from pgkid.ctl.publications import memberships, of_subscriptions
from pgkid.ctl.steps import Runner, Statement, in_tablespace, raw, statement


@dataclass(frozen=True)
class Part:
    """A partition of such a table."""

    table: catalog.Table
    bound: str  # with values of core types


@dataclass(frozen=True)
class Key:
    """A primary key or a UNIQUE constraint of such a table."""

    name: str
    definition: str
    tablespace: Optional[str]


@dataclass(frozen=True)
class OwnedSequence:
    """A sequence that a column of such a table owns. Both names are parts of statements."""

    name: str
    column: str


@dataclass
class Partitioned:
    """A partitioned table that is created again."""

    table: catalog.Table
    by: str  # as PostgreSQL prints it, such as RANGE (id)
    numbers: list[int]  # of the columns by which it is partitioned; 0 is an expression
    columns: list[Column]  # those that change
    parts: list[Part] = field(default_factory=list)
    keys: list[Key] = field(default_factory=list)
    details: list[str] = field(default_factory=list)  # statements for what CREATE leaves out, first that of the keys
    sequences: list[OwnedSequence] = field(default_factory=list)

    def obstacles(self, plan: Plan) -> Iterator[Finding]:
        """Yields why the table cannot be created again."""
        label, typed = self.table.label, {c.number for c in self.columns}
        if self.by.startswith("HASH") and typed & set(self.numbers):
            yield refused(label, "is partitioned by the hash of an ID, which is another one for the core type")
        if 0 in self.numbers:
            yield refused(label, "is partitioned by an expression")
        if self.table.owner != scalar(plan.conn, "SELECT current_user"):
            yield refused(label, "is created again, and belongs to another role")
        if any(c.identity for c in catalog.columns(plan.conn, self.table.oid)):
            hint = "ALTER TABLE … ALTER … DROP IDENTITY."
            yield refused(label, "is partitioned by an ID and has an identity column", hint)
        for member in memberships(plan.conn, self.table.oid):
            hint = f"ALTER PUBLICATION {in_statement(plan.conn, member.publication)} DROP TABLE {label} first."
            yield refused(label, f"is created again, and is part of publication {member.publication}", hint)
        yield from of_subscriptions(plan.conn, [self.table.oid], "is created again")

    def detach(self, runner: Runner) -> None:
        """Makes the partitions tables of their own."""
        for part in self.parts:
            detach = "ALTER TABLE {} DETACH PARTITION {}"
            runner.execute(statement(detach, self.table.sql, part.table.sql, about=of_table(part.table)))

    def create(self, runner: Runner, plan: Plan, domains: Domains) -> None:
        """Creates the new table in the place of the old one, by way of one that is not partitioned.

        LIKE copies the types of columns as they are, and PostgreSQL changes no type of a column by which a table is
        partitioned. So the types change in the table between the old one and the new one.
        """
        about = of_table(self.table)
        old = sql.Identifier(self.table.schema, f"kidctl_old_{self.table.oid}")
        middle = sql.Identifier(self.table.schema, f"kidctl_leave_{self.table.oid}")
        like = "CREATE TABLE {} (LIKE {} INCLUDING ALL EXCLUDING INDEXES EXCLUDING STATISTICS)"
        for sequence in self.sequences:
            runner.execute(statement("ALTER SEQUENCE {} OWNED BY NONE", sql.SQL(sequence.name), about=about))
        privileges = privileges_of(plan.conn, self.table.oid)
        self.details = details(plan.conn, self.table.oid) + self.details
        short = sql.Identifier(f"kidctl_old_{self.table.oid}")
        runner.execute(statement("ALTER TABLE {} RENAME TO {}", self.table.sql, short, about=about))
        # Before PostgreSQL 18, GRANT and REVOKE wait for no lock of a table. From now on they do not find its name.
        if privileges_of(plan.conn, self.table.oid) != privileges:
            raise Refused(f"the privileges of {self.table.label} were changed meanwhile", "Run the same command again.")
        runner.execute(statement(like, middle, old, about=about))
        for column in self.columns:
            name = sql.Identifier(column.name)
            kind = sql.SQL(domains.type_of(column))
            runner.execute(statement("ALTER TABLE {} ALTER {} TYPE {}", middle, name, kind, about=about))
        # Names of constraints and sequences are free again only then.
        runner.execute(statement("DROP TABLE {}", old, about=about))
        by = sql.SQL(plan.rewriter.rewrite(self.by))
        with in_tablespace(runner, self.table.tablespace):
            runner.execute(statement(like + " PARTITION BY {}", self.table.sql, middle, by, about=about))
        runner.execute(statement("DROP TABLE {}", middle, about=about))

    def attach(self, runner: Runner) -> None:
        """Attaches the partitions, with their bounds in core types."""
        for part in self.parts:
            attach, bound = "ALTER TABLE {} ATTACH PARTITION {} {}", sql.SQL(part.bound)
            runner.execute(statement(attach, self.table.sql, part.table.sql, bound, about=of_table(part.table)))

    def finish(self, runner: Runner) -> None:
        """Gives the new table the keys of the old one, which take over those of partitions, and what else it had."""
        for key in self.keys:
            about = on_table("constraint", key.name, self.table)
            with in_tablespace(runner, key.tablespace):
                runner.execute(constraints.add(self.table.sql, about, key.definition))
        for sequence in self.sequences:
            owner = sql.SQL("{}.{}").format(self.table.sql, sql.SQL(sequence.column))
            runner.execute(statement("ALTER SEQUENCE {} OWNED BY {}", sql.SQL(sequence.name), owner))
        runner.all(of_new_table(self.table, self.table.sql))
        for line in self.details:
            runner.execute(Statement(raw(line), of_table(self.table)))


def partitioned(plan: Plan, group: Group) -> list[Partitioned]:
    """Returns the partitioned tables that are created again, each before its partitions."""
    return [read_partitioned(plan, group, table) for table in catalog.tables(plan.conn, plan.rebuilt(group))]


def read_partitioned(plan: Plan, group: Group, table: catalog.Table) -> Partitioned:
    """Reads a partitioned table: its partitions, and what the new table of its name gets."""
    conn = plan.conn
    by, numbers = conn.execute(
        "SELECT pg_get_partkeydef(%s), partattrs::int2[]::int[] FROM pg_partitioned_table WHERE partrelid = %s",
        (table.oid, table.oid),
    ).fetchall()[0]
    columns = [c for c in group.typed if c.table == table.oid]
    found = Partitioned(table, by, numbers, columns)
    by_number = {c.number: c for c in columns}
    kinds = [f"{plan.kid.home}.{by_number[n].base}" if n in by_number else "" for n in numbers]
    for oid, bound in conn.execute(
        "SELECT c.oid, pg_get_expr(c.relpartbound, c.oid) FROM pg_inherits AS i JOIN pg_class AS c ON c.oid ="
        " i.inhrelid WHERE i.inhparent = %s ORDER BY c.oid",
        (table.oid,),
    ).fetchall():
        found.parts.append(Part(catalog.tables(conn, [oid])[0], converted(plan, bound, kinds)))
    for index in catalog.indexes(conn, [table.oid]):
        if index.constraint_definition and index.constraint:
            found.keys.append(Key(index.constraint, index.constraint_definition, index.tablespace))
            found.details += of_index(conn, index)
    found.sequences = owned_sequences(conn, table.oid)
    return found


def privileges_of(conn: Connection, table: int) -> list[tuple[object, ...]]:
    """Returns the privileges on a table and its columns."""
    return conn.execute(
        "SELECT 0, relacl::text FROM pg_class WHERE oid = %(table)s"
        " UNION ALL SELECT attnum, attacl::text FROM pg_attribute WHERE attrelid = %(table)s AND attacl IS NOT NULL"
        " ORDER BY 1",
        {"table": table},
    ).fetchall()


def owned_sequences(conn: Connection, table: int) -> list[OwnedSequence]:
    """Returns the sequences that columns of a table own."""
    return catalog.read(
        conn,
        OwnedSequence,
        """
        SELECT d.objid::regclass::text AS name, quote_ident(a.attname) AS column
          FROM pg_depend AS d JOIN pg_class AS s ON s.oid = d.objid AND s.relkind = 'S'
               JOIN pg_attribute AS a ON a.attrelid = d.refobjid AND a.attnum = d.refobjsubid
         WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.refobjid = %s
               AND d.deptype = 'a'
        """,
        (table,),
    )


def converted(plan: Plan, bound: str, kinds: list[str]) -> str:
    """Returns a bound in which values of kid's types are ones of core types.

    `kinds` are the types of the columns of the key as PostgreSQL prints them, or empty for those that do not change. A
    list has values of the only column; each end of a range has one for each column.
    """
    is_list = bound.startswith("FOR VALUES IN ")
    number = 0  # of the column, counted from 0

    def replaced(match: re.Match[str]) -> str:
        nonlocal number
        kind = ""
        if match["opening"]:
            number = 0
        elif match["comma"]:
            number += 1
        else:
            kind = kinds[0 if is_list else number]
        return plan.rewriter.converted(match["value"], kind, "") if kind else match[0]

    return re.sub(rf"(?P<value>{LITERAL}) | (?P<opening>\() | (?P<comma>,)", replaced, bound, flags=re.VERBOSE)
