"""The swap: a new partitioned table takes the name of a table, which becomes its first partition, and the way back.

Either happens in one transaction. No row is copied, and no transaction misses rows, also with an older snapshot: the
rows stay where they are, and PostgreSQL looks up by which table and which partitions it reads them when it locks the
table.
"""
from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Optional

from psycopg import sql

from pgkid.ctl import catalog, constraints, filling, hanging, objects
from pgkid.ctl.connection import scalar
from pgkid.ctl.dependents import dependents
from pgkid.ctl.details import details, of_index, of_new_table
from pgkid.ctl.findings import Refused
from pgkid.ctl.names import free_name
from pgkid.ctl.objects import on_table
from pgkid.ctl.obstacles import refuse, refuse_made
from pgkid.ctl.partition import references, sequences
from pgkid.ctl.partition.plan import UNTIL, TablePlan, tablespace_of
from pgkid.ctl.partition.references import Afterwards
from pgkid.ctl.publications import Membership, memberships, of_subscriptions
from pgkid.ctl.state import Saved
from pgkid.ctl.steps import Runner, Statement, raw, statement


class Swap(ABC):
    """What both directions have in common. The tables are locked, and all that belongs to the table is read first."""

    def __init__(self, plan: TablePlan, runner: Runner) -> None:
        self.plan, self.runner = plan, runner
        conn = plan.conn
        self.made = plan.hanging()
        refuse_made(conn, self.made, plan.addresses())
        self.details = details(conn, plan.root.oid)
        self.columns = catalog.columns(conn, plan.root.oid)
        self.incoming = plan.incoming()
        self.late = [part for key in self.incoming for part in references.parts(plan, key, self.afterwards())]
        self.memberships = memberships(conn, plan.root.oid)
        self.indexes = catalog.indexes(conn, [plan.root.oid])

    @abstractmethod
    def afterwards(self) -> Afterwards:
        """Returns what the table is after the swap."""

    @abstractmethod
    def run(self) -> None:
        """Runs the swap."""

    def remove(self) -> None:
        """Drops what hangs on the table, and the foreign keys that refer to it."""
        hanging.remove(self.runner, self.made)
        references.drop(self.runner, self.incoming)
        for member in self.memberships:
            self.runner.execute(member.drop())

    def make(self, members: list[Membership]) -> None:
        """Makes again what was dropped; foreign keys without looking at rows."""
        hanging.make(self.runner, self.plan.home, self.made)
        for part in self.late:
            self.runner.all(part.add())
        self.runner.all([member.add() for member in members])

    def remember(self, step: Saved, tables: dict[str, int]) -> None:
        """Notes in the state that the swap is done, the tables as they are then, and what is left to do after it."""
        if self.plan.state:
            self.plan.state.tables = tables
            self.plan.state.late = self.late
            self.plan.state.to_fill = filling.to_fill(self.made, self.plan.state)
            self.plan.save(step)

    def rename_indexes(self, table: int, names: dict[str, str]) -> None:
        """Renames indexes of a table, and the constraints that they belong to, from one name to another."""
        for index in catalog.indexes(self.plan.conn, [table]):
            if index.name in names:
                self.runner.execute(
                    statement(
                        "ALTER INDEX {} RENAME TO {}",
                        index.sql,
                        sql.Identifier(names[index.name]),
                        about=objects.of_index(index),
                    )
                )


