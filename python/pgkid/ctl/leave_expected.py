"""What differs in a dump because tables have left kid."""
from __future__ import annotations

import re
from typing import Optional

from pgkid.ctl import dumps
from pgkid.ctl.leave_change import family
from pgkid.ctl.leave_defaults import read_defaults
from pgkid.ctl.leave_plan import Plan

# Declarations of columns are lines of these. pg_dump makes some views in two steps, first with the types of columns.
DECLARE = ("TABLE", "FOREIGN TABLE", "TYPE", "DOMAIN", "VIEW")


class Expected:
    """Takes what was asked for from the lines of a dump."""

    def __init__(self, plan: Plan, given_up: frozenset[str]) -> None:
        self.rewriter, self.given_up = plan.rewriter, given_up
        self.defaults: dict[tuple[str, str], list[str]] = {}
        self.sequences: set[tuple[str, str]] = set()
        self.names: set[tuple[str, str]] = set()
        for group in plan.groups:
            for d in read_defaults(plan, group):
                table = plan.table(d.column.table)
                self.names.add((table.schema, f"{table.name} {d.column.name}"))
                names = (d.column.name, d.sequence[1] if d.sequence else "")
                name, sequence = plan.conn.execute("SELECT quote_ident(%s), quote_ident(%s)", names).fetchall()[0]
                self.defaults.setdefault((table.schema, table.name), []).append(name)
                if d.sequence:
                    self.sequences |= {d.sequence, (d.sequence[0], f"SEQUENCE {sequence}")}
        home = re.escape(plan.kid.home)
        self.gone = re.compile(
            rf"^CREATE TRIGGER .* EXECUTE FUNCTION {home}\.kid_"
            r"|^ALTER TABLE .* ENABLE (ALWAYS |REPLICA )?TRIGGER (zz_)?kid_"
            r"|^(ALTER TABLE .* ADD )?CONSTRAINT kid_time\w* CHECK \(.*kid_timestamp\("
        )
        self.generated = {
            (table.schema, table.name, label)
            for group in plan.groups
            for table in family(plan, group)
            for label in given_up
            if label.endswith(f" of {table.label}")
        }

    def line(self, entry: dumps.Entry, line: str) -> Optional[str]:
        """Returns a line without what was asked for, or None if it all was."""
        kind, schema, name = entry
        if (schema, name) in self.sequences or kind == "DEFAULT" and (schema, name) in self.names:
            return None
        if self.gone.match(line) or self.is_given_up(entry, line):
            return None
        text = self.rewriter.rewrite(line)
        if kind == "TABLE ATTACH":  # PostgreSQL compares rows with bounds; their values are those of another type
            text = re.sub(r" FOR VALUES .*", "", text)
        if kind in DECLARE:
            text = self.rewriter.retyped(text)
            for column in self.defaults.get((schema, name), []):
                if text.startswith(column + " "):
                    text = re.sub(r" DEFAULT .*?(?=( NOT NULL)?$)", "", text)
        return text

    def is_given_up(self, entry: dumps.Entry, line: str) -> bool:
        """Returns whether a line is of something that is not made again."""
        kind, schema, name = entry
        if f"{kind.lower()} {schema}.{name}" in self.given_up:
            return True
        return any(
            (s, t) == (schema, name) and line.startswith(label[len("column ") :].split(" ")[0] + " ")
            for s, t, label in self.generated
            if label.startswith("column ")
        )
