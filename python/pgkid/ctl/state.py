"""What a move remembers in the database: one schema of the owner's for each move.

The schema contains everything that the move creates beside the tables' own objects. It is the owner's alone, and it is
refused if it exists with another owner, so nobody can create the move's names first.

Each command has a subclass of State, with what it was asked to do and what its next steps need.
"""
from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, is_dataclass, replace
from hashlib import md5
from typing import Any, ClassVar, Iterable, Literal, Mapping, Optional, TypeVar, get_args, get_origin, get_type_hints

from psycopg import errors, sql

from pgkid.ctl.catalog import Table, identifier
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.steps import Runner, statement


# Of the fields of all states. Give it another number when one of them changes its meaning.
VERSION = 1

# The kinds of moves; `rows` is that of the rows of a partition
Kind = Literal["rekey", "partition", "rows", "leave"]

# The last step at whose end the state was saved. Other steps do not save it: when they are repeated, they find in the
# catalog what is still missing. `swap` is also the exchange of a move of rows.
Saved = Literal["prepare", "validate", "swap", "back", "change"]


@dataclass(frozen=True)
class Origin:
    """What tells a database from a copy: the server's identifier, its OID there, and that of the schema of the move.

    A dump can also be restored into the database that it is of, as `pg_restore --clean` does. Its schemas are new then.
    """

    server: str
    database: int
    schema: Optional[int] = None


@dataclass
class State:
    """The state of a move, of which all kinds of moves have this."""

    relation: str  # the table that the user named
    origin: Origin
    tables: dict[str, int]  # the OID of each table of the move by its name, when the move began
    step: Saved
    to_fill: list[str]  # materialized views that were made again, as parts of statements

    @property
    def is_swapped(self) -> bool:
        """Whether the new objects have taken the names, or the place, of the old ones."""
        return self.step == "swap"

    @property
    def is_half_back(self) -> bool:
        """Whether the old objects have their names again, and the way back was interrupted after that."""
        return self.step == "back"


@dataclass
class StateWithUndo(State):
    """The state of a move that can be taken back."""

    undo: ClassVar[str]  # the command that takes the move back before the swap
    needs_all: ClassVar[bool] = False  # whether the move cannot go on if somebody drops one of its tables

    @property
    def command(self) -> str:
        """The command of kidctl that the move belongs to."""
        return self.undo.split()[0]


AnyState = TypeVar("AnyState", bound=State)


def schema_of(kind: Kind, table: Table) -> str:
    """Returns the name of the schema of a move of a table. It has no character with a meaning in statements."""
    return schema_name(kind, table.name, f"{table.schema}.{table.name}")


def schema_of_role(kind: Kind, role: str) -> str:
    """Returns the name of the schema of a move of all tables of a role."""
    return schema_name(kind, role, role)


def schema_name(kind: Kind, word: str, full_name: str) -> str:
    """Returns a name with a word in it that people recognize, and the hash of a name that is like no other."""
    mark = md5(full_name.encode()).hexdigest()[:8]
    room = 63 - len(f"kidctl_{kind}__{mark}")  # A name has at most 63 bytes.
    word = re.sub(r"\W", "_", word).encode()[:room].decode(errors="ignore")
    return f"kidctl_{kind}_{word}_{mark}"


def origin_of(conn: Connection, schema: Optional[str] = None) -> Origin:
    """Returns the database of a session, as the state of a move that begins in it names it."""
    row = conn.execute(
        "SELECT system_identifier::text, d.oid, to_regnamespace(quote_ident(%s))::oid"
        " FROM pg_control_system(), pg_database AS d WHERE d.datname = current_database()",
        (schema,),
    ).fetchone()
    assert row
    return Origin(*row)


def is_here(conn: Connection, origin: Origin, schema: str) -> bool:
    """Returns whether a move was begun in the database of a session, and nothing of it restored there since."""
    return origin == origin_of(conn, None if origin.schema is None else schema)