class Forward(Swap):
    """The table becomes the first partition of a new one."""

    def __init__(self, plan: TablePlan, runner: Runner) -> None:
        super().__init__(plan, runner)
        own = plan.own_constraints()
        self.constraints = [k for k in own if k.ref_table != plan.root.oid and k.name != UNTIL]
        self.not_nulls = catalog.not_nulls(plan.conn, [plan.root.oid])
        # PostgreSQL cannot CLUSTER a partitioned table.
        self.new_indexes = [(i, of_index(plan.conn, replace(i, is_clustered=False))) for i in self.indexes]

    def afterwards(self) -> Afterwards:
        """Returns that it is partitioned."""
        return Afterwards(self.plan.root, "p", self.plan.old_label)

    def run(self) -> None:
        """Makes the new table, and attaches the old one.

        First goes what refers to the table, because it shall refer to the new one. Then the old table gives up its
        name, its sequences and those of its indexes, which the new one takes. The new one gets indexes and constraints
        before ATTACH, which finds those of the partition that are equal to them, and what refers to it at the end.
        """
        plan, runner = self.plan, self.runner
        names = self.partition_names()
        self.remove()
        self.rename_indexes(plan.root.oid, names)
        runner.execute(statement("ALTER TABLE {} RENAME TO {}", plan.root.sql, sql.Identifier(plan.old_name)))
        taken = sequences.take(runner, self.columns, plan.old)
        self.create()
        self.give_definition()
        sequences.give(runner, taken, plan.root.sql)
        self.attach()
        self.make(self.memberships)
        new = scalar(plan.conn, "SELECT to_regclass(%s)::oid", (plan.root.label,))
        if plan.state:
            plan.state.indexes = {after: before for before, after in names.items()}
        self.remember("swap", {plan.root.label: new, plan.old_label: plan.root.oid})

    def give_definition(self) -> None:
        """Gives the new table the constraints, the indexes, and the details of the old one."""
        for not_null in self.not_nulls:
            self.comment(not_null.name, not_null.comment)
        for constraint in self.constraints:
            self.add(constraint.name, constraint.definition, constraint.comment)
        for index, lines in self.new_indexes:
            self.create_index(index, lines)
        for line in self.details:
            self.runner.execute(Statement(raw(line), objects.of_table(self.plan.root)))
        self.runner.all(of_new_table(self.plan.root, self.plan.root.sql))

    def partition_names(self) -> dict[str, str]:
        """Returns the names that the indexes of the first partition get."""
        root, names = self.plan.root, {}
        for index in self.indexes:
            rest = index.name[len(root.name) :] if index.name.startswith(root.name) else f"_{index.name}"
            names[index.name] = free_name(self.plan.conn, root.schema, self.plan.old_name + rest)
        return names

    def create(self) -> None:
        """Creates the partitioned table."""
        plan = self.plan
        self.runner.execute(
            statement(
                """CREATE TABLE {}
 (LIKE {} INCLUDING DEFAULTS INCLUDING GENERATED INCLUDING STORAGE INCLUDING COMPRESSION)
 PARTITION BY RANGE ({}){}""",
                plan.root.sql,
                plan.old,
                plan.key.sql,
                tablespace_of(plan.root),
                about=objects.of_table(plan.root),
            )
        )

    def add(self, name: str, definition: str, comment: Optional[str]) -> None:
        """Adds a constraint to the new table."""
        about = on_table("constraint", name, self.plan.root)
        self.runner.all(constraints.make(self.plan.root.sql, about, definition, comment))

    def comment(self, name: str, comment: Optional[str]) -> None:
        """Gives a constraint of the new table a comment."""
        if comment:
            about = on_table("constraint", name, self.plan.root)
            self.runner.execute(constraints.comment(self.plan.root.sql, about, comment))

    def create_index(self, index: catalog.Index, lines: list[str]) -> None:
        """Gives the new table an index or a unique constraint, and what belongs to it."""
        about = objects.of_index(index)
        if index.constraint:
            self.add(index.constraint, index.constraint_definition or "", None)
        else:
            self.runner.execute(Statement(raw(index.definition), about))
        if index.tablespace:
            space = sql.Identifier(index.tablespace)
            self.runner.execute(statement("ALTER INDEX {} SET TABLESPACE {}", index.sql, space, about=about))
        self.runner.all([Statement(raw(line), about) for line in lines])

    def attach(self) -> None:
        """Attaches the first partition, on which other roles get no rights: PostgreSQL looks at those on the parent."""
        plan = self.plan
        self.runner.execute(
            statement(
                "ALTER TABLE {} ATTACH PARTITION {} FOR VALUES FROM (MINVALUE) TO ({})",
                plan.root.sql,
                plan.old,
                plan.bound,
            )
        )
        self.take_rights()

    def take_rights(self) -> None:
        """Leaves the rights on the first partition to its owner, as with those that kid_create_partitions() makes."""
        others = scalar(
            self.plan.conn,
            """
            SELECT string_agg(DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC'
                ELSE quote_ident(pg_get_userbyid(a.grantee)) END, ', ')
              FROM pg_class AS c, LATERAL (
                       SELECT c.relacl UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = c.oid) AS l (acl),
                   aclexplode(l.acl) AS a
             WHERE c.oid = %s AND a.grantee <> c.relowner
            """,
            (self.plan.root.oid,),
        )
        if others:
            self.runner.execute(statement("REVOKE ALL ON {} FROM {} CASCADE", self.plan.old, sql.SQL(others)))
        if self.plan.root.acl is not None:
            self.runner.execute(statement("GRANT ALL ON {} TO {}", self.plan.old, sql.Identifier(self.plan.root.owner)))


