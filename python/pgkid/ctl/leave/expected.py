"""What differs in a dump because tables have left kid."""
from __future__ import annotations

import re
from typing import Optional

from pgkid.ctl.connection import in_statement
from pgkid.ctl.kid import TIME_OF
from pgkid.ctl.leave.defaults import Default, is_generator, read_defaults
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
        self.rewriter, self.is_plain = plan.rewriter, not plan.kid.is_extension
        self.goes_with_kid = pattern_of_kid(plan.kid.home)
        self.gone_entries = {entry for gone in given_up for entry in entries_of(gone)}
        # A constraint or a column is a line of the entry of its table: of which one, and how the line begins.
        self.gone_lines: set[tuple[str, str, str]] = set()
        for gone in given_up:
            name = in_statement(plan.conn, gone.name)
            if gone.kind == "constraint":
                self.gone_lines.add((gone.schema, gone.table, f"CONSTRAINT {name} "))
            elif gone.kind == "column":
                self.gone_lines.add((gone.schema, gone.table, f"{name} "))
        self.columns: dict[tuple[str, str], list[str]] = {}  # of each table, those whose default changes
        self.defaults: set[tuple[str, str]] = set()  # the names of entries for such defaults
        self.sequences: set[tuple[str, str]] = set()  # the names of entries for new sequences
        for group in plan.groups:
            for d in read_defaults(plan, group):
                self.note_default(plan, d)
        self.domains_without_default: set[tuple[str, str]] = set()
        for group in plan.groups:
            makers = [d for d in group.domains if d.default and is_generator(plan, d.default)]
            self.domains_without_default |= {(d.schema, d.name) for d in (*group.core_domains, *makers)}

    def note_default(self, plan: Plan, d: Default) -> None:
        """Notes what a dump has for a default that changes."""
        table = plan.table(d.column.table)
        column = in_statement(plan.conn, d.column.name)
        self.columns.setdefault((table.schema, table.name), []).append(column)
        self.defaults.add((table.schema, f"{table.name} {d.column.name}"))
        if d.sequence:
            sequence = in_statement(plan.conn, d.sequence.name)
            self.sequences |= {d.sequence, (d.sequence.schema, f"SEQUENCE {sequence}")}

    def line(self, entry: dumps.Entry, line: str) -> Optional[str]:
        """Returns a line without what was asked for, or None if it all was."""
        kind, schema, name = entry
        if (schema, name) in self.sequences or kind == "DEFAULT" and (schema, name) in self.defaults:
            return None
        if self.goes_with_kid.match(line) or self.is_given_up(entry, line):
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
            text = self.without_default(entry, self.rewriter.retyped(text))
        return text

    def without_default(self, entry: dumps.Entry, text: str) -> str:
        """Returns a line of a declaration without a default that changes."""
        kind, schema, name = entry
        if kind == "DOMAIN" and (schema, name) in self.domains_without_default:
            return re.sub(r" DEFAULT .*?(?=;?$)", "", text)
        if any(text.startswith(f"{column} ") for column in self.columns.get((schema, name), [])):
            return re.sub(rf" DEFAULT .*?(?=({NOT_NULL})?$)", "", text)
        return text

    def is_given_up(self, entry: dumps.Entry, line: str) -> bool:
        """Returns whether a line is of something that is not made again."""
        kind, schema, name = entry
        if dumps.Entry(kind.split(" ")[0], schema, name) in self.gone_entries:
            return True
        return any((s, t) == (schema, name) and line.startswith(head) for s, t, head in self.gone_lines)


def pattern_of_kid(home: str) -> re.Pattern[str]:
    """Returns a pattern of the lines about what goes with kid: its triggers, and CHECKs that only help the planner."""
    trigger = rf"CREATE TRIGGER .* EXECUTE FUNCTION {re.escape(home)}\.kid_"
    state_of_trigger = r"ALTER TABLE .* ENABLE (ALWAYS |REPLICA )?TRIGGER (zz_)?kid_"
    time_check = rf"(ALTER TABLE .* ADD )?CONSTRAINT kid_time\w* CHECK \(.*{TIME_OF}"
    return re.compile("|".join((trigger, state_of_trigger, time_check)))


def entries_of(gone: Object) -> list[dumps.Entry]:
    """Returns the entry of an index, statistics or a constraint in a dump: the first word of its type, schema, name."""
    if gone.kind in ("index", "statistics"):
        return [dumps.Entry(gone.kind.upper(), gone.schema, gone.name)]
    return [dumps.Entry("CHECK", gone.schema, f"{gone.table} {gone.name}")] if gone.kind == "constraint" else []
