"""What a copy lacks of the schema from which it was made.

pg_restore goes on after an error, because a role can seldom create all that a database contains: an extension that is
not trusted, a function in a language of the superuser. What is not on the tables of the move is listed. What is on them
could fail in the move, and was not tried: it stops the move until it is accepted by name.
"""
from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from pgkid.ctl.connection import Connection
from pgkid.ctl.beside.definitions import REACHED
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.objects import NO_OBJECT, Address
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rehearsal.copy import Copy

HEAD = re.compile(
    r"^-- TOC entry (\d+) \(class (\d+) OID (\d+)\)\n(?:-- Dependencies: ([\d ]+)\n)?"
    r"-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*$",
    re.M,
)

# What decides neither what PostgreSQL refuses nor what the move does. Of publications see LEFT_OUT in copy.py.
BESIDE = re.compile("ACL|COMMENT|DEFAULT ACL|SECURITY LABEL|PUBLICATION")
OWNER = re.compile("ALTER .* OWNER TO ")

HINT = "Accept it, or pass --template with a database in which a superuser has created what is missing."


@dataclass(frozen=True)
class Item:
    """An entry of a dump, and the object that it makes"""

    number: int
    object: Address  # NO_OBJECT for privileges and comments
    needs: frozenset[int]
    entry: dumps.Entry
    lines: Counter[str]


def items(text: str) -> list[Item]:
    """Returns the entries of a dump that was printed with their numbers."""
    parts = HEAD.split(dumps.joined(text))[1:]
    return [
        Item(
            int(number),
            Address(int(catalog_oid), int(oid)),
            frozenset(map(int, (needs or "").split())),
            dumps.Entry(kind, schema, name),
            Counter(line for line in dumps.lines_of(body) if not OWNER.match(line)),
        )
        for number, catalog_oid, oid, needs, name, kind, schema, body in zip(*[iter(parts)] * 8)
    ]


@dataclass(frozen=True)
class Difference:
    """What is wrong with an entry in the copy."""

    message: str
    lines: str  # in which it differs


@dataclass
class Comparison:
    """A comparison of dumps of a schema and its copy. `touched` are the objects on the tables of the move."""

    copy: Copy
    found: dumps.Dump
    touched: set[Address]

    def look(self) -> Iterator[Finding]:
        """Yields what the copy lacks."""
        wanted = items(self.copy.text)
        mine = {item.number for item in wanted if item.object in self.touched}
        for item in wanted:
            found = self.difference(item)
            if not found:
                continue
            label, stops = dumps.label(item.entry), False
            if not BESIDE.match(item.entry.kind):
                stops = item.number in mine or item.object == NO_OBJECT and bool(item.needs & mine)
            if stops:
                yield Finding("not copied", label, found.message, found.lines, hint=HINT, stops=True, accept_name=label)
            elif item.number in self.copy.errors:
                yield Finding("not copied", label, found.message)
        if None in self.copy.errors:
            yield Finding("not copied", "", self.copy.errors[None])

    def difference(self, item: Item) -> Optional[Difference]:
        """Returns what is wrong with an entry in the copy, or None."""
        error = self.copy.errors.get(item.number, "")
        if item.entry not in self.found:
            return Difference(error or "is not in the copy", "\n".join(dumps.prefixed("", item.lines)))
        there = Counter(line for line in self.found[item.entry] if not OWNER.match(line))
        if dumps.plain(there) == dumps.plain(item.lines):
            return None
        lines = dumps.prefixed("- ", item.lines - there) + dumps.prefixed("+ ", there - item.lines)
        return Difference(error or "is different in the copy", "\n".join(lines))


def look(
    source: Connection, conn: Connection, copy: Copy, tables: Sequence[int], found: dumps.Dump
) -> Iterator[Finding]:
    """Yields what a copy lacks, of which `found` is the dump, and what of it stops a move of some tables."""
    touched = source.execute(
        REACHED + "SELECT class, object FROM reached UNION SELECT 'pg_catalog.pg_class'::regclass,"
        " p.relid FROM unnest(%(tables)s::oid[]) AS t (oid), pg_partition_tree(t.oid) AS p",
        {"tables": list(tables)},
    ).fetchall()
    yield from Comparison(copy, found, {Address(*row) for row in touched}).look()
    yield from other_versions(source, conn)


def other_versions(source: Connection, conn: Connection) -> Iterator[Finding]:
    """Yields extensions of which the copy has another version."""
    text = "SELECT extname, extversion FROM pg_extension"
    there = {name: version for name, version in conn.execute(text).fetchall()}
    for name, version in source.execute(text).fetchall():
        if there.get(name, version) != version:
            yield Finding("not copied", f"extension {name}", f"has version {version}, and {there[name]} in the copy")


def refuse_closed_schemas(source: Connection, conn: Connection) -> None:
    """Raises an error if a template lets the role not use a schema in the copy that it may use in the source."""
    text = (
        "SELECT quote_ident(nspname), quote_ident(current_user) FROM pg_namespace WHERE {}"
        " has_schema_privilege(oid, 'USAGE')"
    )
    usable = set(source.execute(text.format("")).fetchall())
    for schema, user in conn.execute(text.format("NOT")).fetchall():
        if (schema, user) in usable:
            raise Refused(
                f"{user} may not use schema {schema} in the copy, because the template does not let it",
                f"In the template run GRANT USAGE ON SCHEMA {schema} TO {user}.",
            )
