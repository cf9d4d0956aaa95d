"""kidctl partition move: copies the rows of one partition into partitions by time, and puts these in its place.

Readers and writers go on while rows are copied in blocks. The exchange takes a moment. It waits until no transaction is
left whose snapshot is older than the copy of a row, since such a transaction would miss the row.
"""
from __future__ import annotations

import time
from dataclasses import replace
from typing import Callable, Iterator, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import Connection, qualified, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.kid import home_of
from pgkid.ctl.obstacles import refuse
from pgkid.ctl.partition import checks, copies, follow
from pgkid.ctl.partition.definitions import definitions, refuse_changed
from pgkid.ctl.partition.exchange import Exchange, Noted
from pgkid.ctl.partition.expected import ExpectedOfRows
from pgkid.ctl.partition.move import end_swap, lock_allowed, lock_referenced, writers_of
from pgkid.ctl.partition.keys import Ids, operators_of
from pgkid.ctl.partition.plan import AGAIN, Options, Plan, RowsPlan, RowsState, key_of_move
from pgkid.ctl.partition.shadow import Shadow
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rehearsal.writers import Writers
from pgkid.ctl.steps import Lock, Runner, Step, lock, statement
from pgkid.ctl.terminal import progress
from pgkid.ctl.throttle import BLOCKS, Throttle


def read_rows_plan(conn: Connection, root: catalog.Table, given: Options, is_copy: bool = False) -> RowsPlan:
    """Reads the plan of a move of rows. The partition is its `old_name`.

    In a copy the options are those of the move, as it was read from the database itself.
    """
    schema = state.schema_of("rows", root)
    begun = state.load(conn, schema, RowsState)
    if state.step_of(conn, state.schema_of("partition", root)) is not None:
        raise Refused(f"the way back of {root.label} is still open", "Run `kidctl partition finish` first.")
    home = home_of(conn)
    options = begun.options if begun else given
    found = key_of_move(conn, root, home, options, begun, is_copy, AGAIN)
    key, ids = found.column, found.ids
    if not key.is_partition_key:
        raise Refused(f"{root.label} is not partitioned by its IDs", "Run `kidctl partition run` first.")
    if not options.width:
        raise Refused("--width is missing", "Pass the time that a partition covers, such as --width '1 month'.")
    name = begun.old_name if begun else source_of(conn, root, home, ids, options.partition)
    return RowsPlan(
        conn=conn,
        root=root,
        key=key,
        ids=ids,
        home=home,
        operators=operators_of(conn, key),
        options=replace(options, ids=ids.name, key=key.name),
        old_name=name,
        schema=schema,
        state=begun,
    )


def source_of(conn: Connection, root: catalog.Table, home: str, ids: Ids, partition: Optional[str]) -> str:
    """Returns the name of the partition whose rows move: that of the user, the default one, or the first one."""
    query = sql.SQL(
        "SELECT c.relname, c.relkind::text FROM pg_class AS c WHERE c.oid = coalesce(to_regclass({label})::oid,"
        " (SELECT nullif(p.partdefid, 0) FROM pg_partitioned_table AS p WHERE p.partrelid = {root}),"
        " (SELECT p.partition FROM {home}.kid_partitions({root}::regclass, {ids}::text) AS p"
        " ORDER BY p.begins LIMIT 1))"
        " AND EXISTS (SELECT FROM pg_inherits AS i WHERE (i.inhparent, i.inhrelid) = ({root}, c.oid))"
        " AND c.relnamespace = (SELECT r.relnamespace FROM pg_class AS r WHERE r.oid = {root})"
    )
    label = catalog.table(conn, partition).label if partition else None
    row = conn.execute(query.format(home=sql.SQL(home), label=label, root=root.oid, ids=ids.name)).fetchone()
    if row is None:
        raise Refused(f"{root.label} has no such partition in its schema")
    if row[1] != "r":
        raise Refused(
            f"partition {row[0]} of {root.label} has partitions itself", "Only rows of plain tables can move."
        )
    return str(row[0])


