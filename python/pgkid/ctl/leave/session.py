"""kidctl leave: gives columns of kid's types core types, so that DROP EXTENSION kid succeeds without CASCADE."""
from __future__ import annotations

import argparse
from typing import Optional, Sequence

from pgkid.ctl import catalog, hold, obstacles, rights, state, terminal
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused, Report
from pgkid.ctl.kid import find_home
from pgkid.ctl.leave.checks import look
from pgkid.ctl.leave.move import VALIDATE, Agreed, Leave
from pgkid.ctl.leave.needs import remains
from pgkid.ctl.leave.plan import read_plan, state_schema
from pgkid.ctl.leave.uses import SCHEMAS, read_kid
from pgkid.ctl.session import Session


# What the state of a move tells
LEFT = "an earlier run has left constraints to validate, or materialized views to fill"


class LeaveSession(Session):
    """One run of `kidctl leave`."""

    actions = {
        "check": "rehearse, and report problems; changes nothing",
        "plan": "print the statements of a rehearsal, for review",
        "run": "change the tables; goes on where it was interrupted",
    }

    def __init__(self, conn: Connection, args: argparse.Namespace) -> None:
        super().__init__(conn, args)
        if bool(args.tables) == args.all:
            raise Refused("name tables, or write --all")
        self.names: Optional[Sequence[str]] = args.tables or None
        if args.tables:
            for name in args.tables:
                obstacles.refuse_kind(self.table(name))
            self.own(args.tables[0])
        else:
            user = str(scalar(conn, "SELECT session_user"))
            rights.refuse_superuser(conn, user, f"the session belongs to {user}")
        self.schema = state_schema(conn)
        self.watch(self.schema)
        # An earlier run can have left something to do, after which somebody has dropped kid.
        self.has_kid = find_home(conn) is not None
        if self.has_kid or self.known[self.schema] is None:
            self.trust_home()
        elif args.action != "run":
            raise Refused(f"kid is not in this database any more, and {LEFT}", "Run `kidctl leave run`.")

    def table(self, name: str) -> catalog.Table:
        """Returns a table by the name that the user gives. It can have got another one after an interrupted run."""
        try:
            return catalog.table(self.conn, name)
        except Refused as error:
            if state.saved(self.conn, state_schema(self.conn)) is None:
                raise
            hint = "Run `kidctl leave run` for any other table of this role, or for this one with its new name."
            raise Refused(f"{error}, and {LEFT}", hint) from error

    @classmethod
    def add_arguments(cls, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments of this command."""
        super().add_arguments(parser)
        parser.add_argument("tables", nargs="*", metavar="TABLE", help="tables; those linked with them change, too")
        parser.add_argument(
            "--all",
            action="store_true",
            help="all tables and composite types of this role that use kid",
        )

    def look(self) -> None:
        """Fills the report."""
        if self.known[self.schema] is not None:
            self.report.add("note", "", f"{LEFT}, which `kidctl leave run` does")
        plan = read_plan(self.conn, self.names)
        self.trust_schemas(table.oid for group in plan.groups for table in plan.family(group))
        found = look(plan)
        # What nobody accepts stops the run before the move.
        self.agreed = Agreed(frozenset(finding.accept_name for finding in found.findings), found.given_up)
        self.move = Leave(self.conn, self.names, self.agreed)
        if self.move.is_needed:
            self.examine("rehearsing", found.findings, self.copied)
        else:
            self.report.extend(found.findings)
            self.report.add("note", "", "these tables use nothing of kid")

    def copied(self, conn: Connection) -> Leave:
        """Returns the move on a copy. What is named as its users name it is found there by its full name."""
        if conn is self.conn:
            return self.move
        names = [label for labels in self.move.groups for label in labels[:1]] if self.names else None
        return Leave(conn, names, self.agreed, self.report)

    def do_run(self) -> int:
        """Changes the tables, and says what is left to do."""
        hold.refuse_running(self.conn, self.schema)
        if not self.has_kid:
            self.run_steps([VALIDATE], self.schema)
            terminal.out.print("Nothing is left to do, and kid is not in this database any more.")
            return 0
        self.look()
        if self.stops():
            return 1
        if self.move.is_needed or state.has_table(self.conn, self.schema):
            self.run_steps(self.move.steps(), self.schema)
        self.say_last()
        return 0

    def say_last(self) -> None:
        """Says what still depends on kid or, if nothing does, how to drop it."""
        left = Report(remains(self.conn))
        for move in state.unfinished(self.conn):
            message = f"is in a move that is not finished, whose state is in schema {move.schema}"
            left.add("remains", move.relation, message, hint=move.way_out)
        if left.findings:
            count = len(left.findings)
            terminal.print_report(
                left, (), f"{count} objects still depend on kid." if count > 1 else "1 object still depends on kid."
            )
        elif read_kid(self.conn).is_extension:
            needing = scalar(
                self.conn,
                "SELECT string_agg(extname, ', ' ORDER BY extname) FROM pg_extension"
                " WHERE extname IN ('kid_seal', 'kid_workers')",
            )
            if needing:
                terminal.out.print(f"Only these extensions still depend on kid. Drop them before it: {needing}.")
            else:
                terminal.out.print("Nothing depends on kid any more. As its owner run: DROP EXTENSION kid;")
        else:
            schemas = scalar(
                self.conn,
                "SELECT string_agg(nspname, ', ' ORDER BY nspname) FROM pg_namespace WHERE nspname = ANY (%s)",
                (list(SCHEMAS),),
            )
            terminal.out.print(f"No table depends on kid any more. As its owner run: DROP SCHEMA {schemas} CASCADE;")
