"""Finds out whether consumers stop at the swap, because the new default of the key ends what kid_track() began."""
from __future__ import annotations

from typing import Iterator

from psycopg import sql

from pgkid.ctl.findings import Finding
from pgkid.ctl.kid import is_plain
from pgkid.ctl.rekey import already
from pgkid.ctl.rekey.plan import Plan
from pgkid.ctl.steps import text

# What consumers read up to with the extension, which tracks only sequences, by the name that the user gives as --to
HORIZONS = {
    "kid64": "kid_horizon()",
    "kid53": "kid53_horizon()",
    "flake": "flake_horizon()",
    "uuid": "kid_uuidv7_horizon()",
    "bigint": "kid_horizon()::bigint",
}


def look(plan: Plan) -> Iterator[Finding]:
    """Yields the table if kid_track() tracks its key, unless the key is made by the same function as before."""
    found = plan.conn.execute(
        """
        SELECT split_part(encode(t.tgargs, 'escape'), chr(92) || '000', 5) = 't'
          FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
         WHERE t.tgrelid = %s AND t.tgname = 'kid_track' AND t.tgattr[0] = %s
               AND p.proname = 'kid_track_enter' AND p.pronamespace = to_regnamespace(%s)
        """,
        (plan.root.oid, plan.key.number, plan.keys.home),
    ).fetchone()
    if found is None or already.is_default(plan):
        return
    home, label = sql.SQL(plan.keys.home), plan.root.label
    message = "is tracked by kid_track(), which the swap ends: inserts go on, but consumers get an error and stop"
    if is_plain(plan.conn):
        more = ", reject => true" if found[0] else ""
        track = text(plan.conn, "SELECT {}.kid_track({}{});", home, label, sql.SQL(more))
        message += ", until you have called kid_track() again"
        hint = (
            f"After the swap, and after a way back, run SET lock_timeout = '2s'; {track} Try again until it succeeds."
        )
    else:
        untrack = text(plan.conn, "SELECT {}.kid_untrack({});", home, label)
        horizon = HORIZONS.get(plan.options.to)
        instead = (
            f"let consumers read up to {horizon}" if horizon else "stop the consumers, as such keys have no horizon"
        )
        hint = f"After the swap, {instead}. After `finish`, run {untrack}"
    if not plan.options.new_rows_only:
        hint += " The cursors of consumers then contain old keys."
    yield Finding("clients", label, message, hint=hint)
