"""Runs all steps of a move on a copy of the schema, and reports what PostgreSQL refuses or changes.

Each statement has a savepoint, so that one run finds everything. Two copies are needed: in the first the move is
finished, in the second it is taken back.
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Iterable, Iterator, Optional, Protocol, Sequence

import psycopg
from psycopg import errors

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, message_of, scalar
from pgkid.ctl.findings import Finding, Refused, Report
from pgkid.ctl.objects import Object
from pgkid.ctl.rehearsal import copied, copy, dumps, rows
from pgkid.ctl.rehearsal.server import CopyServer
from pgkid.ctl.rehearsal.writers import Writers, views
from pgkid.ctl.steps import Failed, Runner, Script, Statement, Step


# Errors that can follow from an object that could not be made: no such table, column, or other object
MISSING = ("42P01", "42703", "42704")


class Move(Protocol):
    """What a rehearsal needs of a move. It is made once for the real database and once for each copy."""

    def tables(self) -> Sequence[int]:
        """Returns the tables that the move changes."""

    def extremes(self) -> Sequence[catalog.ColumnName]:
        """Returns columns of which the least and the greatest values are tried."""

    def writers(self) -> Writers:
        """Returns what writers do to these tables."""

    def steps(self) -> Sequence[Step]:
        """Returns the steps up to the last one before which there is a way back."""

    def end(self) -> Sequence[Step]:
        """Returns the steps after that."""

    def back(self) -> Sequence[Step]:
        """Returns the way back, in the place of the end. It may be empty."""

    def expected(self) -> Callable[[dumps.Entry, str], Optional[str]]:
        """Returns a function that takes from a line of a dump what was asked for. It is called before the move."""

    def reset(self) -> None:
        """Takes back, in a copy, what an earlier run of the move has done."""


class RehearsingRunner(Runner):
    """Runs statements with a savepoint each, records them, and reports errors instead of raising them."""

    rehearses = True

    def __init__(self, conn: Connection, report: Report, script: Script) -> None:
        super().__init__(conn)
        self.report, self.script = report, script
        self.step = ""
        self.broken = False
        self.lost: set[str] = set()  # the names of objects that could not be made
        self.told: set[tuple[Object, Optional[str]]] = set()

    def run(self, step: Step) -> None:
        """Runs a step; an error between its statements is a finding, too."""
        self.step = step.name
        self.script.steps.append((step, []))
        try:
            step.work(self)
        except (psycopg.Error, Failed) as error:
            self.report.add("fails", f"step {step.name}", str(error).splitlines()[0], stops=True)
            self.broken = True
        except Refused as refused:
            self.report.add("refused", f"step {step.name}", str(refused), hint=refused.hint, stops=True)
            self.broken = True

    def execute(self, what: Statement) -> Optional[int]:
        """Runs a statement, and goes on without it if it fails."""
        self.script.steps[-1][1].append(what.text.as_string(self.conn))
        try:
            if what.outside:
                return self.conn.execute(what.text).rowcount
            with self.conn.transaction():
                return self.conn.execute(what.text).rowcount
        except psycopg.Error as error:
            if not (error.sqlstate in MISSING and any(name in str(error) for name in self.lost)):
                self.failed(what, error)
            if what.about:
                self.lost.add(what.about.name)
            self.broken = True
            return None

    def failed(self, what: Statement, error: psycopg.Error) -> None:
        """Reports the error of a statement, once for each object."""
        if what.about:
            if (what.about, error.sqlstate) in self.told:
                return
            self.told.add((what.about, error.sqlstate))
        text = what.text.as_string(self.conn)
        self.report.add(
            "fails",
            what.about.label if what.about else f"step {self.step}",
            f"in {self.step}: {message_of(error)}",
            definition=text if len(text) < 2000 else text[:2000] + " …",
            hint="" if isinstance(error, errors.DependentObjectsStillExist) else error.diag.message_hint or "",
            stops=True,
            sqlstate=error.sqlstate or "",
        )


Types = dict[str, dict[str, str]]  # of each view, its columns with their types


def types_of_views(conn: Connection) -> Types:
    """Returns the types of the columns of all views, which a dump does not show."""
    found: Types = {}
    for view, column, kind in conn.execute(
        "SELECT CASE c.relkind WHEN 'm' THEN 'materialized ' ELSE '' END || 'view ' || c.oid::regclass,"
        " quote_ident(a.attname), format_type(a.atttypid, a.atttypmod)"
        " FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0"
        " WHERE c.relkind IN ('v', 'm') AND c.relnamespace::regnamespace::text !~ '^pg_|^information_schema$'"
        " ORDER BY 1, a.attnum"
    ).fetchall():
        found.setdefault(view, {})[column] = kind
    return found


def changed_types(before: Types, after: Types) -> Iterator[Finding]:
    """Yields the views of which columns have other types, which a client must know."""
    for view, columns in before.items():
        there = after.get(view, columns)
        changed = [
            f"{name} from {kind} to {there[name]}" for name, kind in columns.items() if there.get(name, kind) != kind
        ]
        if changed:
            yield Finding("clients", view, "columns change their types: " + ", ".join(changed))


@dataclass
class Rehearsal:
    """A rehearsal of one move. `make` returns the move on a connection; `server` is where the copy is made."""

    source: Connection
    server: CopyServer
    make: Callable[[Connection], Move]
    report: Report
    script: Script = field(default_factory=Script)

    def run(self) -> None:
        """Rehearses the move, and adds what is found to the report."""
        real = self.make(self.source)
        with copy.scratch(self.source, self.server, lambda conn: self.put_rows(real, conn), self.report) as scratch:
            conn = scratch.connect()
            copied.refuse_closed_schemas(self.source, conn)
            before = dumps.dump(conn)
            self.report.extend(copied.look(self.source, conn, scratch, real.tables(), before))
            self.compare_tables(real, conn)
            move = self.make(conn)
            if scalar(conn, "SELECT EXISTS (SELECT FROM pg_namespace WHERE nspname ~ '^kidctl_')"):  # a move has begun
                move.reset()
                before = dumps.dump(conn)
            expected, types = move.expected(), types_of_views(conn)
            writers = move.writers()
            writers.views = views(self.source)
            writers.path = scalar(self.source, "SELECT reset_val FROM pg_settings WHERE name = 'search_path'")
            writers.first(conn, self.report)
            if not self.forward(conn, scratch, move.steps(), writers):
                return
            if move.back():
                with copy.twin(scratch) as second:
                    self.backward(second, before, writers)
                conn = scratch.connect()
                move = self.make(conn)
            self.forward(conn, scratch, move.end(), writers)
            dumps.compare(before, dumps.dump(conn), expected, "changed", self.report)
            # Other types are what was asked for if there is no way back: kid's types are taken away.
            if move.back():
                self.report.extend(changed_types(types, types_of_views(conn)))

    def put_rows(self, real: Move, conn: Connection) -> None:
        """Puts rows of the real tables into those of the copy, all from one snapshot."""
        self.source.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        try:
            with self.source.transaction():
                chosen = rows.sample(self.source, real.tables(), real.extremes())
                rows.copy_rows(self.source, conn, chosen, self.report)
        finally:
            self.source.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        for table in catalog.leaves(self.source, real.tables()):
            if not chosen.get(table.oid):
                self.report.add("no rows", table.label, "this table is empty")

    def compare_tables(self, real: Move, conn: Connection) -> None:
        """Raises an error if the copy lacks a table of the move: without it nothing can be tried."""
        wanted = {table.label for table in catalog.tables(self.source, real.tables())}
        found = {table.label for table in catalog.tables(conn, self.make(conn).tables())}
        if wanted != found:
            raise Refused(
                "the copy lacks tables that the move changes: " + ", ".join(sorted(wanted ^ found)),
                "What could not be copied: "
                + "; ".join(
                    f"{f.object}: {f.message}".strip(": ") for f in self.report.findings if f.kind == "not copied"
                )
                + ". Let a superuser prepare a template (see --template), or go without a rehearsal (--no-rehearsal).",
            )

    def forward(self, conn: Connection, scratch: copy.Copy, steps: Iterable[Step], writers: Writers) -> bool:
        """Runs steps, and tries after each what writers do. Returns whether all could be made.

        Writers have a new session after each step, because functions in an older one can expect the old types. What
        fails in an older one alone is told as something that clients must know.
        """
        runner = RehearsingRunner(conn, self.report, self.script)
        with scratch.connect() as old:
            for _attempt in writers.attempts(old, writers.tries(conn)):
                pass  # Functions of this session have plans from before the steps now.
            for step in steps:
                runner.run(step)
                if not runner.broken:
                    tries = writers.tries(conn)
                    with scratch.connect() as session:
                        writers.again(session, tries, step.name, self.report)
                    writers.in_old_session(old, tries, step.name, self.report)
        return not runner.broken

    def backward(self, second: copy.Copy, before: dumps.Dump, writers: Writers) -> None:
        """Takes the move back in the second copy. Everything must be as it was."""
        conn = second.connect()
        if self.forward(conn, second, self.make(conn).back(), writers):
            dumps.compare(before, dumps.dump(conn), lambda _entry, line: line, "way back", self.report)
