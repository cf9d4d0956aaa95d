"""What a move to new keys is about: the columns, both kinds of keys, and the names of what it adds."""
from __future__ import annotations

from dataclasses import asdict, dataclass, field
from hashlib import md5
from typing import Any, Optional

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Refused
from pgkid.ctl.kid import TARGETS, home_of
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
class Keys:
    """Both kinds of keys, as parts of statements that PostgreSQL has printed."""

    home: str  # the schema of kid
    old_type: str
    old_equals: str
    old_next: str  # makes an old key
    new_type: str
    new_equals: str
    new_next: str
    new_at: str  # the function that makes a key with a given time
    more: str  # what follows the time in a call of that function, with the parenthesis

    def key_at(self, time: sql.Composable) -> sql.Composed:
        """Returns a call that makes a new key with a time."""
        return sql.SQL("{}({}{}").format(sql.SQL(self.new_at), time, sql.SQL(self.more))


@dataclass(frozen=True)
class Direction:
    """Which keys the columns beside the present ones have: new ones before the swap, and old ones after it."""

    word: str
    other: str
    type: str
    equals: str  # compares two keys of the present columns
    next: str

    def beside(self, name: str) -> str:
        """Returns the name of what stands beside something with this name."""
        return beside(self.word, name)


def beside(word: str, name: str) -> str:
    """Returns the name of what stands beside something with this name."""
    wanted = f"kid_{word}_{name}"
    if len(wanted.encode()) <= 63:
        return wanted
    mark = md5(name.encode()).hexdigest()[:8]
    return f"kid_{word}_{name.encode()[:40].decode(errors='ignore')}_{mark}"


def is_beside(name: str, *words: str) -> bool:
    """Returns whether something has a name that `beside` makes with one of these words."""
    return name.startswith(tuple(f"kid_{word}_" for word in words))


@dataclass
class Plan:
    """A move of a table to new keys, on one connection."""

    conn: Connection
    root: catalog.Table
    columns: list[catalog.KeyColumn]
    options: Options
    keys: Keys
    schema: str
    state: Optional[state.State]
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
        name = self.place("numbers").as_string(self.conn)
        return self.keys.old_next.startswith(f"pg_catalog.nextval({sql.Literal(name).as_string(self.conn)})")

    @property
    def key(self) -> catalog.KeyColumn:
        """The primary key."""
        return self.columns[0]

    @property
    def tops(self) -> list[catalog.KeyColumn]:
        """The columns without those of partitions."""
        return [c for c in self.columns if c.is_top]

    def direction(self, word: str) -> Direction:
        """Returns the direction of a word, `new` or `old`."""
        k = self.keys
        if word == "new":
            return Direction("new", "old", type=k.new_type, equals=k.old_equals, next=k.new_next)
        return Direction("old", "new", type=k.old_type, equals=k.new_equals, next=k.old_next)

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

    def columns_of(self, table: int) -> list[catalog.KeyColumn]:
        """Returns the columns of a table that are moved."""
        return [c for c in self.columns if c.table == table]

    def place(self, name: str) -> sql.Identifier:
        """Returns the name of an object in the schema of the move."""
        return sql.Identifier(self.schema, name)

    def save(self, step: Saved, **kept: Any) -> None:
        """Notes in the state that a step is done."""
        assert self.state
        self.state.step = step
        self.state.kept.update(kept)
        state.save(self.conn, self.schema, self.state)

    def saved(self) -> dict[str, Any]:
        """Returns what the state keeps of this plan."""
        return {"options": asdict(self.options), "keys": asdict(self.keys)}


