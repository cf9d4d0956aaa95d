"""Foreign keys that are dropped in an exchange, added again without looking at rows, and validated after it.

The state of the move keeps them, so that the next command ends what this one leaves.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from psycopg import sql

from pgkid.ctl import constraints
from pgkid.ctl.connection import one
from pgkid.ctl.objects import Object
from pgkid.ctl.steps import Runner, Statement


@dataclass(frozen=True)
class Late:
    """A foreign key that is validated later or, if it takes over those of partitions, added later."""

    table: str  # its name as part of a statement
    name: str
    definition: str
    is_validated: bool  # or is to be
    takes_over: bool
    comment: Optional[str]

    @property
    def about(self) -> Object:
        """The foreign key as errors name it."""
        return Object("constraint", "", self.name, self.table, f"constraint {self.name} on {self.table}")

    def add(self) -> list[Statement]:
        """Returns the statements of the swap, if there are any."""
        return [] if self.takes_over else self.create(self.is_validated)

    def create(self, late: bool) -> list[Statement]:
        """Returns the statements that create it."""
        table = sql.SQL(self.table)
        made = [constraints.add(table, self.about, self.definition, late)]
        return made + ([constraints.comment(table, self.about, self.comment)] if self.comment else [])

    def end(self, runner: Runner) -> None:
        """Validates or adds it, unless that is done."""
        validated = one(
            runner.conn,
            "SELECT convalidated FROM pg_constraint WHERE conrelid = to_regclass(%s)::oid AND conname = %s",
            (self.table, self.name),
        )
        if self.takes_over and validated is None:
            runner.retried([], lambda: runner.all(self.create(False)))
        elif self.is_validated and validated is False:
            runner.execute(constraints.validate(sql.SQL(self.table), self.about))
