"""Prints a piece of a tree as SQL, to be read: what this module does not print is an ellipsis.

The name of a node leads to the method, or to the entry of a table, that prints it.
"""

from __future__ import annotations

from typing import Callable, Optional

from pgkid.ctl.beside.enums import CASTS, COERCE_EXPLICIT_CAST, IS_GREATEST, PARAM_EXTERN
from pgkid.ctl.beside.facts import BOOLEAN, OID, UUID, WIDTHS, Facts
from pgkid.ctl.beside.holds import SAME_AS, Scope, Values, entry_of, pick, text_of
from pgkid.ctl.beside.nodetree import Datum, Node, TreeError, Value


# The words of SQLVALUEFUNCTION are not printed: no finding is about them.
LISTS = {"COALESCEEXPR": "COALESCE({})", "ROWEXPR": "ROW({})", "NULLIFEXPR": "NULLIF({})"}
ELLIPSIS = "…"
UNKNOWN = 705  # the type of a literal whose type does not matter; it ends with a zero byte


class Printer:
    """Prints expressions of one definition"""

    def __init__(self, facts: Facts, values: Values) -> None:
        self.facts = facts
        self.values = values
        self.methods: dict[str, Callable[[Node, Scope], str]] = {
            "VAR": self.variable,
            "CONST": lambda node, scope: self.constant(node),
            "PARAM": self.parameter,
            "CASETESTEXPR": lambda node, scope: self.show(*scope.tested) if scope.tested else ELLIPSIS,
            "COERCETODOMAINVALUE": lambda node, scope: "VALUE",
            "OPEXPR": self.operation,
            "DISTINCTEXPR": lambda node, scope: " IS DISTINCT FROM ".join(self.each(node.items("args"), scope)),
            "SCALARARRAYOPEXPR": self.array_operation,
            "FUNCEXPR": self.call,
            "AGGREF": lambda node, scope: self.function(node, "aggfnoid", scope),
            "WINDOWFUNC": lambda node, scope: self.function(node, "winfnoid", scope),
            "ARRAYEXPR": lambda node, scope: f"ARRAY[{', '.join(self.each(node.items('elements'), scope))}]",
            "MINMAXEXPR": self.extreme,
            "FIELDSELECT": self.field,
            "SUBLINK": lambda node, scope: "(SELECT …)",
            "CASEEXPR": lambda node, scope: "CASE … END",
        }

    def show(self, value: Value, scope: Scope) -> str:
        """Returns an expression as SQL."""
        if isinstance(value, list):
            return ", ".join(self.each(value, scope))
        if not isinstance(value, Node):
            return "NULL"
        name = value.name
        if name in self.methods:
            return self.methods[name](value, scope)
        if name in LISTS:
            return LISTS[name].format(", ".join(self.each(value.items("args"), scope)))
        if name in SAME_AS:
            text = self.show(value.child(SAME_AS[name]), scope)
            form = value.fields.get("relabelformat") or value.fields.get("coerceformat")
            return self.cast(text, value) if form == COERCE_EXPLICIT_CAST else text
        return ELLIPSIS

    def each(self, values: list[Value], scope: Scope) -> list[str]:
        """Returns several expressions as SQL."""
        return [self.show(value, scope) for value in values]

    def cast(self, text: str, node: Node) -> str:
        kind = node.fields.get("resulttype") or node.fields.get("funcresulttype")
        name = self.facts.types.get(int(kind), "?") if isinstance(kind, str) else "?"
        return f"{text}::{name}" if text.replace("_", "a").replace(".", "a").isalnum() else f"({text})::{name}"

    def variable(self, var: Node, scope: Scope) -> str:
        outer = scope.outside(var.number("varlevelsup"))
        query, number = outer.queries[-1], var.number("varattno")
        entry = entry_of(query, var.number("varno"))
        if number < 0:
            return "a system column"
        if entry.items("groupexprs"):
            return self.show(pick(entry.items("groupexprs"), number), outer)
        names, table = self.values.names(entry), alias_of(entry)
        name = names[number - 1] if 0 < number <= len(names) else "*"
        others = [e for e in query.nodes("rtable") if not e.items("groupexprs") and alias_of(e) not in ("old", "new")]
        return f"{table}.{name}" if table and (name == "*" or table in ("old", "new") or len(others) > 1) else name

    def constant(self, node: Node) -> str:
        value, kind = node.fields.get("constvalue"), node.number("consttype")
        text = text_of(node)
        if not isinstance(value, Datum):
            return "NULL"
        if kind in WIDTHS:
            width, order = WIDTHS[kind], self.facts.byteorder
            data = value.data[:width] if order == "little" else value.data[-width:]
            return str(int.from_bytes(data, order, signed=kind != OID))
        if kind == BOOLEAN:
            return "true" if any(value.data) else "false"
        if kind == UUID:
            digits = value.data.hex()
            return "'" + "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])) + "'"
        if kind == UNKNOWN:
            text = value.data.rstrip(b"\0").decode(errors="replace")
        if text is not None:
            return "'" + text.replace("'", "''") + "'"
        return f"'…'::{self.facts.types.get(kind, '?')}"

    def parameter(self, node: Node, scope: Scope) -> str:
        return f"${node.text('paramid')}" if node.text("paramkind") == PARAM_EXTERN else "(SELECT …)"

    def operation(self, node: Node, scope: Scope) -> str:
        operator = self.facts.operators.get(node.number("opno"))
        parts = self.each(node.items("args"), scope)
        name = operator.name if operator else "?"
        return f"{parts[0]} {name} {parts[1]}" if len(parts) == 2 else f"{name} {parts[0]}"

    def array_operation(self, node: Node, scope: Scope) -> str:
        operator = self.facts.operators.get(node.number("opno"))
        left, right = self.each(node.items("args"), scope)
        return f"{left} {operator.name if operator else '?'} {'ANY' if node.flag('useOr') else 'ALL'} ({right})"

    def call(self, node: Node, scope: Scope) -> str:
        form = node.text("funcformat")
        if form in CASTS and node.items("args"):
            text = self.show(node.items("args")[0], scope)
            return self.cast(text, node) if form == COERCE_EXPLICIT_CAST else text
        return self.function(node, "funcid", scope)

    def function(self, node: Node, field: str, scope: Scope) -> str:
        routine = self.facts.routines.get(node.number(field))
        return f"{routine.name if routine else '?'}({', '.join(self.each(node.items('args'), scope))})"

    def extreme(self, node: Node, scope: Scope) -> str:
        args = ", ".join(self.each(node.items("args"), scope))
        return f"{'GREATEST' if node.text('op') == IS_GREATEST else 'LEAST'}({args})"

    def field(self, node: Node, scope: Scope) -> str:
        arg = node.child("arg")
        table = self.values.table_of_type(arg)
        names = self.facts.columns.get(table, []) if table is not None else []
        number = node.number("fieldnum")
        name = names[number - 1] if 0 < number <= len(names) else ELLIPSIS
        return f"({self.show(arg, scope)}).{name}"


def alias_of(entry: Node) -> Optional[str]:
    """Returns the name that a query has for an entry of its range table."""
    eref = entry.child("eref")
    if eref is None:
        raise TreeError("a table in FROM has no name")
    name = eref.fields.get("aliasname")
    return name if isinstance(name, str) else None