def read_plan(conn: Connection, root: catalog.Table, options: Optional[Options]) -> Plan:
    """Reads the plan of a table from the catalog and, if the move has begun, from its state."""
    schema = state.schema_of("rekey", root)
    begun = state.load(conn, schema)
    columns = catalog.related(conn, root.oid)
    if begun:
        given = state.read(Options, begun.options["options"])
        return Plan(conn, root, columns, given, state.read(Keys, begun.options["keys"]), schema, begun)
    if options is None:
        raise not_begun(root)
    return Plan(conn, root, columns, options, read_keys(conn, columns[0], options, schema), schema, None)


def not_begun(root: catalog.Table) -> Refused:
    """Returns the error for a move that does not exist."""
    return Refused(f"no move of {root.label} has begun", f"Begin it: kidctl rekey run {root.label} …")


def read_keys(conn: Connection, key: catalog.KeyColumn, options: Options, schema: str) -> Keys:
    """Reads the types, operators and generators of both kinds of keys."""
    home = home_of(conn)
    target = TARGETS[options.to]
    new_type = target.type if "." in target.type else f"{home}.{target.type}"
    is_missing = one(
        conn,
        "SELECT to_regtype(%s) IS NULL OR NOT EXISTS (SELECT FROM pg_proc AS p"
        " WHERE p.pronamespace = to_regnamespace(%s) AND p.proname = %s)",
        (new_type, home, target.at),
    )
    if is_missing:
        raise Refused(f"kid in this database makes no keys of type {options.to}", "Choose another type by --to.")
    old_equals = one(
        conn,
        "SELECT format('OPERATOR(%%s.%%s)', o.oprnamespace::regnamespace, o.oprname)"
        + EQUALS
        + " JOIN pg_index AS i ON k.oid = i.indclass[0] WHERE i.indrelid = %s AND i.indisprimary",
        (key.table,),
    )
    new_equals = one(
        conn,
        "SELECT format('OPERATOR(%%s.%%s)', o.oprnamespace::regnamespace, o.oprname)"
        + EQUALS
        + " JOIN pg_type AS t ON k.opcintype = CASE t.typtype WHEN 'd' THEN t.typbasetype ELSE t.oid END"
        " WHERE t.oid = %s::regtype AND k.opcdefault AND k.opcmethod = (SELECT oid FROM pg_am WHERE amname = 'btree')",
        (new_type,),
    )
    return Keys(
        home=home,
        old_type=key.type,
        old_equals=old_equals,
        old_next=old_next(conn, key, schema),
        new_type=one(conn, "SELECT format_type(%s::regtype, -1)", (new_type,)),
        new_equals=new_equals,
        new_next=f"{home}.{target.next}",
        new_at=f"{home}.{target.at}",
        more=target.more,
    )


# The operator that tells whether two keys are equal, of an operator class k
EQUALS = """
  FROM pg_opclass AS k
       JOIN pg_amop AS p ON p.amopfamily = k.opcfamily AND p.amopstrategy = 3
                            AND p.amoplefttype = k.opcintype AND p.amoprighttype = k.opcintype
       JOIN pg_operator AS o ON o.oid = p.amopopr
"""


def old_next(conn: Connection, key: catalog.KeyColumn, schema: str) -> str:
    """Returns what makes an old key for a row that is inserted after the swap, so that there is a way back."""
    column = next(c for c in catalog.columns(conn, key.table) if c.number == key.number)
    if column.identity:
        return f"pg_catalog.nextval({sql.Literal(column.sequence).as_string(conn)}::pg_catalog.regclass)"
    if column.default:
        return column.default
    if column.category == "N":
        numbers = sql.Identifier(schema, "numbers").as_string(conn)
        return f"pg_catalog.nextval({sql.Literal(numbers).as_string(conn)})::{column.type}"
    if column.type == "uuid" or column.category == "S" and column.type in ("text", "character varying"):
        return f"pg_catalog.gen_random_uuid()::{column.type}"
    raise Refused(
        f"keys of type {column.type} without a default cannot be moved",
        "Give the column a default that makes new keys. After the swap new rows need an old key for the way back, and"
        " kidctl cannot make one of this type.",
    )
