"""The move of a table to partitions: its steps, and what a rehearsal needs to know of it."""
from __future__ import annotations

from dataclasses import replace
from typing import Callable, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, constraints, filling, hanging, state
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.made import Made
from pgkid.ctl.objects import of_table, on_table
from pgkid.ctl.obstacles import refuse, refuse_made
from pgkid.ctl.partition import checks
from pgkid.ctl.partition.expected import Expected
from pgkid.ctl.partition.keys import bound_at
from pgkid.ctl.partition.plan import UNTIL, Options, Plan, TablePlan, read_plan, until_of
from pgkid.ctl.partition.swap import Back, Forward, Swap
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rehearsal.writers import Writers
from pgkid.ctl.steps import Lock, Runner, Step, lock, statement


AHEAD = 7  # periods for which partitions are created


class MoveTable:
    """A move of a table on one connection. Every step reads the catalog again."""

    def __init__(self, conn: Connection, relation: str, options: Optional[Options], rehearses: bool = False) -> None:
        self.conn, self.relation, self.options, self.rehearses = conn, relation, options, rehearses

    def plan(self, anywhere: bool = False) -> TablePlan:
        """Reads the plan as it is now, and raises an error if the move was begun in another database.

        `anywhere` is for steps that go by names alone, which work in a restored copy, too.
        """
        plan = read_plan(self.conn, catalog.table(self.conn, self.relation), self.options, self.rehearses)
        if plan.state and not self.rehearses:
            if not anywhere or state.is_here(self.conn, plan.state.origin, plan.schema) and not self.is_dropped(plan):
                state.refuse_other_database(self.conn, plan.state, plan.schema)
        return plan

    def is_dropped(self, plan: TablePlan) -> bool:
        """Returns whether the table was dropped before the swap, and this is another one, of the same name."""
        return (
            plan.state is not None
            and not plan.is_swapped
            and state.is_here(self.conn, plan.state.origin, plan.schema)
            and not state.exists(self.conn, plan.state.tables[plan.state.relation])
        )

    def tables(self) -> Sequence[int]:
        """Returns the tables that the move changes."""
        return self.plan().tried()

    def extremes(self) -> Sequence[catalog.ColumnName]:
        """Returns the key."""
        plan = self.plan()
        return [catalog.ColumnName(plan.root.oid, plan.key.name)]

    def writers(self) -> Writers:
        """Returns what writers do to these tables."""
        return writers_of(self.plan())

    def steps(self) -> Sequence[Step]:
        """Returns the steps before which there is a way back."""
        return [
            Step("prepare", "noting that no row of the first partition is later than its end", self.prepare),
            Step("prove", "looking whether that is so", self.prove),
            Step("swap", "giving a new partitioned table the name", self.swap),
            Step("partitions", "creating partitions for new rows", self.partitions),
            Step("validate", "validating the foreign keys that refer to the table", self.validate),
        ]

    def end(self) -> Sequence[Step]:
        """Returns the step that forgets the way back."""
        return [Step("finish", "forgetting the way back", self.finish)]

    def back(self) -> Sequence[Step]:
        """Returns the way back."""
        return [Step("back", "giving the first partition its name again", self.go_back)]

    def reset(self) -> None:
        """Takes back, in a copy of the schema, what an earlier run has done before the swap."""
        self.cancel(Runner(self.conn), self.plan())

    def expected(self) -> Callable[[dumps.Entry, str], Optional[str]]:
        """Returns a function that takes from a line of a dump what was asked for."""
        return Expected(self.plan()).line

    def prepare(self, runner: Runner) -> None:
        """Adds the constraint, with an end in the future: again if the end came near since, or if it was dropped."""
        plan = self.plan()
        is_there = any(k.name == UNTIL for k in catalog.constraints(self.conn, [plan.root.oid]))
        if plan.is_swapped or plan.state and is_there and not self.is_near(plan):
            return
        if plan.state:
            self.renew(plan)
        elif is_there:
            raise Refused(f"{plan.root.label} has a constraint {UNTIL}, which this move did not make", "Drop it.")
        runner.retried([lock([plan.root.sql])], lambda: self.begin(runner, plan))

    def is_near(self, plan: TablePlan) -> bool:
        """Returns whether the end of the first partition may come before the swap."""
        return bool(scalar(self.conn, "SELECT %s::timestamptz < now() + interval '1 minute'", (plan.until,)))

    def renew(self, plan: TablePlan) -> None:
        """Lets the first partition end later if its end came near since the move began, as `prepare` does."""
        if plan.state and not plan.is_swapped and self.is_near(plan):
            plan.until = until_of(self.conn, replace(plan.options, until=None))
            plan.bound = bound_at(self.conn, plan.home, plan.key, plan.ids, plan.until)

    def begin(self, runner: Runner, plan: TablePlan) -> None:
        """Creates the state, and the constraint. The table is locked."""
        state.create(self.conn, plan.schema, plan.new_state())
        runner.execute(constraints.drop_own(plan.root.sql, UNTIL))
        check = sql.SQL("{} OPERATOR({}.<) {}::{}").format(
            plan.key.sql, sql.Identifier(plan.operators), sql.Literal(plan.bound), sql.SQL(plan.key.type)
        )
        name = sql.Identifier(UNTIL)
        runner.execute(statement("ALTER TABLE {} ADD CONSTRAINT {} CHECK ({}) NOT VALID", plan.root.sql, name, check))
        plan.save("prepare")

    def prove(self, runner: Runner) -> None:
        """Validates the constraint, which blocks nobody."""
        plan = self.plan()
        if not plan.is_swapped:
            about = on_table("constraint", UNTIL, plan.root)
            about = replace(about, label=f"rows of {plan.root.label} before {plan.until}")
            runner.execute(constraints.validate(plan.root.sql, about))

    def swap(self, runner: Runner) -> None:
        """Makes the table the first partition of a new one."""
        plan = self.plan()
        if plan.is_swapped:
            return
        if not plan.state or self.is_near(plan):
            raise Refused(f"the first partition would end at {plan.until}", "Run `kidctl partition run` again.")
        self.exchange(runner, plan, Forward)
        filling.fill(runner, filling.kept(self.plan().state))

    def exchange(self, runner: Runner, plan: TablePlan, kind: type[Swap]) -> None:
        """Takes the locks of a swap, reads the catalog again, and runs the swap in one direction.

        Raises an error before the first lock if this role may not make again what hangs on the table.
        """
        made = plan.hanging()
        refuse_made(self.conn, made, plan.addresses())

        def run() -> None:
            locked = self.plan(anywhere=kind is Back)
            if kind is Forward:
                refuse(checks.of_rekey(locked))
            kind(locked, runner).run()

        runner.retried(locks(plan, made), run)

    def partitions(self, runner: Runner) -> None:
        """Creates partitions for the periods after the first partition."""
        plan = self.plan()
        mine = lock([sql.SQL("ONLY {}").format(plan.root.sql)], "SHARE UPDATE EXCLUSIVE")
        create = statement(
            "SELECT {}.kid_create_partitions({}::regclass, {}::interval, {}::timestamptz + {} * {}::interval,"
            " NULL::timestamptz, 100::integer, false, {}::text)",
            sql.SQL(plan.home),
            plan.root.label,
            plan.options.width,
            plan.until,
            float(AHEAD),
            plan.options.width,
            plan.ids.name,
            about=of_table(plan.root, "partitions of"),
        )
        runner.retried([*lock_referenced(plan, "SHARE ROW EXCLUSIVE"), mine], lambda: runner.all([create]))

    def validate(self, runner: Runner) -> None:
        """Validates the foreign keys, and then gives the planner figures of the new table."""
        plan = self.plan()
        end_swap(runner, plan)
        runner.execute(statement("ANALYZE {}", plan.root.sql))
        if plan.state:
            plan.state.is_run = True
            plan.save("swap")

    def finish(self, runner: Runner) -> None:
        """Drops the constraint, which the bound of the partition makes needless, and the state."""
        plan = self.swapped()
        end_swap(runner, plan)
        if scalar(self.conn, "SELECT to_regclass(%s) IS NULL", (plan.old_label,)):
            runner.retried([], lambda: state.remove(runner, plan.schema))  # Somebody dropped it since, with its rows.
        else:
            runner.retried([lock([plan.old])], lambda: self.forget(runner, plan, plan.old))

    def swapped(self) -> TablePlan:
        """Reads the plan, and raises an error unless the table is partitioned."""
        plan = self.plan(anywhere=True)
        if not plan.is_swapped:
            raise Refused(
                f"{plan.root.label} is not partitioned yet", "Before the swap, `kidctl partition back` undoes the move."
            )
        return plan

    def forget(self, runner: Runner, plan: TablePlan, table: sql.Composable) -> None:
        """Drops what the move has added to the table, and the state."""
        runner.execute(constraints.drop_own(table, UNTIL))
        state.remove(runner, plan.schema)

    def remove_remains(self, runner: Runner) -> None:
        """Removes what a copy of the schema alone contains of the move, which has no state there."""
        root = catalog.table(self.conn, self.relation)
        schema = state.schema_of("partition", root)
        state.refuse_stranger(self.conn, schema)
        oids = self.conn.execute(
            "SELECT k.conrelid FROM pg_constraint AS k LEFT JOIN pg_inherits AS i ON i.inhrelid = k.conrelid"
            " WHERE %s IN (k.conrelid, i.inhparent) AND k.contype = 'c' AND k.conname = %s AND k.coninhcount = 0",
            (root.oid, UNTIL),
        ).fetchall()
        tables = [table.sql for table in catalog.tables(self.conn, [row[0] for row in oids])]

        def remove() -> None:
            for table in tables:
                runner.execute(constraints.drop_own(table, UNTIL))
            state.remove(runner, schema)

        runner.retried([lock(tables)] if tables else [], remove)

    def cancel(self, runner: Runner, plan: TablePlan) -> None:
        """Takes everything back before the swap."""
        if state.owner_of(self.conn, plan.schema) is not None:
            state.refuse_stranger(self.conn, plan.schema)
            if self.is_dropped(plan):
                runner.retried([], lambda: state.remove(runner, plan.schema))
            else:
                runner.retried([lock([plan.root.sql])], lambda: self.forget(runner, plan, plan.root.sql))

    def go_back(self, runner: Runner) -> None:
        """Makes the first partition the table again, or takes back what was done before that."""
        plan = self.plan(anywhere=True)
        if plan.is_swapped:
            end_swap(runner, plan)  # An interrupted run has left foreign keys that are not valid, or not there, yet.
            self.exchange(runner, plan, Back)
            plan = self.plan(anywhere=True)
        end_swap(runner, plan)
        self.cancel(runner, plan)


