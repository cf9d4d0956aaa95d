"""Reads from pg_catalog what the trees of definitions refer to by number: functions, operators, types, columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Sequence

from pgkid.ctl.beside.nodetree import Datum, nodes_in, parse
from pgkid.ctl.connection import Connection


ByteOrder = Literal["little", "big"]
Column = tuple[int, int]  # OID of a table or view, number of a column

# OIDs of types, which are the same in all databases
BOOLEAN, BIGINT, SMALLINT, INTEGER, OID, UUID = 16, 20, 21, 23, 26, 2950
TEXT_TYPES = (25, 1042, 1043)  # text, char(n), varchar
WIDTHS = {BIGINT: 8, SMALLINT: 2, INTEGER: 4, OID: 4}  # of integers, in bytes

# Types that do not have all new keys; the last ones are real, double precision, and arrays of all these
NARROW_TYPES = frozenset((SMALLINT, INTEGER, OID, 700, 701, 1005, 1007, 1028, 1021, 1022))

# Types that stand for the type of an actual argument, without "any", whose arguments need not have the same type.
POLYMORPHIC = frozenset((2277, 2283, 2776, 3500, 3831, 4537, 4538, 5077, 5078, 5079, 5080))
ANY = 2276


@dataclass(frozen=True)
class Routine:
    """A function or an aggregate"""

    name: str
    is_builtin: bool
    is_immutable: bool
    is_of_operator: bool  # an operator with a boolean result calls this function
    arguments: tuple[int, ...]
    result: int
    result_category: str

    def is_polymorphic(self, number: int) -> bool:
        """Tells whether an argument, counted from 0, is declared with a polymorphic type."""
        return bool(self.arguments) and self.arguments[min(number, len(self.arguments) - 1)] in POLYMORPHIC


@dataclass(frozen=True)
class Operator:
    """An operator"""

    name: str
    function: int
    result: int
    makes_text: bool


@dataclass(frozen=True)
class Facts:
    """What the numbers in trees mean"""

    routines: dict[int, Routine]
    operators: dict[int, Operator]
    types: dict[int, str]
    row_types: dict[int, int]  # the table of a row type
    columns: dict[int, list[str]]  # the names of a table's columns; a dropped column has an empty name
    byteorder: ByteOrder  # of the server


ROUTINES = """
    SELECT p.oid, p.proname, p.oid < 16384, p.provolatile = 'i',
           EXISTS (SELECT FROM pg_catalog.pg_operator AS o WHERE o.oprcode = p.oid AND o.oprresult = 16),
           p.proargtypes::pg_catalog.oid[], p.prorettype, t.typcategory
      FROM pg_catalog.pg_proc AS p JOIN pg_catalog.pg_type AS t ON t.oid = p.prorettype"""

OPERATORS = """
    SELECT o.oid, o.oprname, o.oprcode::pg_catalog.oid, o.oprresult, t.typcategory = 'S'
      FROM pg_catalog.pg_operator AS o JOIN pg_catalog.pg_type AS t ON t.oid = o.oprresult"""

COLUMNS = """
    SELECT a.attrelid, pg_catalog.array_agg(CASE WHEN a.attisdropped THEN '' ELSE a.attname::text END ORDER BY a.attnum)
      FROM pg_catalog.pg_attribute AS a WHERE a.attrelid = ANY (%s::pg_catalog.oid[]) AND a.attnum > 0
     GROUP BY a.attrelid"""


def read_facts(connection: Connection, tables: Sequence[int]) -> Facts:
    """Reads the facts for definitions that use `tables`."""
    types = connection.execute(
        "SELECT oid, pg_catalog.format_type(oid, NULL), typrelid FROM pg_catalog.pg_type"
    ).fetchall()
    return Facts(
        routines={
            oid: Routine(name, builtin, immutable, of_operator, tuple(arguments), result, category)
            for oid, name, builtin, immutable, of_operator, arguments, result, category in connection.execute(ROUTINES)
        },
        operators={oid: Operator(*rest) for oid, *rest in connection.execute(OPERATORS)},
        types={oid: name for oid, name, _ in types},
        row_types={oid: table for oid, _, table in types if table},
        columns={table: names for table, names in connection.execute(COLUMNS, (list(tables),))},
        byteorder=byteorder_of(connection),
    )


def byteorder_of(connection: Connection) -> ByteOrder:
    """Returns the byte order of the server, which prints the bytes of constants as it stores them.

    The default of an argument of pg_promote() is the integer 60.
    """
    row = connection.execute(
        "SELECT proargdefaults::text FROM pg_catalog.pg_proc"
        " WHERE oid = 'pg_catalog.pg_promote(boolean, integer)'::pg_catalog.regprocedure"
    ).fetchone()
    for constant in nodes_in(parse(row[0]) if row else None):
        value = constant.fields.get("constvalue")
        if isinstance(value, Datum) and constant.number("consttype") == INTEGER:
            return "little" if value.data[0] == 60 else "big"
    return "little"