def create_schema(conn: Connection, schema: str) -> None:
    """Creates the schema of a move with the table that hold.py locks, unless it is there. Call it in a transaction."""
    owner = owner_of(conn, schema)
    if owner is None:
        conn.execute(identifier("CREATE SCHEMA {}", schema))
        conn.execute(identifier("REVOKE ALL ON SCHEMA {} FROM PUBLIC", schema))
        # What ALTER DEFAULT PRIVILEGES gave
        for (grantee,) in conn.execute(
            "SELECT DISTINCT a.grantee::regrole::text FROM pg_namespace AS n, aclexplode(n.nspacl) AS a"
            " WHERE n.nspname = %s AND a.grantee NOT IN (0, n.nspowner)",
            (schema,),
        ).fetchall():
            conn.execute(sql.SQL("REVOKE ALL ON SCHEMA {} FROM {}").format(sql.Identifier(schema), sql.SQL(grantee)))
    refuse_stranger(conn, schema)
    conn.execute(identifier("CREATE TABLE IF NOT EXISTS {}.running ()", schema))


def create(conn: Connection, schema: str, state: State, is_copy: bool = False) -> None:
    """Creates the schema of a move with its state, unless it is there. Call it in a transaction.

    The state of a copy stays that of one.
    """
    create_schema(conn, schema)
    if not is_copy:
        state.origin = origin_of(conn, schema)
    conn.execute(identifier("CREATE TABLE IF NOT EXISTS {}.state (one boolean PRIMARY KEY, state jsonb)", schema))
    # Members of pg_write_all_data could write statements into it otherwise, which later steps run.
    conn.execute(identifier("ALTER TABLE {}.state ENABLE ROW LEVEL SECURITY", schema))
    save(conn, schema, state)


def owner_of(conn: Connection, schema: str) -> Optional[str]:
    """Returns the owner of a schema, or None if there is no such schema."""
    found: Optional[str] = scalar(
        conn, "SELECT pg_get_userbyid(nspowner) FROM pg_namespace WHERE nspname = %s", (schema,)
    )
    return found


def refuse_stranger(conn: Connection, schema: str) -> None:
    """Raises an error unless the schema, all that is in it, and all rights to it are the session's alone."""
    if scalar(
        conn,
        """
        SELECT EXISTS (
            SELECT FROM pg_namespace AS n, LATERAL (
                SELECT n.nspowner
                UNION ALL SELECT a.grantee FROM aclexplode(n.nspacl) AS a
                UNION ALL SELECT c.relowner FROM pg_class AS c WHERE c.relnamespace = n.oid
                UNION ALL SELECT t.typowner FROM pg_type AS t WHERE t.typnamespace = n.oid
                UNION ALL SELECT p.proowner FROM pg_proc AS p WHERE p.pronamespace = n.oid
                UNION ALL SELECT o.oprowner FROM pg_operator AS o WHERE o.oprnamespace = n.oid) AS o (role)
             WHERE n.nspname = %s AND o.role <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user))
        """,
        (schema,),
    ):
        raise Refused(
            f"schema {schema}, or something in it, belongs to another role, or others have rights to it",
            "kidctl keeps the state of the move in this schema. If the table was given to another role since the move"
            " began, give it back first. Otherwise find out who created the schema, and drop it.",
        )


def save(conn: Connection, schema: str, state: State) -> None:
    """Writes the state."""
    conn.execute(
        sql.SQL("INSERT INTO {}.state VALUES (true, %s) ON CONFLICT (one) DO UPDATE SET state = EXCLUDED.state").format(
            sql.Identifier(schema)
        ),
        (json.dumps({"version": VERSION, **asdict(state)}),),
    )


def has_table(conn: Connection, schema: str) -> bool:
    """Returns whether a schema has the table of a state: without its row in a copy of the schema alone."""
    return bool(scalar(conn, "SELECT to_regclass(format('%%I.state', %s::text)) IS NOT NULL", (schema,)))


def saved(conn: Connection, schema: str) -> Optional[dict[str, Any]]:
    """Returns the fields of the state of a move, or None if it has not begun.

    Raises an error if they are of another version of kidctl or damaged, or if another role can change them.
    """
    if owner_of(conn, schema) is None:
        return None
    refuse_stranger(conn, schema)
    if not has_table(conn, schema):
        return None
    row = conn.execute(identifier("SELECT state FROM {}.state", schema)).fetchone()
    if row is None:
        return None
    fields = row[0]
    if (
        not isinstance(fields, dict)
        or fields.pop("version", None) != VERSION
        or fields.get("step") not in get_args(Saved)
    ):
        raise other_version(schema)
    return fields


def load(conn: Connection, schema: str, kind: type[AnyState]) -> Optional[AnyState]:
    """Returns the state of a move, or None if it has not begun. Raises an error if it has other fields."""
    fields = saved(conn, schema)
    if fields is None:
        return None
    try:
        state: AnyState = restored(kind, fields)
    except (TypeError, KeyError) as error:
        raise other_version(schema) from error
    return state


