"""kidctl rekey: gives the rows of a table, and the rows that refer to them, new keys."""
from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Callable, Optional

from pgkid.ctl import (
    catalog,
    constants,
    rekey_accepts,
    rekey_new_rows,
    rekey_plan,
    rights,
    state,
    surroundings,
    terminal,
)
from pgkid.ctl.connection import Connection, connect, one
from pgkid.ctl.fill import Throttle, add_throttle
from pgkid.ctl.findings import Refused, Report
from pgkid.ctl.rehearsal import Rehearsal
from pgkid.ctl.rekey_move import Cancel, Rekey
from pgkid.ctl.rekey_new_rows import NewRows
from pgkid.ctl.rekey_plan import TARGETS, Options
from pgkid.ctl.steps import Runner, Step

ACTIONS = {
    "check": "rehearse, and report what is in the way; changes nothing",
    "plan": "print the statements of a rehearsal, to read and review",
    "run": "run all steps up to the swap; goes on where it was interrupted",
    "swap": "give the new keys the names; needs a lock for a moment",
    "finish": "drop the old keys; there is no way back from here",
    "back": "after the swap, take everything back",
    "cancel": "before the swap, take everything back",
    "status": "show how far the move is",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the arguments of this command."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "actions:\n" + "\n".join(f"  {name:8}{text}" for name, text in ACTIONS.items())
    parser.add_argument("action", choices=ACTIONS, metavar="ACTION", help="one of " + ", ".join(ACTIONS))
    parser.add_argument("table", help="the table, with its schema if psql would need that")
    parser.add_argument("--time", metavar="COLUMN", help="the column that tells when a row was made")
    parser.add_argument("--time-zone", metavar="ZONE", help="the zone of a column without one, such as UTC")
    parser.add_argument("--during", metavar="RANGE", help="times for keys without --time: '[2024-01-01, 2026-01-01)'")
    parser.add_argument("--to", choices=TARGETS, help="what the new keys are; default kid64")
    parser.add_argument("--new-rows-only", action="store_true", help="leave the keys of old rows as they are")
    parser.add_argument("--old-name", metavar="NAME", type=name, help="keep the old key as a column of this name")
    parser.add_argument("--triggers", choices=("off", "run"), default="off", help="while rows are filled; default off")
    add_throttle(parser)


def name(text: str) -> str:
    """Reads a name that PostgreSQL does not cut off."""
    if not 0 < len(text.encode("utf-8", "surrogateescape")) < 64:
        raise argparse.ArgumentTypeError("must have from 1 to 63 bytes")
    return text


def main(args: argparse.Namespace) -> int:
    """Runs this command."""
    with connect(args.dsn) as conn:
        if conn.info.server_version < 150000:
            raise Refused("kidctl needs PostgreSQL 15 or later")
        root = catalog.table(conn, args.table)
        rights.become_owner(conn, root)
        action: Callable[[Session], int] = getattr(Session, args.action)
        return action(Session(conn, root, args))


def is_new_rows_only(conn: Connection, root: catalog.Table, args: argparse.Namespace) -> bool:
    """Returns whether the move is for new rows only: as the user says, or as it has begun."""
    begun = state.load(conn, state.schema_of("rekey", root))
    return bool(begun.options["options"]["new_rows_only"] if begun else args.new_rows_only)


class Session:
    """One run of the program."""

    def __init__(self, conn: Connection, root: catalog.Table, args: argparse.Namespace) -> None:
        self.conn, self.root, self.args = conn, root, args
        self.report = Report()
        self.kind = NewRows if is_new_rows_only(conn, root, args) else Rekey
        self.move = self.kind(conn, root.label, self.options(), Throttle(args.pause, args.max_lag))

    def options(self) -> Options:
        """Returns the options that the user gave."""
        args = self.args
        since, until = self.during() if args.during else (None, None)
        to = args.to or "kid64"
        if args.new_rows_only and not args.to:
            to = rekey_new_rows.target_of(catalog.related(self.conn, self.root.oid)[0].type)
        return Options(to, args.time, args.time_zone, since, until, args.old_name, args.triggers, args.new_rows_only)

    def during(self) -> tuple[str, str]:
        """Reads the range of --during, which must have an end on both sides."""
        row = self.conn.execute(
            "SELECT lower(r)::text, upper(r)::text, lower(r) < upper(r) AND isfinite(lower(r)) AND isfinite(upper(r))"
            " FROM (SELECT %s::tstzrange) AS r (r)",
            (self.args.during,),
        ).fetchall()[0]
        if not row[2]:
            raise Refused("--during must be a range with a beginning and an end")
        return row[0], row[1]

    def look(self) -> rekey_plan.Plan:
        """Fills the report, with a rehearsal unless it was declined."""
        plan = self.move.plan()
        self.report.extend(
            rekey_accepts.look(plan, self.args.accept) if self.kind is Rekey else rekey_new_rows.look(plan)
        )
        self.report.extend(constants.look(self.conn, plan.columns, plan.options.new_rows_only))
        around = surroundings.look(
            self.conn, plan.columns, plan.options.time, plan.options.new_rows_only, plan.keys.new_type
        )
        self.report.extend(f for f in around if plan.schema not in f.object)
        self.rehearsal: Optional[Rehearsal] = None
        if self.args.no_rehearsal:
            self.report.add(
                "note", "", "no rehearsal was made: PostgreSQL's errors and changed definitions are not known"
            )
        elif any(f.kind in ("refused", "rights") for f in self.report.stopping(self.args.accept)):
            self.report.add("note", "", "no rehearsal was made, because this table cannot be moved as it is")
        else:
            self.rehearse()
        return plan

    def rehearse(self) -> None:
        """Runs all steps on a copy of the schema."""
        with terminal.waiting(f"rehearsing the move of {self.root.label} on a copy of the schema"):
            self.rehearsal = Rehearsal(self.conn, self.args.rehearse_on or self.server(), self.copied, self.report)
            self.rehearsal.run()
        self.move.twins = self.rehearsed.twins

    def server(self) -> str:
        """Returns how to connect to this server again."""
        info = self.conn.info
        return info.dsn + (f" password='{info.password}'" if info.password else "")

    def copied(self, conn: Connection) -> Rekey:
        """Returns the move on a copy."""
        if conn is self.conn:
            return self.move
        options = self.options()
        if any(f.kind == "times" for f in self.report.findings):
            # What else is in the way is found all the same.
            options = replace(options, time=None, since="2020-01-02 UTC", until="2020-02-02 UTC")
        self.rehearsed = self.kind(conn, self.root.label, options, Throttle(0, None, lambda _seconds: None), True)
        return self.rehearsed

    def check(self) -> int:
        """Reports what is in the way."""
        self.look()
        terminal.print_report(self.report, self.args.accept)
        return 1 if self.report.stopping(self.args.accept) else 0

    def plan(self) -> int:
        """Prints the statements of a rehearsal."""
        self.look()
        if not self.rehearsal or self.report.stopping(self.args.accept):
            terminal.print_report(self.report, self.args.accept)
            return 1
        terminal.print_script(self.rehearsal.script)
        return 0

    def run(self) -> int:
        """Runs all steps up to the swap."""
        if self.move.plan().is_swapped:
            raise Refused(f"{self.root.label} has its new keys already", "Run `kidctl rekey finish` or `back`.")
        self.look()
        if self.report.stopping(self.args.accept):
            terminal.print_report(self.report, self.args.accept)
            return 1
        self.do([step for step in self.move.steps() if step.name != "swap"])
        terminal.say(f"{self.root.label} is ready for `kidctl rekey swap`")
        return 0

    def do(self, steps: list[Step]) -> None:
        """Runs steps on the real tables."""
        runner = Runner(self.conn)
        for step in steps:
            with terminal.waiting(f"{step.name}: {step.title}"):
                runner.run(step)

    def swap(self) -> int:
        """Exchanges the columns."""
        plan = self.begun()
        if plan.is_swapped:
            self.move.refill(Runner(self.conn))
            raise Refused(f"{self.root.label} has its new keys already")
        if self.kind is Rekey:
            rekey_accepts.refuse_changed(plan)
        self.do([self.move.swapping()])
        return 0

    def begun(self) -> rekey_plan.Plan:
        """Reads the plan of a move that has begun."""
        self.move.options = None
        return self.move.plan()

    def finish(self) -> int:
        """Drops the old keys."""
        self.begun()
        self.do(list(self.move.end()))
        return 0

    def back(self) -> int:
        """Takes the swap back."""
        self.begun()
        self.do(list(self.move.back()))
        return 0

    def cancel(self) -> int:
        """Takes everything back before the swap."""
        self.do([Step("cancel", "removing what the move has added", Cancel(self.conn, self.root.label).run)])
        return 0

    def status(self) -> int:
        """Shows how far the move is."""
        plan = self.begun()
        assert plan.state
        terminal.out.print(f"move of {plan.root.label} to {plan.options.to}: {plan.state.step} is done")
        if plan.state.step in ("prepare",):
            for relation, block in self.conn.execute(
                "SELECT relation, block FROM " + plan.place("places").as_string(self.conn)
            ).fetchall():
                size = one(
                    self.conn,
                    "SELECT pg_relation_size(to_regclass(%s)) / current_setting('block_size')::int",
                    (relation,),
                )
                terminal.out.print(f"  {relation}: block {block} of {size}")
        return 0
