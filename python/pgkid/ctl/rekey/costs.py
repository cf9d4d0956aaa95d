"""Estimates the disk, WAL, time and locks that new keys for all rows of a table take."""
from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Iterator, Optional, Sequence

from pgkid.ctl.catalog import KeyColumn, read
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding


# What the fill did per second on a machine with 2 cores, with the default of --pause.
ROWS_PER_SECOND = 30000
LONG = 8 * 3600


@dataclass(frozen=True)
class Size:
    """What pg_class has from the last VACUUM or ANALYZE, and what the move adds at its peak"""

    rows: int
    bytes: int
    disk: int
    wal: int
    unknown: Optional[str]  # tables that were never analyzed
    bytes_shown: str
    disk_shown: str
    wal_shown: str
    is_partitioned: bool


# Assumes that no VACUUM makes room while rows are filled: then each row and each index entry has two versions. WAL
# contains an image of each page once. The primary key of a table that is no partition has two twins: one is for the way
# back. The bytes per row are measured.
SIZE = """
    WITH keys AS (SELECT * FROM unnest(%(tables)s::oid[], %(numbers)s::int[]) AS k (tab, num)),
    parts AS (
        SELECT c.oid, greatest(c.reltuples, 0)::bigint AS rows, c.reltuples < 0 AS is_unknown,
               c.relpages::bigint AS pages, x.pages AS indexes, x.twins
          FROM pg_catalog.pg_class AS c,
               LATERAL (SELECT coalesce(sum(r.relpages), 0)::bigint,
                               coalesce(sum(r.relpages * (1 + (i.indisprimary AND NOT c.relispartition)::int))
                                        FILTER (WHERE EXISTS (
                                            SELECT FROM keys AS k
                                             WHERE k.tab = c.oid AND k.num = ANY (i.indkey::smallint[]))), 0)::bigint
                          FROM pg_catalog.pg_index AS i JOIN pg_catalog.pg_class AS r ON r.oid = i.indexrelid
                         WHERE i.indrelid = c.oid) AS x (pages, twins)
         WHERE c.oid IN (SELECT tab FROM keys) AND c.relkind = 'r'
    ),
    sums AS (
        SELECT sum(rows) AS rows, coalesce(sum(rows) FILTER (WHERE oid = %(root)s), 0) AS keys,
               b.page * sum(pages) AS heap, b.page * sum(indexes) AS indexes, b.page * sum(twins) AS twins,
               string_agg(oid::regclass::text, ', ' ORDER BY oid) FILTER (WHERE is_unknown) AS unknown
          FROM parts, (SELECT pg_catalog.current_setting('block_size')::bigint) AS b (page) GROUP BY b.page
    )
    SELECT s.rows::bigint AS rows, e.bytes::bigint AS bytes, e.disk::bigint AS disk, e.wal::bigint AS wal, s.unknown,
           pg_catalog.pg_size_pretty(e.bytes) AS bytes_shown, pg_catalog.pg_size_pretty(e.disk) AS disk_shown,
           pg_catalog.pg_size_pretty(e.wal) AS wal_shown,
           EXISTS (SELECT FROM keys AS k JOIN pg_catalog.pg_class AS c ON c.oid = k.tab AND c.relkind = 'p')
               AS is_partitioned
      FROM sums AS s, LATERAL (SELECT s.heap + s.indexes, s.heap + s.indexes + s.twins + 90 * s.keys,
                                      2 * s.heap + s.indexes + s.twins + 300 * s.rows + 200 * s.keys)
                          AS e (bytes, disk, wal)"""


def size(conn: Connection, columns: Sequence[KeyColumn]) -> Size:
    """Returns the size of a move of some columns, the key first."""
    parameters = {
        "root": columns[0].table,
        "tables": [column.table for column in columns],
        "numbers": [column.number for column in columns],
    }
    return read(conn, Size, SIZE, parameters)[0]


def look(conn: Connection, columns: Sequence[KeyColumn]) -> Iterator[Finding]:
    """Yields what a move of all rows costs."""
    s = size(conn, columns)
    seconds = -(-s.rows // ROWS_PER_SECOND)
    yield Finding(
        "costs", "rows", f"{s.rows:,} in {len({c.table for c in columns})} tables, {s.bytes_shown} with indexes"
    )
    yield Finding("costs", "disk", f"{s.disk_shown} more at the peak, besides WAL")
    yield Finding("costs", "WAL", s.wal_shown)
    yield Finding("costs", "duration", f"{timedelta(seconds=seconds)} to fill at {ROWS_PER_SECOND:,} rows per second")
    also = " and builds unique indexes of partitioned tables" if s.is_partitioned else ""
    yield Finding(
        "costs",
        "locks",
        "ACCESS EXCLUSIVE in each step but fill, for less than a second each. The swap also makes"
        f" views again{also}.",
    )
    if s.unknown:
        yield Finding("costs", s.unknown, "never analyzed, so these figures are too low", hint=f"ANALYZE {s.unknown};")
    elif seconds > LONG:
        hint = "Consider --new-rows-only, which takes a moment."
        yield Finding("costs", "duration", "the fill takes longer than a night", hint=hint)
