"""Parses pg_node_tree, the text in which PostgreSQL stores an analyzed expression or query.

PostgreSQL prints these trees in outfuncs.c and reads them back with pg_strtok(), whose rules this parser follows. It is
strict: whatever it does not know is a TreeError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Dict, Iterator, List, Optional, Union


class TreeError(Exception):
    """A tree that this program cannot read"""


@dataclass(frozen=True)
class Datum:
    """The bytes of a constant, in the byte order of the server"""

    data: bytes


Value = Union[None, str, Datum, "Node", List["Value"]]

# PostgreSQL 15 prints some nodes under shorter names than later versions, which print the name of the structure.
NAMES = {
    "ARRAY": "ARRAYEXPR",
    "CASE": "CASEEXPR",
    "COALESCE": "COALESCEEXPR",
    "COLLATE": "COLLATEEXPR",
    "MINMAX": "MINMAXEXPR",
    "ROW": "ROWEXPR",
    "ROWCOMPARE": "ROWCOMPAREEXPR",
    "RTE": "RANGETBLENTRY",
    "WHEN": "CASEWHEN",
}


@dataclass(frozen=True, eq=False)
class Node:
    """A node with its fields. Nodes are compared by identity."""

    name: str
    fields: Dict[str, Value]

    def text(self, field: str) -> str:
        """Returns a field that has to be a single word."""
        value = self.fields.get(field)
        if isinstance(value, str):
            return value
        raise TreeError(f"{self.name} has no field {field}")

    def number(self, field: str) -> int:
        """Returns a field that has to be a number."""
        try:
            return int(self.text(field))
        except ValueError:
            raise TreeError(f"field {field} of {self.name} is no number") from None

    def flag(self, field: str) -> bool:
        """Returns a field that has to be true or false."""
        return {"true": True, "false": False}[self.text(field)]

    def child(self, field: str) -> Optional[Node]:
        """Returns the node in a field, or None if the field is absent or empty."""
        value = self.fields.get(field)
        if value is None or isinstance(value, Node):
            return value
        raise TreeError(f"field {field} of {self.name} is no node")

    def items(self, field: str) -> List[Value]:
        """Returns the list in a field, which is empty if the field is absent or empty."""
        value = self.fields.get(field)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        raise TreeError(f"field {field} of {self.name} is no list")

    def nodes(self, field: str) -> List[Node]:
        """Returns the nodes of the list in a field."""
        return [item for item in self.items(field) if isinstance(item, Node)]

    def below(self) -> Iterator[Node]:
        """Returns the nodes in all fields."""
        for value in self.fields.values():
            yield from nodes_in(value)


def nodes_in(value: Value) -> Iterator[Node]:
    """Returns a value if it is a node, or the nodes in it if it is a list."""
    if isinstance(value, Node):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from nodes_in(item)


def parse(text: str) -> Value:
    """Parses a tree. Raises TreeError."""
    parser = _Parser(text)
    try:
        value = parser.value()
    except RecursionError:
        raise TreeError("the tree is too deep") from None
    if parser.word is not None:
        raise TreeError(f"unexpected {parser.word} after the tree")
    return value


class _Parser:
    """Reads words one at a time; `word` is the next one, still with its backslashes, or None at the end"""

    WORD = re.compile(r"[ \t\n]*([(){}]|(?:\\.|[^ \t\n(){}\\])+|$)", re.DOTALL)
    MARKS = ("i", "o", "x", "b")  # lists of integers, OIDs and transactions, and sets of integers

    def __init__(self, text: str) -> None:
        self.rest = text
        self.position = 0
        self.word: Optional[str] = None
        self.advance()

    def advance(self) -> None:
        match = self.WORD.match(self.rest, self.position)
        if match is None:
            raise TreeError("a backslash ends the tree")
        self.position = match.end()
        self.word = match[1] or None

    def take(self) -> str:
        word = self.word
        if word is None:
            raise TreeError("the tree ends early")
        self.advance()
        return word

    def value(self) -> Value:
        word = self.take()
        if word == "{":
            return self.node()
        if word == "(":
            return self.list()
        if word in (")", "}"):
            raise TreeError(f"unexpected {word}")
        if word == "<>":
            return None
        if word[0] == word[-1] == '"' and len(word) > 1:
            word = word[1:-1]
        return re.sub(r"\\(.)", r"\1", word, flags=re.DOTALL)

    def node(self) -> Node:
        name = self.take()
        if not re.fullmatch(r"[A-Z_0-9]+", name):
            raise TreeError(f"{name} is no name of a node")
        fields: Dict[str, Value] = {}
        while self.word != "}":
            field = self.take()
            if not re.fullmatch(r":[A-Za-z_0-9.]+", field) or field[1:] in fields:
                raise TreeError(f"unexpected {field} in {name}")
            value = self.value()
            fields[field[1:]] = self.datum() if self.word == "[" else value
        self.take()
        return Node(NAMES.get(name, name), fields)

    def list(self) -> List[Value]:
        if self.word in self.MARKS:
            self.take()
        items: List[Value] = []
        while self.word != ")":
            items.append(self.value())
        self.take()
        return items

    def datum(self) -> Datum:
        self.take()
        data = []
        while self.word != "]":
            byte = self.take()
            if not re.fullmatch(r"-?\d{1,3}", byte):
                raise TreeError(f"{byte} is no byte")
            data.append(int(byte) & 255)
        self.take()
        return Datum(bytes(data))
