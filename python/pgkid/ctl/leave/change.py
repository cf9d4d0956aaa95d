"""The change of one group of tables to core types, in one transaction.

What stands in the way of a new type is dropped and made again from its text, in which core types have taken the place
of kid's. PostgreSQL itself makes plain indexes and keys again.
"""
from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Sequence

from psycopg import sql

from pgkid.ctl import catalog, constraints, filling, hanging, objects, state
from pgkid.ctl.details import give_parts, of_index, parts
from pgkid.ctl.kid import TIME_OF
from pgkid.ctl.leave import defaults
from pgkid.ctl.leave.domains import Domains
from pgkid.ctl.leave.partitions import Node, nodes
from pgkid.ctl.leave.plan import Group, Plan, generated
from pgkid.ctl.objects import Object, of_table, on_table
from pgkid.ctl.steps import Runner, Statement, raw, statement


@dataclass
class Change:
    """The change of one group. The tables are locked. What is in `given_up` is not made again."""

    plan: Plan
    group: Group
    runner: Runner
    given_up: frozenset[Object]
    made: list[hanging.Made] = field(default_factory=list)
    checks: list[catalog.Constraint] = field(default_factory=list)
    keys: list[catalog.Constraint] = field(default_factory=list)
    indexes: list[catalog.Index] = field(default_factory=list)
    defaults: list[defaults.Default] = field(default_factory=list)
    trees: list[Node] = field(default_factory=list)

    def run(self) -> None:
        """Changes everything."""
        self.drop_triggers()
        self.read()
        of_parts = parts(self.plan.conn, [t.oid for t in self.plan.family(self.group)])
        details = self.index_details()
        self.remove()
        domains = Domains(self.plan, self.group, self.runner)
        domains.create()
        defaults.drop(self.plan, self.defaults, self.runner)
        self.change_tables(domains)
        domains.replace()
        defaults.make(self.plan, self.defaults, self.runner)
        domains.drop_defaults()
        self.make()
        give_parts(self.runner, of_parts)
        for line in details:
            self.runner.execute(Statement(raw(line)))
        self.note()

    def index_details(self) -> list[str]:
        """Returns what gives indexes that are made again, also by PostgreSQL itself, what they have."""
        gone = {index.oid for index in self.indexes} - {index.oid for index in self.kept_indexes()}
        rebuilt = {node.table.oid for node in self.trees}
        found = catalog.indexes(self.plan.conn, [t.oid for t in self.plan.family(self.group)])
        lines = []
        for index in found:
            if index.oid in gone or index.is_exclusion or index.table in rebuilt and index.constraint:
                continue
            if index.parent and not index.comment:  # PostgreSQL gave it that of its parent.
                lines.append(sql.SQL("COMMENT ON INDEX {} IS NULL").format(index.sql).as_string(self.plan.conn))
            lines += of_index(self.plan.conn, index)
        return lines

    def drop_triggers(self) -> None:
        """Drops the triggers that call functions of kid."""
        tracked: set[int] = set()
        for oid, name, is_tracking in triggers_of_kid(self.plan, self.group):
            table = self.plan.table(oid)
            about = on_table("trigger", name, table)
            if is_tracking and oid not in tracked:
                tracked.add(oid)
                untrack = sql.SQL("SELECT {}.kid_untrack({}::regclass)").format(
                    sql.SQL(self.plan.kid.home), sql.Literal(table.label)
                )
                self.runner.execute(Statement(untrack, about))
            self.runner.execute(
                statement("DROP TRIGGER IF EXISTS {} ON {}", sql.Identifier(name), table.sql, about=about)
            )

    def read(self) -> None:
        """Reads all that is to be made again."""
        conn, oids = self.plan.conn, [t.oid for t in self.plan.family(self.group)]
        self.made = self.plan.made(self.group)
        self.trees = nodes(self.plan, self.group)
        for oid in oids:
            self.plan.table(oid)  # some are created again, and then have another OID
        rebuilt = {node.table.oid for node in self.trees}
        referring = conn.execute(
            "SELECT conrelid FROM pg_constraint WHERE confrelid = ANY (%s) AND conparentid = 0", (list(rebuilt),)
        ).fetchall()
        for constraint in catalog.constraints(conn, list(dict.fromkeys([*oids, *(row[0] for row in referring)]))):
            if constraint.parent or constraint.is_inherited and constraint.kind == "c":
                continue
            if constraint.kind == "f" and (self.is_touched(constraint) or constraint.ref_table in rebuilt):
                self.keys.append(constraint)
            elif constraint.kind == "c" and self.plan.of_kid("pg_constraint", constraint.oid):
                self.checks.append(constraint)
        self.indexes = self.special_indexes(oids)
        self.defaults = defaults.read_defaults(self.plan, self.group)

    def is_touched(self, key: catalog.Constraint) -> bool:
        """Returns whether a column of a foreign key changes."""
        typed = {(c.table, c.number) for c in self.group.typed}
        if key.table in {node.table.oid for node in self.trees}:
            return True
        return any((key.table, n) in typed for n in key.columns) or any(
            (key.ref_table, n) in typed for n in key.ref_columns
        )

    def special_indexes(self, tables: Sequence[int]) -> list[catalog.Index]:
        """Returns the indexes that PostgreSQL cannot make again by itself, parents before those of partitions."""
        found = catalog.indexes(self.plan.conn, tables)
        rebuilt = {node.table.oid for node in self.trees}
        special = [i for i in found if not i.parent and (self.is_special(i) or i.table in rebuilt and not i.constraint)]
        for index in special:
            special += [i for i in found if i.parent == index.oid]
        return special

    def is_special(self, index: catalog.Index) -> bool:
        """Returns whether PostgreSQL cannot make an index again by itself, or would not name it in an error."""
        typed = {(c.table, c.number) for c in self.group.typed}
        is_touched = any((index.table, number) in typed for number in index.columns)
        if index.constraint or not (is_touched or self.plan.of_kid("pg_class", index.oid)):
            return False
        is_plain = " USING btree " in index.definition or " USING hash " in index.definition
        is_same = self.plan.rewriter.rewrite(index.definition) == index.definition
        # PostgreSQL would give the comment of a partitioned one to its parts, and these other names.
        return index.is_partitioned or not (is_plain and is_same) or objects.of_index(index) in self.given_up

    def remove(self) -> None:
        """Drops what is in the way. Foreign keys can need a key WITHOUT OVERLAPS, which is among what is made again."""
        for key in reversed(self.keys):
            self.drop_constraint(key)
        hanging.remove(self.runner, self.made)
        for index in self.indexes:
            if index.is_replica_identity:
                table = self.plan.table(index.table).sql
                self.runner.execute(statement("ALTER TABLE {} REPLICA IDENTITY NOTHING", table))
            if not index.parent:
                self.runner.execute(statement("DROP INDEX {}", index.sql, about=objects.of_index(index)))
        for check in reversed(self.checks):
            self.drop_constraint(check)
        for relation, name, _text in generated(self.plan.conn, self.group):
            about = on_table("column", name, self.plan.table(relation))
            if about in self.given_up:
                drop = "ALTER TABLE {} ALTER {} DROP EXPRESSION"
                self.runner.execute(statement(drop, self.plan.table(relation).sql, sql.Identifier(name), about=about))

    def drop_constraint(self, constraint: catalog.Constraint) -> None:
        """Drops a foreign key or a CHECK."""
        table = self.plan.table(constraint.table).sql
        self.runner.execute(statement("ALTER TABLE {} DROP CONSTRAINT {}", table, constraint.sql))

    def kept_indexes(self) -> list[catalog.Index]:
        """Returns the indexes that are made again: none of those given up, nor their parts."""
        gone = {index.oid for index in self.indexes if objects.of_index(index) in self.given_up}
        for index in self.indexes:
            if index.parent in gone:
                gone.add(index.oid)
        return [index for index in self.indexes if index.oid not in gone]

    def change_tables(self, domains: Domains) -> None:
        """Gives all columns their new types. Tables partitioned by one of them are created again."""
        for node in reversed(self.trees):
            node.detach(self.runner)
        rebuilt = {node.table.oid for node in self.trees}
        parts = [part for node in self.trees for part in node.parts if part.oid not in rebuilt]
        for table in [*self.group.tables, *parts]:
            if table.oid not in rebuilt:
                self.change_types(table, domains, table in parts)
        for node in self.trees:
            node.create(self.runner, self.plan, domains)
        for node in reversed(self.trees):
            node.attach(self.runner)
        for node in reversed(self.trees):
            node.finish(self.runner)

    def change_types(self, table: catalog.Table, domains: Domains, is_part: bool) -> None:
        """Gives the columns of a table their new types, all at once."""
        changes = [
            sql.SQL("ALTER {} TYPE {}").format(sql.Identifier(c.name), sql.SQL(domains.type_of(c)))
            for c in self.group.typed
            if c.table == table.oid and (c.is_top or is_part)
        ]
        if changes:
            text = sql.SQL(", ").join(changes)
            self.runner.execute(statement("ALTER TABLE {} {}", table.sql, text, about=of_table(table)))

    def make(self) -> None:
        """Makes everything again."""
        rewrite = self.plan.rewriter.rewrite
        names = {index.oid: index.sql for index in self.indexes}
        for index in self.kept_indexes():
            self.runner.execute(Statement(raw(rewrite(index.definition)), objects.of_index(index)))
            if index.parent:
                attach = statement("ALTER INDEX {} ATTACH PARTITION {}", names[index.parent], index.sql)
                self.runner.execute(attach)
        for check in self.checks:
            self.add(check)
        for made in self.made:
            if made.object not in self.given_up:
                for line in made.make:
                    self.runner.execute(Statement(raw(rewrite(line)), made.object))
        for key in self.keys:
            self.add(key)

    def add(self, constraint: catalog.Constraint) -> None:
        """Adds a foreign key or a CHECK, to be validated later if PostgreSQL can do that."""
        table = self.plan.table(constraint.table)
        about = on_table("constraint", constraint.name, table)
        if about in self.given_up or is_time_check(constraint):
            return
        text = self.plan.rewriter.rewrite(constraint.definition)
        self.runner.execute(constraints.add(table.sql, about, text, self.is_late(constraint)))
        if constraint.comment:
            self.runner.execute(constraints.comment(table.sql, about, constraint.comment))

    def is_late(self, constraint: catalog.Constraint) -> bool:
        """Returns whether a constraint can be validated after the transaction."""
        table = self.plan.table(constraint.table)
        return constraint.is_validated and constraints.can_be_late(self.plan.conn, constraint, table)

    def note(self) -> None:
        """Keeps in the database what is left to do after the transaction."""
        root, conn = self.group.root, self.plan.conn
        schema = state.schema_of("leave", root)
        earlier = state.load(conn, schema)
        kept = {
            "late": [
                *(earlier.kept["late"] if earlier else []),
                *(
                    [self.plan.table(c.table).label, c.name]
                    for c in [*self.checks, *self.keys]
                    if self.is_late(c) and not is_time_check(c)
                ),
            ],
            "refresh": filling.to_fill(self.made, earlier),
        }
        if any(kept.values()):
            tables = {t.label: t.oid for t in self.group.tables}
            begun = state.State("leave", root.label, *state.identity(conn), tables, {}, step="change", kept=kept)
            state.create(conn, schema, begun)


def is_time_check(constraint: catalog.Constraint) -> bool:
    """Returns whether kid_create_partitions() has made a CHECK, which only helps the planner to prune by time."""
    return constraint.name.startswith("kid_time") and re.search(TIME_OF, constraint.definition) is not None


def triggers_of_kid(plan: Plan, group: Group) -> list[tuple[Any, ...]]:
    """Returns table and name of each trigger that calls a function of kid, and whether it is one of kid_track()."""
    return plan.conn.execute(
        "SELECT t.tgrelid, t.tgname, p.proname LIKE 'kid\\_track%%' FROM pg_trigger AS t"
        " JOIN pg_proc AS p ON p.oid = t.tgfoid WHERE t.tgrelid = ANY (%s) AND NOT t.tgisinternal"
        " AND t.tgparentid = 0 AND p.pronamespace = %s::regnamespace AND p.proname LIKE 'kid%%'"
        " ORDER BY t.tgrelid, t.tgname",
        ([t.oid for t in plan.family(group)], plan.kid.home),
    ).fetchall()