def locks(plan: Plan, made: Sequence[Made]) -> list[Lock]:
    """Returns the locks that the swap needs, in the order in which queries take them.

    These are views before the tables that they show, and tables that others refer to before those.
    """
    # ATTACH drops the triggers by which a foreign key of the partition watched the other table.
    referenced = lock_referenced(plan, "ACCESS EXCLUSIVE")
    return [*hanging.lock_views(made), *referenced, lock([t.sql for t in [plan.root, *plan.referring()]])]


def end_swap(runner: Runner, plan: Plan) -> None:
    """Fills materialized views, and validates or adds the foreign keys that are left.

    Then it forgets them, so that no later step adds again what somebody has dropped or renamed since.
    """
    if plan.state and (plan.state.late or plan.state.to_fill):
        filling.fill(runner, plan.state.to_fill)
        for late in plan.state.late:
            late.end(runner)
        plan.state.late, plan.state.to_fill = [], []
        plan.save(plan.state.step)


def writers_of(plan: Plan) -> Writers:
    """Returns what writers do to the tables of a plan. A key that has no default gets an ID of now."""
    labels = [table.label for table in catalog.tables(plan.conn, plan.tried())]
    return Writers(labels, {(plan.root.label, plan.key.name): plan.ids.next(plan.home)})


def lock_referenced(plan: Plan, mode: str) -> list[Lock]:
    """Returns the lock of the tables that the foreign keys refer to, if this role may lock them."""
    return lock_allowed(plan.conn, plan.referenced(), mode)


def lock_allowed(conn: Connection, tables: Sequence[catalog.Table], mode: str) -> list[Lock]:
    """Returns the lock of those of some tables that this role may lock."""
    allowed = [
        table.sql
        for table in tables
        if scalar(conn, "SELECT has_table_privilege(%s::oid, 'UPDATE, DELETE, TRUNCATE')", (table.oid,))
    ]
    return [lock(allowed, mode)] if allowed else []
