"""The end of a move: the old keys go, or stay as a column of another name."""
from __future__ import annotations

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.rekey import follow
from pgkid.ctl.rekey.plan import Plan, beside
from pgkid.ctl.steps import Runner, statement


def finish(plan: Plan, runner: Runner) -> None:
    """Drops the old keys, or gives them the name that was asked for. The tables are locked."""
    follow.remove(plan, runner)
    for column in plan.tops:
        table, old = plan.table(column.table), beside("old", column.name)
        if column == plan.key and plan.options.old_name:
            keep_old_key(plan, runner, old)
        else:
            runner.execute(
                statement(
                    "ALTER TABLE {} DROP COLUMN {}", table.sql, sql.Identifier(old), about=f"old keys of {table.label}"
                )
            )


def keep_old_key(plan: Plan, runner: Runner, old: str) -> None:
    """Keeps the old key as a column with a name and a unique index, and drops other indexes on it."""
    assert plan.options.old_name
    name = plan.options.old_name
    runner.execute(
        statement("ALTER TABLE {} RENAME {} TO {}", plan.root.sql, sql.Identifier(old), sql.Identifier(name))
    )
    for index in catalog.indexes(plan.conn, [plan.root.oid]):
        if not index.name.startswith("kid_old_"):
            continue
        number = next(c.number for c in catalog.columns(plan.conn, plan.root.oid) if c.name in (name, old))
        if index.keys == [number] and index.is_unique and not index.constraint:
            wanted = f"{plan.root.name}_{name}_key".encode()[:63].decode(errors="ignore")
            runner.execute(statement("ALTER INDEX {} RENAME TO {}", index.sql, sql.Identifier(wanted)))
        elif index.constraint:
            runner.execute(
                statement("ALTER TABLE {} DROP CONSTRAINT {}", plan.root.sql, sql.Identifier(index.constraint))
            )
        else:
            runner.execute(statement("DROP INDEX {}", index.sql))
