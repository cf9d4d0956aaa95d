"""Definitions that compare a key with a constant."""
from __future__ import annotations

from typing import Sequence

from pgkid.ctl.catalog import KeyColumn
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding


def look(conn: Connection, columns: Sequence[KeyColumn]) -> list[Finding]:
    """Returns a finding for each definition in which one of these columns meets a constant."""
    return []
