"""One run of a command of kidctl: its arguments, what it finds, and what it does then."""
from __future__ import annotations

import argparse
import os
from abc import ABC, abstractmethod
from typing import Any, Callable, ClassVar, Iterable, Mapping, Optional, Sequence

from psycopg import conninfo

from pgkid.ctl import catalog, obstacles, rights, state, terminal
from pgkid.ctl.connection import Connection, connect, secrets_in
from pgkid.ctl.findings import Finding, Refused, Report
from pgkid.ctl.hold import held
from pgkid.ctl.kid import of_home
from pgkid.ctl.rehearsal.rehearsal import Move, Rehearsal
from pgkid.ctl.rehearsal.server import CopyServer
from pgkid.ctl.steps import LONGEST, MOMENT, Runner, Step
from pgkid.ctl.throttle import duration

# kidctl reads trees of nodes, whose text form is another one in each major version. The tests set the variable for
# PostgreSQL's development version.
NEWEST = int(os.environ.get("KIDCTL_NEWEST", 19))


def lock_timeout(text: str) -> float:
    """Reads how long kidctl waits for a lock, and returns seconds."""
    seconds = duration(text)
    if not 0.001 <= seconds <= LONGEST:  # For PostgreSQL, 0 milliseconds would be no limit.
        raise argparse.ArgumentTypeError("must be from 1ms to 1h")
    return seconds


