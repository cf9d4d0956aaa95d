"""What clients do, tried in a transaction that is rolled back: it must work after each step as it did before."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterable, NamedTuple, Optional, Sequence

import psycopg
from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, message_of, scalar
from pgkid.ctl.findings import Report
from pgkid.ctl.names import is_beside


class Did(NamedTuple):
    """What a client did: a kind of statement on a table or a view, by which attempts of several times are compared."""

    what: str  # such as INSERT
    name: str

    def __str__(self) -> str:
        return f"{self.what} on {self.name}"


@dataclass(frozen=True)
class Try:
    """A statement that a client does, and how long it may take."""

    did: Did
    text: sql.Composed
    timeout: str = "0"


@dataclass(frozen=True)
class Attempt:
    """What a client did once, and the error of PostgreSQL, or None if it worked."""

    did: Did
    error: Optional[psycopg.Error]


@dataclass
class Writers:
    """Inserts, updates and deletes a row of each table, reads each view, and remembers what worked the first time.

    `given` are the columns that an INSERT leaves to their default, or gives an expression if they have none.
    """

    tables: list[str]
    given: dict[tuple[str, str], sql.Composable]
    path: str = ""  # the search_path that writers have, on which their triggers may depend
    views: list[str] = field(default_factory=list)
    worked: set[Did] = field(default_factory=set)
    told: set[tuple[Did, str]] = field(default_factory=set)  # with the message of the error
    references: dict[str, set[str]] = field(default_factory=dict)  # of each table, the columns of its foreign keys

    def first(self, conn: Connection, report: Report) -> None:
        """Tries everything before the first step. What fails is not tried later."""
        for attempt in self.attempts(conn, self.tries(conn, all=True)):
            if attempt.error is None:
                self.worked.add(attempt.did)
            else:
                report.add("not tried", str(attempt.did), message_of(attempt.error))

    def again(self, conn: Connection, tries: Sequence[Try], step: str, report: Report) -> None:
        """Tries everything after a step, and reports what worked before."""
        for attempt in self.attempts(conn, tries):
            error, label = attempt.error, str(attempt.did)
            if error is not None and self.note(attempt.did, error):
                report.add(
                    "writers",
                    label,
                    f"after {step}: {message_of(error)}",
                    definition=context_of(error),
                    stops=True,
                    accept_name=label,
                )

    def in_old_session(self, conn: Connection, tries: Sequence[Try], step: str, report: Report) -> None:
        """Tries everything after a step in a session that has tried it before, and reports what fails there alone.

        A function in PL/pgSQL keeps plans for the types that columns had when the session ran it first.
        """
        broken = {did for did, _message in self.told}
        for attempt in self.attempts(conn, tries):
            error = attempt.error
            if error is not None and attempt.did not in broken and self.note(attempt.did, error):
                report.add(
                    "clients",
                    str(attempt.did),
                    f"fails after {step} in sessions that did it before: {message_of(error)}",
                    definition=context_of(error),
                    hint=f"Let all sessions that write this table reconnect after {step}.",
                )

    def note(self, did: Did, error: psycopg.Error) -> bool:
        """Notes an error, and returns whether it is a new one. That something takes longer is no error."""
        if isinstance(error, psycopg.errors.QueryCanceled):
            return False
        new = (did, message_of(error))
        is_new = new not in self.told
        self.told.add(new)
        return is_new

    def tries(self, conn: Connection, all: bool = False) -> list[Try]:
        """Returns what to try now: each statement on each table, and each view, all or what worked the first time."""
        found = []
        for name in self.tables:
            oid = scalar(conn, "SELECT to_regclass(%s)::oid", (name,))
            table = catalog.tables(conn, [oid])[0]
            found += [Try(Did(what, name), text) for what, text in self.statements(conn, table).items()]
        for name in self.views:
            # A whole row makes PostgreSQL compute all columns.
            text = sql.SQL("SELECT pg_catalog.count(v) FROM {} AS v").format(sql.SQL(name))
            found.append(Try(Did("SELECT", name), text, timeout="5s"))
        return [one for one in found if all or one.did in self.worked]

    def attempts(self, conn: Connection, tries: Iterable[Try]) -> Iterable[Attempt]:
        """Runs statements, and rolls each back."""
        for one in tries:
            yield Attempt(one.did, self.error_of(conn, one.text, one.timeout))

    def error_of(self, conn: Connection, text: sql.Composed, timeout: str) -> Optional[psycopg.Error]:
        """Runs a statement as clients do, and rolls it back. Returns its error."""
        try:
            with conn.transaction(force_rollback=True):
                conn.execute(
                    "SELECT pg_catalog.set_config('statement_timeout', %s, true),"
                    " pg_catalog.set_config('search_path', %s, true)",
                    (timeout, self.path),
                )
                if conn.execute(text).rowcount == 0:
                    raise psycopg.errors.NoData("the copy has no row of this table")
                conn.execute("SET CONSTRAINTS ALL IMMEDIATE")
        except psycopg.Error as error:
            return error
        return None

    def statements(self, conn: Connection, table: catalog.Table) -> dict[str, sql.Composed]:
        """Returns the three statements by their kind.

        The INSERT copies a row, with other values where they must be unique. Where only references are unique, it takes
        the place of the row.
        """
        columns = [
            c for c in catalog.columns(conn, table.oid) if not c.generated and not is_beside(c.name, "new", "old")
        ]
        indexes = [index.keys for index in catalog.indexes(conn, [table.oid]) if index.is_unique]
        unique, references = {n for keys in indexes for n in keys}, self.references_of(conn, table, columns)
        values: list[tuple[sql.Composable, sql.Composable]] = []
        for c in columns:
            is_key = (table.label, c.name) in self.given
            if (is_key or c.number in unique) and (c.identity or "(" in (c.default or "")):
                continue
            other = OTHER.get("u" if c.type == "uuid" else c.category, "{}") if c.number in unique else "{}"
            changed = sql.SQL(other).format(c.sql) if c.number not in references else c.sql
            values.append((c.sql, self.given[table.label, c.name] if is_key else changed))
        into, out = (sql.SQL(", ").join(pair[i] for pair in values) for i in (0, 1))
        row = sql.SQL("WITH r AS MATERIALIZED (SELECT * FROM {} LIMIT 1) ").format(table.sql)
        if any(references.issuperset(keys) for keys in indexes):
            row = sql.SQL(
                "WITH r AS (DELETE FROM {0} WHERE (tableoid, ctid) OPERATOR(pg_catalog.=)"
                " (SELECT tableoid, ctid FROM {0} LIMIT 1) RETURNING *) "
            ).format(table.sql)
        insert = sql.SQL("INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT {} FROM r").format(table.sql, into, out)
        if not values:
            insert = sql.SQL("INSERT INTO {} DEFAULT VALUES").format(table.sql)
        changes = [sql.SQL("{} = {}").format(c.sql, c.sql) for c in columns if c.identity != "a"]
        found = {"INSERT": row + insert}
        if changes:
            found["UPDATE"] = sql.SQL("UPDATE {} SET {}").format(table.sql, sql.SQL(", ").join(changes))
        return {**found, "DELETE": sql.SQL("DELETE FROM {}").format(table.sql)}

    def references_of(self, conn: Connection, table: catalog.Table, columns: list[catalog.Column]) -> set[int]:
        """Returns the columns of a table's foreign keys, also of those that a step has dropped for a later one."""
        numbers = {n for key in catalog.constraints(conn, [table.oid]) if key.kind == "f" for n in key.columns}
        names = self.references.setdefault(table.label, set())
        names.update(c.name for c in columns if c.number in numbers)
        return {c.number for c in columns if c.name in names}


