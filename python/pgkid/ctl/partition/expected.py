"""What differs in a dump because a table became the first partition of a new one."""
from __future__ import annotations

import re
from typing import Optional

from pgkid.ctl import catalog
from pgkid.ctl.partition.plan import Plan
from pgkid.ctl.rehearsal import dumps


# What partitions bring. Rights, policies and triggers are not among it: they belong to the table alone.
KINDS = (
    "TABLE",
    "TABLE ATTACH",
    "INDEX",
    "INDEX ATTACH",
    "CONSTRAINT",
    "FK CONSTRAINT",
    "ROW SECURITY",
    "COMMENT",
    "DEFAULT",
)


# What a table can have beside that
OF_TABLES = ("ACL", "CHECK CONSTRAINT", "POLICY", "RULE", "TRIGGER")


class Expected:
    """Takes what was asked for from the lines of a dump."""

    def __init__(self, plan: Plan) -> None:
        self.before = set(dumps.dump(plan.conn))
        self.root = (plan.root.schema, plan.root.name)

    def line(self, entry: dumps.Entry, line: str) -> Optional[str]:
        """Returns a line without what was asked for, or None if it all was."""
        kind, schema, name = entry
        if entry not in self.before:
            return None if kind in KINDS else line
        if kind.endswith(" ATTACH") or "CLUSTER ON" in line:
            return None  # The first partition keeps what is of its rows.
        if kind == "TABLE" and (schema, name) == self.root and re.match(r"\)|WITH \(|PARTITION BY ", line):
            return None
        return line.replace("ALTER TABLE ONLY ", "ALTER TABLE ").replace(" ON ONLY ", " ON ")


class ExpectedOfRows:
    """Takes from the lines of a dump what partitions have that come or go when rows move."""

    def __init__(self, plan: Plan) -> None:
        self.before = set(dumps.dump(plan.conn))
        self.schema, self.gone = plan.root.schema, plan.old_name
        partition = catalog.table(plan.conn, plan.old_label)
        names = [partition.name, *(index.name for index in catalog.indexes(plan.conn, [partition.oid]))]
        # Comments name them as statements do.
        self.parts = {*names, *(name.replace('"', '""') for name in names)}

    def is_gone(self, entry: dumps.Entry) -> bool:
        """Returns whether an entry is of the dropped partition. Views and functions can only have such a name."""
        kind, schema, name = entry
        if schema != self.schema or kind not in (*KINDS, *OF_TABLES):
            return False
        return name == self.gone if kind.startswith("TABLE") else any(part in name for part in self.parts)

    def line(self, entry: dumps.Entry, line: str) -> Optional[str]:
        """Returns a line, or None if it belongs to such a partition."""
        return None if entry.kind in KINDS and entry not in self.before or self.is_gone(entry) else line
