"""What differs in a dump because tables have left kid."""
from __future__ import annotations

import re
from typing import Optional

from pgkid.ctl.connection import in_statement
from pgkid.ctl.kid import TIME_OF
from pgkid.ctl.leave.defaults import is_generator, read_defaults
from pgkid.ctl.leave.plan import Plan
from pgkid.ctl.objects import Object
from pgkid.ctl.rehearsal import dumps


# Declarations of columns are lines of these. pg_dump makes some views in two steps, first with the types of columns.
DECLARE = ("TABLE", "FOREIGN TABLE", "TYPE", "DOMAIN", "VIEW")
# From PostgreSQL 18 on NOT NULL can have a name.
NOT_NULL = r'( CONSTRAINT ("([^"]|"")+"|[\w$]+))? NOT NULL( NO INHERIT)?'


class Expected:
    """Takes what was asked for from the lines of a dump."""

    def __init__(self, plan: Plan, given_up: frozenset[Object]) -> None:
        self.rewriter = plan.rewriter
        self.gone_entries = {entry for gone in given_up for entry in entries_of(gone)}
        self.gone_lines = {
            (gone.schema, gone.table, f"{word}{in_statement(plan.conn, gone.name)} ")
            for gone in given_up
            for kind, word in (("constraint", "CONSTRAINT "), ("column", ""))
            if gone.kind == kind
        }
        self.defaults: dict[tuple[str, str], list[str]] = {}
        self.sequences: set[tuple[str, str]] = set()
        self.names: set[tuple[str, str]] = set()
        for group in plan.groups:
            for d in read_defaults(plan, group):
                table = plan.table(d.column.table)
                self.names.add((table.schema, f"{table.name} {d.column.name}"))
                names = (d.column.name, d.sequence.name if d.sequence else "")
                name, sequence = plan.conn.execute("SELECT quote_ident(%s), quote_ident(%s)", names).fetchall()[0]
                self.defaults.setdefault((table.schema, table.name), []).append(name)
                if d.sequence:
                    self.sequences |= {d.sequence, (d.sequence.schema, f"SEQUENCE {sequence}")}
        self.without_default = {
            (d.schema, d.name)
            for group in plan.groups
            for d in (*group.core_domains, *(d for d in group.domains if d.default and is_generator(plan, d.default)))
        }
        home = re.escape(plan.kid.home)
        self.gone = re.compile(
            rf"^CREATE TRIGGER .* EXECUTE FUNCTION {home}\.kid_"
            r"|^ALTER TABLE .* ENABLE (ALWAYS |REPLICA )?TRIGGER (zz_)?kid_"
            rf"|^(ALTER TABLE .* ADD )?CONSTRAINT kid_time\w* CHECK \(.*{TIME_OF}"
        )
        self.is_plain = not plan.kid.is_extension

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
        if self.is_plain:
            # There kid's types are domains over bigint, and kid_track() lets everybody read sequences.
            text = dumps.without_casts(text)
            if text.startswith("GRANT SELECT ON SEQUENCE ") and text.endswith(" TO PUBLIC;"):
                return None
        if kind in DECLARE:
            text = self.rewriter.retyped(text)
            if kind == "DOMAIN" and (schema, name) in self.without_default:
                text = re.sub(r" DEFAULT .*?(?=;?$)", "", text)
            for column in self.defaults.get((schema, name), []):
                if text.startswith(column + " "):
                    text = re.sub(rf" DEFAULT .*?(?=({NOT_NULL})?$)", "", text)
        return text

    def is_given_up(self, entry: dumps.Entry, line: str) -> bool:
        """Returns whether a line is of something that is not made again."""
        kind, schema, name = entry
        if dumps.Entry(kind.split(" ")[0], schema, name) in self.gone_entries:
            return True
        return any((s, t) == (schema, name) and line.startswith(head) for s, t, head in self.gone_lines)


def entries_of(gone: Object) -> list[dumps.Entry]:
    """Returns the entry of an index, statistics or a constraint in a dump: the first word of its type, schema, name."""
    if gone.kind in ("index", "statistics"):
        return [dumps.Entry(gone.kind.upper(), gone.schema, gone.name)]
    return [dumps.Entry("CHECK", gone.schema, f"{gone.table} {gone.name}")] if gone.kind == "constraint" else []
