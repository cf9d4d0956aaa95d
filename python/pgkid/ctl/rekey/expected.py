"""What differs in a dump because rows got new keys."""
from __future__ import annotations

import re
from typing import Optional

from pgkid.ctl.connection import in_statement, scalar
from pgkid.ctl.rehearsal import dumps
from pgkid.ctl.rekey.finish import index_name
from pgkid.ctl.rekey.plan import Plan


class Expected:
    """Takes what was asked for from the lines of a dump: the types of keys, and what makes them."""

    def __init__(self, plan: Plan) -> None:
        self.keys: dict[tuple[str, str], list[str]] = {}
        for column in plan.columns:
            table = plan.table(column.table)
            name = in_statement(plan.conn, column.name)
            self.keys.setdefault((table.schema, table.name), []).append(name)
        self.default = (plan.root.schema, f"{plan.root.name} {plan.key.name}")
        self.sequences = {
            (row[0], name)
            for row in plan.conn.execute(
                "SELECT n.nspname, c.relname, 'SEQUENCE ' || quote_ident(c.relname) FROM pg_depend AS d"
                " JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'S'"
                " JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE d.refobjid = %s AND d.refobjsubid = %s"
                " AND d.refclassid = 'pg_class'::regclass AND d.deptype IN ('a', 'i')",
                (plan.root.oid, plan.key.number),
            )
            for name in row[1:]
        }
        self.old_name, self.kept = None, set[dumps.Entry]()
        if plan.options.old_name:
            root, kept = plan.root, plan.options.old_name
            self.old_name = in_statement(plan.conn, kept)
            self.kept = {
                dumps.Entry("TABLE", root.schema, root.name),
                dumps.Entry("DEFAULT", root.schema, f"{root.name} {kept}"),
                dumps.Entry("INDEX", root.schema, index_name(plan)),
            }
        # In plain SQL, the types of kid are domains over bigint.
        self.is_domain = scalar(
            plan.conn, "SELECT typtype = 'd' FROM pg_type WHERE oid = to_regtype(%s)::oid", (plan.keys.new_type,)
        )
        self.types = re.compile(
            "NULL::(?:" + "|".join(map(re.escape, (plan.keys.old_type, plan.keys.new_type))) + ") AS"
        )

    def line(self, entry: dumps.Entry, line: str) -> Optional[str]:
        """Returns a line without what was asked for, or None if it all was."""
        kind, schema, name = entry
        if self.is_domain:
            line = dumps.without_casts(line)
        if kind == "DEFAULT" and (schema, name) == self.default:
            return None
        if entry in self.kept and (kind != "TABLE" or line.startswith(f"{self.old_name} ")):
            return None
        if (schema, name) in self.sequences:
            return None
        if kind == "VIEW":  # pg_dump makes some views in two steps, first with the types of columns alone
            return self.types.sub("NULL AS", line)
        if kind == "STATISTICS":  # PostgreSQL orders columns by their number
            return re.sub(" ON (.*) FROM ", lambda on: " ON " + ", ".join(sorted(on[1].split(", "))) + " FROM ", line)
        if kind == "TABLE":
            for key in self.keys.get((schema, name), []):
                if line.startswith(key + " "):
                    return f"{key} NOT NULL" if "NOT NULL" in line else key
        return line
