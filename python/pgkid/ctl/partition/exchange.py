"""The exchange of a move of rows, in which the new partitions take the place of the one that had the rows."""
from __future__ import annotations

from psycopg import errors, sql

from pgkid.ctl import catalog, objects
from pgkid.ctl.connection import scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.made import STATES
from pgkid.ctl.names import free_name, is_free
from pgkid.ctl.partition import follow, references
from pgkid.ctl.partition.late import Late
from pgkid.ctl.partition.plan import AGAIN, RowsPlan
from pgkid.ctl.partition.references import Afterwards
from pgkid.ctl.partition.shadow import BOUNDS, REST, Shadow, ShadowPartition
from pgkid.ctl.steps import Failed, Runner, Statement, statement


class Noted(Exception):
    """Raised if writers have noted rows meanwhile, or added some that no partition takes. The caller looks again."""


class Exchange:
    """The exchange. The tables are locked."""

    def __init__(self, plan: RowsPlan, runner: Runner) -> None:
        self.plan, self.runner = plan, runner
        self.shadow = Shadow(plan, runner)

    def run(self) -> None:
        """Takes the partition away, and attaches the new ones."""
        plan, run = self.plan, self.runner.execute
        are_noted = sql.SQL("SELECT EXISTS (SELECT FROM {})").format(self.shadow.noted)
        if scalar(plan.conn, are_noted) or self.shadow.rows_left():
            raise Noted
        keys = plan.incoming()
        follow.drop(self.runner, plan.schema)
        references.drop(self.runner, keys)
        self.take_away()
        run(statement("DROP TABLE {}", self.shadow.in_schema(REST)))
        taken = self.shadow.bounds_of_others()
        for partition in self.shadow.partitions():
            # Somebody, such as a nightly job, can have created a partition for the same period meanwhile.
            if partition.bound not in taken or self.shadow.has_rows(partition.label):
                self.attach(partition)
        late = [part for key in keys for part in self.parts(key)]
        for part in late:
            self.runner.all(part.add())
        if plan.state:
            plan.state.tables = {plan.root.label: plan.root.oid}
            plan.state.late = late
            plan.save("swap")

    def take_away(self) -> None:
        """Empties the default partition, or drops another one."""
        source = self.shadow.source
        if self.plan.is_default(source.oid):
            self.empty(source)
        else:
            self.runner.execute(statement("ALTER TABLE {} DETACH PARTITION {}", self.plan.root.sql, source.sql))
            self.runner.execute(statement("DROP TABLE {}", source.sql, about=objects.of_table(source, "partition")))

    def empty(self, source: catalog.Table) -> None:
        """Empties the default partition. Its triggers for TRUNCATE do not fire, because its rows stay in the table."""
        found = [t for t in catalog.triggers(self.plan.conn, [source.oid]) if t.runs_at_truncate and t.enabled in "OA"]
        alter = "ALTER TABLE ONLY {} {} TRIGGER {}"
        for trigger in found:
            self.runner.execute(statement(alter, source.sql, sql.SQL("DISABLE"), sql.Identifier(trigger.name)))
        self.runner.execute(statement("TRUNCATE ONLY {}", source.sql))
        for trigger in found:
            state = sql.SQL(STATES[trigger.enabled])
            self.runner.execute(statement(alter, source.sql, state, sql.Identifier(trigger.name)))

    def attach(self, new: ShadowPartition) -> None:
        """Attaches a new partition, under a name that is free in the schema of the table."""
        plan, shadow = self.plan, self.shadow
        part = catalog.table(plan.conn, new.label)
        about = objects.of_table(part)
        self.runner.execute(statement("ALTER TABLE {} DETACH PARTITION {}", shadow.table, part.sql))
        # SET SCHEMA takes the indexes with the table.
        for index in catalog.indexes(plan.conn, [part.oid]):
            self.rename_if_taken(statement("ALTER INDEX {}", index.sql), objects.of_index(index))
        name = self.rename_if_taken(statement("ALTER TABLE {}", part.sql), about)
        home, partition = sql.Identifier(plan.root.schema), sql.Identifier(plan.root.schema, name)
        part_there = sql.Identifier(part.schema, name)
        self.runner.execute(statement("ALTER TABLE {} SET SCHEMA {}", part_there, home, about=about))
        text = "ALTER TABLE {} ATTACH PARTITION {} {}"
        try:
            self.runner.execute(statement(text, plan.root.sql, partition, sql.SQL(new.bound), about=about))
        except Failed as error:
            if isinstance(error.error, errors.InvalidObjectDefinition):
                # It would overlap one that was created meanwhile.
                raise Refused(str(error), AGAIN) from error
            raise
        self.runner.execute(statement("ALTER TABLE {} DROP CONSTRAINT {}", partition, sql.Identifier(BOUNDS)))

    def rename_if_taken(self, alter: Statement, about: objects.Object) -> str:
        """Renames a table or an index if its name is taken in the schema of the root, and returns its name then.

        `alter` is the beginning of the statement, such as ALTER INDEX with a name.
        """
        if is_free(self.plan.conn, self.plan.root.schema, about.name):
            return about.name
        new = free_name(self.plan.conn, self.plan.root.schema, about.name)
        self.runner.execute(Statement(alter.text + sql.SQL(" RENAME TO {}").format(sql.Identifier(new)), about))
        return new

    def parts(self, key: catalog.Constraint) -> list[Late]:
        """Returns how to make a foreign key again."""
        plan = self.plan
        if key.table != plan.root.oid:
            return list(references.parts(plan, key, Afterwards(plan.root, "p", "")))
        leaves = self.runner.query(
            "SELECT relid::text FROM pg_partition_tree(%s) WHERE isleaf ORDER BY relid::oid", (plan.root.oid,)
        )
        parts = [Late(label, key.name, key.definition, True, False, None) for (label,) in leaves]
        return [*parts, Late(plan.root.label, key.name, key.definition, True, True, key.comment)]
