"""The swap: the columns beside the keys take their names, and all that hangs on them is made again.

The way back is the same in the other direction. Everything happens in one transaction.
"""
from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from psycopg import sql

from pgkid.ctl import catalog, constraints, filling, hanging
from pgkid.ctl.connection import one
from pgkid.ctl.details import Part, details, give_parts, of_index, parts
from pgkid.ctl.findings import Refused
from pgkid.ctl.objects import Object, on_table
from pgkid.ctl.obstacles import refuse_made
from pgkid.ctl.rekey import follow, twins
from pgkid.ctl.rekey.not_nulls import NotNulls
from pgkid.ctl.rekey.plan import Direction, Plan, beside
from pgkid.ctl.steps import Runner, Statement, raw, statement


@dataclass
class Swap:
    """A swap in one direction: `new`, or `old` for the way back."""

    plan: Plan
    runner: Runner
    d: Direction
    made: list[hanging.Made] = field(default_factory=list)
    indexes: list[catalog.Index] = field(default_factory=list)
    constraints: list[catalog.Constraint] = field(default_factory=list)
    of_parts: list[Part] = field(default_factory=list)
    details: list[str] = field(default_factory=list)

    def read(self) -> None:
        """Reads all that is to be exchanged. The tables are locked."""
        plan = self.plan
        self.made = hanging.hanging(plan.conn, plan.columns, plan.schema)
        refuse_made(plan.conn, self.made)
        self.indexes = twins.indexes(plan)
        self.constraints = twins.constraints(plan)
        self.of_parts = parts(plan.conn, [t.oid for t in plan.tables()])
        for column in plan.columns:
            self.details += details(plan.conn, column.table, column.number)
        self.details += [line for index in self.indexes for line in of_index(plan.conn, index)]

    def run(self) -> None:
        """Exchanges everything."""
        self.read()
        if not self.runner.rehearses:  # A rehearsal goes on without what could not be made.
            self.refuse_unfinished()
        self.remove()
        self.swap_keys()
        self.rename_columns()
        self.rename_constraints()
        self.refuse_dependents()
        self.make()
        if self.d.word == "new":
            self.runner.all(follow.follow(self.plan, self.plan.direction("old")))

    def refuse_unfinished(self) -> None:
        """Raises an error if a twin is missing, as something was made since the indexes were built."""
        for index in self.indexes:
            if index.is_partitioned and index.is_primary:
                continue
            name = self.d.beside(index.name)
            if not one(
                self.plan.conn,
                "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(format('%%I.%%I', %s::text, %s::text))"
                " AND indrelid = %s",
                (index.schema, name, index.table),
            ):
                raise self.unfinished(twins.object_of(self.plan, index))
        for constraint in self.constraints if self.d.word == "new" else []:
            if not self.constraint_is_valid(constraint):
                raise self.unfinished(twins.object_of(self.plan, constraint))
        for column in self.plan.tops:
            if not self.is_full(column):
                raise self.unfinished(on_table("column", column.name, self.plan.table(column.table)))

    def unfinished(self, what: Object) -> Refused:
        """Returns the error for something that has no finished twin."""
        if self.d.word == "old":
            return Refused(f"{what} was made since the swap, and has no counterpart for old keys", "Drop it first.")
        return Refused(f"{what} is not ready", "Run `kidctl rekey run` again, and then `swap`.")

    def constraint_is_valid(self, constraint: catalog.Constraint) -> bool:
        """Returns whether the twin of a constraint is there, and validated if the constraint is."""
        found = one(
            self.plan.conn,
            "SELECT convalidated FROM pg_constraint WHERE conrelid = %s AND conname = %s",
            (constraint.table, self.d.beside(constraint.name)),
        )
        return found is not None and (found or not constraint.is_validated)

    def is_full(self, column: catalog.KeyColumn) -> bool:
        """Returns whether it is proved that no row lacks a key."""
        return bool(
            one(
                self.plan.conn,
                "SELECT convalidated FROM pg_constraint WHERE conrelid = %s AND conname = %s",
                (column.table, beside("full", column.name)),
            )
        )

    def remove(self) -> None:
        """Drops what hangs on the columns, and the constraints that will be there again."""
        hanging.remove(self.runner, self.made)
        for index in self.indexes:
            if index.is_replica_identity:
                self.runner.execute(
                    statement("ALTER TABLE {} REPLICA IDENTITY NOTHING", self.plan.table(index.table).sql)
                )
        for constraint in reversed(self.constraints):
            self.drop_constraint(constraint.table, constraint.name)

    def drop_constraint(self, table: int, name: str) -> None:
        """Drops a constraint of a table."""
        relation = self.plan.table(table).sql
        self.runner.execute(statement("ALTER TABLE {} DROP CONSTRAINT {}", relation, sql.Identifier(name)))

    def swap_keys(self) -> None:
        """Gives the twins of indexes and their constraints the names."""
        for index in self.indexes:
            if index.is_primary and not index.parent:
                self.drop_constraint(index.table, index.name)
        for index in self.indexes:
            about, table = twins.object_of(self.plan, index), self.plan.table(index.table).sql
            mine, theirs, name = (
                sql.Identifier(n) for n in (index.name, beside(self.d.other, index.name), self.d.beside(index.name))
            )
            if index.is_primary and not index.is_partitioned:
                self.runner.execute(
                    statement(
                        "ALTER TABLE {} ADD CONSTRAINT {} PRIMARY KEY USING INDEX {}{}",
                        table,
                        mine,
                        name,
                        twins.deferrable(index),
                        about=about,
                    )
                )
            elif index.constraint_kind == "u":
                self.rename_constraint(table, index.name, beside(self.d.other, index.name), about)
                self.rename_constraint(table, self.d.beside(index.name), index.name, about)
            elif not index.is_primary:
                schema = index.schema
                self.runner.execute(statement("ALTER INDEX {} RENAME TO {}", index.sql, theirs, about=about))
                self.runner.execute(
                    statement(
                        "ALTER INDEX {} RENAME TO {}",
                        sql.Identifier(schema, self.d.beside(index.name)),
                        mine,
                        about=about,
                    )
                )

    def rename_columns(self) -> None:
        """Exchanges the names of columns, and what belongs to columns alone."""
        plan, d = self.plan, self.d
        not_nulls = NotNulls(plan, self.runner, d)
        for column in plan.tops:
            table = plan.table(column.table).sql
            for before, after in ((column.name, beside(d.other, column.name)), (d.beside(column.name), column.name)):
                self.runner.execute(
                    statement("ALTER TABLE {} RENAME {} TO {}", table, sql.Identifier(before), sql.Identifier(after))
                )
        not_nulls.give_valid()
        for column in plan.columns:
            self.drop_full(column)
        if d.word == "new":
            not_nulls.take()
            self.leave_old_columns()
        not_nulls.give_names()

    def rename_constraint(self, table: sql.Composable, before: str, after: str, about: Object) -> None:
        """Renames a constraint."""
        names = sql.Identifier(before), sql.Identifier(after)
        self.runner.execute(statement("ALTER TABLE {} RENAME CONSTRAINT {} TO {}", table, *names, about=about))

    def drop_full(self, column: catalog.KeyColumn) -> None:
        """Drops the constraints that proved that no row lacks a key."""
        table = self.plan.table(column.table).sql
        word = "full" if column.is_top else "part"
        self.runner.execute(
            statement("ALTER TABLE {} DROP CONSTRAINT IF EXISTS {}", table, sql.Identifier(beside(word, column.name)))
        )

    def leave_old_columns(self) -> None:
        """Lets new rows come without an old key, which the triggers give them, and sets the default of new keys."""
        plan = self.plan
        if plan.has_numbers:
            self.runner.execute(
                statement(
                    "SELECT setval({}, (SELECT greatest(max({}), 0) + 1 FROM {})::bigint, false)",
                    plan.place("numbers").as_string(plan.conn),
                    sql.Identifier(beside("old", plan.key.name)),
                    plan.root.sql,
                )
            )
        self.runner.execute(
            statement(
                "ALTER TABLE {} ALTER {} SET DEFAULT {}", plan.root.sql, plan.key.sql, sql.SQL(plan.keys.new_next)
            )
        )

    def rename_constraints(self) -> None:
        """Gives twins of constraints the names. On the way back the old ones are added, and validated afterwards."""
        for index in self.indexes:
            if index.is_primary and index.is_partitioned and not index.parent:
                self.add(index.table, index.name, index.constraint_definition or "", False)
        for constraint in self.constraints if self.d.word == "new" else []:
            table = self.plan.table(constraint.table).sql
            about = twins.object_of(self.plan, constraint)
            self.rename_constraint(table, self.d.beside(constraint.name), constraint.name, about)
        if self.d.word == "old":
            self.restore_constraints()
        give_parts(self.runner, self.of_parts)
        for constraint in self.constraints:
            if constraint.comment:
                about, table = twins.object_of(self.plan, constraint), self.plan.table(constraint.table).sql
                self.runner.execute(constraints.comment(table, about, constraint.comment))

    def restore_constraints(self) -> None:
        """Adds the constraints that were there before the swap."""
        assert self.plan.state
        for label, name, definition, late in self.plan.state.kept["constraints"]:
            table = catalog.tables(self.plan.conn, [one(self.plan.conn, "SELECT to_regclass(%s)::oid", (label,))])[0]
            self.add(table.oid, name, definition, late)

    def add(self, table: int, name: str, definition: str, late: bool) -> None:
        """Adds a constraint to a table."""
        relation = self.plan.table(table)
        about = on_table("constraint", name, relation)
        self.runner.execute(constraints.add(relation.sql, about, definition, late))

    def refuse_dependents(self) -> None:
        """Raises an error if something that kidctl cannot make again still depends on the columns."""
        plan = self.plan
        names = [(c.table, beside(self.d.other, c.name)) for c in plan.columns]
        found = one(
            plan.conn,
            """
            SELECT string_agg(DISTINCT pg_describe_object(d.classid, d.objid, d.objsubid), ', ')
              FROM unnest(%s::oid[], %s::text[]) AS c (tab, name)
                   JOIN pg_attribute AS a ON a.attrelid = c.tab AND a.attname = c.name
                   JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = c.tab
                                          AND d.refobjsubid = a.attnum
                   LEFT JOIN pg_class AS r ON d.classid = 'pg_class'::regclass AND r.oid = d.objid
                   LEFT JOIN pg_constraint AS k ON d.classid = 'pg_constraint'::regclass AND k.oid = d.objid
                   LEFT JOIN pg_trigger AS t ON d.classid = 'pg_trigger'::regclass AND t.oid = d.objid
                   LEFT JOIN pg_rewrite AS w ON d.classid = 'pg_rewrite'::regclass AND w.oid = d.objid
                   LEFT JOIN pg_class AS v ON v.oid = w.ev_class
             WHERE (r.relkind = 'S' OR r.relispartition OR r.relname LIKE 'kid\\_%%' OR k.conname LIKE 'kid\\_%%'
                    OR k.contype = 'n' OR k.conparentid <> 0 OR k.coninhcount > 0 OR t.tgparentid <> 0
                    OR v.relnamespace = to_regnamespace(quote_ident(%s))
                    OR d.classid = 'pg_attrdef'::regclass AND d.deptype IN ('a', 'i')) IS NOT TRUE
            """,
            ([n[0] for n in names], [n[1] for n in names], plan.schema),
        )
        if found:
            raise Refused(f"made since the move began: {found}", "Run `kidctl rekey run` again, and then `swap`.")

    def make(self) -> None:
        """Makes again what hung on the columns, from its original text, and gives the columns what they had."""
        kept: dict[str, Any] = self.plan.state.kept if self.plan.state else {}
        originals = {Object(**one): (before, after) for one, before, after in kept.get("made", [])}
        again = []
        for made in self.made:
            before, after = originals.get(made.object, ([], []))
            is_same = self.d.word == "old" and after == made.make
            again.append(replace(made, make=before) if is_same else made)
        hanging.make(self.runner, self.plan.keys.home, again)
        for line in self.details:
            self.runner.execute(Statement(raw(line)))

    def keep(self) -> dict[str, Any]:
        """Returns what the way back needs. Call it after `run`."""
        after = {
            m.object: m.make
            for m in hanging.hanging(
                self.plan.conn, catalog.related(self.plan.conn, self.plan.root.oid), self.plan.schema
            )
        }
        kept = []
        for c in self.constraints:
            table = self.plan.table(c.table)
            late = c.is_validated and constraints.can_be_late(self.plan.conn, c, table)
            kept.append([table.label, c.name, c.definition, late])
        return {
            "constraints": kept,
            "refresh": filling.to_fill(self.made, self.plan.state),
            "made": [[asdict(m.object), m.make, after.get(m.object, [])] for m in self.made],
            "statistics": hanging.has_statistics(self.made),
        }
