"""kidctl partition: makes a table the first partition of a new one, which takes its name, without copying rows.

The action `move` is another move: it copies the rows of one partition into partitions by time.
"""
from __future__ import annotations

import argparse
from typing import Callable, Iterable, Optional

from pgkid.ctl import filling, hold, state, terminal
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.kid import NUMBERS, home_of
from pgkid.ctl.partition import checks
from pgkid.ctl.partition.keys import key_of
from pgkid.ctl.partition.move import MoveTable
from pgkid.ctl.partition.plan import Options, PartitionState, RowsState, TableState
from pgkid.ctl.partition.rows import MoveRows
from pgkid.ctl.partition.swap import refuse_used
from pgkid.ctl.rehearsal.rehearsal import Move
from pgkid.ctl.session import Session
from pgkid.ctl.steps import Step, steps_from
from pgkid.ctl.throttle import Throttle, add_throttle


class PartitionSession(Session):
    """One run of `kidctl partition`."""

    actions = {
        "check": "rehearse, and report problems; changes nothing",
        "plan": "print the statements of a rehearsal, for review",
        "run": "run all steps; goes on where it was interrupted",
        "finish": "end what `run` has done; there is no way back from here",
        "back": "undo what `run` has done",
        "status": "show how far the move has come",
        "move": "move the rows of one partition into partitions by time; goes on where it was interrupted",
        "cancel": "undo what `move` has done, before the partitions are exchanged",
    }
    more = (
        "For a table that is partitioned by its IDs, check, plan and status are about move, unless back can still undo"
        " what run has done."
    )

    def __init__(self, conn: Connection, args: argparse.Namespace) -> None:
        super().__init__(conn, args)
        self.root = self.own(args.table)
        self.trust_home()
        self.schema = state.schema_of("partition", self.root)
        self.schema_of_rows = state.schema_of("rows", self.root)
        self.watch(self.schema)
        self.watch(self.schema_of_rows)
        self.options = Options(args.width or "", args.until, args.ids, args.partition)
        self.table_move = MoveTable(conn, self.root.label, self.options if args.width else None)

    @classmethod
    def add_arguments(cls, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments of this command."""
        super().add_arguments(parser)
        parser.epilog = f"{parser.epilog}\n\n{cls.more}"
        parser.add_argument("table", help="the table, with its schema if psql would need that")
        parser.add_argument("--width", metavar="INTERVAL", help="the time that a partition covers, such as '1 month'")
        parser.add_argument(
            "--until",
            metavar="TIME",
            help="when the first partition ends; default the end of a period of --width, at least a day from now",
        )
        parser.add_argument(
            "--ids",
            choices=NUMBERS,
            help="the IDs that a key of type bigint contains, if its default does not make such IDs",
        )
        parser.add_argument(
            "--partition",
            metavar="NAME",
            help="the partition whose rows `move` moves; by default the default partition, or else the first one",
        )
        add_throttle(parser, "move")

    def look(self) -> None:
        """Fills the report."""
        if self.moves_rows():
            self.look_rows()
            return
        if not self.args.width and not self.begun():
            raise Refused("--width is missing", "Pass the time that a partition covers, such as --width '1 month'.")
        self.rehearse(checks.look(self.table_move.plan()), self.copied)

    def rehearse(self, findings: Iterable[Finding], make: Callable[[Connection], Move]) -> None:
        """Adds findings and those of a rehearsal to the report."""
        self.examine(f"rehearsing the move of {self.root.label}", findings, make)

    def look_rows(self) -> None:
        """Fills the report of a move of rows."""
        self.rehearse(checks.look_rows(self.rows(self.conn).plan()), self.rows)

    def copied(self, conn: Connection) -> MoveTable:
        """Returns the move on a copy."""
        if conn is self.conn:
            return self.table_move
        # Those of the state, if the user has not repeated the options of a move that was interrupted.
        options = self.table_move.options or self.table_move.plan().options
        return MoveTable(conn, self.root.label, options, True)

    def do_run(self) -> int:
        """Runs all steps. After the swap there is nothing to rehearse any more."""
        if self.moves_rows():
            raise Refused(
                f"{self.root.label} is partitioned by its IDs already",
                "`kidctl partition move` moves rows of one partition.",
            )
        hold.refuse_running(self.conn, self.schema)
        self.refuse_other_options(state.load(self.conn, self.schema, TableState))
        if self.begun() and self.table_move.plan().is_swapped:
            self.run_steps(steps_from("partitions", self.table_move.steps()), self.schema)
            return 0
        state.refuse_half_back(state.load(self.conn, self.schema, TableState))
        self.look()
        if self.stops():
            return 1
        self.run_steps(self.table_move.steps(), self.schema)
        self.say_job()
        return 0

    def refuse_other_options(self, begun: Optional[PartitionState]) -> None:
        """Raises an error if the user gives another option than the move began with."""
        if begun:
            args, kept = self.args, begun.options
            state.refuse_other_options(
                self.root.label,
                (
                    ("--width", args.width, kept.width),
                    ("--until", args.until, kept.until),
                    ("--ids", args.ids, kept.ids),
                    ("--partition", args.partition, kept.partition),
                ),
            )

    def say_job(self) -> None:
        """Says what must be called from now on."""
        ids = self.table_move.plan().ids
        call = "kid_create_partitions()" + f" with ids => '{ids.prefix}'" * (ids.is_number and not ids.is_default)
        terminal.say(f"{self.root.label} is partitioned. From now on a job must call {call} regularly.")

    def begun(self) -> bool:
        """Returns whether the move has begun."""
        return state.step_of(self.conn, self.schema) is not None

    def moves_rows(self) -> bool:
        """Returns whether only rows of the table can move: it is partitioned by its IDs, and has no way back."""
        if self.root.kind != "p" or self.begun():
            return False
        if state.step_of(self.conn, self.schema_of_rows) is not None:
            return True
        return key_of(self.conn, self.root, home_of(self.conn), self.args.ids).column.is_partition_key

    def do_finish(self) -> int:
        """Forgets the way back."""
        self.table_move.swapped()
        self.run_steps(self.table_move.end(), self.schema)
        return 0

    def do_back(self) -> int:
        """Takes everything back."""
        plan = self.table_move.plan(anywhere=True)
        if plan.is_swapped:
            refuse_used(plan)
        self.run_steps(self.table_move.back(), self.schema)
        return 0

    def do_status(self) -> int:
        """Shows how far the move is."""
        if self.moves_rows():
            for line in MoveRows.status(self.conn, self.root):
                terminal.show(line)
            return 0
        self.table_move.options = None
        plan = self.table_move.plan()
        assert plan.state
        done = "run" if plan.state.is_run and plan.is_swapped else plan.state.step
        terminal.show(f"move of {plan.root.label} to partitions of {plan.options.width}: {done} is done")
        terminal.show(f"  rows before {plan.until} are in {plan.old_label if plan.is_swapped else plan.root.label}")
        for line in filling.status(self.conn, plan.state):
            terminal.show(line)
        return 0

    def rows(self, conn: Connection) -> MoveRows:
        """Returns the move of rows, on the database or on a copy."""
        is_copy = conn is not self.conn
        throttle = Throttle.none() if is_copy else Throttle(self.args.pause, self.args.max_lag)
        return MoveRows(conn, self.root.label, self.options, throttle, is_copy)

    def do_move(self) -> int:
        """Moves the rows of a partition. Once that has begun there is nothing to rehearse any more."""
        hold.refuse_running(self.conn, self.schema_of_rows)
        self.refuse_other_options(state.load(self.conn, self.schema_of_rows, RowsState))
        move = self.rows(self.conn)
        move.throttle.check(self.conn)
        if move.plan().state is None:
            self.look_rows()
            if self.stops():
                return 1
        self.run_steps(move.steps(), self.schema_of_rows)
        return 0

    def do_cancel(self) -> int:
        """Takes back what was done to move rows."""
        if self.known[self.schema_of_rows] is None:
            raise state.not_begun("rows", self.root)
        step = Step("cancel", "removing what the move has added", self.rows(self.conn).cancel)
        self.run_steps([step], self.schema_of_rows)
        return 0
