"""Functions that may use some tables, as far as the catalog and their text tell."""
from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Sequence

from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection


@dataclass(frozen=True)
class Function:
    """A function that may use some tables."""

    label: str
    schema: str
    text: str
    triggers: list[str]
    arguments: list[str]  # that triggers pass
    has_row_type: bool
    parameters: list[str]  # name and type

    @property
    def code(self) -> str:
        """The text without comments."""
        return re.sub(r"--[^\n]*|/\*.*?\*/", " ", self.text, flags=re.DOTALL)


# Functions of these tables' triggers, functions that take or return their rows, and functions whose text has the name
# of one of the tables.
FUNCTIONS = """
    WITH here AS (
        SELECT c.oid, c.relname, t.oid AS row_type, t.typarray FROM pg_catalog.pg_class AS c
               JOIN pg_catalog.pg_type AS t ON t.typrelid = c.oid WHERE c.oid = ANY (%s)
    )
    SELECT 'function ' || p.oid::regprocedure AS label, n.nspname AS schema, p.prosrc AS text,
           ARRAY(SELECT format('%%I on %%s', t.tgname, t.tgrelid::regclass) FROM pg_catalog.pg_trigger AS t
                  WHERE t.tgfoid = p.oid AND NOT t.tgisinternal AND t.tgparentid = 0
                        AND t.tgrelid IN (SELECT oid FROM here) ORDER BY 1) AS triggers,
           ARRAY(SELECT pg_catalog.encode(t.tgargs, 'escape') FROM pg_catalog.pg_trigger AS t
                  WHERE t.tgfoid = p.oid AND NOT t.tgisinternal AND t.tgrelid IN (SELECT oid FROM here)) AS arguments,
           EXISTS (SELECT FROM here AS h
                    WHERE ARRAY[h.row_type, h.typarray]
                          && (p.proargtypes::oid[] || p.prorettype
                              || coalesce(p.proallargtypes, '{}'))) AS has_row_type,
           ARRAY(SELECT concat_ws(' ', u.name, format_type(u.type, NULL))
                   FROM unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[])) AS u (name, type)
                  WHERE u.name <> '') AS parameters
      FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_namespace AS n ON n.oid = p.pronamespace
           JOIN pg_catalog.pg_language AS l ON l.oid = p.prolang AND l.lanname NOT IN ('internal', 'c')
     WHERE n.nspname !~ '^pg_|^information_schema$|^kidctl_' AND p.prokind <> 'a'
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend AS d
                            WHERE d.classid = 'pg_catalog.pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
     ORDER BY label"""


def functions(conn: Connection, tables: Sequence[int]) -> list[Function]:
    """Returns the functions that may use some tables."""
    return read(conn, Function, FUNCTIONS, (list(tables),))


def mentions(text: str, name: str) -> bool:
    """Returns whether a text has a name as a whole word."""
    return bool(word(name).search(text))


@lru_cache(maxsize=None)
def word(name: str) -> re.Pattern[str]:
    """Returns the pattern of a name as a whole word. Python itself would compile it again for each of many texts."""
    return re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)


# The tables, and the views that show them or such views
NAMES = """
    WITH RECURSIVE shown AS (
        SELECT unnest(%s::oid[]) AS oid
        UNION
        SELECT c.oid
          FROM shown AS s JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_catalog.pg_class'::regclass
                                                            AND d.refobjid = s.oid
                                                            AND d.classid = 'pg_catalog.pg_rewrite'::regclass
               JOIN pg_catalog.pg_rewrite AS w ON w.oid = d.objid
               JOIN pg_catalog.pg_class AS c ON c.oid = w.ev_class AND c.relkind IN ('v', 'm'))
    SELECT DISTINCT c.relname FROM shown AS s JOIN pg_catalog.pg_class AS c ON c.oid = s.oid ORDER BY 1"""


def names_of(conn: Connection, tables: Sequence[int]) -> list[str]:
    """Returns the names by which a query can read some tables: theirs, and those of views on them."""
    return [name for (name,) in conn.execute(NAMES, (list(tables),))]