class MoveRows:
    """A move of rows on one connection."""

    def __init__(
        self,
        conn: Connection,
        relation: str,
        options: Options,
        throttle: Throttle,
        rehearses: bool = False,
    ) -> None:
        self.conn, self.relation, self.options = conn, relation, options
        self.throttle, self.rehearses = throttle, rehearses

    def plan(self) -> RowsPlan:
        """Reads the plan as it is now."""
        plan = read_rows_plan(self.conn, catalog.table(self.conn, self.relation), self.options, self.rehearses)
        if plan.state and not self.rehearses:
            state.refuse_other_database(self.conn, plan.state, plan.schema)
        return plan

    def tables(self) -> Sequence[int]:
        """Returns the tables of which rows are tried."""
        return self.plan().tried()

    def extremes(self) -> Sequence[catalog.ColumnName]:
        """Returns the key of the partition."""
        plan = self.plan()
        return [catalog.ColumnName(catalog.table(self.conn, plan.old_label).oid, plan.key.name)]

    def writers(self) -> Writers:
        """Returns what writers do to these tables."""
        return writers_of(self.plan())

    def steps(self) -> Sequence[Step]:
        """Returns the steps. Before `exchange`, `cancel` undoes the move."""
        return [
            Step("prepare", "creating partitions, which writers fill from here on, too", self.prepare),
            Step("copy", "copying rows", self.copy),
            Step("exchange", "putting the partitions in the place of the one that had the rows", self.exchange),
            Step("validate", "validating the foreign keys that refer to the table", self.validate),
        ]

    def end(self) -> Sequence[Step]:
        """Returns nothing: there is no way back that could be forgotten."""
        return []

    def back(self) -> Sequence[Step]:
        """Returns nothing: there is no way back after the exchange."""
        return []

    def reset(self) -> None:
        """Takes back, in a copy of the schema, what an earlier run has done. The state has no row there."""
        plan = self.plan()
        if state.owner_of(self.conn, plan.schema) is not None:
            state.refuse_stranger(self.conn, plan.schema)
            self.remove(Runner(self.conn), plan.schema)

    def expected(self) -> Callable[[dumps.Entry, str], Optional[str]]:
        """Returns a function that takes from a line of a dump what was asked for."""
        return ExpectedOfRows(self.plan()).line

    def prepare(self, runner: Runner) -> None:
        """Creates the state, the new partitions, and the trigger."""
        plan = self.plan()
        if plan.state:
            return

        def begin() -> None:
            locked = self.plan()  # Columns can have changed until now.
            shadow = Shadow(locked, runner)
            state.create(self.conn, locked.schema, locked.new_state(shadow.source, definitions(locked)))
            shadow.create()
            follow.create(shadow)

        mine = lock([catalog.table(self.conn, plan.old_label).sql], "SHARE ROW EXCLUSIVE")
        runner.retried([*lock_referenced(plan, "SHARE ROW EXCLUSIVE"), mine], begin)

    def copy(self, runner: Runner) -> None:
        """Copies the rows, from where it was interrupted. What is appended meanwhile is the trigger's."""
        plan = self.plan()
        if plan.is_swapped or not plan.state:
            return
        begun, shadow = plan.state, Shadow(plan, runner)
        size: Optional[int] = None
        with progress("copying", "blocks") as bar:
            while True:
                began = time.monotonic()
                with self.conn.transaction():
                    runner.execute(copies.hold(shadow))
                    self.refuse_changed(runner, plan)
                    is_rewritten = self.is_rewritten(plan)
                    if size is None or is_rewritten:
                        size = catalog.blocks(self.conn, shadow.source.oid)
                    if not is_rewritten:
                        if begun.block >= size:
                            break
                        runner.execute(copies.copy(shadow, begun.block, BLOCKS))
                        begun.block += BLOCKS
                        plan.save("prepare")
                if is_rewritten:
                    runner.retried([lock([shadow.source.sql], "SHARE ROW EXCLUSIVE")], lambda: self.begin_again(runner))
                    plan = self.plan()
                    assert plan.state
                    begun, shadow, size = plan.state, Shadow(plan, runner), None
                    continue
                bar.update(min(begun.block, size), size, f"copying {shadow.source.label}")
                self.throttle.rest(self.conn, time.monotonic() - began)

    def begin_again(self, runner: Runner) -> None:
        """Removes all copies, so that all blocks are copied anew. The partition is locked against writers."""
        plan = self.plan()
        assert plan.state
        shadow = Shadow(plan, runner)
        self.refuse_changed(runner, plan)
        runner.execute(copies.empty(shadow))
        plan.state.file, plan.state.block = catalog.file_of(self.conn, shadow.source.oid), 0
        plan.save("prepare")

    def is_rewritten(self, plan: RowsPlan) -> bool:
        """Returns whether the rows of the partition were written anew since they were copied, or will be copied."""
        if not plan.state:
            return False
        return catalog.file_of(self.conn, catalog.table(self.conn, plan.old_label).oid) != plan.state.file

    def refuse_changed(self, runner: Runner, plan: RowsPlan) -> None:
        """Raises an error if others have changed what the copies do not follow. A rehearsal goes on without that."""
        if not runner.rehearses:
            refuse_changed(plan)

    def exchange(self, runner: Runner) -> None:
        """Attaches the new partitions, when all that was noted is copied and nobody has an older snapshot."""
        if self.plan().is_swapped:
            return
        for _attempt in range(100):
            plan = self.plan()
            if self.is_rewritten(plan):
                self.copy(runner)
            shadow = Shadow(plan, runner)
            self.wait(runner, plan)
            self.refuse_changed(runner, plan)
            if copies.copy_noted(shadow):
                continue
            if shadow.rows_left():
                raise Refused(f"rows of {shadow.source.label} belong to no new partition", AGAIN)
            try:
                runner.retried(self.locks(plan), lambda: self.exchange_locked(runner))
                return
            except Noted:
                continue
        raise Refused("writers changed rows again and again during the exchange", "Run the same command again.")

    def exchange_locked(self, runner: Runner) -> None:
        """Runs the exchange under its locks, unless others have changed something before these were taken."""
        plan = self.plan()
        self.refuse_changed(runner, plan)
        if self.is_rewritten(plan):
            raise Noted
        if not runner.rehearses:
            found = [*checks.of_dependents(plan), *checks.of_publications_of_rows(plan)]
            refuse([*found, *checks.of_subscriptions_of_rows(plan)])
        Exchange(plan, runner).run()

    def wait(self, runner: Runner, plan: Plan) -> None:
        """Waits until no transaction has a snapshot older than now, as CREATE INDEX CONCURRENTLY does in its end."""
        index = sql.Identifier("moment")
        runner.execute(statement("DROP INDEX IF EXISTS {}", sql.Identifier(plan.schema, "moment")))
        table = sql.Identifier(plan.schema, "state")
        runner.execute(statement("CREATE INDEX CONCURRENTLY {} ON {} (one)", index, table, outside=True))

    def locks(self, plan: Plan) -> list[Lock]:
        """Returns the locks that the exchange needs."""
        mine = [table.sql for table in [plan.root, *plan.referring()]]
        return [*lock_referenced(plan, "ACCESS EXCLUSIVE"), lock(mine)]

    def validate(self, runner: Runner) -> None:
        """Validates foreign keys, and forgets the move."""
        plan = self.plan()
        end_swap(runner, plan)
        runner.execute(statement("ANALYZE {}", plan.root.sql))
        state.remove(runner, plan.schema)

    @staticmethod
    def status(conn: Connection, root: catalog.Table) -> Iterator[str]:
        """Yields lines that tell how far the move is."""
        schema = state.schema_of("rows", root)
        begun = state.load(conn, schema, RowsState)
        if begun is None:
            raise state.not_begun("rows", root)
        source = qualified(conn, root.schema, begun.old_name)
        width = begun.options.width
        if begun.is_swapped:
            yield f"move of rows of {source} to partitions of {width}: exchange is done, validate is next"
            return
        size = scalar(conn, "SELECT pg_relation_size(to_regclass(%s)) / current_setting('block_size')::int", (source,))
        noted = scalar(conn, sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(schema, "noted")))
        yield f"move of rows of {source} to partitions of {width}: prepare is done"
        yield f"  copied: {min(begun.block, size or 0)} of {size} blocks; to copy again: {noted} changed rows"

    def cancel(self, runner: Runner) -> None:
        """Takes everything back before the exchange."""
        root = catalog.table(self.conn, self.relation)
        schema = state.schema_of("rows", root)
        if state.owner_of(self.conn, schema) is None:
            return
        if state.step_of(self.conn, schema) == "swap":
            raise Refused(f"rows of {root.label} have moved", "Run `kidctl partition move` again, to end it.")
        self.remove(runner, schema)

    def remove(self, runner: Runner, schema: str) -> None:
        """Removes the copies of the rows, the triggers, and the state, whatever the table and the partition are now."""

        def remove() -> None:
            follow.drop(runner, schema)
            state.remove(runner, schema)

        referred = self.conn.execute(
            "SELECT DISTINCT k.confrelid FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid"
            " WHERE k.contype = 'f' AND k.conparentid = 0 AND c.relnamespace = to_regnamespace(quote_ident(%s))::oid"
            " ORDER BY 1",
            (schema,),
        ).fetchall()
        sources = [table.sql for table in follow.tables(self.conn, schema)]
        locks = lock_allowed(self.conn, catalog.tables(self.conn, [row[0] for row in referred]), "ACCESS EXCLUSIVE")
        runner.retried([*locks, *([lock(sources)] if sources else [])], remove)