class Session(ABC):
    """One run of a command. The action NAME is the method do_NAME, which returns the exit status."""

    actions: ClassVar[Mapping[str, str]]

    def __init__(self, conn: Connection, args: argparse.Namespace) -> None:
        self.conn, self.args = conn, args
        self.report = Report()
        self.rehearsal: Optional[Rehearsal] = None
        self.known: dict[str, Optional[dict[str, Any]]] = {}
        self.marks: dict[str, tuple[catalog.Table, Optional[str]]] = {}

    @classmethod
    def add_arguments(cls, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments that all commands have. Each command adds its own after them."""
        parser.formatter_class = argparse.RawDescriptionHelpFormatter
        parser.epilog = "actions:\n" + "\n".join(f"  {name:8}{text}" for name, text in cls.actions.items())
        parser.add_argument("-d", "--dsn", default="", help="how to connect, such as 'dbname=shop user=app'")
        parser.add_argument("--rehearse-on", metavar="DSN", help="make the copy for the rehearsal on another server")
        parser.add_argument(
            "--template",
            metavar="NAME",
            default="",
            help="make the copy from this database, in which a superuser has created what the role may not create,"
            " such as extensions",
        )
        parser.add_argument("--no-rehearsal", action="store_true", help="run without a rehearsal")
        parser.add_argument(
            "--accept", action="append", default=[], metavar="NAME", help="go on despite a finding; can be repeated"
        )
        parser.add_argument(
            "--lock-timeout",
            metavar="TIME",
            type=lock_timeout,
            help="how long to wait for the lock of a table before the next attempt, such as 10s; meanwhile, readers and"
            f" writers wait behind kidctl; default {MOMENT:g}s",
        )
        parser.add_argument("action", choices=cls.actions, metavar="ACTION", help="one of " + ", ".join(cls.actions))

    @classmethod
    def main(cls, args: argparse.Namespace) -> int:
        """Connects and runs the action, and returns the exit status."""
        with connect(args.dsn) as conn:
            if conn.info.server_version < 150000:
                raise Refused("kidctl needs PostgreSQL 15 or later")
            if conn.info.server_version // 10000 > NEWEST:
                raise Refused(f"kidctl knows PostgreSQL up to {NEWEST}", "Take the kidctl of a newer version of kid.")
            session = cls(conn, args)
            action: Callable[[], int] = getattr(session, "do_" + args.action)
            return action()

    def own(self, name: str) -> catalog.Table:
        """Returns the table of a name, and makes the session act as its owner."""
        table = catalog.table(self.conn, name)
        obstacles.refuse_kind(table)
        rights.become_owner(self.conn, table)
        return table

    def trust_home(self) -> None:
        """Raises an error if functions of kid may be those of a stranger. Called before the first of them is."""
        self.trust(of_home(self.conn))

    def trust_schemas(self, tables: Iterable[int]) -> None:
        """Raises an error if tables may become those of a stranger. Called before rows are read."""
        self.trust(obstacles.of_strange_schemas(self.conn, tables))

    def trust(self, findings: Iterable[Finding]) -> None:
        """Raises an error for the first one of some findings that the user has not accepted."""
        for found in findings:
            if found.stops_unless(self.args.accept):
                hint = f"{found.hint.rstrip('.')}: --accept {terminal.quoted(found.accept_name)}"
                raise Refused(f"{found.object} {found.message}", hint)

    @abstractmethod
    def look(self) -> None:
        """Fills the report, by way of examine()."""

    def examine(self, title: str, findings: Iterable[Finding], make: Callable[[Connection], Move]) -> None:
        """Adds findings to the report, and then those of a rehearsal, unless it was declined or makes no sense.

        `make` returns the move on this database or on a copy; `title` is for the person who waits.
        """
        self.report.extend(findings)
        if self.args.no_rehearsal:
            text = "no rehearsal was made: PostgreSQL's errors and changed definitions are not known"
            self.report.add("note", "", text)
        elif any(finding.is_impossible for finding in self.report.stopping(self.args.accept)):
            self.report.add("note", "", "no rehearsal was made, because this cannot be done as it is")
        else:
            with terminal.waiting(f"{title} on a copy of the schema"):
                self.rehearsal = Rehearsal(self.conn, self.copy_server(), make, self.report)
                self.rehearsal.run()

    def copy_server(self) -> CopyServer:
        """Returns where the copy is made: on another server, or on this one, to which it connects again."""
        args = self.args
        if args.rehearse_on:
            return CopyServer(args.rehearse_on, args.template, is_other=True)
        return CopyServer(self.dsn(), args.template)

    def dsn(self) -> str:
        """Returns how to connect as this session has. It contains passwords."""
        return conninfo.make_conninfo(self.conn.info.dsn, **secrets_in(self.conn))

    def stops(self) -> bool:
        """Returns whether findings stop the move, and prints them then."""
        if not self.report.stopping(self.args.accept):
            return False
        terminal.print_report(self.report, self.args.accept)
        return True

    def do_check(self) -> int:
        """Reports what is in the way."""
        self.look()
        if self.stops():
            return 1
        terminal.print_report(self.report, self.args.accept)
        return 0

    def do_plan(self) -> int:
        """Prints the statements of a rehearsal, or what is in its way."""
        self.look()
        if self.stops():
            return 1
        if not self.rehearsal:
            terminal.print_report(self.report, self.args.accept)
            raise Refused("no rehearsal was made whose statements could be printed", "Omit --no-rehearsal.")
        terminal.print_script(self.rehearsal.script)
        return 0

    def watch(self, schema: str, table: Optional[catalog.Table] = None) -> None:
        """Notes how far the move with this schema is, as what the user gets to see is of this state.

        The key of the table is noted, too: a whole move, from its beginning to its end, leaves no state. Raises an
        error if the table had another name when its move began.
        """
        self.known[schema] = state.saved(self.conn, schema)
        if table:
            if self.known[schema] is None:
                state.refuse_renamed(self.conn, schema, table)
            self.marks[schema] = (table, catalog.key_mark(self.conn, table))

    def run_steps(self, steps: Sequence[Step], schema: str) -> None:
        """Runs steps of the move with this schema on the real tables, while no other kidctl works on it.

        watch() must have been called for this schema before.
        """
        with held(self.conn, self.dsn(), schema) as hold:
            if state.saved(self.conn, schema) != self.known[schema]:
                raise Refused("another kidctl has worked on this move meanwhile", "Run the same command again.")
            table, mark = self.marks.get(schema, (None, None))
            if table and catalog.key_mark(self.conn, table) != mark:
                raise Refused(f"the key of {table.label} was changed meanwhile", "Run the same command again.")
            for step in steps:
                hold.check()
                self.run_step(Runner(self.conn, hold.release, self.args.lock_timeout), step)

    def drop_remains(self, schema: str) -> None:
        """Drops the schema of a move that has not begun. A kidctl that was killed before can have left it."""
        if self.known[schema] is None and state.owner_of(self.conn, schema) is not None:
            with held(self.conn, self.dsn(), schema):
                pass  # held() drops the schema at its end.

    def run_step(self, runner: Runner, step: Step) -> None:
        """Runs a step, and tells how long it takes."""
        with terminal.waiting(f"{step.name}: {step.title}"):
            runner.run(step)