class Back(Swap):
    """The first partition takes its name again."""

    def __init__(self, plan: TablePlan, runner: Runner) -> None:
        super().__init__(plan, runner)
        self.index_details = {index.name: of_index(plan.conn, index) for index in self.indexes}
        self.comments = {k.name: k.comment for k in plan.own_constraints()}
        self.comments |= {k.name: k.comment for k in catalog.not_nulls(plan.conn, [plan.root.oid])}
        self.comments |= {i.constraint: i.constraint_comment for i in self.indexes if i.constraint}
        # Of the first partition, with the names of what they are a part of
        self.index_names = {
            part: name
            for part, name in plan.conn.execute(
                "SELECT c.relname, p.relname FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid"
                " JOIN pg_inherits AS h ON h.inhrelid = c.oid JOIN pg_class AS p ON p.oid = h.inhparent"
                " WHERE i.indrelid = to_regclass(%s)::oid",
                (plan.old_label,),
            ).fetchall()
        }
        self.foreign_key_names = {
            part: name
            for part, name in plan.conn.execute(
                "SELECT k.conname, p.conname FROM pg_constraint AS k JOIN pg_constraint AS p ON p.oid = k.conparentid"
                " WHERE k.conrelid = to_regclass(%s)::oid AND k.contype = 'f' AND p.conrelid = %s"
                " AND p.confrelid <> p.conrelid",
                (plan.old_label, plan.root.oid),
            ).fetchall()
        }

    def afterwards(self) -> Afterwards:
        """Returns the kind that it had."""
        old = catalog.table(self.plan.conn, self.plan.old_label)
        return Afterwards(old, old.kind, self.plan.root.label)

    def run(self) -> None:
        """Detaches the first partition, and drops the partitioned table with its other partitions, which are empty."""
        plan, runner = self.plan, self.runner
        assert plan.state
        refuse_used(plan)
        old = catalog.table(plan.conn, plan.old_label)
        self.remove()
        taken = sequences.take(runner, self.columns, plan.root.sql)
        owned = [sql.SQL(own.label) for own in taken if not own.identity]
        runner.all([statement("ALTER SEQUENCE {} OWNED BY NONE", label) for label in owned])
        runner.execute(statement("ALTER TABLE {} DETACH PARTITION {}", plan.root.sql, plan.old))
        runner.execute(statement("DROP TABLE {}", plan.root.sql))
        runner.execute(statement("ALTER TABLE {} RENAME TO {}", plan.old, sql.Identifier(plan.root.name)))
        # From here on plan.root, which was dropped, stands for its name, which `back` has.
        back = catalog.tables(plan.conn, [old.oid])[0]
        self.rename_parts(back)
        for line in self.details:
            runner.execute(Statement(raw(line), objects.of_table(back)))
        self.give_security(back)
        self.give_identity(back)
        self.give_details(back)
        sequences.give(runner, taken, plan.root.sql)
        runner.execute(constraints.drop_own(plan.root.sql, UNTIL))
        self.make(self.memberships)
        self.remember("back", {plan.root.label: old.oid})

    def rename_parts(self, back: catalog.Table) -> None:
        """Gives indexes and foreign keys the names of those of the partitioned table that they were a part of."""
        assert self.plan.state
        self.rename_indexes(back.oid, {**self.plan.state.indexes, **self.index_names})
        wanted = {before: after for before, after in self.foreign_key_names.items() if before != after}
        # One can have the name that another one gets.
        between = {before: f"kid_back_{number}" for number, before in enumerate(wanted)}
        renames = list(wanted.items())
        if {*wanted} & {*wanted.values()}:
            renames = [*between.items(), *((between[before], after) for before, after in wanted.items())]
        for before, after in renames:
            about, names = on_table("constraint", before, back), map(sql.Identifier, (before, after))
            self.runner.execute(statement("ALTER TABLE {} RENAME CONSTRAINT {} TO {}", back.sql, *names, about=about))

    def give_details(self, back: catalog.Table) -> None:
        """Gives indexes and constraints what those of the partitioned table had beside their definitions."""
        conn = self.plan.conn
        # One that was made ON ONLY the partitioned table goes with that.
        indexes = [index for index in catalog.indexes(conn, [back.oid]) if index.name in self.index_details]
        for index in indexes:
            if index.comment:
                self.runner.execute(statement("COMMENT ON INDEX {} IS NULL", index.sql))
        present = scalar(conn, "SELECT array_agg(conname) FROM pg_constraint WHERE conrelid = %s", (back.oid,)) or []
        for name, comment in self.comments.items():
            if name in present:
                about = on_table("constraint", name, back)
                self.runner.execute(
                    constraints.comment(back.sql, about, comment)
                    if comment
                    else statement(
                        "COMMENT ON CONSTRAINT {} ON {} IS NULL", sql.Identifier(name), back.sql, about=about
                    )
                )
        for index in indexes:
            for line in self.index_details[index.name]:
                self.runner.execute(Statement(raw(line), objects.of_table(back)))

    def give_security(self, back: catalog.Table) -> None:
        """Gives the table the row-level security that the partitioned one had, where its own is another one."""
        root = self.plan.root
        for mine, theirs, word in (
            (back.row_security, root.row_security, "ENABLE" if root.row_security else "DISABLE"),
            (back.force_row_security, root.force_row_security, "FORCE" if root.force_row_security else "NO FORCE"),
        ):
            if mine != theirs:
                self.runner.execute(statement("ALTER TABLE {} {} ROW LEVEL SECURITY", root.sql, sql.SQL(word)))

    def give_identity(self, back: catalog.Table) -> None:
        """Gives the table the replica identity that the partitioned one had, unless that is an index."""
        word = {"d": "DEFAULT", "f": "FULL", "n": "NOTHING"}.get(self.plan.root.replica_identity)
        if word and self.plan.root.replica_identity != back.replica_identity:
            name = self.plan.root.sql
            self.runner.execute(statement("ALTER TABLE {} REPLICA IDENTITY {}", name, sql.SQL(word)))


