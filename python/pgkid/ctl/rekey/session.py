"""kidctl rekey: gives the rows of a table, and the rows that refer to them, new keys."""
from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Iterator, Optional

from psycopg import errors

from pgkid.ctl import catalog, filling, hold, state, terminal
from pgkid.ctl.beside import search
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.kid import TARGETS
from pgkid.ctl.obstacles import refuse_partition
from pgkid.ctl.rekey import lookalikes, new_rows, surroundings, tracking
from pgkid.ctl.rekey.cancel import Cancel
from pgkid.ctl.rekey.move import Rekey
from pgkid.ctl.rekey.new_rows import NewRows
from pgkid.ctl.rekey.plan import Options, Plan, RekeyState
from pgkid.ctl.session import Session
from pgkid.ctl.steps import Step
from pgkid.ctl.throttle import Throttle, add_throttle


# The errors of PostgreSQL if two types do not go together, and if a type has no operator class
NO_FIT = (errors.DatatypeMismatch.sqlstate, errors.UndefinedFunction.sqlstate, errors.CannotCoerce.sqlstate)
NO_CLASS = errors.UndefinedObject.sqlstate


def name(text: str) -> str:
    """Reads a name that PostgreSQL does not cut off."""
    if not 0 < len(text.encode("utf-8", "surrogateescape")) < 64:
        raise argparse.ArgumentTypeError("must have from 1 to 63 bytes")
    return text


def is_new_rows_only(conn: Connection, root: catalog.Table, args: argparse.Namespace) -> bool:
    """Returns whether the move is for new rows only: as the user says, or as it has begun."""
    begun = state.load(conn, state.schema_of("rekey", root), RekeyState)
    return bool(begun.options.new_rows_only if begun else args.new_rows_only)


