"""The way back of a move to new keys before the swap."""
from __future__ import annotations

from typing import Sequence

from psycopg import sql

from pgkid.ctl import catalog, constraints, state
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Refused
from pgkid.ctl.names import beside, is_beside
from pgkid.ctl.rekey import follow
from pgkid.ctl.rekey.finish import drop_new
from pgkid.ctl.rekey.plan import RekeyState
from pgkid.ctl.steps import Runner, lock, statement


class Cancel:
    """Takes everything back before the swap. It goes by names alone, so that it works in a restored copy, too."""

    def __init__(self, conn: Connection, relation: str) -> None:
        self.conn, self.relation = conn, relation

    def finds_any(self) -> bool:
        """Returns whether there is something to take back: the schema of a move, its triggers, or its columns."""
        root = catalog.table(self.conn, self.relation)
        schema = state.schema_of("rekey", root)
        columns = catalog.related(self.conn, root.oid)
        return state.owner_of(self.conn, schema) is not None or self.has_traces(columns, schema)

    def has_traces(self, columns: Sequence[catalog.KeyColumn], schema: str) -> bool:
        """Returns whether a move has left its columns or triggers in the tables."""
        names = {(c.table, name.name) for c in columns for name in catalog.columns(self.conn, c.table)}
        return any((c.table, beside(word, c.name)) in names for c in columns for word in ("new", "old")) or any(
            self.has_trigger(table, schema) for table in catalog.tables(self.conn, [c.table for c in columns])
        )

    def changes_tables(self, columns: Sequence[catalog.KeyColumn], schema: str) -> bool:
        """Returns whether a move has changed the tables. Before its swap, one of new rows only has not."""
        begun = state.load(self.conn, schema, RekeyState)
        return not (begun and begun.options.new_rows_only) or self.has_traces(columns, schema)

    def run(self, runner: Runner) -> None:
        """Drops triggers, columns, and the schema of the move."""
        self.refuse()
        root = catalog.table(self.conn, self.relation)
        columns = catalog.related(self.conn, root.oid)
        schema = state.schema_of("rekey", root)
        tops = catalog.tables(self.conn, dict.fromkeys(c.top for c in columns))

        def remove() -> None:
            for table in tops:
                if self.has_trigger(table, schema):
                    runner.execute(statement("DROP TRIGGER {} ON {}", sql.Identifier(follow.TRIGGER), table.sql))
            state.remove(runner, schema)
            found = [(catalog.tables(self.conn, [c.table])[0], c) for c in columns if c.is_top]
            for table, column in found:
                self.drop_indexes_and_checks(runner, table, column)
            drop_new(runner, found)

        if self.changes_tables(columns, schema):
            runner.retried([lock([table.sql for table in tops])], remove)
        else:
            runner.retried([], lambda: state.remove(runner, schema))

    def refuse(self) -> None:
        """Raises an error after the swap."""
        root = catalog.table(self.conn, self.relation)
        columns = catalog.related(self.conn, root.oid)
        schema = state.schema_of("rekey", root)
        names = {c.name for c in catalog.columns(self.conn, root.oid)}
        has_old_keys = beside("old", columns[0].name) in names
        begun = None if has_old_keys else state.load(self.conn, schema, RekeyState)
        if has_old_keys or begun and begun.is_swapped:
            raise Refused(f"{root.label} has its new keys already", "Run `kidctl rekey back`.")
        if begun and begun.origin == state.origin_of(self.conn):
            state.refuse_half_back(begun)

    def has_trigger(self, table: catalog.Table, schema: str) -> bool:
        """Returns whether a table has the trigger of this move, and not that of another one."""
        return any(
            trigger.name == follow.TRIGGER and trigger.function_schema == schema
            for trigger in catalog.triggers(self.conn, [table.oid])
        )

    def drop_indexes_and_checks(self, runner: Runner, table: catalog.Table, column: catalog.KeyColumn) -> None:
        """Drops the indexes on old keys, which were for the way back, and the CHECKs about a column.

        The column beside it stays: drop_new() drops that.
        """
        for index in catalog.indexes(self.conn, [table.oid, *self.parts(table)]):
            if is_beside(index.name, "old") and not index.parent:
                runner.execute(statement("DROP INDEX IF EXISTS {}", index.sql))
        for word in ("full", "part"):
            for oid in [table.oid, *self.parts(table)]:
                part = catalog.tables(self.conn, [oid])[0].sql
                runner.execute(constraints.drop_own(part, beside(word, column.name)))

    def parts(self, table: catalog.Table) -> list[int]:
        """Returns the partitions of a table."""
        return [
            row[0]
            for row in self.conn.execute("SELECT relid::oid FROM pg_partition_tree(%s) WHERE level > 0", (table.oid,))
        ]
