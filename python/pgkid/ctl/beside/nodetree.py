"""Parses pg_node_tree, the text in which PostgreSQL stores an analyzed expression or query.

PostgreSQL prints these trees in outfuncs.c and reads them back with pg_strtok(), whose rules this parser follows. It is
strict: whatever it does not know is a TreeError.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator, Optional, Union


class TreeError(Exception):
    """A tree that this program cannot read"""


# What can happen if a tree is not as it is in the versions of PostgreSQL that are known
ERRORS = (TreeError, LookupError, ValueError)


@dataclass(frozen=True)
class Datum:
    """The bytes of a constant, in the byte order of the server"""

    data: bytes


Value = Union[None, str, Datum, "Node", list["Value"]]

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
    fields: dict[str, Value]

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

    def items(self, field: str) -> list[Value]:
        """Returns the list in a field, which is empty if the field is absent or empty."""
        value = self.fields.get(field)
        if value is None:
            return []
        if isinstance(value, list):
            return value
        raise TreeError(f"field {field} of {self.name} is no list")

    def nodes(self, field: str) -> list[Node]:
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


def all_nodes(value: Value) -> Iterator[Node]:
    """Returns all nodes of a tree."""
    for node in nodes_in(value):
        yield node
        for below in node.below():
            yield from all_nodes(below)


def parse(text: str) -> Value:
    """Parses a tree. Raises TreeError."""
    words = iter(_WORD.findall(text))
    try:
        value = _value(next(words), words)
        for word in words:
            raise TreeError(f"unexpected {word} after the tree")
    except StopIteration:
        raise TreeError("the tree ends early") from None
    except RecursionError:
        raise TreeError("the tree is too deep") from None
    return value


# A word still has its backslashes. One alone cannot stand at the end.
_WORD = re.compile(r"[(){}]|(?:\\.|[^ \t\n(){}\\])+|\\", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_MARKS = frozenset("iobx")  # lists of integers, OIDs and transactions, and sets of integers


def _value(word: str, words: Iterator[str]) -> Value:
    """Returns the value that begins with a word."""
    if word == "{":
        return _node(words)
    if word == "(":
        return _list(words)
    if word in (")", "}", "\\"):
        raise TreeError(f"unexpected {word}")
    if word == "<>":
        return None
    if word[0] == word[-1] == '"' and len(word) > 1:
        word = word[1:-1]
    return _ESCAPED.sub(r"\1", word) if "\\" in word else word


def _node(words: Iterator[str]) -> Node:
    name = next(words)
    if not name.isidentifier() or not name.isupper():
        raise TreeError(f"{name} is no name of a node")
    fields: dict[str, Value] = {}
    word = next(words)
    while word != "}":
        field = word[1:]
        if word[0] != ":" or not field.replace(".", "_").isidentifier() or field in fields:
            raise TreeError(f"unexpected {word} in {name}")
        value = _value(next(words), words)
        word = next(words)
        if word == "[":
            value, word = _datum(words), next(words)
        fields[field] = value
    return Node(NAMES.get(name, name), fields)


def _list(words: Iterator[str]) -> list[Value]:
    items: list[Value] = []
    word = next(words)
    if word in _MARKS:
        word = next(words)
    while word != ")":
        items.append(_value(word, words))
        word = next(words)
    return items


def _datum(words: Iterator[str]) -> Datum:
    data: list[int] = []
    for word in words:
        if word == "]":
            return Datum(bytes(data))
        if not re.fullmatch(r"-?\d{1,3}", word):
            raise TreeError(f"{word} is no byte")
        data.append(int(word) & 255)
    raise TreeError("the tree ends early")
