"""CHECK constraints that prove that no row lacks a key in the column beside a key.

They are validated before the swap, without a lock that makes others wait, so the swap need not look at rows when it
gives the columns NOT NULL.
"""
from __future__ import annotations

from psycopg import sql

from pgkid.ctl import catalog, constraints
from pgkid.ctl.names import beside
from pgkid.ctl.rekey.plan import Plan, Word
from pgkid.ctl.steps import Runner, statement


def name_of(column: catalog.KeyColumn) -> str:
    """Returns the name of the constraint for a column: partitions have that of their parent, or one of their own."""
    return beside("full" if column.is_top else "part", column.name)


def add(plan: Plan, runner: Runner, word: Word) -> None:
    """Adds the constraints, which are not valid yet, for the columns with new or old keys. The tables are locked.

    A partition needs one of its own only if its column is NOT NULL, and that of its parent is not.
    """
    not_null = {c.address for t in plan.tables() for c in catalog.columns(plan.conn, t.oid) if c.not_null}
    for column in plan.columns:
        is_not_null = column.address in not_null
        if not column.is_top and (not is_not_null or (column.top, column.top_number) in not_null):
            continue
        table, name = plan.table(column.table).sql, sql.Identifier(name_of(column))
        other = sql.Identifier(beside(word, column.name))
        condition = sql.SQL("{} IS NOT NULL").format(other)
        if not is_not_null:
            condition = sql.SQL("({} IS NULL) = ({} IS NULL)").format(other, column.sql)
        runner.execute(constraints.drop_own(table, name_of(column)))
        runner.execute(statement("ALTER TABLE {} ADD CONSTRAINT {} CHECK ({}) NOT VALID", table, name, condition))


def is_proved(plan: Plan, column: catalog.KeyColumn) -> bool:
    """Returns whether it is proved that no row lacks a key beside a column of a table that is no partition."""
    return bool(catalog.is_valid_constraint(plan.conn, column.table, name_of(column)))


def drop(plan: Plan, runner: Runner, column: catalog.KeyColumn) -> None:
    """Drops the constraint for a column, if it has one."""
    runner.execute(constraints.drop_own(plan.table(column.table).sql, name_of(column)))
