"""What a move to new keys is about: the columns, both kinds of keys, and the names of what it adds."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, constraints, state
from pgkid.ctl.connection import Connection
from pgkid.ctl.hanging import hanging
from pgkid.ctl.made import Made
from pgkid.ctl.names import beside
from pgkid.ctl.objects import Object
from pgkid.ctl.rekey.keys import Keys, read_keys
from pgkid.ctl.state import Saved


@dataclass(frozen=True)
class Options:
    """What the user asked for."""

    to: str
    time: Optional[str]
    time_zone: Optional[str]
    since: Optional[str]  # of --during
    until: Optional[str]
    old_name: Optional[str]
    triggers: str
    new_rows_only: bool


@dataclass(frozen=True)
class Seen:
    """An object that hung on the columns at the end of a step, with the statements that made it."""

    object: Object
    make: list[str]


@dataclass(frozen=True)
class Remade:
    """An object that the swap made again, with the statements that made it before and after the swap."""

    object: Object
    before: list[str]
    after: list[str]


@dataclass(frozen=True)
class Twinned:
    """An index or constraint that has a twin, and its definition when the twin was made, or after the swap."""

    object: Object
    definition: str
    oid: int = 0  # in the database of the move; 0 if it is not known


@dataclass(frozen=True)
class Added:
    """A column that the move has added: what tells it from all others in this database, and its names in a copy."""

    table: str  # as part of a statement
    oid: int
    number: int
    name: str


@dataclass(frozen=True)
class OldConstraint(constraints.Kept):
    """A constraint on the old keys, which the way back adds again."""

    definition: str
    is_late: bool  # added without looking at rows, and validated after the transaction


@dataclass
class RekeyState(state.StateWithUndo):
    """What a move to new keys remembers."""

    undo = "rekey cancel"

    options: Options
    keys: Keys
    added: list[Added] = field(default_factory=list)  # before the swap, what `cancel` drops
    seen: list[Seen] = field(default_factory=list)  # from prepare to swap
    twinned: list[Twinned] = field(default_factory=list)
    constraints: list[OldConstraint] = field(default_factory=list)  # from swap on, as what follows
    remade: list[Remade] = field(default_factory=list)
    has_statistics: bool = False  # extended statistics were made again, so ANALYZE has to read the tables
    default: list[str] = field(default_factory=list)  # if only new rows get new keys: the way back to the old default


# The keys that stand beside the present ones
Word = Literal["new", "old"]


@dataclass(frozen=True)
class Direction:
    """Which keys the columns beside the present ones have: new ones before the swap, and old ones after it."""

    word: Word
    other: Word
    equals: str  # compares two keys of the present columns
    next: str  # makes a key beside

    def beside(self, name: str) -> str:
        """Returns the name of what stands beside something with this name."""
        return beside(self.word, name)


@dataclass
class Plan:
    """A move of a table to new keys, on one connection."""

    conn: Connection
    root: catalog.Table
    columns: list[catalog.KeyColumn]
    options: Options
    keys: Keys
    schema: str
    state: Optional[RekeyState]
    read_tables: dict[int, catalog.Table] = field(default_factory=dict)

    @property
    def is_swapped(self) -> bool:
        """Whether the new keys have taken the names."""
        return self.state is not None and self.state.is_swapped

    @property
    def is_half_back(self) -> bool:
        """Whether the old keys have their names again, and the way back was interrupted after that."""
        return self.state is not None and self.state.is_half_back

    @property
    def has_numbers(self) -> bool:
        """Whether a sequence of the move makes old keys after the swap, as the key had no default."""
        name = self.in_schema("numbers").as_string(self.conn)
        return self.keys.old_next.startswith(f"pg_catalog.nextval({sql.Literal(name).as_string(self.conn)})")

    @property
    def key(self) -> catalog.KeyColumn:
        """The primary key."""
        return self.columns[0]

    @property
    def tops(self) -> list[catalog.KeyColumn]:
        """The columns without those of partitions."""
        return [c for c in self.columns if c.is_top]

    @property
    def addresses(self) -> list[catalog.ColumnAddress]:
        """What tells the columns from all others."""
        return [column.address for column in self.columns]

    def direction(self, word: Word) -> Direction:
        """Returns the direction in which columns with these keys stand beside the present ones."""
        k = self.keys
        if word == "new":
            return Direction("new", "old", equals=k.old_equals, next=k.new_next)
        return Direction("old", "new", equals=k.new_equals, next=k.old_next)

    def table(self, oid: int) -> catalog.Table:
        """Returns a table by its OID. It is read once, as a plan is read again in each step."""
        if oid not in self.read_tables:
            self.read_tables[oid] = catalog.tables(self.conn, [oid])[0]
        return self.read_tables[oid]

    def tables(self) -> list[catalog.Table]:
        """Returns all tables of the move, the root first, and partitions after their parents."""
        return catalog.tables(self.conn, dict.fromkeys(c.table for c in self.columns))

    def top_tables(self) -> list[catalog.Table]:
        """Returns the tables of the move that are no partitions of others."""
        return catalog.tables(self.conn, dict.fromkeys(c.top for c in self.columns))

    def locks(self) -> list[sql.Composable]:
        """Returns the tables to lock, which locks their partitions, too."""
        return [table.sql for table in self.top_tables()]

    def locks_of_end(self) -> list[sql.Composable]:
        """Returns the tables that the end of the move changes. Others can refer to the key since the swap."""
        later = self.without_beside("old")
        oids = dict.fromkeys([self.root.oid, *(c.top for c in self.tops if c not in later)])
        return [table.sql for table in catalog.tables(self.conn, oids)]

    def columns_of(self, table: int) -> list[catalog.KeyColumn]:
        """Returns the columns of a table that are moved."""
        return [c for c in self.columns if c.table == table]

    def without_beside(self, word: Word) -> list[catalog.KeyColumn]:
        """Returns the columns without those of partitions that have no column with these keys beside them."""
        names = {(c.table, name.name) for c in self.tops for name in catalog.columns(self.conn, c.table)}
        return [c for c in self.tops if (c.table, beside(word, c.name)) not in names]

    def in_schema(self, name: str) -> sql.Identifier:
        """Returns the name of an object in the schema of the move."""
        return sql.Identifier(self.schema, name)

    def hanging(self) -> list[Made]:
        """Returns what hangs on the columns, beside what belongs to the move itself."""
        return hanging(self.conn, self.addresses, self.schema)

    def added(self) -> list[Added]:
        """Returns the columns with new keys, which have just been added."""
        return catalog.read(
            self.conn,
            Added,
            """
            SELECT c.tab::regclass::text AS table, c.tab AS oid, a.attnum AS number, a.attname AS name
              FROM unnest(%s::oid[], %s::text[]) AS c (tab, name)
                   JOIN pg_attribute AS a ON a.attrelid = c.tab AND a.attname = c.name
            """,
            ([c.table for c in self.columns], [beside("new", c.name) for c in self.columns]),
        )

    def begin(self, tables: Sequence[catalog.Table]) -> RekeyState:
        """Returns the state of the move when it begins with some tables."""
        self.state = RekeyState(
            relation=self.root.label,
            origin=state.origin_of(self.conn),
            tables={table.label: table.oid for table in tables},
            step="prepare",
            to_fill=[],
            options=self.options,
            keys=self.keys,
        )
        return self.state

    def save(self, step: Saved) -> None:
        """Writes the state, in which a step is done."""
        assert self.state
        self.state.step = step
        state.save(self.conn, self.schema, self.state)


def read_plan(conn: Connection, root: catalog.Table, options: Optional[Options]) -> Plan:
    """Reads the plan of a table from the catalog and, if the move has begun, from its state.

    Raises an error if the move has not begun, and the user has given no options.
    """
    schema = state.schema_of("rekey", root)
    begun = state.load(conn, schema, RekeyState)
    columns = catalog.related(conn, root.oid)
    if begun:
        return Plan(conn, root, columns, begun.options, begun.keys, schema, begun)
    if options is None:
        raise state.not_begun("rekey", root)
    return Plan(conn, root, columns, options, read_keys(conn, columns[0], options.to, schema), schema, None)
