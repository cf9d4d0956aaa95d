"""The triggers of kid's own on tables that leave, which are dropped."""
from __future__ import annotations

from dataclasses import dataclass

from psycopg import sql

from pgkid.ctl.catalog import read
from pgkid.ctl.leave.plan import Group, Plan
from pgkid.ctl.leave.uses import MEMBERS
from pgkid.ctl.objects import on_table
from pgkid.ctl.steps import Runner, statement


@dataclass(frozen=True)
class KidTrigger:
    """A trigger that calls a function of kid."""

    oid: int
    table: int
    name: str
    is_tracking: bool  # one of kid_track()


def triggers_of_kid(plan: Plan, group: Group) -> list[KidTrigger]:
    """Returns the triggers of a group that call a function of kid, without those that partitions have from a parent."""
    return read(
        plan.conn,
        KidTrigger,
        MEMBERS
        + """
        SELECT t.oid, t.tgrelid AS table, t.tgname AS name, p.proname LIKE 'kid\\_track%%' AS is_tracking
          FROM members AS m JOIN pg_proc AS p ON (m.classid, m.objid) = ('pg_proc'::regclass, p.oid)
               JOIN pg_trigger AS t ON t.tgfoid = p.oid
         WHERE t.tgrelid = ANY (%s) AND NOT t.tgisinternal AND t.tgparentid = 0 AND p.pronamespace = %s::regnamespace
         ORDER BY t.tgrelid, t.tgname
        """,
        ([t.oid for t in plan.family(group)], plan.kid.home),
    )


def drop(plan: Plan, group: Group, runner: Runner) -> None:
    """Drops these triggers. A table that is tracked is untracked first, once."""
    tracked: set[int] = set()
    for trigger in triggers_of_kid(plan, group):
        table = plan.table(trigger.table)
        about = on_table("trigger", trigger.name, table)
        if trigger.is_tracking and table.oid not in tracked:
            tracked.add(table.oid)
            untrack = "SELECT {}.kid_untrack({}::regclass)"
            runner.execute(statement(untrack, sql.SQL(plan.kid.home), table.label, about=about))
        name = sql.Identifier(trigger.name)
        runner.execute(statement("DROP TRIGGER IF EXISTS {} ON {}", name, table.sql, about=about))
