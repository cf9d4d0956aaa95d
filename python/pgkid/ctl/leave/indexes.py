"""The indexes of tables that leave.

PostgreSQL itself makes plain ones and keys again, and loses some of what they have beside their definitions.
"""
from __future__ import annotations

from pgkid.ctl import catalog, objects
from pgkid.ctl.catalog import Index
from pgkid.ctl.details import of_index
from pgkid.ctl.leave.plan import Group, Plan
from pgkid.ctl.objects import Object
from pgkid.ctl.steps import Runner, Statement, in_tablespace, raw, statement, text


class Indexes:
    """The indexes of one group, as they are before the change. What is in `given_up` is not made again."""

    def __init__(self, plan: Plan, group: Group, given_up: frozenset[Object]) -> None:
        self.plan, self.given_up = plan, given_up
        self.typed = frozenset(group.addresses)
        self.rebuilt = frozenset(plan.rebuilt(group))
        self.found = catalog.indexes(plan.conn, [t.oid for t in plan.family(group)])
        self.special = self.read_special()
        self.kept = self.read_kept()
        self.details = self.read_details()

    def read_special(self) -> list[Index]:
        """Returns the indexes that PostgreSQL cannot make again by itself, parents before those of partitions."""
        special = [index for index in self.found if not index.parent and self.is_special(index)]
        for index in special:
            special += [part for part in self.found if part.parent == index.oid]
        return special

    def is_special(self, index: Index) -> bool:
        """Returns whether PostgreSQL cannot make an index again by itself, or would not name it in an error."""
        if index.constraint:
            return False
        if index.table in self.rebuilt:
            return True
        is_touched = any((index.table, number) in self.typed for number in index.columns)
        if not (is_touched or self.plan.of_kid("pg_class", index.oid)):
            return False
        is_plain = " USING btree " in index.definition or " USING hash " in index.definition
        is_same = self.plan.rewriter.rewrite(index.definition) == index.definition
        # PostgreSQL would give the comment of a partitioned one to its parts, and these other names.
        return index.is_partitioned or not (is_plain and is_same) or objects.of_index(index) in self.given_up

    def read_kept(self) -> list[Index]:
        """Returns the special indexes that are made again: none of those given up, nor their parts."""
        gone = {index.oid for index in self.special if objects.of_index(index) in self.given_up}
        for index in self.special:
            if index.parent in gone:
                gone.add(index.oid)
        return [index for index in self.special if index.oid not in gone]

    def read_details(self) -> list[str]:
        """Returns what gives indexes that are made again, also by PostgreSQL itself, what they have."""
        gone = {index.oid for index in self.special} - {index.oid for index in self.kept}
        lines = []
        for index in self.found:
            if index.oid in gone or index.is_exclusion or index.table in self.rebuilt and index.constraint:
                continue
            if index.parent and not index.comment:  # PostgreSQL gave it that of its parent.
                lines.append(text(self.plan.conn, "COMMENT ON INDEX {} IS NULL", index.sql))
            lines += of_index(self.plan.conn, index)
        return lines

    def drop(self, runner: Runner) -> None:
        """Drops the special indexes."""
        for index in self.special:
            if index.is_replica_identity:
                table = self.plan.table(index.table).sql
                runner.execute(statement("ALTER TABLE {} REPLICA IDENTITY NOTHING", table))
            if not index.parent:
                runner.execute(statement("DROP INDEX {}", index.sql, about=objects.of_index(index)))

    def make(self, runner: Runner) -> None:
        """Makes indexes again, with the operator classes of core types."""
        names = {index.oid: index.sql for index in self.special}
        for index in self.kept:
            definition = self.plan.rewriter.rewrite(index.definition)
            with in_tablespace(runner, index.tablespace):
                runner.execute(Statement(raw(definition), objects.of_index(index)))
            if index.parent:
                runner.execute(statement("ALTER INDEX {} ATTACH PARTITION {}", names[index.parent], index.sql))

    def give_details(self, runner: Runner) -> None:
        """Gives all indexes what they had beside their definitions, when everything else is there again."""
        for line in self.details:
            runner.execute(Statement(raw(line)))