def refuse_used(plan: TablePlan) -> None:
    """Raises an error if partitions that the way back drops have rows, or if something uses what it drops.

    The first partition has to be there.
    """
    query = "SELECT EXISTS (SELECT FROM pg_inherits WHERE inhparent = %s AND inhrelid = to_regclass(%s))"
    if not scalar(plan.conn, query, (plan.root.oid, plan.old_label)):
        raise Refused(
            f"{plan.old_label} is no partition of {plan.root.label} any more",
            "Without it there is no way back: attach it again, or run `kidctl partition finish`.",
        )
    parts = plan.conn.execute(
        "SELECT inhrelid::oid, inhrelid::regclass::text FROM pg_inherits"
        " WHERE inhparent = %s AND inhrelid <> %s::regclass ORDER BY 2",
        (plan.root.oid, plan.old_label),
    ).fetchall()
    for _oid, part in parts:
        if scalar(plan.conn, sql.SQL("SELECT EXISTS (SELECT FROM {})").format(sql.SQL(part))):
            raise Refused(f"partition {part} has rows", f"The way back is open until {plan.until}.")
    dropped = [oid for oid, _part in parts]
    refuse(of_subscriptions(plan.conn, [plan.root.oid, *dropped], "the way back drops"))
    for dependent in dependents(plan.conn, "pg_class", dropped):
        raise Refused(f"{dependent.label} depends on {dependent.target}, which the way back drops", "Drop it first.")
