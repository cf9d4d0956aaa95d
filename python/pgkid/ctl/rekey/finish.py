"""The end of a move: the old keys go, or stay as a column of another name."""
from __future__ import annotations

from typing import Sequence

from psycopg import sql

from pgkid.ctl import catalog, constraints
from pgkid.ctl.names import beside, is_beside
from pgkid.ctl.objects import of_table, on_table
from pgkid.ctl.rekey import follow
from pgkid.ctl.rekey.plan import Plan
from pgkid.ctl.steps import Runner, statement


def finish(plan: Plan, runner: Runner) -> None:
    """Drops the old keys, or gives them the name that was asked for. The tables are locked."""
    follow.remove(plan, runner)
    later = plan.without_beside("old")  # It has referred to the key only since the swap.
    for column in [c for c in plan.tops if c not in later]:
        table, old = plan.table(column.table), beside("old", column.name)
        if column == plan.key and plan.options.old_name:
            keep_old_key(plan, runner, old)
        else:
            runner.execute(
                statement(
                    "ALTER TABLE {} DROP COLUMN {}",
                    table.sql,
                    sql.Identifier(old),
                    about=of_table(table, "old keys of"),
                )
            )
    name_columns_of_indexes(plan, runner)


def name_columns_of_indexes(plan: Plan, runner: Runner) -> None:
    """Gives the columns of new indexes the names that psql showed before.

    They have the name that the column had when the index was built: PostgreSQL renames only the column of the table.
    """
    tables, new = [c.table for c in plan.columns], [beside("new", c.name) for c in plan.columns]
    for index, before, after in runner.query(
        """
        SELECT r.oid::regclass::text, c.new, c.name
          FROM unnest(%s::oid[], %s::text[], %s::text[]) AS c (tab, new, name)
               JOIN pg_index AS i ON i.indrelid = c.tab JOIN pg_class AS r ON r.oid = i.indexrelid
               JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attname = c.new
         WHERE NOT r.relispartition
               AND NOT EXISTS (SELECT FROM pg_attribute AS o WHERE o.attrelid = r.oid AND o.attname = c.name)
         ORDER BY 1, 2
        """,
        (tables, new, [c.name for c in plan.columns]),
    ):
        names = sql.Identifier(before), sql.Identifier(after)
        runner.execute(statement("ALTER TABLE {} RENAME {} TO {}", sql.SQL(index), *names))


def drop_columns(runner: Runner, columns: Sequence[tuple[catalog.Table, str]]) -> None:
    """Drops columns with new keys, by their names. What others have built on them is an error that names it.

    Foreign keys between them go first.
    """
    for label, key in runner.query(
        """
        SELECT k.conrelid::regclass::text, quote_ident(k.conname)
          FROM unnest(%s::oid[], %s::text[]) AS c (tab, name)
               JOIN LATERAL (SELECT c.tab UNION SELECT relid FROM pg_partition_tree(c.tab)) AS t (oid) ON true
               JOIN pg_attribute AS a ON a.attrelid = t.oid AND a.attname = c.name
               JOIN pg_constraint AS k ON k.conrelid = t.oid AND a.attnum = ANY (k.conkey)
         WHERE k.contype = 'f' AND k.conparentid = 0 GROUP BY 1, 2
        """,
        ([table.oid for table, _name in columns], [name for _table, name in columns]),
    ):
        runner.execute(statement("ALTER TABLE {} DROP CONSTRAINT {}", sql.SQL(label), sql.SQL(key)))
    for table, name in columns:
        runner.execute(statement("ALTER TABLE {} DROP COLUMN IF EXISTS {}", table.sql, sql.Identifier(name)))


def keep_old_key(plan: Plan, runner: Runner, old: str) -> None:
    """Keeps the old key as a column with a name and a unique index, and drops other indexes on it."""
    assert plan.options.old_name
    name = plan.options.old_name
    runner.execute(
        statement("ALTER TABLE {} RENAME {} TO {}", plan.root.sql, sql.Identifier(old), sql.Identifier(name))
    )
    for index in catalog.indexes(plan.conn, [plan.root.oid]):
        if not is_beside(index.name, "old"):
            continue
        # A rehearsal goes on if the RENAME has failed, and then the column has its old name.
        number = next(c.number for c in catalog.columns(plan.conn, plan.root.oid) if c.name in (name, old))
        if index.keys == index.columns == [number] and index.is_unique and not index.constraint:
            wanted = sql.Identifier(index_name(plan))
            runner.execute(statement("ALTER INDEX {} RENAME TO {}", index.sql, wanted))
        elif index.constraint:
            runner.execute(constraints.drop(plan.root.sql, on_table("constraint", index.constraint, plan.root)))
        else:
            runner.execute(statement("DROP INDEX {}", index.sql))


def index_name(plan: Plan) -> str:
    """Returns the name of the index on an old key that is kept."""
    return f"{plan.root.name}_{plan.options.old_name}_key".encode()[:63].decode(errors="ignore")
