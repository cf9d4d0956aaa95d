"""Foreign keys that are dropped in an exchange, added again without looking at rows, and validated after it.

The state of the move keeps them, so that the next command ends what this one leaves.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from psycopg import sql

from pgkid.ctl import constraints
from pgkid.ctl.steps import Runner, Statement


@dataclass(frozen=True)
class Late(constraints.Kept):
    """A foreign key that is validated later or, if it takes over those of partitions, added later."""

    definition: str
    is_to_be_valid: bool
    takes_over: bool
    comment: Optional[str]

    def add(self) -> list[Statement]:
        """Returns the statements of the swap, if there are any."""
        return [] if self.takes_over else self.create(self.is_to_be_valid)

    def create(self, late: bool) -> list[Statement]:
        """Returns the statements that create it."""
        return constraints.make(sql.SQL(self.table), self.about, self.definition, self.comment, late)

    def end(self, runner: Runner) -> None:
        """Validates or adds it, unless that is done."""
        if self.takes_over and self.is_valid(runner.conn) is None:
            runner.retried([], lambda: runner.all(self.create(False)))
        elif self.is_to_be_valid:
            self.validate(runner)