def restored(kind: Any, value: Any) -> Any:
    """Returns what json.dumps() was given as a value of a type.

    Raises TypeError or KeyError if it has other fields, or something else stands in the place of an object or a list.
    """
    container = dict if is_dataclass(kind) else get_origin(kind)
    if container in (dict, list) and not isinstance(value, container):
        raise TypeError(f"{value!r} is no {container.__name__}")
    if is_dataclass(kind):
        kinds = get_type_hints(kind)
        return kind(**{name: restored(kinds[name], one_value) for name, one_value in value.items()})
    if container is list:
        return [restored(get_args(kind)[0], one_value) for one_value in value]
    return value


def other_version(schema: str) -> Refused:
    """Returns the error for a state that this version of kidctl does not know."""
    return Refused(
        f"another version of kidctl has begun the move in schema {schema}: its state has other fields",
        "Finish the move with the version of kidctl that has begun it.",
    )


def step_of(conn: Connection, schema: str) -> Optional[Saved]:
    """Returns the last step of a move that is done, or None if it has not begun."""
    fields = saved(conn, schema)
    return fields["step"] if fields else None


# How a move of each kind begins, without "kidctl", for a table
BEGINNINGS: dict[Kind, str] = {
    "rekey": "rekey run {} …",
    "partition": "partition run {} --width …",
    "rows": "partition move {} --width …",
}


def not_begun(kind: Kind, table: Table) -> Refused:
    """Returns the error for a move of a table that does not exist."""
    move = "move of rows" if kind == "rows" else "move"
    beginning = BEGINNINGS[kind].format(table.label)
    return Refused(f"no {move} of {table.label} has begun", f"Begin it: kidctl {beginning}")


def refuse_renamed(conn: Connection, schema: str, table: Table) -> None:
    """Raises an error if a move of a table has begun, and the table has got another name or schema since.

    `schema` is that of a move of the table by its present name.
    """
    kind = schema.split("_")[1]
    for (other,) in conn.execute(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE %s AND nspname <> %s"
        " AND nspowner = (SELECT oid FROM pg_roles WHERE rolname = current_user) ORDER BY 1",
        (f"kidctl\\_{kind}\\_%", schema),
    ).fetchall():
        try:
            fields = saved(conn, other)
        except Refused:  # Nobody can tell which table it is about.
            continue
        if fields and fields["tables"].get(fields["relation"]) == table.oid:
            if is_here(conn, restored(Origin, fields["origin"]), other):
                raise Refused(
                    f"a move of {fields['relation']} has begun, and that table is called {table.label} now",
                    "Give it that name again, and run the command with that name.",
                )


def refuse_other_options(label: str, options: Iterable[tuple[str, object, object]]) -> None:
    """Raises an error if the user gives an option another value than the move began with, which would be ignored.

    Each option has its name, the value that the user gives now, or None, and the value that the move keeps.
    """
    for name, given, kept in options:
        if given is not None and given != kept:
            raise Refused(
                f"the move of {label} began with {name} {kept}"
                if kept
                else f"the move of {label} began without {name}",
                f"Leave out {name}, or take the move back and begin again.",
            )


def refuse_half_back(state: Optional[StateWithUndo]) -> None:
    """Raises an error if the way back of a move was interrupted."""
    if state and state.is_half_back:
        raise Refused(
            f"the way back of {state.relation} was interrupted", f"Run `kidctl {state.command} back` again, to end it."
        )


@dataclass(frozen=True)
class Unfinished:
    """A move that has begun and was neither finished nor taken back."""

    schema: str
    relation: str
    tables: dict[str, int]
    step: Saved

    @property
    def kind(self) -> str:
        """What kind of move it is."""
        return self.schema.split("_")[1]

    def has_any(self, labels: Mapping[int, str]) -> bool:
        """Returns whether some tables, which are given by their OIDs, are a part of the move."""
        return bool({self.relation, *self.tables} & {*labels.values()} or {*self.tables.values()} & {*labels})

    @property
    def way_out(self) -> str:
        """The commands that end the move."""
        kind = self.kind
        if kind == "rows":
            return f"Run `kidctl partition move {self.relation}` again, or `kidctl partition cancel {self.relation}`."
        if self.step == "swap":
            return f"First run `kidctl {kind} finish {self.relation}` or `kidctl {kind} back {self.relation}`."
        undo = "back" if kind == "partition" or self.step == "back" else "cancel"
        return f"First run `kidctl {kind} {undo} {self.relation}`."


