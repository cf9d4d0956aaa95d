"""Dumps of a schema, compared object by object."""
from __future__ import annotations

import re
from collections import Counter
from typing import Callable, NamedTuple, Optional

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import FindingKind, Report
from pgkid.ctl.rehearsal.copy import tool


class Entry(NamedTuple):
    """An object of a dump, as the header that pg_dump prints above it names it."""

    kind: str  # such as FK CONSTRAINT
    schema: str
    name: str  # with that of its table before it, if it belongs to one


Dump = dict[Entry, list[str]]

CAST = re.compile(r'\(((?:"[^"]*"|[^()"])+)\)::bigint(?:\[\])?')
HEAD = re.compile(r"^-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*$", re.M)

# Strings, quoted names and bodies of functions; and comments, in which quotes are none
TOKEN = re.compile(
    r"""(?<![\w$])E'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*"""
    r"""|(?<![\w$])\$(?P<tag>(?:[^\W\d]\w*)?)\$.*?\$(?P=tag)\$""",
    re.S,
)
BREAK = "\0"  # a character that no dump contains


def dump(conn: Connection) -> Dump:
    """Returns what pg_dump says of each object of a database, as lines without their order of columns."""
    role = scalar(conn, "SELECT current_user")
    text = tool(conn, "pg_dump", "--role", role, "--schema-only", "--no-tablespaces", "--no-subscriptions")
    return entries(text)


def entries(text: str) -> Dump:
    """Returns the lines of each entry of a dump."""
    parts = HEAD.split(joined(text))[1:]
    found: Dump = {}
    for name, kind, schema, body in zip(*[iter(parts)] * 4):
        found.setdefault(Entry(kind, schema, name), []).extend(lines_of(body))
    return found


def joined(text: str) -> str:
    """Returns a dump in which no string, quoted name or body of a function begins a new line.

    So nothing that somebody wrote in these can look like a header of pg_dump, or like a line that is left out.
    """
    return TOKEN.sub(lambda token: token[0].replace("\n", BREAK), text)


def lines_of(body: str) -> list[str]:
    """Returns the lines of an entry that define its object."""
    own = ("--", "SET ", "\\restrict", "\\unrestrict")  # of pg_dump, at the beginning of a line
    return [line.strip().rstrip(",") for line in body.split("\n") if line.strip() and not line.startswith(own)]


def label(entry: Entry) -> str:
    """Returns how findings name an entry."""
    kind, schema, name = entry
    return f"{kind.lower()} {name if schema == '-' else f'{schema}.{name}'}"


def compare(
    before: Dump, after: Dump, expected: Callable[[Entry, str], Optional[str]], kind: FindingKind, report: Report
) -> None:
    """Reports what differs. `expected` takes away from a line what was asked for."""
    for entry in sorted(set(before) | set(after)):
        old, new = (
            Counter(kept for line in side.get(entry, []) if (kept := expected(entry, line)) is not None)
            for side in (before, after)
        )
        # Definitions name the schema of an operator where the operator is not PostgreSQL's own.
        if plain(old) == plain(new):
            continue
        name = label(entry)
        message = "is gone" if entry not in after else "is new" if entry not in before else "is different"
        definition = "\n".join(prefixed("- ", old - new) + prefixed("+ ", new - old))
        report.add(kind, name, message, definition=definition, stops=True, accept_name=name)


def plain(lines: Counter[str]) -> Counter[str]:
    """Returns lines in which operators are written without their schema."""
    return Counter({re.sub(r'OPERATOR\((?:[\w$]+|"(?:[^"]|"")*")\.([^\s)]+)\)', r"\1", k): n for k, n in lines.items()})


def prefixed(prefix: str, lines: Counter[str]) -> list[str]:
    """Returns lines with a prefix."""
    return [prefix + line.replace(BREAK, "\n") for line in lines.elements()]


def without_casts(line: str) -> str:
    """Returns a line without casts to bigint, which PostgreSQL prints where a domain over bigint is compared."""
    found = 1
    while found:
        line, found = CAST.subn(r"\1", line)
    return line
