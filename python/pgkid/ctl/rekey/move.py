"""The move of a table to new keys for all rows: its steps, and what a rehearsal needs to know of it."""
from __future__ import annotations

from typing import Callable, Collection, Iterator, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, filling, hanging, objects, state
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.made import has_statistics
from pgkid.ctl.names import beside
from pgkid.ctl.obstacles import refuse, refuse_made
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rehearsal.writers import Writers
from pgkid.ctl.rekey import checks, follow, full, twins
from pgkid.ctl.rekey.cancel import Cancel
from pgkid.ctl.rekey.expected import Expected
from pgkid.ctl.rekey.fill import Fill
from pgkid.ctl.rekey.finish import drop_columns, finish
from pgkid.ctl.rekey.plan import Options, Plan, Seen, read_plan
from pgkid.ctl.rekey.swap import Swap
from pgkid.ctl.steps import Runner, Step, lock, statement
from pgkid.ctl.terminal import progress
from pgkid.ctl.throttle import Throttle


class Rekey:
    """A move on one connection. Every step reads the catalog again."""

    def __init__(
        self,
        conn: Connection,
        relation: str,
        options: Optional[Options],
        throttle: Throttle,
        rehearses: bool = False,
    ) -> None:
        self.conn, self.relation, self.options, self.throttle = conn, relation, options, throttle
        self.rehearses = rehearses
        self.twins: twins.Definitions = {}

    def plan(self) -> Plan:
        """Reads the plan as it is now, and raises an error if the move was begun in another database.

        What follows the swap goes by names alone, and works in a restored copy, too.
        """
        plan = read_plan(self.conn, catalog.table(self.conn, self.relation), self.options)
        if plan.state and not self.rehearses:
            follows_swap = plan.is_swapped or plan.is_half_back
            if not follows_swap or state.is_here(self.conn, plan.state.origin, plan.schema):
                state.refuse_other_database(self.conn, plan.state, plan.schema)
        return plan

    def tables(self) -> Sequence[int]:
        """Returns the tables that the move changes."""
        return [table.oid for table in self.plan().tables()]

    def extremes(self) -> Sequence[catalog.ColumnName]:
        """Returns the key, and the column with the time."""
        plan = self.plan()
        named = [c.name for c in catalog.columns(self.conn, plan.root.oid)]
        wanted = [name for name in (plan.key.name, plan.options.time) if name in named]
        return [catalog.ColumnName(plan.root.oid, name) for name in wanted if name]

    def writers(self) -> Writers:
        """Returns what writers do to these tables."""
        plan = self.plan()
        key = next(c for c in catalog.columns(self.conn, plan.root.oid) if c.number == plan.key.number)
        given = sql.SQL("pg_catalog.gen_random_uuid()::{}").format(sql.SQL(key.type))
        if key.category == "N":
            given = sql.SQL("(SELECT pg_catalog.max({}) OPERATOR(pg_catalog.+) 1 FROM {})").format(
                key.sql, plan.root.sql
            )
        return Writers([t.label for t in plan.top_tables()], {(plan.root.label, key.name): given})

    def found(self, plan: Plan, accepted: Collection[str]) -> Iterator[Finding]:
        """Yields what stands in the way of the move, beside what a rehearsal finds."""
        yield from checks.look(plan, accepted)

    def found_since(self, plan: Plan) -> Iterator[Finding]:
        """Yields what has come into the way since the move began."""
        yield from checks.of_later_columns(plan)

    def refuse_changed(self, plan: Plan) -> None:
        """Raises an error if the swap would meet other definitions than the last run."""
        checks.refuse_changed(plan)

    def steps(self) -> Sequence[Step]:
        """Returns the steps up to the swap."""
        return [*self.steps_before_swap(), self.swapping()]

    def steps_before_swap(self) -> Sequence[Step]:
        """Returns the steps after which all is ready for the swap."""
        return [
            Step("prepare", "adding columns, which new rows fill from here on", self.prepare),
            Step("fill", "filling the rows that were there", self.fill),
            Step("index", "building indexes on the new columns", self.index),
            Step("constrain", "adding constraints on the new columns", self.constrain),
            Step("validate", "looking whether rows fulfil them", self.validate),
        ]

    def swapping(self) -> Step:
        """Returns the step in which the new columns take the names."""
        return Step("swap", "giving the new columns the names of the old ones", self.swap)

    def end(self) -> Sequence[Step]:
        """Returns the step that drops the old keys."""
        return [Step("finish", "dropping the old keys", self.finish)]

    def back(self) -> Sequence[Step]:
        """Returns the way back after the swap."""
        return [Step("back", "giving the old columns their names again", self.go_back)]

    def reset(self) -> None:
        """Takes back, in a copy of the schema, what an earlier run has done."""
        Cancel(self.conn, self.relation).run(Runner(self.conn))

    def expected(self) -> Callable[[dumps.Entry, str], Optional[str]]:
        """Returns a function that takes from a line of a dump what was asked for."""
        return Expected(self.plan()).line

    def prepare(self, runner: Runner) -> None:
        """Adds the columns, and the triggers that fill them."""
        plan = self.plan()
        if plan.state:
            return
        runner.retried([lock(plan.locks())], lambda: self.begin(runner, plan))

    def begin(self, runner: Runner, plan: Plan) -> None:
        """Creates the state, the columns and the triggers. The tables are locked."""
        if self.plan().columns != plan.columns:
            message = f"tables of the move of {plan.root.label} were changed before they were locked"
            raise Refused(message, "Run the same command again.")
        refuse(checks.of_other_moves(plan))
        state.create(self.conn, plan.schema, plan.begin(plan.top_tables()))
        runner.all(follow.tables(plan))
        for column in plan.tops:
            table, name = plan.table(column.table), sql.Identifier(beside("new", column.name))
            kind, about = sql.SQL(plan.keys.new_type), objects.on_table("column", column.name, table)
            runner.execute(statement("ALTER TABLE {} ADD COLUMN {} {}", table.sql, name, kind, about=about))
        assert plan.state
        plan.state.added = plan.added()
        runner.execute(follow.known(plan))
        runner.all(follow.follow(plan, plan.direction("new")))
        runner.all(follow.triggers(plan))
        self.note(plan, "prepare")

    def note(self, plan: Plan, step: state.Saved) -> None:
        """Notes that a step is done, and what hung on the columns then."""
        assert plan.state
        plan.state.seen = [Seen(made.object, made.make) for made in plan.hanging()]
        plan.save(step)

    def fill(self, runner: Runner) -> None:
        """Fills the new columns, and makes room for what writers do next."""
        plan = self.plan_with_triggers()
        with progress("filling", "blocks") as bar:
            Fill(plan, runner, self.throttle, bar).run()
        for table in plan.top_tables():
            runner.execute(statement("VACUUM (ANALYZE) {}", table.sql, outside=True))

    def plan_with_triggers(self) -> Plan:
        """Reads the plan, and raises an error if the triggers of the move have been disabled or dropped."""
        plan = self.plan()
        refuse(checks.of_later_columns(plan))
        refuse(checks.of_lost_triggers(plan))
        return plan

    def index(self, runner: Runner) -> None:
        """Builds the indexes."""
        plan = self.plan_with_triggers()
        twins.drop_stale(plan, runner)
        self.twins = twins.definitions(plan, runner, self.twins)
        twins.note(plan, self.twins)
        twins.Builder(plan, runner, self.twins).build_indexes()
        if any(0 in index.keys for index in twins.indexes(plan)):
            analyze(plan, runner)

    def constrain(self, runner: Runner) -> None:
        """Adds constraints without looking at rows, where PostgreSQL can do that."""
        plan = self.plan_with_triggers()
        self.twins = twins.definitions(plan, runner, self.twins)
        twins.note(plan, self.twins)
        builder = twins.Builder(plan, runner, self.twins)

        def add() -> None:
            full.add(plan, runner, "new")
            builder.add_constraints()

        runner.retried([lock(plan.locks())], add)

    def validate(self, runner: Runner) -> None:
        """Fills what transactions have added that saw no row filled, and validates the constraints."""
        plan = self.plan_with_triggers()
        with progress("filling", "blocks") as bar:
            Fill(plan, runner, self.throttle, bar).run()
        builder = twins.Builder(plan, runner, self.twins)
        builder.validate()

        def end() -> None:
            builder.join_parts()
            self.note(plan, "validate")

        runner.retried([lock(plan.locks())], end)

    def swap(self, runner: Runner) -> None:
        """Exchanges the columns, and fills materialized views."""

        def exchange() -> None:
            plan = self.plan_with_triggers()
            swap = Swap(plan, runner, plan.direction("new"))
            swap.run()
            swap.remember()

        self.plan_with_triggers()  # Tables of others that refer to the key by now cannot be locked.
        self.run_locked(runner, exchange)
        plan = self.plan()
        filling.fill(runner, filling.kept(plan.state))
        if plan.state and plan.state.has_statistics:
            analyze(plan, runner)

    def run_locked(self, runner: Runner, exchange: Callable[[], None]) -> None:
        """Runs an exchange of columns under its locks: of views before the tables that they show, as queries take them.

        Raises an error before the first lock if this role may not make again what hangs on the columns.
        """
        plan = self.plan()
        made = plan.hanging()
        refuse_made(self.conn, made, plan.addresses)
        runner.retried([*hanging.lock_views(made), lock(plan.locks())], exchange)

    def refill(self, runner: Runner) -> None:
        """Fills the materialized views that an interrupted swap has left empty."""
        filling.fill(runner, filling.kept(self.plan().state))

    def finish(self, runner: Runner) -> None:
        """Drops the old keys."""
        plan = self.swapped()
        refuse(checks.of_renamed_columns(plan))
        refuse(checks.of_lost_columns(plan))
        self.refill(runner)
        runner.retried([lock(plan.locks_of_end())], lambda: finish(plan, runner))

    def swapped(self) -> Plan:
        """Reads the plan, and raises an error unless the swap is done."""
        plan = self.plan()
        state.refuse_half_back(plan.state)
        if not plan.is_swapped:
            raise Refused(
                f"{plan.root.label} does not have its new keys yet",
                "Before the swap, `kidctl rekey cancel` undoes the move.",
            )
        return plan

    def go_back(self, runner: Runner) -> None:
        """Exchanges the columns again, removes all that the move has added, and does what is left after that."""
        plan = self.plan()
        if not plan.is_half_back:
            self.exchange_back(runner)
        self.end_back(runner, self.plan())

    def exchange_back(self, runner: Runner) -> None:
        """Exchanges the columns again. The state keeps what is left to do after the transaction."""
        plan = self.swapped()
        refuse([*checks.of_later_columns(plan), *checks.of_lost_triggers(plan)])
        if not runner.rehearses:
            later = Swap(plan, runner, plan.direction("old"))
            later.read()
            later.refuse_later()
            plan = self.swapped()
        runner.retried([lock(plan.locks())], lambda: full.add(plan, runner, "old"))
        twins.Builder(plan, runner, {}).validate()

        def exchange() -> None:
            present = self.swapped()
            refuse([*checks.of_later_columns(present), *checks.of_lost_triggers(present)])
            assert present.state
            is_copy = not state.is_here(self.conn, present.state.origin, present.schema)
            swap = Swap(present, runner, present.direction("old"))
            swap.run()
            follow.remove(present, runner)
            drop_columns(runner, [(present.table(column.table), beside("new", column.name)) for column in present.tops])
            present.state.step = "back"
            present.state.to_fill = filling.to_fill(swap.made, present.state)
            present.state.has_statistics = has_statistics(swap.made)
            state.create(self.conn, present.schema, present.state, is_copy)

        self.run_locked(runner, exchange)

    def end_back(self, runner: Runner, plan: Plan) -> None:
        """Validates constraints, fills materialized views, and forgets the move."""
        assert plan.state
        for old in plan.state.constraints:
            if old.is_late:
                old.validate(runner)
        filling.fill(runner, plan.state.to_fill)
        if plan.state.has_statistics:
            analyze(plan, runner)
        state.remove(runner, plan.schema)


def analyze(plan: Plan, runner: Runner) -> None:
    """Gives the planner figures of new expressions of indexes, and of extended statistics that were made again."""
    for table in plan.top_tables():
        runner.execute(statement("ANALYZE {}", table.sql))
