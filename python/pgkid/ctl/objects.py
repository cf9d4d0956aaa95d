"""Objects as statements and findings name them. A label is for people.

kidctl only looks whether an error of PostgreSQL contains the label already (steps.py).
"""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from pgkid.ctl.catalog import Index, Table


class Address(NamedTuple):
    """What tells an object from all others of one database, as in pg_depend."""

    catalog: int
    oid: int


NO_OBJECT = Address(0, 0)


@dataclass(frozen=True)
class Object:
    """What tells an object from all others, also in a copy and after it was made again, and its label."""

    kind: str  # such as: materialized view
    schema: str
    name: str
    table: str = ""  # that a column, constraint, trigger, rule or policy belongs to
    label: str = field(default="", compare=False)  # such as: policy root on public.users

    def __str__(self) -> str:
        return self.label


def of_table(table: Table, kind: str = "table") -> Object:
    """Returns a table, or what a statement does for it, such as `fill of`."""
    return Object(kind, table.schema, table.name, label=f"{kind} {table.label}")


def of_index(index: Index) -> Object:
    """Returns an index."""
    return Object("index", index.schema, index.name, label=f"index {index.label}")


def on_table(kind: str, name: str, table: Table) -> Object:
    """Returns a constraint, trigger or the like on a table, or a column of it."""
    word = "of" if kind == "column" else "on"
    return Object(kind, table.schema, name, table.name, f"{kind} {name} {word} {table.label}")