class RekeySession(Session):
    """One run of `kidctl rekey`."""

    actions = {
        "check": "rehearse, and report problems; changes nothing",
        "plan": "print the statements of a rehearsal, for review",
        "run": "run all steps up to the swap; goes on where it was interrupted",
        "swap": "give the new columns the names of the old ones; needs a lock for a moment",
        "finish": "drop the old keys; there is no way back from here",
        "back": "after the swap, undo the move",
        "cancel": "before the swap, undo the move",
        "status": "show how far the move has come",
    }

    def __init__(self, conn: Connection, args: argparse.Namespace) -> None:
        super().__init__(conn, args)
        self.root = self.own(args.table)
        refuse_partition(conn, self.root)
        self.schema = state.schema_of("rekey", self.root)
        self.watch(self.schema, self.root)
        self.kind = NewRows if is_new_rows_only(conn, self.root, args) else Rekey
        self.move = self.kind(conn, self.root.label, self.options(), Throttle(args.pause, args.max_lag))
        self.rehearsed: Optional[Rekey] = None  # the same move on the last copy

    @classmethod
    def add_arguments(cls, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments of this command."""
        super().add_arguments(parser)
        parser.add_argument("table", help="the table, with its schema if psql would need that")
        times = parser.add_mutually_exclusive_group()
        times.add_argument(
            "--time", metavar="COLUMN", help="the column that tells when a row was made: a time, or an ID with a time"
        )
        parser.add_argument("--time-zone", metavar="ZONE", help="the time zone of a column that has none, such as UTC")
        times.add_argument(
            "--during", metavar="RANGE", help="without --time, the range of times in keys: '[2024-01-01, 2026-01-01)'"
        )
        parser.add_argument(
            "--to",
            choices=TARGETS,
            help="the kind of new keys; default kid64; with --new-rows-only, the default is kid53 if the key is a"
            " bigint, and otherwise the type of the key",
        )
        parser.add_argument("--new-rows-only", action="store_true", help="leave the keys of old rows as they are")
        parser.add_argument("--old-name", metavar="NAME", type=name, help="keep the old keys in a column of this name")
        parser.add_argument(
            "--triggers",
            choices=("off", "run"),
            help="what your own triggers do while rows are filled; default off",
        )
        add_throttle(parser)

    def options(self) -> Options:
        """Returns the options that the user gave."""
        args = self.args
        since, until = self.during() if args.during else (None, None)
        to = args.to or "kid64"
        if args.new_rows_only and not args.to:
            to = new_rows.target_of(catalog.related(self.conn, self.root.oid)[0].type)
        return Options(
            to=to,
            time=args.time,
            time_zone=args.time_zone,
            since=since,
            until=until,
            old_name=args.old_name,
            triggers=args.triggers or "off",
            new_rows_only=args.new_rows_only,
        )

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

    def not_swapped(self) -> Plan:
        """Returns the plan of a move that has not begun, or not come to the swap, as the user asks for it.

        Otherwise raises an error, as the options of the user would be ignored.
        """
        plan, args = self.move.plan(), self.args
        state.refuse_half_back(plan.state)
        if plan.is_swapped:
            raise Refused(f"{self.root.label} has its new keys already", "Run `kidctl rekey finish` or `back`.")
        if plan.state and plan.options.new_rows_only and not args.new_rows_only and (args.time or args.during):
            raise Refused(
                f"a move of the new rows of {self.root.label} has begun",
                "Run `kidctl rekey swap` and then `finish`, or `cancel`, before you begin a move of all rows.",
            )
        self.refuse_other_options(plan)
        return plan

    def refuse_other_options(self, plan: Plan) -> None:
        """Raises an error if the user gives another option than the move began with."""
        if not plan.state:
            return
        args, kept = self.args, plan.options
        during = f"[{kept.since}, {kept.until})" if kept.since else None
        if during and args.during and self.is_during(kept):
            during = args.during
        zone = kept.time_zone or "UTC"
        if args.time_zone and args.time_zone.lower() == zone.lower():  # PostgreSQL knows them in any case.
            zone = args.time_zone
        state.refuse_other_options(
            self.root.label,
            (
                ("--to", args.to, kept.to),
                ("--time", args.time, kept.time),
                ("--time-zone", args.time_zone, zone),
                ("--during", args.during, during),
                ("--old-name", args.old_name, kept.old_name),
                ("--triggers", args.triggers, kept.triggers),
                ("--new-rows-only", args.new_rows_only or None, kept.new_rows_only or None),
            ),
        )

    def is_during(self, kept: Options) -> bool:
        """Returns whether --during has the beginning and the end that the move keeps, which are times alone."""
        since, until = self.during()
        query = "SELECT %s::timestamptz = %s AND %s::timestamptz = %s"
        return bool(scalar(self.conn, query, (since, kept.since, until, kept.until)))

    def look(self) -> None:
        """Fills the report."""
        plan = self.not_swapped()
        self.trust_schemas(table.oid for table in plan.tables())
        self.examine(f"rehearsing the move of {self.root.label}", self.found(plan), self.copied)
        self.report.findings[:] = [self.with_type(plan, finding) for finding in self.report.findings]
        if self.rehearsed:
            self.move.twins = self.rehearsed.twins

    def with_type(self, plan: Plan, finding: Finding) -> Finding:
        """Returns a finding with the hint to choose the type that fits other columns, and all indexes."""
        fits = "bigint" if plan.key.type in surroundings.INTEGERS else plan.key.type
        if finding.kind != "fails" or fits not in ("bigint", "uuid") or plan.keys.new_type == fits:
            return finding
        if finding.sqlstate == NO_CLASS:
            return replace(finding, hint=f"Pass --to {fits}, which has one, or drop the index first.")
        if finding.sqlstate in NO_FIT:
            hint = f"Pass --to {fits}, a type that fits the other side, or cast the key in this definition."
            return replace(finding, hint=hint)
        return finding

    def found(self, plan: Plan) -> Iterator[Finding]:
        """Yields what is found before the rehearsal."""
        yield from self.move.found(plan, self.args.accept)
        only_new = plan.options.new_rows_only
        yield from search.look(self.conn, plan.columns, only_new)
        yield from surroundings.look(self.conn, plan.columns, plan.options, plan.keys.new_type)
        yield from tracking.look(plan)

    def copied(self, conn: Connection) -> Rekey:
        """Returns the move on a copy."""
        if conn is self.conn:
            return self.move
        options = self.move.plan().options  # of the state, if the move has begun
        if any(f.kind == "times" for f in self.report.findings):
            # What else is in the way is found all the same.
            options = replace(options, time=None, since="2020-01-02 UTC", until="2020-02-02 UTC")
        self.rehearsed = self.kind(conn, self.root.label, options, Throttle.none(), True)
        return self.rehearsed

    def do_run(self) -> int:
        """Runs all steps up to the swap."""
        hold.refuse_running(self.conn, self.schema)
        self.not_swapped()
        self.move.throttle.check(self.conn)
        self.look()
        if self.stops():
            return 1
        self.run_steps(self.move.steps_before_swap(), self.schema)
        terminal.say(f"{self.root.label} is ready for `kidctl rekey swap`")
        return 0

    def do_swap(self) -> int:
        """Exchanges the columns."""
        plan = self.begun()
        state.refuse_half_back(plan.state)
        if plan.is_swapped:
            self.run_steps([Step("refresh", "filling materialized views", self.move.refill)], self.schema)
            terminal.say(f"{self.root.label} has its new keys already")
            return 0
        self.move.refuse_changed(plan)
        self.run_steps([self.move.swapping()], self.schema)
        return 0

    def begun(self) -> Plan:
        """Reads the plan of a move that has begun. Without options of the user, one that has not is an error."""
        self.move.options = None
        plan = self.move.plan()
        self.refuse_other_options(plan)
        return plan

    def do_finish(self) -> int:
        """Drops the old keys."""
        self.begun()
        self.move.swapped()
        self.run_steps(list(self.move.end()), self.schema)
        return 0

    def do_back(self) -> int:
        """Takes the swap back."""
        plan = self.begun()
        if not plan.is_half_back:
            self.move.swapped()
            if not plan.options.new_rows_only:  # Otherwise no row loses its key.
                self.report.extend(lookalikes.look_back(self.conn, plan, self.args.accept))
            if self.stops():
                return 1
        self.run_steps(list(self.move.back()), self.schema)
        return 0

    def do_cancel(self) -> int:
        """Takes everything back before the swap."""
        cancel = Cancel(self.conn, self.root.label)
        cancel.refuse()
        self.run_steps([Step("cancel", "removing what the move has added", cancel.run)], self.schema)
        # After the swap, a copy of the schema alone has columns with old keys, which nothing proves to be kidctl's.
        remains = cancel.hint_of_remains() if self.known[self.schema] is None else None
        if remains:
            terminal.say(remains)
        return 0

    def do_status(self) -> int:
        """Shows how far the move is."""
        plan = self.begun()
        assert plan.state
        step: str = plan.state.step
        if plan.options.new_rows_only and step == "validate":  # It has nothing to validate.
            step = "prepare"
        rows = "new rows of " if plan.options.new_rows_only else ""
        terminal.show(f"move of {rows}{plan.root.label} to {plan.options.to}: {step} is done")
        if plan.state.step == "prepare":
            for relation, block in self.conn.execute(
                "SELECT relation, block FROM " + plan.in_schema("next_blocks").as_string(self.conn)
            ).fetchall():
                oid = scalar(self.conn, "SELECT to_regclass(%s)::oid", (relation,))
                terminal.show(f"  {relation}: block {block} of {catalog.blocks(self.conn, oid) if oid else 0}")
        for later in self.move.found_since(plan):
            terminal.show(f"  in the way: {later.object} {later.message}")
        for line in filling.status(self.conn, plan.state):
            terminal.show(line)
        return 0
