"""Which tables have to change together: those that foreign keys, inheritance or domains link."""
from __future__ import annotations

from typing import Collection, Literal, NamedTuple, Sequence

from pgkid.ctl.catalog import ColumnAddress
from pgkid.ctl.connection import Connection
from pgkid.ctl.leave.columns import Column, Domain
from pgkid.ctl.leave.uses import Use


class Member(NamedTuple):
    """A member of a set. In the order of members, domains come before tables."""

    kind: Literal["domain", "table"]
    oid: int


class Sets:
    """Sets of tables and domains that are joined two by two."""

    def __init__(self) -> None:
        self.parent: dict[Member, Member] = {}

    def tables(self) -> list[int]:
        """Returns the tables of all sets."""
        return [member.oid for member in self.parent if member.kind == "table"]

    def has_table(self, oid: int) -> bool:
        """Returns whether a table is in a set."""
        return Member("table", oid) in self.parent

    def add(self, member: Member) -> None:
        """Adds a table or a domain as a set of its own, unless it is in a set already."""
        self.parent.setdefault(member, member)

    def find(self, member: Member) -> Member:
        """Returns the member that stands for the set of a table or a domain, which is added if it is not known yet.

        It is the first one in the order of members, and so a domain if the set has one.
        """
        self.add(member)
        while self.parent[member] != member:
            member = self.parent[member]
        return member

    def of_table(self, oid: int) -> Member:
        """Returns the member that stands for the set of a table."""
        return self.find(Member("table", oid))

    def join(self, member: Member, other: Member) -> None:
        """Joins two sets."""
        a, b = self.find(member), self.find(other)
        self.parent[max(a, b)] = min(a, b)

    def join_tables(self, oid: int, other: int) -> None:
        """Joins the sets of two tables."""
        self.join(Member("table", oid), Member("table", other))


def join_tables(conn: Connection, found: Sequence[Column], layers: Sequence[Domain], depending: Sequence[Use]) -> Sets:
    """Returns the tables that use kid, joined where they have to change together.

    A table whose trigger or constraint calls kid is among them, even if it has no column that changes.
    """
    sets = Sets()
    for use in depending:
        if use.catalog in ("pg_trigger", "pg_constraint") and use.relation:
            sets.add(Member("table", use.relation))
    join_domains(sets, found, layers)
    join_references(conn, sets, {c.address for c in found if c.is_typed})
    join_family(conn, sets)
    return sets


def join_domains(sets: Sets, found: Sequence[Column], layers: Sequence[Domain]) -> None:
    """Joins tables whose columns are of the same domain, or of domains over the same one."""
    above = {d.oid: d.parent or d.oid for d in layers}
    for column in found:
        table = Member("table", column.table)
        sets.add(table)
        if column.domain:
            domain = column.domain
            while above[domain] != domain:
                domain = above[domain]
            sets.join(table, Member("domain", domain))
        if column.maker:
            sets.join(table, Member("domain", column.maker))


def join_references(conn: Connection, sets: Sets, typed: Collection[ColumnAddress]) -> None:
    """Joins tables with those that their foreign keys refer to, if a column at either end changes."""
    for child, parent, numbers, others in conn.execute(
        "SELECT conrelid, confrelid, conkey::int[], confkey::int[] FROM pg_constraint WHERE contype = 'f'"
    ).fetchall():
        columns = [ColumnAddress(child, n) for n in numbers] + [ColumnAddress(parent, n) for n in others]
        if any(column in typed for column in columns):
            sets.join_tables(child, parent)


def join_family(conn: Connection, sets: Sets) -> None:
    """Joins tables with those that they inherit from, as partitions do."""
    for child, parent in conn.execute(
        "SELECT i.inhrelid, i.inhparent FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid"
        " WHERE c.relkind IN ('r', 'p', 'f')"
    ).fetchall():
        if sets.has_table(child) or sets.has_table(parent):
            sets.join_tables(child, parent)
