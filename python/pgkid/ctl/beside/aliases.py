"""Finds definitions that rename the columns of a table by position, as in FROM orders AS o (a, b, c).

PostgreSQL goes by the numbers of columns there. A new key is another column, so the name of the old key stays with the
old key, and the added columns get names, too.
"""

from __future__ import annotations

from typing import Iterator, Sequence

from pgkid.ctl.beside.definitions import definitions
from pgkid.ctl.beside.enums import RTE_JOIN
from pgkid.ctl.beside.nodetree import ERRORS, Node, all_nodes, parse
from pgkid.ctl.catalog import KeyColumn
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding

HINT = "Rename columns in the select list, as in SELECT o.id AS a FROM orders AS o, and write no names after the alias."


def look(conn: Connection, columns: Sequence[KeyColumn]) -> Iterator[Finding]:
    """Yields the definitions that do so with tables of these columns, or with joins of them."""
    tables = {str(column.table) for column in columns}
    for definition in definitions(conn, [column.address for column in columns]):
        if definition.is_copy:
            continue
        try:
            trees = [parse(text) for text in (definition.tree, definition.condition) if text]
            found = [text for tree in trees for text in renamed(all_nodes(tree), tables)]
        except (*ERRORS, RecursionError):
            continue  # search.py reports a tree that cannot be read
        for text in dict.fromkeys(found):
            message = f"renames columns by their position, and the key gets another position: AS {text}"
            yield Finding("refused", definition.object, message, definition=definition.sql, hint=HINT, stops=True)


def renamed(nodes: Iterator[Node], tables: set[str]) -> Iterator[str]:
    """Yields the aliases with names of columns in the queries that read one of these tables."""
    for query in nodes:
        entries = query.nodes("rtable") if query.name == "QUERY" else []
        if not any(entry.fields.get("relid") in tables for entry in entries):
            continue
        for entry in entries:
            alias = entry.child("alias")
            if alias and (entry.fields.get("relid") in tables or entry.number("rtekind") == RTE_JOIN):
                names = [str(name) for name in alias.items("colnames")]
                if names:
                    yield f"{alias.text('aliasname')} ({', '.join(names)})"
