"""What a move to partitions is about: the table, the column of its IDs, the partition that has the old rows."""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Optional

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import Connection, qualified, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.hanging import hanging
from pgkid.ctl.kid import home_of
from pgkid.ctl.made import Made
from pgkid.ctl.names import free_name
from pgkid.ctl.partition.keys import Ids, Key, bound_at, key_of, operators_of
from pgkid.ctl.partition.late import Late
from pgkid.ctl.state import Saved


UNTIL = "kid_until"  # the constraint that proves that no row of the first partition is later
MARGIN = "1 day"  # how long the steps up to the swap may take

# What to do if the copies of rows cannot take their place
AGAIN = "Run `kidctl partition cancel`, and then `kidctl partition move` again."


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    width: str
    until: Optional[str]
    ids: Optional[str] = None  # of a key of type bigint
    partition: Optional[str] = None  # whose rows move, if it is not the default partition or else the first one
    key: Optional[str] = None  # the column of the IDs, which kidctl adds


@dataclass
class PartitionState(state.StateWithUndo):
    """What both moves to partitions remember."""

    options: Options
    old_name: str
    late: list[Late]  # foreign keys that are left to validate


@dataclass
class TableState(PartitionState):
    """What the move of a table remembers."""

    undo = "partition back"

    until: str
    bound: str
    indexes: dict[str, str] = field(default_factory=dict)  # the old name of each index of the first partition
    is_run: bool = False  # all steps are done


@dataclass
class RowsState(PartitionState):
    """What the move of the rows of a partition remembers."""

    undo = "partition cancel"
    needs_all = True

    definitions: dict[str, str]  # definitions.py, when the move began
    file: int  # of the partition, whose blocks are copied
    block: int = 0  # the next one to copy


@dataclass
class Plan:
    """A move of a table, or of the rows of a partition, to partitions, on one connection."""

    conn: Connection
    root: catalog.Table
    key: catalog.Column
    ids: Ids
    home: str  # the schema of kid, as part of a statement
    operators: str  # the schema of the operators of the key
    options: Options
    old_name: str  # of the partition that has the old rows: the table itself after the swap, or the one whose rows move
    schema: str
    state: Optional[PartitionState]

    @property
    def is_swapped(self) -> bool:
        """Whether the table is partitioned already, or the rows have moved."""
        return self.state is not None and self.state.is_swapped

    @property
    def old(self) -> sql.Identifier:
        """The partition that has the old rows, as part of a statement."""
        return sql.Identifier(self.root.schema, self.old_name)

    @property
    def old_label(self) -> str:
        """The name of that partition with its schema."""
        return qualified(self.conn, self.root.schema, self.old_name)

    def hanging(self) -> list[Made]:
        """Returns what hangs on the table and its columns. Publications are another matter."""
        table = catalog.ColumnAddress(self.root.oid, 0)
        return hanging(self.conn, [table, *self.addresses()], self.schema, ("pg_publication_rel",))

    def addresses(self) -> list[catalog.ColumnAddress]:
        """Returns what tells the columns of the table from all others."""
        return [column.address for column in catalog.columns(self.conn, self.root.oid)]

    def referenced(self) -> list[catalog.Table]:
        """Returns the other tables that foreign keys of this one refer to, always in the same order."""
        return self.at_other_end("confrelid", "conrelid")

    def referring(self) -> list[catalog.Table]:
        """Returns the other tables whose foreign keys refer to this one, always in the same order."""
        return self.at_other_end("conrelid", "confrelid")

    def at_other_end(self, wanted: str, given: str) -> list[catalog.Table]:
        """Returns the tables at the other end of foreign keys. Both are columns of pg_constraint, `given` this end."""
        query = sql.SQL(
            "SELECT DISTINCT k.{0} FROM pg_constraint AS k"
            " WHERE k.contype = 'f' AND k.conparentid = 0 AND k.{1} = %s AND k.{0} <> k.{1} ORDER BY 1"
        ).format(sql.Identifier(wanted), sql.Identifier(given))
        return catalog.tables(self.conn, [row[0] for row in self.conn.execute(query, (self.root.oid,))])

    def tried(self) -> list[int]:
        """Returns the tables that a rehearsal tries: this one, and those that refer to it."""
        return [self.root.oid, *(table.oid for table in self.referring())]

    def own_constraints(self) -> list[catalog.Constraint]:
        """Returns the CHECKs and foreign keys that somebody has given the table.

        A foreign key to a partitioned table has one more constraint for each partition. PostgreSQL makes these itself,
        and nobody can add, validate or drop them. VALIDATE marks them as valid only from version 18 on.
        """
        return [k for k in catalog.constraints(self.conn, [self.root.oid]) if not k.parent]

    def incoming(self) -> list[catalog.Constraint]:
        """Returns the foreign keys that refer to the table, its own among them."""
        tables = [self.root.oid, *(table.oid for table in self.referring())]
        return [
            k
            for k in catalog.constraints(self.conn, tables)
            if k.kind == "f" and k.ref_table == self.root.oid and not k.parent
        ]

    def is_default(self, partition: int) -> bool:
        """Returns whether a partition of the table is its default partition."""
        query = "SELECT partdefid = %s FROM pg_partitioned_table WHERE partrelid = %s"
        return bool(scalar(self.conn, query, (partition, self.root.oid)))

    def save(self, step: Saved) -> None:
        """Writes the state, in which a step is done."""
        assert self.state
        self.state.step = step
        state.save(self.conn, self.schema, self.state)