# Another value of a category of types, or of uuid, where a row must be unique. A uuid keeps its first 48 bits and its
# version, with which the time of version 7 begins: so the same partition takes it. Functions and operators have their
# schema, because the search_path is that of writers, in which others may create some.
OTHER = {
    "N": "{} OPERATOR(pg_catalog.+) 1000",
    "S": "pg_catalog.concat('~', pg_catalog.substr({}::text, 2))",
    "D": "{} OPERATOR(pg_catalog.+) interval '1 day'",
    "u": "pg_catalog.overlay(pg_catalog.gen_random_uuid()::text, pg_catalog.left({}::text, 15), 1)::uuid",
    "B": "NOT {}",
}


def context_of(error: psycopg.Error) -> str:
    """Returns the first line of the context of an error, such as the line of a function, or an empty string."""
    return (error.diag.context or "").split("\n")[0]


# Views of the session's role that read no view of another role, whose code would run with the rights of this one
VIEWS = """
    WITH RECURSIVE reads AS (
        SELECT c.oid AS view, c.oid AS relation FROM pg_class AS c WHERE c.relkind = 'v'
        UNION
        SELECT r.view, d.refobjid
          FROM reads AS r JOIN pg_rewrite AS w ON w.ev_class = r.relation
               JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = w.oid
                                      AND d.refclassid = 'pg_class'::regclass
               JOIN pg_class AS c ON c.oid = d.refobjid AND c.relkind = 'v')
    SELECT format('%s.%I', v.relnamespace::regnamespace, v.relname)
      FROM reads AS r JOIN pg_class AS v ON v.oid = r.view JOIN pg_class AS c ON c.oid = r.relation
           JOIN pg_roles AS o ON o.oid = c.relowner
     WHERE v.relowner = current_user::regrole
           AND NOT EXISTS (SELECT FROM pg_namespace AS n WHERE n.oid = v.relnamespace AND n.nspname ~ '^kidctl_rekey_')
     GROUP BY v.oid, v.relnamespace, v.relname HAVING bool_and(o.rolsuper OR o.rolname = current_user) ORDER BY 1"""


def views(source: Connection) -> list[str]:
    """Returns the views that are read, without those of a move that has begun.

    In a copy, views of other roles can belong to the session's role.
    """
    return [name for (name,) in source.execute(VIEWS).fetchall()]
