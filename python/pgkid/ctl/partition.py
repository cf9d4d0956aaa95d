"""kidctl partition: makes a table the first partition of a new one, which takes its name. No row is copied."""
from __future__ import annotations

import argparse
from typing import Callable, Iterable, Optional, Sequence

from pgkid.ctl import catalog, partition_look, rights, terminal
from pgkid.ctl.connection import Connection, connect
from pgkid.ctl.fill import Throttle, add_throttle
from pgkid.ctl.findings import Finding, Refused, Report
from pgkid.ctl.partition_move import Partition
from pgkid.ctl.partition_plan import Options
from pgkid.ctl.partition_rows import MoveRows
from pgkid.ctl.rehearsal import Move, Rehearsal
from pgkid.ctl.steps import Runner, Step

ACTIONS = {
    "check": "rehearse, and report what is in the way; changes nothing",
    "plan": "print the statements of a rehearsal, to read and review",
    "run": "run all steps; goes on where it was interrupted",
    "finish": "forget the way back",
    "back": "take everything back",
    "status": "show how far the move is",
    "move": "move the rows of one partition into partitions by time; goes on where it was interrupted",
    "cancel": "take back what `move` has done, before the partitions are exchanged",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "actions:\n" + "\n".join(f"  {name:8}{text}" for name, text in ACTIONS.items())
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="one of " + ", ".join(ACTIONS))
    parser.add_argument("table", help="the table, with its schema if psql would need that")
    parser.add_argument("--width", metavar="INTERVAL", help="how much time a partition is for, such as '1 month'")
    parser.add_argument(
        "--until", metavar="TIME", help="when the first partition ends; default a day from now or later"
    )
    parser.add_argument(
        "--partition",
        metavar="NAME",
        help="of which move moves the rows; default the default one, or else the first one",
    )
    add_throttle(parser)


def main(args: argparse.Namespace) -> int:
    """Runs this command."""
    with connect(args.dsn) as conn:
        if conn.info.server_version < 150000:
            raise Refused("kidctl needs PostgreSQL 15 or later")
        root = catalog.table(conn, args.table)
        rights.become_owner(conn, root)
        name = "move_rows" if args.action == "move" else args.action
        action: Callable[[Session], int] = getattr(Session, name)
        return action(Session(conn, root, args))


class Session:
    """One run of the program."""

    def __init__(self, conn: Connection, root: catalog.Table, args: argparse.Namespace) -> None:
        self.conn, self.root, self.args = conn, root, args
        self.report = Report()
        self.rehearsal: Optional[Rehearsal] = None
        self.move = Partition(conn, root.label, Options(args.width, args.until) if args.width else None)

    def look(self) -> None:
        """Fills the report, with a rehearsal unless it was declined."""
        if not self.args.width:
            raise Refused("--width is missing", "It is how much time a partition is for, such as '1 month'.")
        self.examine(partition_look.look(self.move.plan()), self.copied)

    def examine(self, findings: Iterable[Finding], make: Callable[[Connection], Move]) -> None:
        """Adds findings to the report, and those of a rehearsal unless that makes no sense."""
        self.report.extend(findings)
        if self.args.no_rehearsal:
            self.report.add("note", "", "no rehearsal was made: PostgreSQL's errors are not known")
        elif any(f.kind in ("refused", "rights") for f in self.report.findings):
            self.report.add("note", "", "no rehearsal was made, because this table cannot be partitioned as it is")
        else:
            with terminal.waiting(f"rehearsing the move of {self.root.label} on a copy of the schema"):
                self.rehearsal = Rehearsal(self.conn, self.args.rehearse_on or self.server(), make, self.report)
                self.rehearsal.run()

    def server(self) -> str:
        """Returns how to connect to this server again."""
        info = self.conn.info
        return info.dsn + (f" password='{info.password}'" if info.password else "")

    def copied(self, conn: Connection) -> Partition:
        """Returns the move on a copy."""
        return self.move if conn is self.conn else Partition(conn, self.root.label, self.move.options, True)

    def stops(self) -> bool:
        """Returns whether findings stop the move, and prints them then."""
        if self.report.stopping(self.args.accept):
            terminal.print_report(self.report, self.args.accept)
            return True
        return False

    def check(self) -> int:
        """Reports what is in the way."""
        self.look()
        if not self.stops():
            terminal.print_report(self.report, self.args.accept)
            return 0
        return 1

    def plan(self) -> int:
        """Prints the statements of a rehearsal."""
        self.look()
        if self.stops() or not self.rehearsal:
            return 1
        terminal.print_script(self.rehearsal.script)
        return 0

    def run(self) -> int:
        """Runs all steps. After the swap there is nothing to rehearse any more."""
        if self.begun() and self.move.plan().is_swapped:
            self.do(self.move.steps()[3:])
            return 0
        self.look()
        if self.stops():
            return 1
        self.do(self.move.steps())
        terminal.say(
            f"{self.root.label} is partitioned. From now on a job must call kid_create_partitions() regularly."
        )
        return 0

    def begun(self) -> bool:
        """Returns whether the move has begun."""
        options, self.move.options = self.move.options, self.move.options or Options("1 day", None)
        try:
            return self.move.plan(anywhere=True).state is not None
        finally:
            self.move.options = options

    def do(self, steps: Sequence[Step]) -> None:
        """Runs steps on the real tables."""
        runner = Runner(self.conn)
        for step in steps:
            with terminal.waiting(f"{step.name}: {step.title}"):
                runner.run(step)

    def finish(self) -> int:
        """Forgets the way back."""
        self.do(self.move.end())
        return 0

    def back(self) -> int:
        """Takes everything back."""
        self.do(self.move.back())
        return 0

    def status(self) -> int:
        """Shows how far the move is."""
        self.move.options = None
        plan = self.move.plan()
        assert plan.state
        terminal.out.print(
            f"move of {plan.root.label} to partitions of {plan.options.width}: {plan.state.step} is done"
        )
        terminal.out.print(
            f"  rows before {plan.until} are in {plan.old_label if plan.is_swapped else plan.root.label}"
        )
        return 0

    def rows(self, conn: Connection) -> MoveRows:
        """Returns the move of rows, on the database or on a copy."""
        is_copy = conn is not self.conn
        throttle = Throttle(0, None, lambda _seconds: None) if is_copy else Throttle(self.args.pause, self.args.max_lag)
        return MoveRows(conn, self.root.label, self.args.partition, self.args.width, throttle, is_copy)

    def move_rows(self) -> int:
        """Moves the rows of a partition. Once that has begun there is nothing to rehearse any more."""
        move = self.rows(self.conn)
        if move.plan().state is None:
            self.examine(partition_look.look_rows(move.plan()), self.rows)
            if self.stops():
                return 1
        self.do(move.steps())
        return 0

    def cancel(self) -> int:
        """Takes back what was done to move rows."""
        self.rows(self.conn).cancel(Runner(self.conn))
        return 0
