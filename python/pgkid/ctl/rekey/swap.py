"""The swap: the columns beside the keys take their names, and all that hangs on them is made again.

The way back is the same in the other direction. Everything happens in one transaction.
"""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Sequence

from psycopg import sql

from pgkid.ctl import catalog, constraints, filling, hanging
from pgkid.ctl.connection import scalar
from pgkid.ctl.details import Inherited, details, give_inherited, inherited, of_index
from pgkid.ctl.findings import Refused
from pgkid.ctl.made import Made, has_statistics
from pgkid.ctl.names import beside, is_beside
from pgkid.ctl.objects import Object, on_table
from pgkid.ctl.obstacles import refuse_made
from pgkid.ctl.rekey import follow, full, twins
from pgkid.ctl.rekey.not_nulls import NotNulls
from pgkid.ctl.rekey.plan import Direction, OldConstraint, Plan, Remade
from pgkid.ctl.state import is_here
from pgkid.ctl.steps import Runner, Statement, raw, statement


@dataclass
class Swap:
    """A swap in one direction: `new`, or `old` for the way back."""

    plan: Plan
    runner: Runner
    direction: Direction
    made: list[Made] = field(default_factory=list)
    indexes: list[catalog.Index] = field(default_factory=list)
    constraints: list[catalog.Constraint] = field(default_factory=list)
    inherited: list[Inherited] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    dropped: list[Object] = field(default_factory=list)  # since the swap, on the way back

    def read(self) -> None:
        """Reads all that is to be exchanged. The tables are locked."""
        plan = self.plan
        self.made = plan.hanging()
        refuse_made(plan.conn, self.made, plan.addresses)
        self.indexes = twins.indexes(plan)
        self.constraints = twins.constraints(plan)
        if plan.state and self.direction.word == "old":
            self.dropped = [what for what in twins.changed(plan) if what not in twins.present(plan)]
            plan.state.constraints = self.constraints_of_back(plan.state.constraints)
        self.inherited = inherited(plan.conn, [t.oid for t in plan.tables()])
        for column in plan.columns:
            self.details += details(plan.conn, column.table, column.number)
        self.details += [line for index in self.indexes for line in of_index(plan.conn, index)]

    def constraints_of_back(self, before: Sequence[OldConstraint]) -> list[OldConstraint]:
        """Returns the constraints that the way back adds: those from before the swap that are still there.

        Foreign keys are as they are now: their text names columns, and means those with old keys after the way back.
        """
        names = {(self.plan.table(k.table).label, k.name) for k in self.constraints if k.kind == "c"}
        checks = [old for old in before if (old.table, old.name) in names]
        return [*checks, *(self.old(k) for k in self.constraints if k.kind == "f")]

    def refuse_later(self) -> None:
        """Raises an error if an index or a CHECK was made or changed since the swap, and so is none of old keys."""
        assert self.plan.state
        changed = twins.changed(self.plan)
        for before in self.plan.state.twinned:
            if before.object in changed and before.object not in self.dropped and not is_foreign_key(before.definition):
                raise Refused(
                    f"{before.object} was changed since the swap, and its counterpart for old keys was not",
                    f"Drop it first, or make it again as it was: {before.definition}",
                )
        for index in self.indexes:
            if not self.has_twin(index):
                raise self.unfinished(twins.object_of(self.plan, index))
        known = {(k.table, k.name) for k in self.plan.state.constraints}
        for constraint in self.constraints:
            label = self.plan.table(constraint.table).label
            if (label, constraint.name) not in known and not is_beside(constraint.name, "part"):
                raise self.unfinished(twins.object_of(self.plan, constraint))

    def run(self) -> None:
        """Exchanges everything."""
        self.read()
        if not self.runner.rehearses:  # A rehearsal goes on without what could not be made.
            self.refuse_unfinished()
        self.remove()
        self.swap_keys()
        self.rename_columns()
        self.swap_constraints()
        self.refuse_dependents()
        self.make()
        if self.direction.word == "new":
            self.runner.all(follow.follow(self.plan, self.plan.direction("old")))
            # The function of a table has another name if one before it was dropped since the move began.
            if self.plan.state and len(self.plan.state.tables) != len(self.plan.top_tables()):
                self.runner.all(follow.triggers(self.plan))

    def refuse_unfinished(self) -> None:
        """Raises an error if a twin is missing, or what it is a twin of was made or changed since it was built."""
        if self.direction.word == "old":
            self.refuse_later()
        else:
            self.refuse_changed()
        for column in self.plan.tops:
            if not full.is_proved(self.plan, column):
                raise self.unfinished(on_table("column", column.name, self.plan.table(column.table)))

    def refuse_changed(self) -> None:
        """Raises an error if a twin is missing before the swap, or is not that of what is there now."""
        now = twins.present(self.plan)
        for what in twins.changed(self.plan):
            if what not in now and not twins.has_twin(self.plan, what, "new"):
                continue  # It went with its table.
            raise Refused(
                f"{what} was changed or dropped since the last run of kidctl",
                "Run `kidctl rekey run` again, and then `swap`.",
            )
        for index in self.indexes:
            if not self.has_twin(index):
                raise self.unfinished(twins.object_of(self.plan, index))
        for constraint in self.constraints:
            if not self.constraint_is_valid(constraint):
                raise self.unfinished(twins.object_of(self.plan, constraint))

    def has_twin(self, index: catalog.Index) -> bool:
        """Returns whether the twin of an index is valid. A partitioned primary key needs none."""
        if index.is_partitioned and index.is_primary:
            return True
        name = self.direction.beside(index.name)
        return bool(catalog.is_valid_index(self.plan.conn, index.table, index.schema, name))

    def unfinished(self, what: Object) -> Refused:
        """Returns the error for something that has no finished twin."""
        if self.direction.word == "old":
            return Refused(f"{what} was made since the swap, and has no counterpart for old keys", "Drop it first.")
        return Refused(f"{what} is not ready", "Run `kidctl rekey run` again, and then `swap`.")

    def constraint_is_valid(self, constraint: catalog.Constraint) -> bool:
        """Returns whether the twin of a constraint is there, and validated if the constraint is."""
        found = catalog.is_valid_constraint(self.plan.conn, constraint.table, self.direction.beside(constraint.name))
        return found is not None and (found or not constraint.is_validated)

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
        twins.drop_twins(self.plan, self.runner, self.dropped, self.direction.word)

    def drop_constraint(self, table: int, name: str) -> None:
        """Drops a constraint of a table."""
        relation = self.plan.table(table)
        self.runner.execute(constraints.drop(relation.sql, on_table("constraint", name, relation)))

    def swap_keys(self) -> None:
        """Gives the twins of indexes and their constraints the names. A partitioned primary key has no twin."""
        for index in self.indexes:
            if index.is_primary and not index.parent:
                self.drop_constraint(index.table, index.name)
        for index in self.indexes:
            if index.is_primary:
                self.add_primary_key(index)
            elif index.constraint_kind == "u":
                self.swap_unique(index)
            else:
                self.swap_index(index)

    def add_primary_key(self, index: catalog.Index) -> None:
        """Makes the twin of an index the primary key, which is dropped by now. The index takes the name of the key."""
        if not index.is_partitioned:
            self.runner.execute(
                statement(
                    "ALTER TABLE {} ADD CONSTRAINT {} PRIMARY KEY USING INDEX {}{}",
                    self.plan.table(index.table).sql,
                    sql.Identifier(index.name),
                    sql.Identifier(self.direction.beside(index.name)),
                    twins.deferrable(index),
                    about=twins.object_of(self.plan, index),
                )
            )

    def swap_unique(self, index: catalog.Index) -> None:
        """Exchanges the names of a UNIQUE constraint and its twin, which their indexes have, too."""
        about, table = twins.object_of(self.plan, index), self.plan.table(index.table).sql
        self.rename_constraint(table, index.name, beside(self.direction.other, index.name), about)
        self.rename_constraint(table, self.direction.beside(index.name), index.name, about)

    def swap_index(self, index: catalog.Index) -> None:
        """Exchanges the names of an index and its twin."""
        about, rename = twins.object_of(self.plan, index), "ALTER INDEX {} RENAME TO {}"
        twin, other = sql.Identifier(index.schema, self.direction.beside(index.name)), beside(
            self.direction.other, index.name
        )
        self.runner.execute(statement(rename, index.sql, sql.Identifier(other), about=about))
        self.runner.execute(statement(rename, twin, sql.Identifier(index.name), about=about))

    def rename_columns(self) -> None:
        """Exchanges the names of columns, and what belongs to columns alone."""
        plan, direction = self.plan, self.direction
        not_nulls = NotNulls(plan, self.runner, direction)
        for column in plan.tops:
            table = plan.table(column.table).sql
            for before, after in (
                (column.name, beside(direction.other, column.name)),
                (direction.beside(column.name), column.name),
            ):
                self.runner.execute(
                    statement("ALTER TABLE {} RENAME {} TO {}", table, sql.Identifier(before), sql.Identifier(after))
                )
        not_nulls.give_valid()
        for column in plan.columns:
            full.drop(plan, self.runner, column)
        if direction.word == "new":
            not_nulls.take()
            self.leave_old_columns()
        not_nulls.give_names()

    def rename_constraint(self, table: sql.Composable, before: str, after: str, about: Object) -> None:
        """Renames a constraint."""
        names = sql.Identifier(before), sql.Identifier(after)
        self.runner.execute(statement("ALTER TABLE {} RENAME CONSTRAINT {} TO {}", table, *names, about=about))

    def leave_old_columns(self) -> None:
        """Lets new rows come without an old key, which the triggers give them, and sets the default of new keys."""
        plan = self.plan
        if plan.has_numbers:
            self.runner.execute(
                statement(
                    "SELECT setval({}, (SELECT greatest(max({}), 0) + 1 FROM {})::bigint, false)",
                    plan.in_schema("numbers").as_string(plan.conn),
                    sql.Identifier(beside("old", plan.key.name)),
                    plan.root.sql,
                )
            )
        self.runner.execute(
            statement(
                "ALTER TABLE {} ALTER {} SET DEFAULT {}", plan.root.sql, plan.key.sql, sql.SQL(plan.keys.new_next)
            )
        )

    def swap_constraints(self) -> None:
        """Gives the columns that have the names now the constraints, with what these had beside their definitions."""
        for index in self.indexes:
            if index.is_primary and index.is_partitioned and not index.parent:
                table = self.plan.table(index.table)
                about = on_table("constraint", index.name, table)
                self.runner.execute(constraints.add(table.sql, about, index.constraint_definition or ""))
        if self.direction.word == "new":
            self.rename_twins()
        else:
            self.restore_constraints()
        give_inherited(self.runner, self.inherited)
        for constraint in self.constraints:
            if constraint.comment:
                about, relation = twins.object_of(self.plan, constraint), self.plan.table(constraint.table).sql
                self.runner.execute(constraints.comment(relation, about, constraint.comment))

    def rename_twins(self) -> None:
        """Gives twins of constraints the names of those that were dropped."""
        for constraint in self.constraints:
            table, about = self.plan.table(constraint.table).sql, twins.object_of(self.plan, constraint)
            self.rename_constraint(table, self.direction.beside(constraint.name), constraint.name, about)

    def restore_constraints(self) -> None:
        """Adds the constraints that were there before the swap. Some of them are validated after the transaction."""
        assert self.plan.state
        for old in self.plan.state.constraints:
            if self.is_gone(old.table):
                continue
            self.runner.execute(constraints.add(sql.SQL(old.table), old.about, old.definition, old.is_late))

    def is_gone(self, table: str) -> bool:
        """Returns whether a table was dropped since the move began. In a restored copy all have other OIDs."""
        state, conn = self.plan.state, self.plan.conn
        present = scalar(conn, "SELECT to_regclass(%s)::oid", (table,))
        here = state is not None and is_here(conn, state.origin, self.plan.schema)
        return present is None or bool(state and here and state.tables.get(table, present) != present)

    def refuse_dependents(self) -> None:
        """Raises an error if something that kidctl cannot make again still depends on the columns."""
        plan = self.plan
        names = [(c.table, beside(self.direction.other, c.name)) for c in plan.columns]
        found = scalar(
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
        originals = {r.object: r for r in self.plan.state.remade} if self.plan.state else {}
        again = []
        for made in self.made:
            original = originals.get(made.object)
            is_same = self.direction.word == "old" and original is not None and original.after == made.make
            again.append(replace(made, make=original.before) if original and is_same else made)
        hanging.make(self.runner, self.plan.keys.home, again)
        for line in self.details:
            self.runner.execute(Statement(raw(line)))

    def remember(self) -> None:
        """Notes in the state what the way back needs, and what is left to do after the transaction.

        Call it after `run`: the columns that have the names now are the new ones.
        """
        plan, conn = self.plan, self.plan.conn
        if not plan.state:
            return
        columns = [column.address for column in catalog.related(conn, plan.root.oid)]
        after = {made.object: made.make for made in hanging.hanging(conn, columns, plan.schema)}
        plan.state.remade = [Remade(m.object, m.make, after.get(m.object, [])) for m in self.made]
        plan.state.constraints = [self.old(constraint) for constraint in self.constraints]
        plan.state.to_fill = filling.to_fill(self.made, plan.state)
        plan.state.has_statistics = has_statistics(self.made)
        plan.state.added = []  # They are the keys now.
        new = replace(plan, columns=catalog.related(conn, plan.root.oid), read_tables={})
        plan.state.twinned = twins.noted(new, twins.present(new))
        plan.save("swap")

    def old(self, constraint: catalog.Constraint) -> OldConstraint:
        """Returns what the way back adds for a constraint."""
        table = self.plan.table(constraint.table)
        is_late = constraint.is_validated and constraints.can_be_late(self.plan.conn, constraint, table)
        return OldConstraint(table.label, constraint.name, constraint.definition, is_late)


def is_foreign_key(definition: str) -> bool:
    """Returns whether a definition is that of a foreign key."""
    return definition.startswith("FOREIGN KEY ")
