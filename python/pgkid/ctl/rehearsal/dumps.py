"""Dumps of a schema, compared object by object."""
from __future__ import annotations

import re
from collections import Counter
from typing import Callable, Iterable, Optional

from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Report
from pgkid.ctl.rehearsal.copy import tool


Entry = tuple[str, str, str]  # type, schema, name
Dump = dict[Entry, list[str]]

CAST = re.compile(r'\(((?:"[^"]*"|[^()"])+)\)::bigint(?:\[\])?')
HEAD = re.compile(r"^-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*$", re.M)


def dump(conn: Connection) -> Dump:
    """Returns what pg_dump says of each object of a database, as lines without their order of columns."""
    text = tool(conn, "pg_dump", "--schema-only", "--no-tablespaces", "--no-subscriptions")
    parts = HEAD.split(text)[1:]
    found: Dump = {}
    for name, kind, schema, body in zip(*[iter(parts)] * 4):
        lines = [line.strip().rstrip(",") for line in body.splitlines()]
        lines = [line for line in lines if line and not line.startswith(("--", "SET ", "\\restrict", "\\unrestrict"))]
        found.setdefault((kind, schema, name), []).extend(lines)
    return found


def compare(
    before: Dump, after: Dump, expected: Callable[[Entry, str], Optional[str]], kind: str, report: Report
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
        name = f"{entry[0].lower()} {entry[1]}.{entry[2]}"
        gone, come = "\n".join((old - new).elements()), "\n".join((new - old).elements())
        message = "is gone" if entry not in after else "is new" if entry not in before else "is different"
        definition = "\n".join(prefixed("- ", gone) + prefixed("+ ", come))
        report.add(kind, name, message, definition=definition, stops=True, accept_name=name)


def plain(lines: Counter[str]) -> Counter[str]:
    """Returns lines in which operators are written without their schema."""
    return Counter({re.sub(r'OPERATOR\((?:[\w$]+|"[^"]*")\.([^\s)]+)\)', r"\1", k): n for k, n in lines.items()})


def prefixed(prefix: str, text: str) -> list[str]:
    """Returns the lines of a text with a prefix."""
    return [prefix + line for line in text.splitlines()]


def names(entries: Iterable[Entry]) -> set[str]:
    """Returns the names of entries."""
    return {name for _kind, _schema, name in entries}


def without_casts(line: str) -> str:
    """Returns a line without casts to bigint, which PostgreSQL prints where a domain over bigint is compared."""
    found = 1
    while found:
        line, found = CAST.subn(r"\1", line)
    return line
