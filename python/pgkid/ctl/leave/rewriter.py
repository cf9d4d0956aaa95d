"""Definitions as they are without kid.

PostgreSQL prints each name of kid with its schema, so its names can be told from all others. Values are converted by
PostgreSQL. Definitions that use more of kid than its types, comparisons of two IDs, min() and max() must not come here.
"""
from __future__ import annotations

import re

from psycopg import sql

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.leave.uses import COLLATION, Kid


LITERAL = r"(?:E'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*')"


class Rewriter:
    """Rewrites definitions of one database."""

    def __init__(self, conn: Connection, kid: Kid) -> None:
        self.conn, self.kid = conn, kid
        home = re.escape(kid.home)
        types = "|".join(re.escape(name) for name in sorted(kid.types, key=len, reverse=True)) or "(?!)"
        classes = "|".join(re.escape(name) for name in sorted(kid.classes, key=len, reverse=True)) or "(?!)"
        self.pattern = re.compile(
            rf"(?P<value>{LITERAL})::(?P<of>{types})(?P<array>(?:\[\])?)(?![\w$\"])"
            rf"|(?P<skip>{LITERAL})"
            rf"|::(?P<cast>{types})(?![\w$\"])"
            rf"|(?<![\w$\".])(?P<class>{classes})(?![\w$\"])"
            rf"|OPERATOR\({home}\.(?P<operator><=|>=|<>|<|=|>)\)"
            rf"|(?<![\w$\".]){home}\.(?P<aggregate>min|max)(?=\()"
            r"|(?P<name>\"(?:[^\"]|\"\")*\")",
            re.S,
        )
        self.column = re.compile(rf"(?<![\w$\".:])(?P<type>{types})(?![\w$\"(])")
        self.known: dict[tuple[str, str], str] = {}

    def rewrite(self, text: str) -> str:
        """Returns a definition with core types in the place of kid's."""
        return self.pattern.sub(self.replaced, text)

    def replaced(self, match: re.Match[str]) -> str:
        """Returns what takes the place of a part of a definition."""
        if match["value"] is not None:
            return self.converted(match["value"], match["of"], match["array"])
        if match["cast"] is not None:
            return "::" + self.kid.types[match["cast"]]
        if match["class"] is not None:
            return self.kid.classes[match["class"]]
        if match["operator"] is not None:
            return match["operator"]
        return match["aggregate"] or match[0]

    def converted(self, value: str, kind: str, array: str) -> str:
        """Returns a constant as one of a core type."""
        core = self.kid.types[kind] + array
        constant = (value, kind + array)
        if constant not in self.known:
            query = sql.SQL("SELECT ({}::{})::{}::text").format(sql.SQL(value), sql.SQL(kind + array), sql.SQL(core))
            text = str(scalar(self.conn, query))
            self.known[constant] = sql.Literal(text).as_string(self.conn) + "::" + core
        return self.known[constant]

    def retyped(self, text: str) -> str:
        """Returns a definition in which columns are declared, without the collation that they get."""
        parts = re.split(rf"({LITERAL})", text)
        for n in range(0, len(parts), 2):
            parts[n] = self.column.sub(lambda m: self.kid.types[m["type"]], parts[n]).replace(COLLATION, "")
        return "".join(parts)
