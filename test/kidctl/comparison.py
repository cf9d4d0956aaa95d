"""The rows and the definitions of a database before and after a move, and what is different beside the keys."""
from __future__ import annotations

import json
import re
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Iterator, Optional

import psycopg

from invented_rows import RELATIONS

Row = dict[str, Optional[str]]
Dump = dict[tuple[str, str, str], list[str]]
GONE = "is gone"
COLUMNS = """
SELECT quote_ident(attname), format_type(atttypid, -1), attgenerated <> '' FROM pg_attribute
 WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped AND attname !~ '^kid_(old|new)_'
"""


@dataclass
class Relation:
    """A table or a view, with the types of its columns, and its rows or the error of reading them."""

    is_view: bool
    types: dict[str, str]
    generated: set[str]
    rows: list[Row] = field(default_factory=list)


def contents(conn: psycopg.Connection[Any]) -> dict[str, Relation]:
    """Reads all tables and views."""
    found = {}
    for oid, name, kind, _is_partition in conn.execute(RELATIONS).fetchall():
        if kind not in "rpvm":
            continue
        columns = conn.execute(COLUMNS, (oid,)).fetchall()
        one = Relation(kind in "vm", {c: t for c, t, _ in columns}, {c for c, _, generated in columns if generated})
        try:
            query = "SELECT " + ", ".join(f"{column}::text" for column in one.types) + f" FROM {name}"
            one.rows = [dict(zip(one.types, row)) for row in conn.execute(query)]
        except psycopg.Error as error:
            one.rows = [{"error": error.sqlstate}]
        found[name] = one
    return found


@dataclass
class Keys:
    """What a move changes: the columns with keys, as pairs of table and column, and the new key of each old one."""

    columns: set[tuple[str, str]]
    pairs: dict[str, str]

    def __post_init__(self) -> None:
        words = "|".join(sorted((re.escape(key) for key in self.pairs), key=len, reverse=True)) or "(?!)"
        self.pattern = re.compile(rf"(?<![\w.])(?:{words})(?![\w.])")

    def renewed(self, text: Optional[str]) -> Optional[str]:
        """Returns a text in which each old key is a new one."""
        return None if text is None else self.pattern.sub(lambda found: self.pairs[found[0]], text)

    def different_rows(self, before: dict[str, Relation], after: dict[str, Relation]) -> Iterator[tuple[str, str]]:
        """Yields each relation whose rows are different, and these rows."""
        for name in sorted(set(before) | set(after)):
            old, new = before.get(name), after.get(name)
            if not old or not new:
                yield name, "is there only " + ("after" if new else "before")
                continue
            lines = Counter(self.line(name, row, old, new, True) for row in old.rows)
            others = Counter(self.line(name, row, old, new, False) for row in new.rows)
            if lines != others:
                yield name, "; ".join([*(f"- {x}" for x in lines - others), *(f"+ {x}" for x in others - lines)])

    def line(self, name: str, row: Row, old: Relation, new: Relation, is_old: bool) -> str:
        """Returns a row as text. Old rows are as they should be after the move.

        A column of a view that keeps its type can contain keys, as in a JSON, or text that was copied from a key: there
        it does not matter which keys these are, nor whether JSON has quotes around them, nor the order of parts:
        aggregates without ORDER BY follow the order in which rows are stored, which each UPDATE changes.
        """
        values = {}
        for column, value in row.items():
            if (name, column) in self.columns or old.types.get(column) != new.types.get(column):
                values[column] = self.renewed(value) if is_old else value
            elif value is not None and (old.is_view or column in old.generated):
                values[column] = " ".join(sorted(re.findall(r'[^][{}(),:"\s]+', self.renewed(value) or "")))
            else:
                values[column] = value
        return json.dumps(values, sort_keys=True)


def dump(database: str) -> Dump:
    """Returns the lines of each entry of a dump of the schema, in their alphabetical order."""
    command = ["pg_dump", "--schema-only", "-d", database]
    text = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    parts = re.split(r"^-- Name: (.*); Type: (.*); Schema: (.*); Owner: .*$", text, flags=re.M)[1:]
    found: Dump = {}
    for name, kind, schema, body in zip(*[iter(parts)] * 4):
        lines = (line.strip().rstrip(",") for line in body.splitlines())
        kept = (line for line in lines if line and not line.startswith(("--", "\\", "SET ")))
        found.setdefault((kind, schema, name), []).extend(kept)
    return {entry: sorted(lines) for entry, lines in found.items()}


def different_definitions(before: Dump, after: Dump) -> Iterator[tuple[str, str]]:
    """Yields each entry that is different, and its lines."""
    for entry in sorted(set(before) | set(after)):
        old, new = Counter(before.get(entry, [])), Counter(after.get(entry, []))
        if old != new:
            lines = [*(f"- {x}" for x in (old - new).elements()), *(f"+ {x}" for x in (new - old).elements())]
            yield f"{entry[0].lower()} {entry[1]}.{entry[2]}", "; ".join(lines) if new else GONE


@dataclass
class Mask:
    """Takes from a dump what new keys have to change: their types and default, their sequence, and casts."""

    table: str
    key: str
    columns: set[tuple[str, str]]
    sequences: set[str]
    types: set[str]

    def __post_init__(self) -> None:
        types = "|".join(sorted((re.escape(name) for name in self.types), key=len, reverse=True))
        self.casts = re.compile(rf"::(?:{types})(?!\w)(?:\[\])?|[() ]")

    def kept(self, found: Dump) -> Dump:
        """Returns the rest of a dump."""
        entries = {e: sorted(filter(None, (self.line(e, x) for x in lines))) for e, lines in found.items()}
        return {entry: lines for entry, lines in entries.items() if lines}

    def line(self, entry: tuple[str, str, str], line: str) -> str:
        """Returns the rest of a line of an entry, in whose head names have no quotes."""
        kind, schema, name = entry
        place = f"{schema}.{name}"
        if kind.startswith("SEQUENCE") and place in {plain(name) for name in self.sequences}:
            return ""
        if kind == "DEFAULT" and place == plain(f"{self.table} {self.key}"):
            return ""
        if kind == "TABLE":
            for table, column in self.columns:
                if place == plain(table) and line.startswith(column + " "):
                    return f"{column} NOT NULL" if "NOT NULL" in line else column
        if kind == "STATISTICS":  # PostgreSQL orders the columns by their numbers
            return " ".join(sorted(re.split(r"[, ]+", line)))
        operators = re.sub(r'OPERATOR\((?:\w+|"(?:[^"]|"")*")\.([^\s)]+)\)', r"\1", line)
        return self.casts.sub("", operators)


def plain(name: str) -> str:
    """Returns a name without quotes."""
    return name.replace('"', "")
