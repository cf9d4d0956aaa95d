"""Twins of indexes and constraints, on the columns beside the keys.

PostgreSQL prints them: in a transaction that is rolled back, the columns get unique words as names, and the words are
then replaced. A definition without the word is refused.
"""
from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from typing import Iterator, Mapping, Sequence

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import in_statement, scalar
from pgkid.ctl.constraints import add, can_be_late, drop_own, validate
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.names import beside, is_beside
from pgkid.ctl.objects import Object, of_index, on_table
from pgkid.ctl.obstacles import refuse, refused
from pgkid.ctl.operators import operators_of_kid
from pgkid.ctl.rekey.plan import Plan, Twinned, Word
from pgkid.ctl.steps import Runner, Statement, lock, statement
from pgkid.ctl.strangers import of_overloads


@dataclass(frozen=True)
class Texts:
    """The definition of an object, and that of its twin."""

    own: str
    twin: str


Definitions = dict[Object, Texts]


def indexes(plan: Plan) -> list[catalog.Index]:
    """Returns the indexes that have a twin. Exclusion constraints are made again in the swap."""
    moved = {c.address for c in plan.columns}
    return [
        index
        for index in catalog.indexes(plan.conn, [table.oid for table in plan.tables()])
        if not index.is_exclusion
        and any((index.table, number) in moved for number in index.columns)
        and not is_beside(index.name, "new", "old")
    ]


def constraints(plan: Plan) -> list[catalog.Constraint]:
    """Returns the CHECKs and foreign keys that have a twin, without those that partitions have from their parents."""
    moved = {c.address for c in plan.columns}
    return [
        k
        for k in catalog.constraints(plan.conn, [table.oid for table in plan.tables()])
        if not k.parent
        and not k.is_inherited
        and any((k.table, number) in moved for number in k.columns)
        and not is_beside(k.name, "new", "old", "full")
    ]


def taken_names(plan: Plan) -> Iterator[Finding]:
    """Yields names that indexes of the move will have, if something of another table has them."""
    for index in indexes(plan):
        for word in ("new", "old"):
            for kind, owner, name in plan.conn.execute(
                "SELECT c.relkind IN ('i', 'I'), pg_get_userbyid(c.relowner), c.oid::regclass::text FROM pg_class AS c"
                " LEFT JOIN pg_index AS i ON i.indexrelid = c.oid WHERE c.relname = %s"
                " AND c.relnamespace = to_regnamespace(quote_ident(%s)) AND i.indrelid IS DISTINCT FROM %s",
                (beside(word, index.name), index.schema, index.table),
            ).fetchall():
                what = "an index" if kind else "a relation"
                message = f"gets a counterpart whose name is taken by {what} of {owner}: {name}"
                yield refused(f"index {index.label}", message, "Rename or drop it.")


def object_of(plan: Plan, what: catalog.Index | catalog.Constraint) -> Object:
    """Returns an index or constraint as statements and findings name it."""
    if isinstance(what, catalog.Index):
        return of_index(what)
    return on_table("constraint", what.name, plan.table(what.table))


def key_of(plan: Plan, index: catalog.Index) -> Object:
    """Returns the constraint that an index belongs to, as part of what has a twin."""
    return replace(object_of(plan, index), kind="key", label=f"key of index {index.label}")


def definitions(plan: Plan, runner: Runner, known: Definitions) -> Definitions:
    """Returns the definitions of all twins. Those that are not known yet take a short lock to print."""
    if all(what in known and known[what].own == text for what, text in present(plan).items()):
        return known
    found: Definitions = {}
    runner.retried([lock(plan.locks())], lambda: found.update(printed(plan)))
    return found


def present(plan: Plan) -> dict[Object, str]:
    """Returns the definition of all that has a twin."""
    return {what: definition for what, (definition, _oid) in present_with_oids(plan).items()}


