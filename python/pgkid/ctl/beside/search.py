"""Finds definitions in which a key, or a column that refers to it, stands beside a constant, a cast or another column.

A constant keeps its value when the keys change, and then means another row or none, without an error: a policy
USING (id <> 1) lets everybody in. Definitions are compared as PostgreSQL has analyzed them, because in their text a key
may have any name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Sequence

from pgkid.ctl.beside.definitions import Bounds, Definition, bounds, definitions, others, relations
from pgkid.ctl.beside.facts import Column, read_facts
from pgkid.ctl.beside.holds import CARRIES, Holds, Scope, Values, outputs_of
from pgkid.ctl.beside.nodetree import ERRORS, Node, Value, all_nodes, nodes_in, parse
from pgkid.ctl.beside.walk import Kind, Piece, Walk, pieces_of
from pgkid.ctl.catalog import KeyColumn
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding, FindingKind


OLD_AND_NEW = ("old", "new")


@dataclass(frozen=True)
class Beside:
    """What stands beside a key in a definition"""

    kind: Kind
    object: str
    piece: str
    definition: str


class Search:
    """A search for what stands beside some columns"""

    def __init__(self, conn: Connection, columns: Iterable[Column]) -> None:
        given = sorted(set(columns))
        self.conn = conn
        self.keys: frozenset[Column] = frozenset(given)
        self.facts = read_facts(conn, relations(conn, [table for table, _ in given]))
        self.trees: dict[str, Value] = {}
        self.found: list[Beside] = []
        self.definitions = definitions(conn, given)

    def run(self) -> list[Beside]:
        """Returns what was found, by object."""
        self.extend_keys()
        for definition in self.definitions:
            if not definition.is_copy:
                self.look_at(definition)
        for name in others(self.conn, sorted(self.keys)):
            self.add(name, "", [Piece(Kind.UNKNOWN, "an object of this kind")])
        parents = sorted({table for table, _ in self.keys})
        for bound in bounds(self.conn, parents):
            self.look_at_bounds(bound)
        return sorted(dict.fromkeys(self.found), key=lambda b: (b.object, list(Kind).index(b.kind), b.piece))

    def tree(self, text: str) -> Value:
        """Returns a tree. Raises TreeError."""
        if text not in self.trees:
            self.trees[text] = parse(text)
        return self.trees[text]

    def scope(self, relation: int, *aliases: str) -> Scope:
        """Returns the scope of an expression of a table, or of its OLD and its NEW rows."""
        names: list[Value] = list(self.facts.columns.get(relation, []))
        entries: list[Value] = [
            Node("RANGETBLENTRY", {"relid": str(relation), "eref": Node("ALIAS", {"aliasname": a, "colnames": names})})
            for a in aliases or (None,)
        ]
        return Scope((Node("QUERY", {"rtable": entries}),))

    def extend_keys(self) -> None:
        """Adds the columns of views, and the generated columns, that hold a key."""
        before = None
        while before != self.keys:
            before = self.keys
            for definition in self.definitions:
                if definition.kind in ("view", "generated"):
                    self.keys |= self.keys_of(definition)

    def keys_of(self, definition: Definition) -> frozenset[Column]:
        """Returns the columns in a view that hold a key, or the generated column if it does."""
        values = Values(self.facts, self.keys)
        try:
            tree = self.tree(definition.tree)
            if definition.kind == "generated":
                is_key = values.holds(tree, self.scope(definition.relation)) & Holds.KEY
                return frozenset([(definition.relation, definition.number)] if is_key else [])
            numbers = [(query, entry.number("resno")) for query in nodes_in(tree) for entry in outputs_of(query)]
            return frozenset(
                (definition.relation, n) for query, n in numbers if values.column(query, Scope(), n) & Holds.KEY
            )
        except (*ERRORS, RecursionError):
            return frozenset()  # the walk reports it

    def look_at(self, definition: Definition) -> None:
        """Walks the trees of a definition."""
        walk = Walk(self.facts, self.keys)
        try:
            tree = self.tree(definition.tree)
            scope = Scope(is_domain=True) if definition.kind == "domain" else Scope()
            if definition.relation and definition.kind not in ("view", "rule"):
                scope = self.scope(definition.relation, *(OLD_AND_NEW if definition.kind == "trigger" else ()))
            walk.walk(tree, scope)
            if definition.condition is not None:
                walk.walk(self.tree(definition.condition), self.scope(definition.relation, *OLD_AND_NEW))
            if definition.kind == "default" and (definition.relation, definition.number) in self.keys:
                if walk.values.holds(tree, scope) & Holds.CONSTANT:
                    walk.note(Kind.CONSTANT, definition.sql)
        except (*ERRORS, RecursionError) as error:
            walk.unknown.add(str(error))
            walk.has_key = True
        self.add(definition.object, definition.sql, pieces_of(walk))

    def look_at_bounds(self, bound: Bounds) -> None:
        """Finds the bounds of a partition that are keys."""
        scope = self.scope(bound.parent)
        values = Values(self.facts, self.keys)
        try:
            expressions = nodes_in(self.tree(bound.expressions) if bound.expressions else None)
            is_key = [
                bool(values.holds(next(expressions), scope) & CARRIES) if n == 0 else (bound.parent, n) in self.keys
                for n in bound.numbers
            ]
            for spec in nodes_in(self.tree(bound.tree)):
                lists: list[Value] = [spec.items("listdatums")] if is_key[0] else []
                ends = [spec.items("lowerdatums"), spec.items("upperdatums")]
                lists += [[datum for datum, k in zip(end, is_key) if k] for end in ends]
                if any(node.name == "CONST" and not node.flag("constisnull") for node in all_nodes(lists)):
                    self.add(bound.object, bound.sql, [Piece(Kind.CONSTANT, bound.sql)])
        except (*ERRORS, RecursionError) as error:
            self.add(bound.object, bound.sql, [Piece(Kind.UNKNOWN, str(error))])

    def add(self, name: str, sql: str, pieces: Sequence[Piece]) -> None:
        self.found += [Beside(piece.kind, name, piece.text, sql) for piece in pieces]


def search(conn: Connection, columns: Iterable[Column]) -> list[Beside]:
    """Returns what stands beside some columns, given as OID of the table and number of the column."""
    return Search(conn, columns).run()


SHOWN = 6  # pieces of one definition; its text has them all
LINES = 30  # of one definition

# What a finding says of each kind, and what to do.
WORDS: dict[Kind, tuple[FindingKind, str, str]] = {
    Kind.CONSTANT: ("constants", "has a constant beside the key: {}", ""),
    Kind.UNKNOWN: ("constants", "may have a constant beside the key, in a part that kidctl does not know: {}", ""),
    Kind.COLUMN: (
        "references",
        "puts the key beside a column that has no foreign key to it: {}",
        "If the column contains this key, give it a foreign key. Otherwise it keeps old keys.",
    ),
    Kind.VALUE: ("note", "compares the key with a value from outside: {}", ""),
    Kind.NARROW: ("casts", "casts the key to a type that does not have all new keys: {}", ""),
    Kind.CAST: ("casts", "casts the key: {}", ""),
    Kind.FUNCTION: ("note", "passes the key and a constant to a function: {}", ""),
    Kind.ROW: ("note", "uses whole rows, in which the key changes: {}", ""),
}


def some(pieces: Iterable[str]) -> str:
    """Returns the first pieces of a definition, and how many more there are."""
    shown = list(pieces)
    return "; ".join(shown[:SHOWN]) + (f"; and {len(shown) - SHOWN} more" if len(shown) > SHOWN else "")


def shortened(definition: str) -> str:
    """Returns the first lines of a long definition, and how many more there are. Its pieces are told anyway."""
    lines = definition.splitlines()
    if len(lines) <= LINES:
        return definition
    return "\n".join([*lines[:LINES], f"… and {len(lines) - LINES} more lines"])


def look(conn: Connection, columns: Sequence[KeyColumn], new_rows_only: bool) -> list[Finding]:
    """Returns a finding for each definition in which one of these columns meets a constant, a cast or another column.

    If only new rows get new keys, a constant means what it meant, and does not stop the move. Whole rows and other
    columns keep their values, and are not told.
    """
    together: dict[tuple[str, Kind], list[Beside]] = {}
    for found in search(conn, [column.address for column in columns]):
        together.setdefault((found.object, found.kind), []).append(found)
    findings = []
    for (name, kind), pieces in together.items():
        if new_rows_only and kind in (Kind.COLUMN, Kind.ROW):
            continue
        heading, message, hint = WORDS[kind]
        stops = kind.stops and not (new_rows_only and heading == "constants")
        definition = "\n".join(dict.fromkeys(p.definition.strip() for p in pieces)) if kind.is_shown else ""
        findings.append(
            Finding(
                "note" if heading == "constants" and new_rows_only else heading,
                name,
                message.format(some(dict.fromkeys(p.piece for p in pieces))),
                definition=shortened(definition),
                hint=hint,
                stops=stops,
                accept_name=name if stops else "",
            )
        )
    return findings
