"""kidctl leave: gives columns of kid's types core types, so that DROP EXTENSION kid succeeds without CASCADE."""
from __future__ import annotations

import argparse
from typing import Callable, Optional, Sequence

from pgkid.ctl import catalog, leave_plan, rights, terminal
from pgkid.ctl.connection import Connection, connect, one
from pgkid.ctl.findings import Refused, Report
from pgkid.ctl.leave_kid import read_kid
from pgkid.ctl.leave_look import Look
from pgkid.ctl.leave_move import Leave, remains
from pgkid.ctl.rehearsal import Rehearsal
from pgkid.ctl.steps import Runner, Step

ACTIONS = {
    "check": "rehearse, and report what is in the way; changes nothing",
    "plan": "print the statements of a rehearsal, to read and review",
    "run": "change the tables; goes on where it was interrupted",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "actions:\n" + "\n".join(f"  {name:8}{text}" for name, text in ACTIONS.items())
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="one of " + ", ".join(ACTIONS))
    parser.add_argument("tables", nargs="*", metavar="TABLE", help="tables; what is linked with them changes, too")
    parser.add_argument("--all", action="store_true", help="all tables of this role that use kid")


def main(args: argparse.Namespace) -> int:
    """Runs this command."""
    if bool(args.tables) == args.all:
        raise Refused("name tables, or write --all")
    with connect(args.dsn) as conn:
        if conn.info.server_version < 150000:
            raise Refused("kidctl needs PostgreSQL 15 or later")
        if args.tables:
            rights.become_owner(conn, catalog.table(conn, args.tables[0]))
        else:
            user = str(one(conn, "SELECT session_user"))
            rights.refuse_superuser(conn, user, f"the session belongs to {user}")
        action: Callable[[Session], int] = getattr(Session, args.action)
        return action(Session(conn, args))


class Session:
    """One run of the program."""

    def __init__(self, conn: Connection, args: argparse.Namespace) -> None:
        self.conn, self.args = conn, args
        self.names: Optional[Sequence[str]] = args.tables or None
        self.report = Report()
        self.given_up: frozenset[str] = frozenset()
        self.rehearsal: Optional[Rehearsal] = None

    def look(self) -> None:
        """Fills the report, with a rehearsal unless it was declined."""
        look = Look(leave_plan.read_plan(self.conn, self.names))
        look.run()
        self.report.extend(look.findings)
        self.given_up = frozenset(look.given_up)
        self.move = Leave(self.conn, self.names, self.given_up)
        if self.args.no_rehearsal:
            text = "no rehearsal was made: PostgreSQL's errors and changed definitions are not known"
            self.report.add("note", "", text)
        elif any(f.stops and not f.accept_name for f in self.report.findings):
            self.report.add("note", "", "no rehearsal was made, because these tables cannot leave as they are")
        elif not (self.move.known or self.move.has_types):
            self.report.add("note", "", "these tables use nothing of kid")
        else:
            with terminal.waiting("rehearsing on a copy of the schema"):
                self.rehearsal = Rehearsal(self.conn, self.args.rehearse_on or self.server(), self.copied, self.report)
                self.rehearsal.run()

    def server(self) -> str:
        """Returns how to connect to this server again."""
        info = self.conn.info
        return info.dsn + (f" password='{info.password}'" if info.password else "")

    def copied(self, conn: Connection) -> Leave:
        """Returns the move on a copy. What is named as its users name it is found there by its full name."""
        if conn is self.conn:
            return self.move
        names = [label for known in self.move.known for label in known[:1]] if self.names else None
        return Leave(conn, names, self.given_up, self.report)

    def stops(self) -> bool:
        """Returns whether findings stop the move, and prints them then."""
        if self.report.stopping(self.args.accept):
            terminal.print_report(self.report, self.args.accept)
            return True
        return False

    def check(self) -> int:
        """Reports what is in the way."""
        self.look()
        if self.stops():
            return 1
        terminal.print_report(self.report, self.args.accept)
        return 0

    def plan(self) -> int:
        """Prints the statements of a rehearsal."""
        self.look()
        if self.stops() or not self.rehearsal:
            return 1
        terminal.print_script(self.rehearsal.script)
        return 0

    def run(self) -> int:
        """Changes the tables, and says what is left to do."""
        self.look()
        if self.stops():
            return 1
        self.do(self.move.steps())
        self.say_last()
        return 0

    def do(self, steps: Sequence[Step]) -> None:
        """Runs steps on the real tables."""
        runner = Runner(self.conn)
        for step in steps:
            with terminal.waiting(f"{step.name}: {step.title}"):
                runner.run(step)

    def say_last(self) -> None:
        """Says what still depends on kid or, if nothing does, how to drop it."""
        left = Report(remains(self.conn))
        if left.findings:
            terminal.print_report(left, ())
        elif read_kid(self.conn).is_extension:
            terminal.out.print("Nothing depends on kid any more. As its owner run: DROP EXTENSION kid;")
        else:
            terminal.out.print("No table depends on kid any more. As its owner drop its schemas: kid, kid_clocks.")
