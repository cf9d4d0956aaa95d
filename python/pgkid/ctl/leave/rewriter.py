"""Definitions as they are without kid.

PostgreSQL prints each name of kid with its schema, so its names can be told from all others. Values are converted by
PostgreSQL. Definitions that use more of kid than its types, comparisons of two IDs, min() and max() must not come here.
"""
from __future__ import annotations

import re
from typing import Iterable

from psycopg import sql

from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.leave.uses import COLLATION, Kid


# A string as PostgreSQL prints it. A quotation mark in it is doubled and, after an E, a backslash escapes what follows.
LITERAL = r"(?:E'(?:[^'\\]|''|\\.)*'|'(?:[^']|'')*')"
# A name in quotation marks, in which such a mark is doubled
QUOTED_NAME = r'"(?:[^"]|"")*"'
# A name of kid begins and ends here, and is no part of a longer one.
BEGINS = r'(?<![\w$".])'
ENDS = r'(?![\w$"])'


def any_of(names: Iterable[str]) -> str:
    """Returns a pattern of some names, which fits nothing if there are none."""
    return "|".join(map(re.escape, names)) or "(?!)"


class Rewriter:
    """Rewrites definitions of one database."""

    def __init__(self, conn: Connection, kid: Kid) -> None:
        self.conn, self.kid = conn, kid
        home, types, classes = re.escape(kid.home), any_of(kid.types), any_of(kid.classes)
        # What comes first is tried first: other strings, and names in quotation marks, are passed over as a whole.
        self.pattern = re.compile(
            rf"""
              (?P<value>{LITERAL}) :: (?P<of>{types}) (?P<array>(?:\[\])?) {ENDS}
            | (?P<other_string>{LITERAL})
            | :: (?P<cast>{types}) {ENDS}
            | {BEGINS} (?P<class>{classes}) {ENDS}
            | OPERATOR\({home}\. (?P<operator><=|>=|<>|<|=|>) \)
            | {BEGINS} {home}\. (?P<aggregate>min|max) (?=\()
            | (?P<other_name>{QUOTED_NAME})
            """,
            re.DOTALL | re.VERBOSE,
        )
        # The type of a column in a declaration, and neither that of a cast nor a function of the same name
        self.declared = re.compile(
            rf"""
              (?<!:) {BEGINS} (?P<type>{types}) {ENDS} (?!\()
            | (?P<collation>{re.escape(COLLATION)})
            | (?P<other>{LITERAL}|{QUOTED_NAME})
            """,
            re.DOTALL | re.VERBOSE,
        )
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
        return self.declared.sub(lambda m: m["other"] or self.kid.types.get(m["type"], ""), text)