def present_with_oids(plan: Plan) -> dict[Object, tuple[str, int]]:
    """Returns the definition and the OID of all that has a twin. A key has the OID of its index."""
    found = {}
    for index in indexes(plan):
        found[object_of(plan, index)] = index.definition, index.oid
        if index.constraint_definition:
            found[key_of(plan, index)] = index.constraint_definition, index.oid
    return {**found, **{object_of(plan, k): (k.definition, k.oid) for k in constraints(plan)}}


def comparable(definition: str) -> str:
    """Returns a definition without what VALIDATE changes."""
    return definition.removesuffix(" NOT VALID")


def alterable(definition: str) -> tuple[str, str]:
    """Returns what ALTER can change in the definition of an index or constraint, apart from names."""
    options = re.search(r" WITH \([^()]*\)", definition)
    return options[0] if options else "", comparable(definition).rpartition(")")[2]


def noted(plan: Plan, texts: Mapping[Object, str]) -> list[Twinned]:
    """Returns some definitions as the state notes them, with the OIDs of what has these definitions now."""
    now = present_with_oids(plan)
    found = []
    for what, text in texts.items():
        definition, oid = now.get(what, ("", 0))
        found.append(Twinned(what, comparable(text), oid if definition == text else 0))
    return found


def note(plan: Plan, texts: Definitions) -> None:
    """Notes in the state what twins are made of, before they are made."""
    if plan.state:
        known = {t.object for t in plan.state.twinned}
        found = noted(plan, {what: text.own for what, text in texts.items() if what not in known})
        if found:
            plan.state.twinned += found
            plan.save(plan.state.step)


def changed(plan: Plan) -> list[Object]:
    """Returns what has another definition than its twin was made of, or than after the swap, or is gone since then.

    If only a name in it has changed, as that of a column, it has changed in the twin, too. But the way back adds CHECKs
    by their former texts.
    """
    if not plan.state:
        return []
    now = present_with_oids(plan)
    is_here = state.is_here(plan.conn, plan.state.origin, plan.schema)

    def is_same(t: Twinned) -> bool:
        definition, oid = now.get(t.object, ("", 0))
        if not oid or comparable(definition) == t.definition:
            return oid != 0
        is_renamed = is_here and oid == t.oid and alterable(definition) == alterable(t.definition)
        return is_renamed and not (plan.is_swapped and t.object.kind == "constraint")

    return [t.object for t in plan.state.twinned if not is_same(t)]


def drop_stale(plan: Plan, runner: Runner) -> None:
    """Drops the twins of what somebody has replaced or dropped since they were made, so that they are made again."""
    if not plan.state or not changed(plan):
        return
    before = plan.state.twinned

    def drop() -> None:
        assert plan.state
        plan.state.twinned = before
        stale = changed(plan)
        drop_twins(plan, runner, stale, "new")
        plan.state.twinned = [t for t in before if t.object not in stale]
        plan.save(plan.state.step)

    runner.retried([lock(plan.locks())], drop)


def drop_twins(plan: Plan, runner: Runner, stale: Sequence[Object], word: Word) -> None:
    """Drops twins of some indexes and constraints. The tables are locked.

    Foreign keys may need unique indexes. They are dropped with these, and made again.
    """
    stale_indexes = twins_of_indexes(plan, stale, word)
    stale_constraints = twins_of_constraints(plan, stale, word)
    if any(index.is_unique for index in stale_indexes):
        for k in catalog.constraints(plan.conn, [table.oid for table in plan.tables()]):
            if k.kind == "f" and is_beside(k.name, word) and not k.parent and k not in stale_constraints:
                stale_constraints.append(k)
    for constraint in stale_constraints:
        runner.execute(drop_own(plan.table(constraint.table).sql, constraint.name))
    for index in stale_indexes:
        if index.constraint:
            runner.execute(drop_own(plan.table(index.table).sql, index.constraint))
        else:
            runner.execute(statement("DROP INDEX {}", index.sql))


def has_twin(plan: Plan, what: Object, word: Word) -> bool:
    """Returns whether there is a twin of an index or constraint, which may be gone itself."""
    return bool(twins_of_indexes(plan, [what], word) or twins_of_constraints(plan, [what], word))


