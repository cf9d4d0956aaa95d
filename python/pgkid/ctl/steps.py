"""Statements, the steps that consist of them, and what runs them.

A step is a function that gets a Runner and hands it one statement after another, so that it can read the catalog again
under its own locks. Every step can be interrupted and run again: it does what is still missing.
"""
from __future__ import annotations

import random
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional, Sequence

import psycopg
from psycopg import errors, sql

from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Refused


@dataclass(frozen=True)
class Statement:
    """One statement, and the object that it belongs to, as findings name it."""

    text: sql.Composed
    about: str = ""
    outside: bool = False  # runs outside a transaction, as CREATE INDEX CONCURRENTLY must


@dataclass(frozen=True)
class Step:
    """A named part of a move. `title` says what it does, for the person who watches."""

    name: str
    title: str
    work: Callable[["Runner"], None]


@dataclass
class Script:
    """The statements that a rehearsal ran, by step, in their order."""

    steps: list[tuple[Step, list[str]]] = field(default_factory=list)


def statement(template: str, *parts: object, about: str = "", outside: bool = False) -> Statement:
    """Returns a statement in which each {} is replaced by a name (str), a part of a statement, or a literal."""
    placed = [part if isinstance(part, sql.Composable) else sql.Literal(part) for part in parts]
    return Statement(sql.SQL(template).format(*placed), about, outside)


def raw(text: str) -> sql.Composed:
    """Returns a statement that PostgreSQL has printed."""
    return sql.Composed([sql.SQL(text)])


class Runner:
    """Runs statements on a database. A rehearsal has another one, which goes on after errors."""

    rehearses = False

    def __init__(self, conn: Connection) -> None:
        self.conn = conn

    def run(self, step: Step) -> None:
        """Runs a step."""
        step.work(self)

    def execute(self, what: Statement) -> Optional[int]:
        """Runs a statement, and returns the number of rows that it changed."""
        try:
            return self.conn.execute(what.text).rowcount
        except errors.DependentObjectsStillExist as error:
            # The hint of PostgreSQL is to drop all that.
            raise Refused(
                f"{error.diag.message_primary}: {error.diag.message_detail}",
                "Drop this first, or make it without what kidctl has to drop. Then run the same command again.",
            ) from error
        except psycopg.Error as error:
            if what.about and what.about not in str(error):
                raise Failed(what, error) from error
            raise

    def all(self, statements: Sequence[Statement]) -> None:
        """Runs statements one by one."""
        for what in statements:
            self.execute(what)

    def query(self, text: sql.Composed | str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Returns the rows of a query that changes nothing."""
        return self.conn.execute(text, parameters).fetchall()

    @contextmanager
    def locked(self, tables: Sequence[sql.Composable]) -> Iterator[None]:
        """Runs its block in one transaction, in which nobody else uses these tables."""
        with self.conn.transaction():
            self.lock(tables)
            yield

    def lock(self, tables: Sequence[sql.Composable]) -> None:
        """Keeps trying to lock tables, without making others wait behind it for longer than a moment."""
        lock = sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE").format(sql.SQL(", ").join(tables))
        for _attempt in range(300):
            try:
                with self.conn.transaction():
                    # Less than deadlock_timeout, so that no writer is canceled
                    self.conn.execute("SET LOCAL lock_timeout = '300ms'")
                    self.conn.execute(lock)
                self.conn.execute("SET LOCAL lock_timeout = '3s'")
                return
            except (errors.LockNotAvailable, errors.DeadlockDetected):
                time.sleep(random.random())
        raise Refused("no lock after 300 attempts: a long transaction uses these tables", "Run this step again.")

    def retried(self, locks: Sequence[sql.Composed], work: Callable[[], None]) -> None:
        """Runs some work in one transaction after statements that take locks, until it waits for no lock.

        It never waits longer than a moment, also for objects that the work needs: then it begins again, with the locks.
        """
        for _attempt in range(1 if self.rehearses else 300):
            try:
                with self.conn.transaction():
                    # Less than deadlock_timeout, so that it is never a writer that is canceled
                    self.conn.execute(
                        "SELECT set_config('lock_timeout', least(300, setting::int / 3) || 'ms', true)"
                        " FROM pg_settings WHERE name = 'deadlock_timeout'"
                    )
                    for lock in locks:
                        self.conn.execute(lock)
                    work()
                return
            except (errors.LockNotAvailable, errors.DeadlockDetected, Failed) as error:
                if isinstance(error, Failed) and not isinstance(
                    error.error, (errors.LockNotAvailable, errors.DeadlockDetected)
                ):
                    raise
                time.sleep(random.random())
        raise Refused("no lock after 300 attempts: a long transaction uses these tables", "Run this step again.")


class Failed(Exception):
    """An error of PostgreSQL, with the object that the statement was about."""

    def __init__(self, what: Statement, error: psycopg.Error) -> None:
        diag = error.diag
        super().__init__(": ".join(filter(None, (what.about, diag.message_primary or str(error), diag.message_detail))))
        self.error = error
        self.hint = diag.message_hint or ""