@dataclass
class TablePlan(Plan):
    """A move of a table to partitions, which leaves the rows until a time together in the first one."""

    state: Optional[TableState]
    until: str
    bound: str  # the lowest ID at that time

    def new_state(self) -> TableState:
        """Returns the state with this plan: that of the move or, when it begins, a new one."""
        if self.state:
            self.state.options, self.state.until, self.state.bound = self.options, self.until, self.bound
        else:
            self.state = TableState(
                relation=self.root.label,
                origin=state.origin_of(self.conn),
                tables={self.root.label: self.root.oid},
                step="prepare",
                to_fill=[],
                options=self.options,
                old_name=self.old_name,
                late=[],
                until=self.until,
                bound=self.bound,
            )
        return self.state


@dataclass
class RowsPlan(Plan):
    """A move of the rows of a partition into partitions by time."""

    state: Optional[RowsState]

    def new_state(self, source: catalog.Table, definitions: dict[str, str]) -> RowsState:
        """Returns the state of the move of the rows of a partition when it begins with these definitions."""
        self.state = RowsState(
            relation=self.root.label,
            origin=state.origin_of(self.conn),
            tables={self.root.label: self.root.oid, self.old_label: source.oid},
            step="prepare",
            to_fill=[],
            options=self.options,
            old_name=self.old_name,
            late=[],
            definitions=definitions,
            file=catalog.file_of(self.conn, source.oid),
        )
        return self.state


def tablespace_of(table: catalog.Table) -> sql.Composed:
    """Returns the end of the statement that creates a table in the tablespace of another one."""
    if table.tablespace:
        return sql.SQL(" TABLESPACE {}").format(sql.Identifier(table.tablespace))
    return sql.Composed([])


def key_of_move(
    conn: Connection,
    root: catalog.Table,
    home: str,
    options: Options,
    begun: Optional[PartitionState],
    is_copy: bool,
    hint: str,
) -> Key:
    """Returns the key of the table of a move. `hint` says what to do if it is lost since the move has begun."""
    try:
        return key_of(conn, root, home, options.ids, is_copy or begun is not None, options.key)
    except Refused as error:
        if begun:
            error.hint = hint
        raise


def read_plan(conn: Connection, root: catalog.Table, options: Optional[Options], is_copy: bool = False) -> TablePlan:
    """Reads the plan of a table from the catalog and, if the move has begun, from its state.

    In a copy the options are those of the move, as it was read from the database itself.
    """
    schema = state.schema_of("partition", root)
    begun = state.load(conn, schema, TableState)
    home = home_of(conn)
    # Another role can have created functions with the same name and other arguments.
    signature = "(regclass, interval, timestamptz, timestamptz, integer, boolean, text)"
    if scalar(conn, "SELECT to_regprocedure(%s) IS NULL", (f"{home}.kid_create_partitions{signature}",)):
        raise Refused("kid in this database has no kid_create_partitions()", "Install kid-tables.")
    given = begun.options if begun else options
    if given is None:
        raise state.not_begun("partition", root)
    found = key_of_move(conn, root, home, given, begun, is_copy, f"Make column {given.key} its primary key again.")
    key, ids = found.column, found.ids
    until = begun.until if begun else until_of(conn, given)
    return TablePlan(
        conn=conn,
        root=root,
        key=key,
        ids=ids,
        home=home,
        operators=operators_of(conn, key),
        options=replace(given, ids=ids.name, key=key.name),
        until=until,
        bound=begun.bound if begun else bound_at(conn, home, key, ids, until),
        old_name=begun.old_name if begun else free_name(conn, root.schema, f"{root.name}_old"),
        schema=schema,
        state=begun,
    )


def until_of(conn: Connection, options: Options) -> str:
    """Returns the time at which the first partition ends: the user's, or where a period ends, a day from now or later.

    Periods are those of kid_create_partitions(): months are counted from a January, others from Monday 2001-01-01, in
    UTC.
    """
    if options.until:
        until, passed = conn.execute(
            "SELECT u::text, u <= now() FROM (SELECT %s::timestamptz) AS t (u)", (options.until,)
        ).fetchall()[0]
        if passed:
            raise Refused(f"the time {until} has passed", "Rows until --until stay in the first partition.")
        return str(until)
    return str(
        scalar(
            conn,
            """
            SELECT (CASE WHEN w.months = 0 THEN date_bin(w.width, t.at, timestamp '2001-01-01') + w.width
                         ELSE date_trunc('month', t.at) + w.width - make_interval(months => mod(
                                  (extract(year FROM t.at) * 12 + extract(month FROM t.at) - 1)::integer, w.months))
                    END AT TIME ZONE 'UTC')::text
              FROM (SELECT i.width, (extract(year FROM i.width) * 12 + extract(month FROM i.width))::integer
                      FROM (SELECT %s::interval) AS i (width)) AS w (width, months),
                   (SELECT (now() + %s::interval) AT TIME ZONE 'UTC') AS t (at)
            """,
            (options.width, MARGIN),
        )
    )