def twins_of_constraints(plan: Plan, given: Sequence[Object], word: Word) -> list[catalog.Constraint]:
    """Returns the twins of some constraints, also those that only partitions have yet."""
    wanted = {(o.schema, o.table, beside(word, o.name)) for o in given if o.kind == "constraint"}
    found = []
    for constraint in catalog.constraints(plan.conn, [table.oid for table in plan.tables()]):
        tops = {c.top for c in plan.columns if c.table == constraint.table}
        tables = [plan.table(oid) for oid in {constraint.table, *tops}]
        if not constraint.parent and not constraint.is_inherited:
            if any((table.schema, table.name, constraint.name) in wanted for table in tables):
                found.append(constraint)
    return found


def twins_of_indexes(plan: Plan, given: Sequence[Object], word: Word) -> list[catalog.Index]:
    """Returns the twins of some indexes. A part of a partitioned one can only be dropped with that.

    A primary key has one for old keys, too.
    """
    found = {index.oid: index for index in catalog.indexes(plan.conn, [table.oid for table in plan.tables()])}
    indexes_given = [o for o in given if o.kind in ("index", "key")]
    wanted = {(o.schema, beside(other, o.name)) for o in indexes_given for other in (word, "old")}
    twins = {}
    for index in found.values():
        if (index.schema, index.name) in wanted:
            while index.parent in found:
                index = found[index.parent]
            twins[index.oid] = index
    return list(twins.values())


def printed(plan: Plan) -> Definitions:
    """Prints twins. The tables must be locked."""
    plain = present(plan)
    words = {f"kidq{secrets.token_hex(8)}": column for column in plan.tops}
    with plan.conn.transaction(force_rollback=True):
        for word, column in words.items():
            plan.conn.execute(
                sql.SQL("ALTER TABLE {} RENAME {} TO {}").format(
                    plan.table(column.table).sql, column.sql, sql.Identifier(word)
                )
            )
        renamed = present(plan)
    found: Definitions = {}
    for about, definition in plain.items():
        text = renamed[about]
        if not any(word in text for word in words):
            raise Refused(f"{about}: its definition does not name the column: {definition}", "Drop it first.")
        for word, column in words.items():
            name = sql.Identifier(plan.direction("new").beside(column.name)).as_string(plan.conn)
            text = text.replace(word, name)
        found[about] = Texts(definition, text)
    return found


def index_tail(plan: Plan, index: catalog.Index, definition: str) -> str:
    """Returns what follows the name and the table in the definition of an index."""
    only = "ONLY " if index.is_partitioned else ""
    unique = "UNIQUE " if index.is_unique else ""
    name = in_statement(plan.conn, index.name)
    head = f"CREATE {unique}INDEX {name} ON {only}{plan.table(index.table).label} "
    if not definition.startswith(head):
        raise Refused(f"index {index.label} has a definition that kidctl does not understand: {definition}")
    return definition[len(head) :]