def unfinished(conn: Connection, kinds: Iterable[Kind] = ("rekey", "partition", "rows")) -> list[Unfinished]:
    """Returns the moves of these kinds that the session's role has begun in this database."""
    found = []
    for (schema,) in conn.execute(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE ANY (%s)"
        " AND nspowner = (SELECT oid FROM pg_roles WHERE rolname = current_user) ORDER BY 1",
        ([f"kidctl\\_{kind}\\_%" for kind in kinds],),
    ).fetchall():
        fields = saved(conn, schema)
        if fields:
            found.append(Unfinished(schema, fields["relation"], fields["tables"], fields["step"]))
    return found


def refuse_other_database(conn: Connection, state: StateWithUndo, schema: str) -> None:
    """Raises an error if the state is of another database: a dump of it was restored here.

    The tables have to be those of the move. One that the user did not name may be gone, and is no part of it then.
    """
    if not is_here(conn, state.origin, schema):
        begun = "in another database, of which this one is a copy"
        if is_here(conn, replace(state.origin, schema=None), schema):
            begun = "before a dump was restored into this database"
        raise Refused(
            f"the move of {state.relation} was begun {begun}",
            f"Run `kidctl {state.undo}` here to remove what the copy contains of the move, and begin again."
            if not state.is_swapped
            else f"Run `kidctl {state.command} finish` or `back` here.",
        )
    for name, oid in state.tables.items():
        if scalar(conn, "SELECT to_regclass(%s)::oid", (name,)) == oid:
            continue
        message = f"{name} is not the table that it was when the move of {state.relation} began"
        if exists(conn, oid):
            hint = "Rename it back" + ("." if state.is_swapped else f", or run `kidctl {state.undo}`.")
            raise Refused(message, hint)
        if name == state.relation or state.needs_all:
            hint = f"Run `kidctl {state.undo}`, which removes what is left of the move."
            if state.is_swapped:
                drop = identifier("DROP SCHEMA {} CASCADE", schema).as_string(conn)
                hint = f"That one was dropped. To forget its move, run {drop}."
            raise Refused(message, hint)


def exists(conn: Connection, oid: int) -> bool:
    """Returns whether a table is still there, under whatever name."""
    return bool(scalar(conn, "SELECT EXISTS (SELECT FROM pg_class WHERE oid = %s)", (oid,)))


# What a schema contains, in an order in which nothing is dropped before what uses it
CONTENTS = """
    SELECT k.kind, string_agg(k.name, ', ')
      FROM (SELECT CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END AS kind,
                   c.oid::regclass::text AS name
              FROM pg_class AS c
             WHERE c.relnamespace = %(schema)s::regnamespace AND c.relkind IN ('r', 'p', 'v', 'S')
                   AND NOT c.relispartition
                   AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid
                                          AND d.deptype IN ('a', 'i') AND c.relkind = 'S')
            UNION ALL
            SELECT 'ROUTINE', p.oid::regprocedure::text FROM pg_proc AS p
             WHERE p.pronamespace = %(schema)s::regnamespace) AS k
     GROUP BY k.kind ORDER BY array_position('{VIEW,ROUTINE,TABLE,SEQUENCE}', k.kind)"""


def remove(runner: Runner, schema: str) -> None:
    """Drops the schema of a move, unless it is gone. What others have built on it is an error that names it.

    The lock of the move goes over to the session that drops it. If another kidctl is faster, this one gives up.
    """
    if owner_of(runner.conn, schema) is None:
        return
    quoted = sql.Identifier(schema)
    runner.release()
    with runner.conn.transaction():
        try:
            runner.conn.execute(identifier("LOCK TABLE {}.running IN EXCLUSIVE MODE NOWAIT", schema))
        except errors.LockNotAvailable as error:
            raise Refused("another kidctl has just begun to work on this move", "Look at it by `status`.") from error
        for kind, names in runner.query(CONTENTS, {"schema": quoted.as_string(runner.conn)}):
            runner.execute(statement("DROP {} {}", sql.SQL(kind), sql.SQL(names)))
        runner.execute(statement("DROP SCHEMA {}", quoted))
