"""The change of one group of tables to core types, in one transaction.

What stands in the way of a new type is dropped and made again from its text, in which core types have taken the place
of kid's. PostgreSQL itself makes plain indexes and keys again.
"""
from __future__ import annotations

import re
from typing import Iterator

from psycopg import sql

from pgkid.ctl import catalog, constraints, filling, hanging, state
from pgkid.ctl.catalog import Constraint
from pgkid.ctl.connection import scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.details import give_inherited, inherited
from pgkid.ctl.kid import TIME_OF
from pgkid.ctl.leave import defaults
from pgkid.ctl.leave.domains import Domains
from pgkid.ctl.leave.indexes import Indexes
from pgkid.ctl.leave.partitions import partitioned
from pgkid.ctl.leave.plan import Group, LateConstraint, LeaveState, Plan, generated, oid_of, state_schema
from pgkid.ctl.objects import Object, of_table, on_table
from pgkid.ctl.steps import Runner, Statement, raw, statement


class Change:
    """The change of one group, which reads everything before it changes anything.

    The tables are locked, and have no triggers of kid any more. What is in `given_up` is not made again.
    """

    def __init__(self, plan: Plan, group: Group, runner: Runner, given_up: frozenset[Object]) -> None:
        self.plan, self.group, self.runner, self.given_up = plan, group, runner, given_up
        family = plan.family(group)
        # Tables that are created again are still found by the OIDs that they have now.
        plan.read_tables.update({table.oid: table for table in family})
        self.made = plan.hanging(group)
        self.trees = partitioned(plan, group)
        self.rebuilt = frozenset(tree.table.oid for tree in self.trees)
        # What partitions have from their parents is made with that of the parents. A foreign key of a partition has the
        # parent's as its `parent`, and a CHECK of one is inherited.
        found = [k for k in self.read_constraints(family) if not k.parent]
        self.keys = [k for k in found if k.kind == "f" and (self.is_touched(k) or k.ref_table in self.rebuilt)]
        self.checks = [k for k in found if k.kind == "c" and not k.is_inherited and plan.of_kid("pg_constraint", k.oid)]
        self.indexes = Indexes(plan, group, given_up)
        self.defaults = defaults.read_defaults(plan, group)
        self.domains = Domains(plan, group, runner)
        self.inherited = inherited(plan.conn, [table.oid for table in family])

    def read_constraints(self, family: list[catalog.Table]) -> list[Constraint]:
        """Returns the constraints of the tables, and of others that refer to tables that are created again."""
        rows = self.plan.conn.execute(
            "SELECT conrelid FROM pg_constraint WHERE confrelid = ANY (%s) AND conparentid = 0", (list(self.rebuilt),)
        ).fetchall()
        tables = dict.fromkeys([*(table.oid for table in family), *(row[0] for row in rows)])
        return catalog.constraints(self.plan.conn, list(tables))

    def is_touched(self, key: Constraint) -> bool:
        """Returns whether a column of a foreign key changes, or its table is created again."""
        typed = set(self.group.addresses)
        columns = [(key.table, number) for number in key.columns]
        columns += [(key.ref_table, number) for number in key.ref_columns]
        return key.table in self.rebuilt or any(column in typed for column in columns)

    def run(self) -> None:
        """Changes everything.

        Columns get new types while nothing depends on the old ones: neither what remove() drops nor a default, which
        PostgreSQL could not cast. The new domains exist before, because columns get them as types, and take the names
        of the old ones after, when no column has these any more. Then all is made again from its text, in which a
        domain has its old name.
        """
        self.remove()
        self.domains.create()
        defaults.drop(self.plan, self.defaults, self.runner)
        self.change_tables()
        self.domains.replace()
        defaults.make(self.plan, self.defaults, self.runner)
        self.make()
        defaults.grant(self.plan, self.defaults, self.runner)
        give_inherited(self.runner, self.inherited)
        self.indexes.give_details(self.runner)
        self.remember()

    def remove(self) -> None:
        """Drops what is in the way. Foreign keys can need a key WITHOUT OVERLAPS, which is among what is made again.

        Before PostgreSQL 18, GRANT and REVOKE wait for no lock of a view, so what they do must not get lost.
        """
        for key in reversed(self.keys):
            self.drop_constraint(key)
        changed = {m.object.label for m in self.plan.hanging(self.group) if m not in self.made}
        if changed:
            raise changed_meanwhile(min(changed))
        hanging.remove(self.runner, self.made)
        self.indexes.drop(self.runner)
        for check in reversed(self.checks):
            self.drop_constraint(check)
        for column in generated(self.plan.conn, self.group):
            table = self.plan.table(column.table)
            about = on_table("column", column.name, table)
            if about in self.given_up:
                drop = "ALTER TABLE {} ALTER {} DROP EXPRESSION"
                self.runner.execute(statement(drop, table.sql, sql.Identifier(column.name), about=about))

    def drop_constraint(self, constraint: Constraint) -> None:
        """Drops a foreign key or a CHECK."""
        table = self.plan.table(constraint.table)
        self.runner.execute(constraints.drop(table.sql, on_table("constraint", constraint.name, table)))

    def change_tables(self) -> None:
        """Gives all columns their new types. Tables partitioned by one of them are created again."""
        for tree in reversed(self.trees):
            tree.detach(self.runner)
        partitions = [part.table for tree in self.trees for part in tree.parts]
        for table in [*self.group.tables, *partitions]:
            if table.oid not in self.rebuilt:
                self.change_types(table, table in partitions)
        for tree in self.trees:
            tree.create(self.runner, self.plan, self.domains)
        for tree in reversed(self.trees):
            tree.attach(self.runner)
        for tree in reversed(self.trees):
            tree.finish(self.runner)

    def change_types(self, table: catalog.Table, is_detached: bool) -> None:
        """Gives the columns of a table their new types, all at once.

        Columns that it inherits change with those of its parent, unless it is a partition that was detached.
        """
        changes = [
            sql.SQL("ALTER {} TYPE {}").format(sql.Identifier(c.name), sql.SQL(self.domains.type_of(c)))
            for c in self.group.typed
            if c.table == table.oid and (c.is_top or is_detached)
        ]
        if changes:
            all_changes = sql.SQL(", ").join(changes)
            self.runner.execute(statement("ALTER TABLE {} {}", table.sql, all_changes, about=of_table(table)))

    def make(self) -> None:
        """Makes everything again."""
        self.indexes.make(self.runner)
        for check in self.checks:
            self.add(check)
        for made in self.made:
            if made.object not in self.given_up:
                for line in made.make:
                    self.runner.execute(Statement(raw(self.plan.rewriter.rewrite(line)), made.object))
        for key in self.keys:
            self.add(key)

    def add(self, constraint: Constraint) -> None:
        """Adds a foreign key or a CHECK, to be validated later if PostgreSQL can do that."""
        table = self.plan.table(constraint.table)
        about = on_table("constraint", constraint.name, table)
        if about in self.given_up or is_time_check(constraint):
            return
        definition = self.plan.rewriter.rewrite(constraint.definition)
        late = self.is_late(constraint)
        self.runner.all(constraints.make(table.sql, about, definition, constraint.comment, late))

    def is_late(self, constraint: Constraint) -> bool:
        """Returns whether a constraint can be validated after the transaction."""
        table = self.plan.table(constraint.table)
        return constraint.is_validated and constraints.can_be_late(self.plan.conn, constraint, table)

    def late(self) -> Iterator[LateConstraint]:
        """Yields the constraints that are left to validate, which are there by now, unless they were given up."""
        for constraint in [*self.checks, *self.keys]:
            if self.is_late(constraint):
                label = self.plan.table(constraint.table).label
                oid = oid_of(self.plan.conn, label, constraint.name)
                if oid is not None:
                    yield LateConstraint(label, constraint.name, oid)

    def views(self, begun: LeaveState) -> list[str]:
        """Returns the materialized views that are left to fill.

        If an earlier run has left one empty, and it is made again now, it can have got another name between.
        """
        names = filling.to_fill(self.made, begun)
        return names + [m.view for m in self.made if m.oid in begun.views.values() and m.view not in names]

    def remember(self) -> None:
        """Notes in the state what is left to do after the transaction, beside what is noted there already."""
        conn, root = self.plan.conn, self.group.tables[0]
        schema = state_schema(conn)
        begun = state.load(conn, schema, LeaveState) or LeaveState(
            relation=root.label, origin=state.origin_of(conn), tables={}, step="change", to_fill=[], late=[], views={}
        )
        if not state.is_here(conn, begun.origin, schema):
            begun.take_home(conn)
        begun.tables.update({table.label: table.oid for table in self.group.tables})
        begun.late += self.late()
        begun.to_fill = self.views(begun)
        for view in begun.to_fill:
            oid = scalar(conn, "SELECT oid FROM pg_class WHERE oid = to_regclass(%s) AND NOT relispopulated", (view,))
            if oid is not None:
                begun.views[view] = oid
        if begun.late or begun.to_fill:
            state.create(conn, schema, begun)


def changed_meanwhile(label: str) -> Refused:
    """Returns the error for an object that another session has changed since it was read."""
    return Refused(f"{label} was changed meanwhile", "Nothing of these tables was changed. Run the same command again.")


def is_time_check(constraint: Constraint) -> bool:
    """Returns whether kid_create_partitions() has made a CHECK, which only helps the planner to prune by time."""
    return constraint.name.startswith("kid_time") and re.search(TIME_OF, constraint.definition) is not None
