"""What the copies of a move of rows have as the table had it when the move began.

Nothing gives the copies what others change in the table later. So a move whose table was changed is refused: rows could
be missing among the copies that the table has, for example after a foreign key with ON DELETE CASCADE was dropped.
"""
from __future__ import annotations

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, qualified
from pgkid.ctl.findings import Refused
from pgkid.ctl.partition import follow
from pgkid.ctl.partition.checks import of_partition
from pgkid.ctl.partition.plan import AGAIN, RowsPlan


def definitions(plan: RowsPlan) -> dict[str, str]:
    """Returns what the copies have from the table, and what the partition has of its own, by what messages call it."""
    source = qualified(plan.conn, plan.root.schema, plan.old_name)
    found = of_table(plan.conn, plan.root, source)
    if f"partition {source}" in found:  # Otherwise all that a table has is its own.
        found |= {finding.object: finding.definition for finding in of_partition(plan)}
    return found


def of_table(conn: Connection, root: catalog.Table, source: str) -> dict[str, str]:
    """Returns what belongs to a table, and the bounds of a partition.

    What was dropped and made again counts as another object, if it rejects or changes rows: they could do without it
    meanwhile.
    """
    rows = conn.execute(
        """
        SELECT format('column %%I', a.attname),
               row(a.attnum, format_type(a.atttypid, a.atttypmod), a.attcollation, a.attnotnull, a.attidentity,
                   a.attgenerated, pg_get_expr(d.adbin, d.adrelid), a.attstorage, a.attcompression, a.attstattarget,
                   ARRAY(SELECT o FROM unnest(a.attoptions) AS o WHERE o NOT LIKE 'pg\\_%%'))::text
          FROM pg_attribute AS a LEFT JOIN pg_attrdef AS d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
         WHERE a.attrelid = %(root)s AND a.attnum > 0 AND NOT a.attisdropped
        UNION ALL
        SELECT format('constraint %%I', k.conname),
               row(k.oid, regexp_replace(pg_get_constraintdef(k.oid), ' NOT VALID$', ''))::text
          FROM pg_constraint AS k
         WHERE k.conrelid = %(root)s AND k.contype IN ('c', 'f', 'p', 'u', 'x') AND k.conparentid = 0
               AND k.confrelid <> k.conrelid
        UNION ALL
        SELECT format('index %%s', i.indexrelid::regclass),
               row(CASE WHEN i.indisunique THEN i.indexrelid END, pg_get_indexdef(i.indexrelid))::text
          FROM pg_index AS i
         WHERE i.indrelid = %(root)s AND NOT EXISTS (
                   SELECT FROM pg_constraint AS k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x'))
        UNION ALL
        SELECT p.label, p.definition
          FROM pg_class AS c, LATERAL (VALUES
                   ('row-level security', row(c.relrowsecurity, c.relforcerowsecurity)::text),
                   ('replica identity', row(c.relreplident, ARRAY(
                       SELECT i.indexrelid FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisreplident))::text),
                   ('tablespace', c.reltablespace::text)) AS p (label, definition)
         WHERE c.oid = %(root)s
        UNION ALL
        SELECT format('partition %%s', c.oid::regclass), pg_get_expr(c.relpartbound, c.oid)
          FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid
         WHERE (i.inhparent, c.oid) = (%(root)s, to_regclass(%(source)s)::oid) AND NOT i.inhdetachpending
        """,
        {"root": root.oid, "source": source},
    ).fetchall()
    return {label: definition for label, definition in rows}


def refuse_changed(plan: RowsPlan) -> None:
    """Raises an error if the copies can lack what the table has now, or have what it has not."""
    if not plan.state:
        return
    before, now = plan.state.definitions, definitions(plan)
    changed = sorted(what for what in {*before, *now} if before.get(what) != now.get(what))
    if changed:
        raise Refused(f"changed in {plan.root.label} since the move of rows began: {', '.join(changed)}", AGAIN)
    follow.refuse_lost(plan)