@dataclass
class Builder:
    """Makes the twins that are missing."""

    plan: Plan
    runner: Runner
    texts: Definitions

    def build_indexes(self) -> None:
        """Makes twins of all indexes, without blocking anybody."""
        # Partitioned indexes come first, so that a partition that is new since has its part already.
        found = sorted(indexes(self.plan), key=lambda i: not i.is_partitioned)
        for index in found:
            if index.is_partitioned and index.constraint:
                continue
            texts = self.texts[object_of(self.plan, index)]
            self.build_index(index, "new", texts.twin)
            if index.is_primary:  # Dropping the constraint drops its index, so the way back needs another one.
                self.build_index(index, "old", texts.own)
        for index in found:
            if index.parent and not index.constraint:
                self.attach(index, [i for i in found if i.oid == index.parent][0])

    def build_index(self, index: catalog.Index, word: str, definition: str) -> None:
        """Makes one index, unless it is there. One that was left invalid is made again."""
        name = beside(word, index.name)
        if self.adopt(index, name):
            return
        is_valid = catalog.is_valid_index(self.plan.conn, index.table, index.schema, name)
        if is_valid is False and not index.is_partitioned:
            drop = statement("DROP INDEX CONCURRENTLY {}", sql.Identifier(index.schema, name), outside=True)
            self.runner.execute(drop)
        elif is_valid is not None:
            return
        about = object_of(self.plan, index)
        unique = "UNIQUE " if index.is_unique else ""
        how = "" if index.is_partitioned else "CONCURRENTLY "
        if index.tablespace:
            self.runner.execute(statement("SET default_tablespace = {}", sql.Identifier(index.tablespace)))
        create = statement(
            "CREATE {}INDEX {}{} ON {}{}",
            sql.SQL(unique),
            sql.SQL(how),
            sql.Identifier(name),
            sql.SQL("ONLY {} " if index.is_partitioned else "{} ").format(self.plan.table(index.table).sql),
            sql.SQL(index_tail(self.plan, index, definition)),
            about=about,
            outside=True,
        )
        self.make(create)
        if index.tablespace:
            self.runner.execute(statement("SET default_tablespace = ''"))

    def make(self, twin: Statement) -> None:
        """Makes a twin from its text, unless that could call code of another role by now: others can take hours."""
        refuse(of_overloads(self.plan.conn, [], self.plan.addresses, []))
        with operators_of_kid(self.runner, self.plan.keys.home):
            self.runner.execute(twin)

    def adopt(self, index: catalog.Index, name: str) -> bool:
        """Renames the index that a new partition got by itself from the twin of its parent's index."""
        own = self.plan.conn.execute(
            """
            SELECT n.nspname, c.relname FROM pg_inherits AS o JOIN pg_class AS p ON p.oid = o.inhparent
                   JOIN pg_inherits AS h
                        ON h.inhparent = to_regclass(format('%%s.%%I', p.relnamespace::regnamespace, %s::text))
                   JOIN pg_index AS i ON i.indexrelid = h.inhrelid JOIN pg_class AS c ON c.oid = i.indexrelid
                   JOIN pg_namespace AS n ON n.oid = c.relnamespace
             WHERE o.inhrelid = %s AND i.indrelid = %s
            """,
            (self.twin_of_parent(index), index.oid, index.table),
        ).fetchone()
        if own is None or own[1] == name:
            return own is not None
        self.runner.execute(statement("ALTER INDEX {} RENAME TO {}", sql.Identifier(*own), sql.Identifier(name)))
        return True

    def twin_of_parent(self, index: catalog.Index) -> str:
        """Returns the name of the twin of the index that this one is a part of."""
        name = scalar(self.plan.conn, "SELECT relname FROM pg_class WHERE oid = %s", (index.parent,))
        return self.plan.direction("new").beside(name) if name else ""

    def attach(self, index: catalog.Index, parent: catalog.Index) -> None:
        """Makes the twin of a partition's index a part of the twin of its parent's index."""
        d = self.plan.direction("new")
        self.runner.execute(
            statement(
                "ALTER INDEX {} ATTACH PARTITION {}",
                sql.Identifier(parent.schema, d.beside(parent.name)),
                sql.Identifier(index.schema, d.beside(index.name)),
                about=object_of(self.plan, index),
            )
        )

    def add_constraints(self) -> None:
        """Makes twins of constraints. The tables must be locked; rows are looked at later where that is possible."""
        for index in sorted(indexes(self.plan), key=lambda i: i.is_partitioned):
            if index.constraint_kind == "u":
                self.add_unique(index)
        for constraint in constraints(self.plan):
            if self.is_in_parts(constraint):
                for part in self.leaves(constraint.table):
                    self.add_constraint(constraint, part, True)
            else:
                late = constraint.is_validated and not self.is_partitioned_key(constraint)
                self.add_constraint(constraint, constraint.table, late)

    def add_constraint(self, constraint: catalog.Constraint, table: int, late: bool) -> None:
        """Makes the twin of a constraint on its table or on one of its partitions, unless it is there."""
        name = self.plan.direction("new").beside(constraint.name)
        if self.exists(table, name):
            return
        about = object_of(self.plan, constraint)
        twin = add(self.plan.table(table).sql, replace(about, name=name), self.texts[about].twin, late)
        self.make(twin)

    def is_partitioned_key(self, constraint: catalog.Constraint) -> bool:
        """Returns whether a constraint is a foreign key that PostgreSQL cannot add without looking at rows."""
        return not can_be_late(self.plan.conn, constraint, self.plan.table(constraint.table))

    def is_in_parts(self, constraint: catalog.Constraint) -> bool:
        """Returns whether a constraint is added to each partition first, which can be validated without a lock."""
        return constraint.is_validated and self.is_partitioned_key(constraint)

    def leaves(self, table: int) -> list[int]:
        """Returns the partitions that have rows."""
        tops = {c.table for c in self.plan.columns if c.top == table}
        return [oid for oid in tops if self.plan.table(oid).kind == "r"]

    def join_parts(self) -> None:
        """Adds the foreign keys of partitioned tables, which take in those of the partitions. The tables are locked."""
        for constraint in constraints(self.plan):
            if self.is_in_parts(constraint):
                self.add_constraint(constraint, constraint.table, False)

    def add_unique(self, index: catalog.Index) -> None:
        """Makes the twin of a UNIQUE constraint from the twin of its index."""
        name = self.plan.direction("new").beside(index.name)
        table = self.plan.table(index.table)
        if self.exists(index.table, name):
            return
        about = object_of(self.plan, index)
        if not index.is_partitioned:
            self.runner.execute(
                statement(
                    "ALTER TABLE {} ADD CONSTRAINT {} UNIQUE USING INDEX {}{}",
                    table.sql,
                    sql.Identifier(name),
                    sql.Identifier(name),
                    deferrable(index),
                    about=about,
                )
            )
            return
        key = sql.SQL(self.texts[key_of(self.plan, index)].twin)
        self.runner.execute(
            statement("ALTER TABLE ONLY {} ADD CONSTRAINT {} {}", table.sql, sql.Identifier(name), key, about=about)
        )
        for part in indexes(self.plan):
            if part.parent == index.oid:
                self.attach(part, index)

    def exists(self, table: int, name: str) -> bool:
        """Returns whether a table has a constraint of this name."""
        return catalog.is_valid_constraint(self.plan.conn, table, name) is not None

    def validate(self) -> None:
        """Validates the constraints that were not, each in a transaction of its own."""
        twins = self.to_validate()
        for table, name in self.plan.conn.execute(
            """
            SELECT k.conrelid, k.conname FROM pg_constraint AS k
             WHERE k.conrelid = ANY (%s) AND NOT k.convalidated AND k.contype IN ('c', 'f')
                   AND k.conparentid = 0 AND k.coninhcount = 0
             ORDER BY k.contype, k.conname
            """,
            ([t.oid for t in self.plan.tables()],),
        ).fetchall():
            if is_beside(name, "full", "part") or (table, name) in twins:
                relation = self.plan.table(table)
                self.runner.execute(validate(relation.sql, on_table("constraint", name, relation)))

    def to_validate(self) -> set[tuple[int, str]]:
        """Returns the twins of valid constraints, each with its table, or with a partition of that."""
        d = self.plan.direction("new")
        valid = [(k.table, d.beside(k.name)) for k in constraints(self.plan) if k.is_validated]
        # A partition can have constraints of its own.
        return {(c.table, name) for c in self.plan.columns for table, name in valid if table in (c.top, c.table)}


def deferrable(index: catalog.Index) -> sql.SQL:
    """Returns when a UNIQUE or PRIMARY KEY constraint is checked, as the end of a statement."""
    text = index.constraint_definition or ""
    for end in (" DEFERRABLE INITIALLY DEFERRED", " DEFERRABLE"):
        if text.endswith(end):
            return sql.SQL(end)
    return sql.SQL("")
