"""Copies rows of the partition: block by block, and once more those that the triggers have noted.

The head of follow.py says which rules both keep, so that in the end the copies are the rows.
"""
from __future__ import annotations

from psycopg import errors, sql

from pgkid.ctl.connection import scalar
from pgkid.ctl.objects import of_table
from pgkid.ctl.partition.shadow import Shadow
from pgkid.ctl.steps import Statement, statement


def hold(shadow: Shadow) -> Statement:
    """Returns the statement that holds the rows in their blocks until the transaction ends.

    The lock of the partition is taken before INSERT takes that of the copies. VACUUM FULL, CLUSTER and some forms of
    ALTER TABLE wait for it. They write the rows anew, in other blocks.
    """
    return statement("LOCK TABLE ONLY {} IN ROW SHARE MODE", shadow.source.sql)


def empty(shadow: Shadow) -> Statement:
    """Returns the statement that removes all copies, so that all blocks can be copied anew.

    The partition is locked against writers. Some of them may have an older snapshot: then they see no copies either,
    and note what they change.
    """
    return statement("TRUNCATE {}", shadow.table)


def copy(shadow: Shadow, block: int, blocks: int) -> Statement:
    """Returns the statement that copies the rows of some blocks, and keeps writers from changing them meanwhile."""
    return statement(
        """INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE
SELECT {} FROM ONLY {} WHERE ctid >= {}::tid AND ctid < {}::tid FOR SHARE ON CONFLICT DO NOTHING""",
        shadow.table,
        shadow.names,
        shadow.names,
        shadow.source.sql,
        f"({block},0)",
        f"({block + blocks},0)",
        about=of_table(shadow.source, "rows of"),
    )


def copy_noted(shadow: Shadow) -> bool:
    """Copies once more the rows whose IDs are noted. Returns whether there were any, or may be some still."""
    if not scalar(shadow.plan.conn, sql.SQL("SELECT EXISTS (SELECT FROM {})").format(shadow.noted)):
        return False
    try:
        with shadow.plan.conn.transaction():
            copy_taken(shadow)
    except (errors.LockNotAvailable, errors.DeadlockDetected):
        pass
    return True


def copy_taken(shadow: Shadow) -> None:
    """Copies once more the rows whose IDs are noted now, and forgets these notes.

    Each statement sees what others have committed before it. So the first one marks the notes that the others mean: a
    note that is committed later stays, and is for the next time. The second one waits for the writers of these rows,
    and keeps others from changing the rows. Meanwhile a writer can still insert a row with an ID of a row that he or
    another one has deleted. If his transaction ends before the last INSERT, his trigger has made a copy, or a note that
    stays. Then ON CONFLICT leaves the copy as it is. FOR SHARE locks his row, so that the copy is not of a row that
    another one has just deleted. Its writer could wait for the DELETE, and so kidctl waits for him only for a moment.
    """
    run = shadow.runner.execute
    taken = sql.SQL("EXISTS (SELECT FROM {} AS n WHERE n.is_taken AND n.id OPERATOR({}.=) s.{})").format(
        shadow.noted, sql.Identifier(shadow.plan.operators), shadow.plan.key.sql
    )
    run(statement("UPDATE {} SET is_taken = true", shadow.noted))
    run(statement("SELECT FROM ONLY {} AS s WHERE {} FOR SHARE", shadow.source.sql, taken))
    shadow.runner.wait_for_a_moment()
    run(statement("DELETE FROM {} AS s WHERE {}", shadow.table, taken))
    run(
        statement(
            """INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE
SELECT {} FROM ONLY {} AS s WHERE {} FOR SHARE ON CONFLICT DO NOTHING""",
            shadow.table,
            shadow.names,
            shadow.names,
            shadow.source.sql,
            taken,
        )
    )
    run(statement("DELETE FROM {} WHERE is_taken", shadow.noted))
