"""Finds out what the value of an expression in a definition is made of: a key, a constant, another column.

The name of a node leads to the method, or to the entry of a table, that knows it. A node that none knows is an error,
as it must not count as one that has nothing to do with a key.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Flag, auto
from typing import Callable, Optional, Sequence

from pgkid.ctl.beside.enums import (
    AGGKIND_HYPOTHETICAL,
    ARRAY_SUBLINK,
    CASTS,
    CMD_SELECT,
    EXPR_SUBLINK,
    PARAM_EXTERN,
    PARAM_MULTIEXPR,
    PARAM_SUBLINK,
    WHOLE_ROW,
)
from pgkid.ctl.beside.facts import ANY, BOOLEAN, POLYMORPHIC, TEXT_TYPES, Column, Facts, Routine
from pgkid.ctl.beside.nodetree import Datum, Node, TreeError, Value


class Holds(Flag):
    """What a value is made of. A null is made of nothing."""

    NOTHING = 0
    KEY = auto()
    DERIVED = auto()  # computed from a key
    ROW = auto()  # a whole row that contains a key
    CALLED = auto()  # the result of a function that is not PostgreSQL's own, to which a key was passed
    CONSTANT = auto()
    COLUMN = auto()  # of a table, and no key
    OTHER = auto()  # a parameter, a setting, the time, whether a condition is true


CARRIES = Holds.KEY | Holds.DERIVED | Holds.ROW


@dataclass(frozen=True)
class Scope:
    """Where an expression stands"""

    queries: tuple[Node, ...] = ()  # the query that contains it is the last one
    tested: Optional[tuple[Value, "Scope"]] = None  # what CASE compares with each WHEN
    chosen: Optional[tuple[Node, "Scope"]] = None  # the sub-select whose columns are parameters here
    is_domain: bool = False  # VALUE is a key

    def inside(self, query: Node) -> Scope:
        """Returns the scope of what a query contains."""
        return replace(self, queries=self.queries + (query,))

    def outside(self, levels: int) -> Scope:
        """Returns the scope of a query that contains this one."""
        if not 0 <= levels < len(self.queries):
            raise TreeError(f"there are no {levels} outer queries")
        return replace(self, queries=self.queries[: len(self.queries) - levels])


# Nodes with the value of one field.
SAME_AS = {
    "RELABELTYPE": "arg",
    "COERCEVIAIO": "arg",
    "COERCETODOMAIN": "arg",
    "ARRAYCOERCEEXPR": "arg",
    "COLLATEEXPR": "arg",
    "CONVERTROWTYPEEXPR": "arg",
    "NAMEDARGEXPR": "arg",
    "TARGETENTRY": "expr",
    "RETURNINGEXPR": "retexpr",
    "JSONVALUEEXPR": "formatted_expr",
    "SUBSCRIPTINGREF": "refexpr",
    "CASEWHEN": "result",
}

# Nodes whose value is one of several, or consists of them.
ONE_OF = {"COALESCEEXPR": "args", "MINMAXEXPR": "args", "ARRAYEXPR": "elements", "ROWEXPR": "args"}

# Nodes that compute a value from what is in some fields.
COMPUTED = {
    "XMLEXPR": ("named_args", "args"),
    "JSONCONSTRUCTOREXPR": ("args", "func"),
    "JSONEXPR": ("formatted_expr", "passing_values"),
    "FIELDSTORE": ("arg", "newvals"),
}

# Nodes whose value has nothing to do with that of a key.
UNRELATED = frozenset(
    "BOOLEXPR NULLTEST BOOLEANTEST DISTINCTEXPR SCALARARRAYOPEXPR ROWCOMPAREEXPR SQLVALUEFUNCTION GROUPINGFUNC"
    " SETTODEFAULT CURRENTOFEXPR NEXTVALUEEXPR JSONISPREDICATE MERGESUPPORTFUNC".split()
)

# The field that tells the type of a node's value.
TYPE_FIELDS = ("vartype", "paramtype", "funcresulttype", "consttype", "aggtype", "wintype", "resulttype", "row_typeid")


def entry_of(query: Node, number: int) -> Node:
    """Returns an entry of the range table of a query."""
    entries = query.nodes("rtable")
    if not 1 <= number <= len(entries):
        raise TreeError(f"there is no table {number} in this query")
    return entries[number - 1]


def eref_names(entry: Node) -> list[Value]:
    """Returns the names that the columns of an entry of the range table had when the definition was made."""
    eref = entry.child("eref")
    return eref.items("colnames") if eref else []


def outputs_of(query: Node) -> list[Node]:
    """Returns the columns of the result of a query."""
    is_select = query.text("commandType") == CMD_SELECT
    return [e for e in query.nodes("targetList" if is_select else "returningList") if not e.flag("resjunk")]


def leaves_of(query: Node) -> list[Node]:
    """Returns the queries that a query with UNION, INTERSECT or EXCEPT combines."""
    found: list[Node] = []
    left: list[Optional[Node]] = [query.child("setOperations")]
    while left:
        node = left.pop()
        if node is not None and node.name == "RANGETBLREF":
            leaf = entry_of(query, node.number("rtindex")).child("subquery")
            if leaf is None:
                raise TreeError("a set operation combines no queries")
            found.append(leaf)
        elif node is not None and node.name == "SETOPERATIONSTMT":
            left += [node.child("rarg"), node.child("larg")]
        else:
            raise TreeError("unknown set operation")
    return found


class Values:
    """Tells what expressions of one definition hold"""

    def __init__(self, facts: Facts, keys: frozenset[Column]) -> None:
        self.facts = facts
        self.keys = keys
        self.tables = frozenset(table for table, _ in keys)
        self.open: set[tuple[int, int]] = set()  # columns of queries that are being looked at
        self.loops = 0
        self.known: dict[tuple[int, int], Holds] = {}
        self.methods: dict[str, Callable[[Node, Scope], Holds]] = {
            "VAR": self.variable,
            "CONST": lambda node, scope: Holds.NOTHING if node.flag("constisnull") else Holds.CONSTANT,
            "PARAM": self.parameter,
            "CASETESTEXPR": lambda node, scope: self.holds(*scope.tested) if scope.tested else Holds.OTHER,
            "COERCETODOMAINVALUE": lambda node, scope: Holds.KEY if scope.is_domain else Holds.OTHER,
            "CASEEXPR": lambda node, scope: self.union(node.items("args") + [node.child("defresult")], scope),
            "SUBLINK": self.sublink,
            "FIELDSELECT": self.field,
            "FUNCEXPR": self.call,
            "OPEXPR": self.operation,
            "NULLIFEXPR": lambda node, scope: self.holds(node.items("args")[0], scope),
            "AGGREF": self.aggregate,
            "WINDOWFUNC": self.window,
        }

    def holds(self, value: Value, scope: Scope) -> Holds:
        """Returns what the value of an expression is made of. Raises TreeError."""
        if isinstance(value, list):
            return self.union(value, scope)
        if not isinstance(value, Node):
            return Holds.NOTHING
        name = value.name
        if name in self.methods:
            return self.methods[name](value, scope)
        if name in SAME_AS:
            return self.holds(value.child(SAME_AS[name]), scope)
        if name in ONE_OF:
            return self.union(value.items(ONE_OF[name]), scope)
        if name in COMPUTED:
            return self.part_of([value.fields.get(field) for field in COMPUTED[name]], scope)
        if name in UNRELATED:
            return Holds.OTHER
        raise TreeError(f"unknown node {name}")

    def union(self, values: Sequence[Value], scope: Scope) -> Holds:
        """Returns what several expressions hold together."""
        result = Holds.NOTHING
        for value in values:
            result |= self.holds(value, scope)
        return result

    # Columns -----------------------------------------------------------------------------------------------------

    def variable(self, var: Node, scope: Scope) -> Holds:
        """Returns what a column in a query holds."""
        outer = scope.outside(var.number("varlevelsup"))
        return self.column_of_entry(entry_of(outer.queries[-1], var.number("varno")), var.number("varattno"), outer)

    def column_of_entry(self, entry: Node, number: int, scope: Scope) -> Holds:
        """Returns what a column of an entry of the range table holds. Number 0 is the whole row."""
        if number == WHOLE_ROW:
            numbers = range(1, len(eref_names(entry)) + 1)
            has_key = any(self.column_of_entry(entry, n, scope) & CARRIES for n in numbers)
            return Holds.ROW if has_key else Holds.OTHER
        if number < 0:
            return Holds.OTHER
        subquery = entry.child("subquery")
        if subquery is not None:
            return self.column(subquery, scope, number)
        for field in ("joinaliasvars", "groupexprs"):
            if entry.items(field):
                return self.holds(pick(entry.items(field), number), scope)
        if entry.items("values_lists"):
            return self.union([pick(row, number) for row in entry.items("values_lists")], scope)
        if entry.items("functions"):
            return self.column_of_functions(entry, number, scope)
        if entry.fields.get("ctename") is not None:
            query, outer = self.common_table(entry, scope)
            return self.column(query, outer, number)
        if entry.fields.get("relid") not in (None, "0"):
            return Holds.KEY if (entry.number("relid"), number) in self.keys else Holds.COLUMN
        table = entry.child("tablefunc")
        if table is not None:  # XMLTABLE, JSON_TABLE
            return self.part_of(table.child("docexpr"), scope)
        if entry.fields.get("enrname") is not None:
            return Holds.OTHER
        raise TreeError(f"unknown kind {entry.fields.get('rtekind')} of a table in FROM")

    def common_table(self, entry: Node, scope: Scope) -> tuple[Node, Scope]:
        """Returns the query of a CTE, and the scope that contains it."""
        outer = scope.outside(entry.number("ctelevelsup"))
        for item in outer.queries[-1].nodes("cteList"):
            query = item.child("ctequery")
            if item.text("ctename") == entry.text("ctename") and query is not None:
                return query, outer
        raise TreeError(f"there is no WITH {entry.text('ctename')}")

    def column(self, query: Node, scope: Scope, number: int) -> Holds:
        """Returns what a column of the result of a query in `scope` holds. A recursive query adds nothing to itself."""
        column = (id(query), number)
        if column in self.known:
            return self.known[column]
        if column in self.open:
            self.loops += 1
            return Holds.NOTHING
        before = self.loops
        self.open.add(column)
        try:
            result = self.column_afresh(query, scope.inside(query), number)
        finally:
            self.open.discard(column)
        if self.loops == before:
            self.known[column] = result
        return result

    def column_afresh(self, query: Node, scope: Scope, number: int) -> Holds:
        """Returns what a column of the result of a query holds. The scope is that of what the query contains."""
        if query.child("setOperations") is not None:
            result = Holds.NOTHING
            for leaf in leaves_of(query):
                result |= self.column(leaf, scope, number)
            return result
        for entry in outputs_of(query):
            if entry.number("resno") == number:
                return self.holds(entry.child("expr"), scope)
        return Holds.OTHER  # SEARCH and CYCLE add columns

    def column_of_functions(self, entry: Node, number: int, scope: Scope) -> Holds:
        """Returns what a column of functions in FROM holds. Each function has some of the columns."""
        for function in entry.nodes("functions"):
            count = function.number("funccolcount")
            if number <= count:
                call = function.child("funcexpr")
                table = self.table_of_type(call)
                if table is not None:
                    return Holds.KEY if (table, number) in self.keys else Holds.COLUMN
                return self.holds(call, scope) if count == 1 else self.part_of(call, scope)
            number -= count
        return Holds.OTHER  # the column of WITH ORDINALITY

    def part_of(self, value: Value, scope: Scope) -> Holds:
        """Returns what a value holds that is computed from others, or taken out of a document."""
        held = self.holds(value, scope)
        return Holds.DERIVED if held & CARRIES else held if held == Holds.CONSTANT else Holds.OTHER

    def table_of_type(self, node: Optional[Node]) -> Optional[int]:
        """Returns the table whose row type a value has."""
        for field in TYPE_FIELDS:
            if node is not None and field in node.fields:
                return self.facts.row_types.get(node.number(field))
        return None

    # Expressions -------------------------------------------------------------------------------------------------

    def parameter(self, node: Node, scope: Scope) -> Holds:
        """Returns what a parameter holds: an argument of a function, or a column of a sub-select."""
        kind, number = node.text("paramkind"), node.number("paramid")
        if kind == PARAM_SUBLINK and scope.chosen is not None:
            query, outer = scope.chosen
            return self.column(query, outer, number)
        if kind == PARAM_MULTIEXPR:
            for entry in scope.queries[-1].nodes("targetList") if scope.queries else []:
                link = entry.child("expr")
                if link is not None and link.name == "SUBLINK" and link.number("subLinkId") == number >> 16:
                    return self.column(self.subselect(link), scope, number & 0xFFFF)
        if kind in (PARAM_EXTERN, PARAM_MULTIEXPR):
            return Holds.ROW if self.table_of_type(node) in self.tables else Holds.OTHER
        raise TreeError(f"unknown kind {kind} of a parameter")

    def subselect(self, link: Node) -> Node:
        """Returns the query of a sub-select."""
        query = link.child("subselect")
        if query is None:
            raise TreeError("a sub-select without a query")
        return query

    def sublink(self, node: Node, scope: Scope) -> Holds:
        """Returns what a sub-select holds: (SELECT …) and ARRAY (SELECT …) its first column; others are conditions."""
        if node.text("subLinkType") in (EXPR_SUBLINK, ARRAY_SUBLINK):
            return self.column(self.subselect(node), scope, 1)
        return Holds.OTHER

    def field(self, node: Node, scope: Scope) -> Holds:
        """Returns what a field of a row holds, as in (o).id."""
        arg, number = node.child("arg"), node.number("fieldnum")
        if arg is not None and arg.name == "ROWEXPR":
            return self.holds(pick(arg.items("args"), number), scope)
        if arg is not None and arg.name == "VAR" and arg.number("varattno") == WHOLE_ROW:
            outer = scope.outside(arg.number("varlevelsup"))
            return self.column_of_entry(entry_of(outer.queries[-1], arg.number("varno")), number, outer)
        table = self.table_of_type(arg)
        if table is not None:
            return Holds.KEY if (table, number) in self.keys else Holds.COLUMN
        return Holds.DERIVED if self.holds(arg, scope) & CARRIES else Holds.OTHER

    def call(self, node: Node, scope: Scope) -> Holds:
        """Returns what the call of a function holds, by which PostgreSQL also casts."""
        args = node.items("args")
        if node.text("funcformat") in CASTS and args:  # a cast
            return self.holds(args[0], scope)
        return self.result(self.facts.routines.get(node.number("funcid")), args, scope)

    def operation(self, node: Node, scope: Scope) -> Holds:
        """Returns what the result of an operator holds."""
        operator = self.facts.operators.get(node.number("opno"))
        if operator is None:
            raise TreeError(f"there is no operator {node.number('opno')}")
        if operator.result == BOOLEAN:
            return Holds.OTHER
        if operator.name in ("->", "->>"):
            picked = self.picked(node.items("args"), scope)
            if picked is not None:
                return picked
        result = self.result(self.facts.routines.get(operator.function), node.items("args"), scope)
        return Holds.DERIVED if result & Holds.CALLED else result

    def picked(self, args: list[Value], scope: Scope) -> Optional[Holds]:
        """Returns what to_jsonb(row) -> 'column' holds, or None if the expression is no such one."""
        call, constant = args
        if not (isinstance(call, Node) and call.name == "FUNCEXPR" and isinstance(constant, Node)):
            return None
        row, name = call.items("args")[0] if call.items("args") else None, text_of(constant)
        if not (isinstance(row, Node) and row.name == "VAR" and row.number("varattno") == WHOLE_ROW) or name is None:
            return None
        outer = scope.outside(row.number("varlevelsup"))
        entry = entry_of(outer.queries[-1], row.number("varno"))
        names = self.names(entry)
        return self.column_of_entry(entry, names.index(name) + 1, outer) if name in names else Holds.OTHER

    def names(self, entry: Node) -> list[str]:
        """Returns the names of the columns of an entry of the range table. The tree has those that tables had once."""
        table = entry.fields.get("relid")
        if entry.child("subquery") is None and isinstance(table, str) and int(table) in self.facts.columns:
            return self.facts.columns[int(table)]
        return [name if isinstance(name, str) else "" for name in eref_names(entry)]

    def aggregate(self, node: Node, scope: Scope) -> Holds:
        """Returns what the result of an aggregate holds."""
        routine = self.facts.routines.get(node.number("aggfnoid"))
        if node.text("aggkind") == AGGKIND_HYPOTHETICAL:
            return Holds.OTHER
        return self.result(routine, node.items("args"), scope)

    def window(self, node: Node, scope: Scope) -> Holds:
        """Returns what the result of a window function holds."""
        return self.result(self.facts.routines.get(node.number("winfnoid")), node.items("args"), scope)

    def result(self, routine: Optional[Routine], args: list[Value], scope: Scope) -> Holds:
        """Returns what the result of a function holds."""
        held = [self.holds(arg, scope) for arg in args]
        together = Holds.NOTHING
        for part in held:
            together |= part
        if routine is not None and routine.name in ("min", "max"):  # also those of extensions
            return together
        if routine is None or not routine.is_builtin:
            return Holds.CALLED if together & (CARRIES | Holds.CALLED) else Holds.OTHER
        polymorphic = [n for n in range(len(held)) if routine.is_polymorphic(n)]
        if polymorphic and routine.result in POLYMORPHIC:  # it consists of these arguments
            return self.union([args[n] for n in polymorphic], scope)
        counts = routine.result_category == "N" and (polymorphic or ANY in routine.arguments)
        if routine.result == BOOLEAN or counts:  # as array_length() and count() do
            return Holds.OTHER
        if together & CARRIES:
            return Holds.DERIVED
        # Functions that take rows out of a document are not immutable.
        if (routine.is_immutable or routine.name.startswith("json")) and held and together == Holds.CONSTANT:
            return Holds.CONSTANT
        return together & ~Holds.CONSTANT or Holds.OTHER


def pick(row: Value, number: int) -> Value:
    """Returns a member of a list, counted from 1."""
    if not isinstance(row, list) or not 1 <= number <= len(row):
        raise TreeError(f"there is no column {number}")
    return row[number - 1]


def text_of(constant: Node) -> Optional[str]:
    """Returns the value of a constant of type text, or None. Four bytes in front of it contain the length."""
    value = constant.fields.get("constvalue")
    if constant.name != "CONST" or not isinstance(value, Datum) or constant.number("consttype") not in TEXT_TYPES:
        return None
    return value.data[4:].decode(errors="replace")
