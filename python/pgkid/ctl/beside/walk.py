"""Walks the tree of a definition, and finds what stands beside a key: constants, casts, other columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum
from typing import Callable, Optional, Sequence

from pgkid.ctl.beside.enums import (
    AGGKIND_HYPOTHETICAL,
    CASTS,
    CMD_INSERT,
    CMD_MERGE,
    CMD_UPDATE,
    COERCE_EXPLICIT_CAST,
    COERCE_IMPLICIT_CAST,
    FRAMEOPTION_RANGE,
    WHOLE_ROW,
)
from pgkid.ctl.beside.facts import NARROW_TYPES, Column, Facts
from pgkid.ctl.beside.holds import (
    CARRIES,
    COMPUTED,
    ONE_OF,
    SAME_AS,
    UNRELATED,
    Holds,
    Scope,
    Values,
    entry_of,
    leaves_of,
    pick,
)
from pgkid.ctl.beside.nodetree import ERRORS, Node, TreeError, Value, nodes_in
from pgkid.ctl.beside.printer import Printer


class Kind(Enum):
    """What stands beside a key"""

    CONSTANT = "constant"  # it keeps its value, and means another row afterwards, or none
    UNKNOWN = "unknown"  # something that this program does not know
    COLUMN = "other column"  # one that holds no such key, such as a reference without a foreign key
    VALUE = "outside value"  # a parameter, a setting, the result of a function
    NARROW = "narrow cast"  # to a type that does not have all new keys: an error for some rows, or another key
    CAST = "cast"
    FUNCTION = "function"  # a constant in the same call of a function, or in a text
    ROW = "whole row"

    @property
    def stops(self) -> bool:
        """Tells whether somebody must look at the definition before the keys change."""
        return self in (Kind.CONSTANT, Kind.UNKNOWN, Kind.NARROW)

    @property
    def is_shown(self) -> bool:
        """Tells whether somebody must read the whole definition."""
        return self.stops or self is Kind.COLUMN


@dataclass(frozen=True)
class Piece:
    """A place in a definition, as SQL"""

    kind: Kind
    text: str


# Nodes that contain others, and need no rule of their own. Everything else that has no rule is unknown.
PLAIN = frozenset(
    "VAR CONST PARAM CASETESTEXPR COERCETODOMAINVALUE FIELDSELECT FROMEXPR JOINEXPR RANGETBLREF"
    " RANGETBLENTRY RTEPERMISSIONINFO RANGETBLFUNCTION TABLESAMPLECLAUSE TABLEFUNC ALIAS SORTGROUPCLAUSE GROUPINGSET"
    " WINDOWCLAUSE ROWMARKCLAUSE COMMONTABLEEXPR CTESEARCHCLAUSE CTECYCLECLAUSE SETOPERATIONSTMT ONCONFLICTEXPR"
    " INFERENCEELEM MERGEACTION WITHCHECKOPTION NOTIFYSTMT JSONFORMAT JSONRETURNING JSONBEHAVIOR JSONTABLEPATH"
    " JSONTABLEPATHSCAN JSONTABLESIBLINGJOIN PARTITIONBOUNDSPEC PARTITIONRANGEDATUM".split()
)
KNOWN = PLAIN | UNRELATED | frozenset(COMPUTED) | frozenset(SAME_AS) | frozenset(ONE_OF)

# Nodes for casts, with the field that tells whether the cast was written
CAST_NODES = {
    "RELABELTYPE": "relabelformat",
    "COERCEVIAIO": "coerceformat",
    "ARRAYCOERCEEXPR": "coerceformat",
    "COERCETODOMAIN": "coercionformat",
    "FUNCEXPR": "funcformat",
}

Text = Callable[[], str]  # prints a piece only if it is told


class Walk:
    """Walks the trees of one definition. `found` has the result."""

    def __init__(self, facts: Facts, keys: frozenset[Column]) -> None:
        self.facts = facts
        self.keys = keys
        self.values = Values(facts, keys)
        self.printer = Printer(facts, self.values)
        self.found: set[Piece] = set()
        self.unknown: set[str] = set()
        self.has_key = False
        self.rules: dict[str, Callable[[Node, Scope], None]] = {
            "QUERY": self.query,
            "OPEXPR": self.operation,
            "DISTINCTEXPR": lambda node, scope: self.compare(node, node.items("args"), scope),
            "NULLIFEXPR": lambda node, scope: self.compare(node, node.items("args"), scope),
            "SCALARARRAYOPEXPR": lambda node, scope: self.compare(node, node.items("args"), scope),
            "COALESCEEXPR": lambda node, scope: self.compare(node, node.items("args"), scope),
            "MINMAXEXPR": lambda node, scope: self.compare(node, node.items("args"), scope),
            "ARRAYEXPR": lambda node, scope: self.compare(node, node.items("elements"), scope),
            "ROWCOMPAREEXPR": self.rows,
            "CASEEXPR": self.case,
            "FUNCEXPR": lambda node, scope: self.call(node, "funcid", scope),
            "AGGREF": self.aggregate,
            "WINDOWFUNC": lambda node, scope: self.call(node, "winfnoid", scope),
            "RANGETBLENTRY": self.table,
            "VAR": self.variable,
        }

    def walk(self, value: Value, scope: Scope) -> None:
        """Looks at an expression or a query, and at all that it contains."""
        for node in nodes_in(value):
            if node.name not in KNOWN and node.name not in self.rules and node.name != "SUBLINK":
                self.unknown.add(f"node {node.name}")
            try:
                if node.name in self.rules:
                    self.rules[node.name](node, scope)
                if node.name in CAST_NODES:
                    self.cast(node, scope)
            except ERRORS as error:
                self.unknown.add(str(error))
            self.into(node, scope)

    def into(self, node: Node, scope: Scope) -> None:
        """Walks what a node contains, each part in its scope."""
        if node.name == "QUERY":
            scope = scope.inside(node)
        elif node.name == "CASEEXPR" and node.child("arg") is not None:
            self.walk(node.items("args"), replace(scope, tested=(node.child("arg"), scope)))
            self.walk([node.child("arg"), node.child("defresult")], scope)
            return
        elif node.name == "SUBLINK":
            query = node.child("subselect")
            self.walk(query, scope)
            self.walk(node.child("testexpr"), replace(scope, chosen=(query, scope)) if query else scope)
            return
        elif node.name == "ARRAYCOERCEEXPR":  # another field has the cast of an element
            self.walk(node.child("arg"), scope)
            return
        elif node.name in ("NULLTEST", "FIELDSELECT") and is_whole_row(node.child("arg")):
            self.has_key |= bool(self.values.holds(node.child("arg"), scope) & CARRIES)
            return
        for value in node.fields.values():
            if isinstance(value, (Node, list)):
                self.walk(value, scope)

    def note(self, kind: Kind, text: str) -> None:
        """Notes a place in the definition."""
        self.found.add(Piece(kind, text))

    # Comparisons -------------------------------------------------------------------------------------------------

    def compare(self, node: Node, parts: Sequence[Value], scope: Scope, text: Optional[Text] = None) -> None:
        """Finds what stands beside a key in expressions that are compared, or of which one is taken."""
        kind = kind_of([self.values.holds(part, scope) for part in parts])
        if kind is not None:
            self.note(kind, self.printer.show(node, scope) if text is None else text())

    def operation(self, node: Node, scope: Scope) -> None:
        """Looks at the operands of an operator, of rows pair by pair."""
        operator = self.facts.operators.get(node.number("opno"))
        args = node.items("args")
        if operator is None:
            raise TreeError(f"there is no operator {node.number('opno')}")
        if operator.name in ("->", "->>") and self.values.picked(args, scope) is not None:
            return
        if operator.makes_text:
            self.beside_in_call(node, args, scope)
        elif all(isinstance(arg, Node) and arg.name == "ROWEXPR" for arg in args):
            left, right = (arg.items("args") for arg in args if isinstance(arg, Node))
            for pair in zip(left, right):
                self.compare(node, pair, scope)
        else:
            self.compare(node, args, scope)

    def rows(self, node: Node, scope: Scope) -> None:
        """Looks at the pairs of a comparison of rows such as (a, b) < (c, d)."""
        for pair in zip(node.items("largs"), node.items("rargs")):
            self.compare(node, pair, scope, lambda: f"({self.printer.show(list(pair), scope)}) compared in rows")

    def case(self, node: Node, scope: Scope) -> None:
        """Looks at the results of CASE, one of which is its value."""
        results: list[Value] = [when.child("result") for when in node.nodes("args")]
        results.append(node.child("defresult"))
        given: list[Value] = [result for result in results if result is not None]
        self.compare(node, results, scope, lambda: f"CASE with the results {self.printer.show(given, scope)}")

    def cast(self, node: Node, scope: Scope) -> None:
        """Notes a cast of a key that was written, or that converts the value."""
        form = node.fields.get(CAST_NODES[node.name])
        is_conversion = node.name in ("COERCEVIAIO", "FUNCEXPR", "ARRAYCOERCEEXPR")
        arg = node.items("args")[0] if node.name == "FUNCEXPR" and node.items("args") else node.fields.get("arg")
        is_cast = form == COERCE_EXPLICIT_CAST or form == COERCE_IMPLICIT_CAST and is_conversion
        if is_cast and self.values.holds(arg, scope) & Holds.KEY:
            target = int(node.text("funcresulttype" if node.name == "FUNCEXPR" else "resulttype"))
            kind = Kind.NARROW if target in NARROW_TYPES else Kind.CAST
            self.note(kind, self.printer.cast(self.printer.show(arg, scope), node))

    def call(self, node: Node, field: str, scope: Scope) -> None:
        """Looks at the arguments of a function.

        The function of an operator compares as the operator does, and so do arguments of one polymorphic type.
        """
        args = node.items("args")
        routine = self.facts.routines.get(node.number(field))
        if node.fields.get("funcformat") in CASTS or len(args) < 2:
            return
        if routine is not None and routine.is_of_operator:
            self.compare(node, args, scope)
            return
        alike = [arg for n, arg in enumerate(args) if routine and routine.is_builtin and routine.is_polymorphic(n)]
        if len(alike) > 1:
            self.compare(node, alike, scope)
        self.beside_in_call(node, [arg for arg in args if arg not in alike or len(alike) < 2], scope)

    def beside_in_call(self, node: Node, args: Sequence[Value], scope: Scope) -> None:
        """Notes a call that gets a key and a constant."""
        held = [self.values.holds(arg, scope) for arg in args]
        if any(h & CARRIES for h in held) and any(h & Holds.CONSTANT and not h & CARRIES for h in held):
            self.note(Kind.FUNCTION, self.printer.show(node, scope))

    def aggregate(self, node: Node, scope: Scope) -> None:
        """Looks at the arguments of an aggregate. Those of a hypothetical row are compared with the rows."""
        args: list[Value] = list(node.nodes("args"))
        if node.text("aggkind") == AGGKIND_HYPOTHETICAL:
            for pair in zip(node.items("aggdirectargs"), args):
                self.compare(node, pair, scope)
            return
        self.beside_in_call(node, args, scope)

    def variable(self, node: Node, scope: Scope) -> None:
        """Notes that the definition has a key, or a whole row with one."""
        try:
            held = self.values.holds(node, scope)
        except TreeError:
            self.has_key = True  # perhaps
            raise
        self.has_key |= bool(held & CARRIES)
        if held & Holds.ROW:
            self.note(Kind.ROW, self.printer.show(node, scope))

    # Queries -----------------------------------------------------------------------------------------------------

    def table(self, entry: Node, scope: Scope) -> None:
        """Looks at the columns of VALUES."""
        rows = entry.items("values_lists")
        for number in range(1, 1 + (len(rows[0]) if rows and isinstance(rows[0], list) else 0)):
            parts = [pick(row, number) for row in rows]
            self.compare(entry, parts, scope, lambda: f"VALUES with {self.printer.show(parts, scope)}")

    def query(self, query: Node, scope: Scope) -> None:
        """Looks at what a query combines by UNION and the like, writes, and counts in windows with RANGE."""
        inside = scope.inside(query)
        if query.child("setOperations") is not None:
            leaves = leaves_of(query)
            for entry in query.nodes("targetList"):
                number = entry.number("resno")
                kind = kind_of([self.values.column(leaf, inside, number) for leaf in leaves])
                if kind is not None:
                    self.note(kind, f"column {entry.fields.get('resname')} of a set operation")
        self.writes(query, inside)
        for window in query.nodes("windowClause"):
            bounds = [window.child("startOffset"), window.child("endOffset")]
            for order in window.nodes("orderClause") if window.number("frameOptions") & FRAMEOPTION_RANGE else []:
                for entry in query.nodes("targetList"):
                    if entry.number("ressortgroupref") == order.number("tleSortGroupRef"):
                        expr = entry.child("expr")
                        self.compare(window, [expr, *bounds], inside, lambda: "RANGE with a constant")

    def writes(self, query: Node, scope: Scope) -> None:
        """Looks at the columns that INSERT, UPDATE and MERGE write."""
        command = query.text("commandType")
        if command not in (CMD_UPDATE, CMD_INSERT, CMD_MERGE) or query.number("resultRelation") == 0:
            return
        target = entry_of(query, query.number("resultRelation"))
        conflict = query.child("onConflict")
        entries = query.nodes("targetList") if command != CMD_MERGE else []
        entries = entries + (conflict.nodes("onConflictSet") if conflict else [])
        for action in query.nodes("mergeActionList"):
            entries += action.nodes("targetList")
        for entry in entries:
            if not entry.flag("resjunk"):
                self.written((target.number("relid"), entry.number("resno")), target, entry.child("expr"), scope)

    def written(self, column: Column, target: Node, expr: Optional[Node], scope: Scope) -> None:
        """Notes what is written into a key, and a key that is written into another column."""
        held = self.values.holds(expr, scope)
        names = self.values.names(target)
        name = names[column[1] - 1] if column[1] <= len(names) else str(column[1])
        text = f"{name} := {self.printer.show(expr, scope)}"
        kind = kind_of([Holds.KEY, held]) if column in self.keys else Kind.COLUMN if held & Holds.KEY else None
        if kind is not None:
            self.note(kind, text)


def kind_of(held: Sequence[Holds]) -> Optional[Kind]:
    """Returns what stands beside a key in parts that hold this, or None."""
    with_key = [h for h in held if h & CARRIES]
    without = [h for h in held if not h & CARRIES]
    if with_key and any(h & Holds.CONSTANT for h in without):
        return Kind.CONSTANT
    if any(h & Holds.KEY for h in with_key) and any(h & Holds.COLUMN for h in without):
        return Kind.COLUMN
    if any(h & Holds.KEY for h in with_key) and any(h & (Holds.OTHER | Holds.CALLED) for h in without):
        return Kind.VALUE
    if any(h & Holds.CALLED for h in held) and any(h & Holds.CONSTANT for h in held):
        return Kind.FUNCTION
    return None


def is_whole_row(node: Optional[Node]) -> bool:
    """Tells whether an expression is a whole row of a table."""
    return node is not None and node.name == "VAR" and node.number("varattno") == WHOLE_ROW


def pieces_of(walk: Walk) -> list[Piece]:
    """Returns what a walk has found, the most serious first."""
    found = set(walk.found)
    if walk.unknown and walk.has_key:
        found |= {Piece(Kind.UNKNOWN, text) for text in walk.unknown}
    order: tuple[Kind, ...] = tuple(Kind)
    return sorted(found, key=lambda piece: (order.index(piece.kind), piece.text))
