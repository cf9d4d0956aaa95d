"""What somebody must know before a move, beside what the rehearsal finds."""
from __future__ import annotations

from typing import Optional, Sequence

from pgkid.ctl.catalog import KeyColumn
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding


def look(conn: Connection, columns: Sequence[KeyColumn], time: Optional[str], new_rows_only: bool) -> list[Finding]:
    """Returns what `check` tells: functions, references without foreign keys, narrow columns, clients, costs."""
    return []
