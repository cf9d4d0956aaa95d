"""kidctl partition: makes a table the first partition of a new one, which takes its name, without copying rows.

The action `move` is another move: it copies the rows of one partition into partitions by time.
"""
from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Callable, Iterable, Optional

from pgkid.ctl import catalog, filling, hold, state, terminal
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.kid import NUMBERS, home_of
from pgkid.ctl.partition import checks
from pgkid.ctl.partition.keys import key_of
from pgkid.ctl.partition.move import MoveTable
from pgkid.ctl.partition.plan import Options, Plan
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
        "finish": "keep what `run` has done, and end the move; there is no way back from here",
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
        self.watch(self.schema, self.root)
        self.watch(self.schema_of_rows, self.root)
        self.options = Options(args.width or "", args.until, args.ids, args.partition)
        self.table_move = MoveTable(conn, self.root.label, self.options if args.width else None)

    @classmethod
    def add_arguments(cls, parser: argparse.ArgumentParser) -> None:
        """Adds the arguments of this command."""
        super().add_arguments(parser)
        parser.epilog = f"{parser.epilog}\n\n{cls.more}"
        parser.add_argument("table", help="the table, with its schema if psql would need that")
        parser.add_argument(
            "--width",
            metavar="INTERVAL",
            help="the time that a partition covers, such as '1 month'; required until the move has begun",
        )
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
        self.refuse_foreign("--partition", self.args.partition, "move")
        if not self.args.width and not self.begun():
            raise Refused("--width is missing", "Pass the time that a partition covers, such as --width '1 month'.")
        plan = self.table_move.plan()
        state.refuse_half_back(plan.state)
        self.refuse_other_options(plan, plan.until)
        if plan.is_swapped:
            is_run = plan.state and plan.state.is_run
            hint = "Run `kidctl partition finish` or `back`." if is_run else "Run `kidctl partition run` again."
            raise Refused(f"{self.root.label} is partitioned already", hint)
        self.table_move.renew(plan)
        self.trust_schemas(plan.tried())
        self.rehearse(checks.look(plan), self.copied)

    def rehearse(self, findings: Iterable[Finding], make: Callable[[Connection], Move]) -> None:
        """Adds findings and those of a rehearsal to the report."""
        self.examine(f"rehearsing the move of {self.root.label}", findings, make)

    def look_rows(self) -> None:
        """Fills the report of a move of rows."""
        self.refuse_foreign("--until", self.args.until, "run")
        plan = self.rows(self.conn).plan()
        self.refuse_other_options(plan)
        if plan.is_swapped:
            raise Refused(f"rows of {self.root.label} have moved", "Run `kidctl partition move` again, to end it.")
        self.trust_schemas(plan.tried())
        self.rehearse(checks.look_rows(plan), self.rows)

    def copied(self, conn: Connection) -> MoveTable:
        """Returns the move on a copy, with the options of the move if it has begun."""
        if conn is self.conn:
            return self.table_move
        plan = self.table_move.plan()
        options = plan.options
        if plan.state:  # It has no row in the copy.
            self.table_move.renew(plan)
            options = replace(options, until=plan.until)
        return MoveTable(conn, self.root.label, options, True)

    def do_run(self) -> int:
        """Runs all steps. After the swap there is nothing to rehearse any more."""
        if self.moves_rows():
            raise Refused(
                f"{self.root.label} is partitioned by its IDs already",
                "`kidctl partition move` moves rows of one partition.",
            )
        self.refuse_foreign("--partition", self.args.partition, "move")
        hold.refuse_running(self.conn, self.schema)
        if self.begun():
            plan = self.table_move.plan()
            state.refuse_half_back(plan.state)
            self.refuse_other_options(plan, plan.until)
            if plan.is_swapped:
                self.run_steps(steps_from("partitions", self.table_move.steps()), self.schema)
                self.say_job()
                return 0
        self.look()
        if self.stops():
            return 1
        self.run_steps(self.table_move.steps(), self.schema)
        self.say_job()
        return 0

    @staticmethod
    def refuse_foreign(name: str, given: Optional[str], action: str) -> None:
        """Raises an error if the user gives an option of the other move, which would be ignored."""
        if given is not None:
            raise Refused(f"{name} is an option of `kidctl partition {action}`", f"Leave out {name}.")

    def refuse_other_options(self, plan: Plan, until: Optional[str] = None) -> None:
        """Raises an error if the user gives another option than the move began with.

        `until` is when the first partition ends.
        """
        if not plan.state:
            return
        args, kept = self.args, plan.options
        state.refuse_other_options(
            self.root.label,
            (
                ("--width", args.width, self.same(args.width, kept.width, "{}::interval::text")),
                ("--until", args.until, self.same(args.until, kept.until, "{}::timestamptz", until)),
                ("--ids", args.ids, plan.ids.prefix),
                ("--partition", args.partition, self.same_partition(plan)),
            ),
        )

    def same(self, given: Optional[str], kept: Optional[str], form: str, value: Optional[str] = None) -> Optional[str]:
        """Returns what was given if it spells in another way what the move keeps, and otherwise what the move keeps.

        `form` is an expression that returns the value of a text. `value` is that of the move, if it is not `kept`.
        """
        value = value or kept
        if given is None or value is None or given == kept:
            return kept
        query = f"SELECT {form} = {form}".format("%s", "%s")
        return given if scalar(self.conn, query, (given, value)) else kept

    def same_partition(self, plan: Plan) -> Optional[str]:
        """Returns what was given as --partition if it is the partition whose rows move, or what the move keeps."""
        given: Optional[str] = self.args.partition
        if given is None:
            return plan.options.partition
        if plan.is_swapped:  # The partition may be gone.
            return given if given in (plan.old_name, plan.old_label) else plan.options.partition
        return given if catalog.table(self.conn, given).label == plan.old_label else plan.old_label

    def say_job(self) -> None:
        """Says what must be called from now on."""
        ids = self.table_move.plan().ids
        call = "kid_create_partitions()" + f" with ids => '{ids.prefix}'" * (ids.is_number and not ids.is_default)
        terminal.say(f"{self.root.label} is partitioned. From now on a job must call {call} regularly.")

    def has_remains(self, schema: str) -> bool:
        """Returns whether there is the schema of a move without its state, as in a copy of the schema alone.

        A schema that a kidctl has left that was killed before the move began is dropped, unless somebody reads it.
        """
        self.drop_remains(schema)
        return self.known[schema] is None and state.has_table(self.conn, schema)

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
        if self.has_remains(self.schema):
            step = Step("back", "removing what is left of the move", self.table_move.remove_remains)
            self.run_steps([step], self.schema)
            return 0
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
        options = self.options
        if is_copy:
            plan = self.rows(self.conn).plan()
            options = replace(plan.options, partition=plan.old_label)
        return MoveRows(conn, self.root.label, options, throttle, is_copy)

    def do_move(self) -> int:
        """Moves the rows of a partition. Once that has begun there is nothing to rehearse any more."""
        self.refuse_foreign("--until", self.args.until, "run")
        hold.refuse_running(self.conn, self.schema_of_rows)
        move = self.rows(self.conn)
        plan = move.plan()
        self.refuse_other_options(plan)
        move.throttle.check(self.conn)
        if plan.state is None:
            if self.has_remains(self.schema_of_rows):
                message = (
                    f"schema {self.schema_of_rows} is of a move, and has no state, as in a copy of the schema alone"
                )
                raise Refused(message, "Run `kidctl partition cancel`, and then `kidctl partition move` again.")
            self.look_rows()
            if self.stops():
                return 1
            # The partition that was rehearsed, though another one may be the first by now
            move.options = replace(plan.options, partition=plan.old_label)
        self.run_steps(move.steps(), self.schema_of_rows)
        return 0

    def do_cancel(self) -> int:
        """Takes back what was done to move rows."""
        if self.known[self.schema_of_rows] is None and not self.has_remains(self.schema_of_rows):
            raise state.not_begun("rows", self.root)
        step = Step("cancel", "removing what the move has added", self.rows(self.conn).cancel)
        self.run_steps([step], self.schema_of_rows)
        return 0
