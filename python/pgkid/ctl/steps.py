"""Statements, the steps that consist of them, and what runs them.

A step is a function that gets a Runner and hands it one statement after another, so that it can read the catalog again
under its own locks. Every step can be interrupted and run again: it does what is still missing.
"""
from __future__ import annotations

import os
import random
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Callable, Iterator, Optional, Sequence

import psycopg
from psycopg import errors, sql

from pgkid.ctl.connection import Connection, message_of, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.objects import Object


ATTEMPTS = int(os.environ.get("KIDCTL_ATTEMPTS", 300))  # to lock tables. The tests set the variable.
MOMENT = 0.3  # seconds for which others wait behind kidctl at each lock at most, unless the user allows more
LONGEST = 3600  # seconds that the user may allow


@dataclass(frozen=True)
class Statement:
    """One statement, and the object that it belongs to, as findings name it."""

    text: sql.Composed
    about: Optional[Object] = None
    outside: bool = False  # runs outside a transaction, as CREATE INDEX CONCURRENTLY must


@dataclass(frozen=True)
class Step:
    """A named part of a move. `title` says what it does, for the person who watches."""

    name: str
    title: str
    work: Callable[["Runner"], None]


def steps_from(name: str, steps: Sequence[Step]) -> list[Step]:
    """Returns the step of a name and those after it."""
    first = next(number for number, step in enumerate(steps) if step.name == name)
    return list(steps[first:])


@dataclass
class Script:
    """The statements that a rehearsal ran, by step, in their order."""

    steps: list[tuple[Step, list[str]]] = field(default_factory=list)


def statement(template: str, *parts: object, about: Optional[Object] = None, outside: bool = False) -> Statement:
    """Returns a statement in which each {} is replaced: by a part of a statement, or by another value as a literal."""
    placed = [part if isinstance(part, sql.Composable) else sql.Literal(part) for part in parts]
    return Statement(sql.SQL(template).format(*placed), about, outside)


def text(conn: Connection, template: str, *parts: object) -> str:
    """Returns the text of such a statement, for what is compared, rewritten, or kept in the state before it runs."""
    return statement(template, *parts).text.as_string(conn)


@dataclass(frozen=True)
class Lock:
    """A statement that takes a lock for which others wait, and one that takes a lock for which only VACUUM waits.

    `proof` is a query that returns true if `about` is still what the lock is meant for.
    """

    text: sql.Composed
    quiet: Optional[sql.Composed] = None
    proof: Optional[sql.Composed] = None
    about: Optional[Object] = None


def lock(tables: Sequence[sql.Composable], mode: str = "ACCESS EXCLUSIVE") -> Lock:
    """Returns a lock of some tables.

    VACUUM, ANALYZE and CREATE INDEX CONCURRENTLY can take hours. The quiet lock waits for them, for deadlock_timeout
    and ten seconds, while readers and writers go on; autovacuum gives way to it. So the other lock waits for readers
    and writers alone. After ATTEMPTS of that, by default within an hour, no_lock() is the error.
    """
    names = sql.SQL(", ").join(tables)
    return Lock(
        sql.SQL("LOCK TABLE {} IN {} MODE").format(names, sql.SQL(mode)),
        sql.SQL("LOCK TABLE {} IN SHARE UPDATE EXCLUSIVE MODE").format(names),
    )


@contextmanager
def in_tablespace(runner: "Runner", name: Optional[str]) -> Iterator[None]:
    """Lets what a transaction creates within its block be in a tablespace, or in that of the database."""
    if name:
        runner.execute(statement("SET LOCAL default_tablespace = {}", sql.Identifier(name)))
    yield
    if name:
        runner.execute(statement("SET LOCAL default_tablespace = ''"))


def body(text: sql.Composed, conn: Connection) -> sql.SQL:
    """Returns the body of a function between dollars, with a word between these that the body does not contain."""
    code, word = text.as_string(conn), "$kidctl$"
    while word in code:
        word = f"{word[:-1]}_$"
    return sql.SQL(word + code + word)


def raw(text: str) -> sql.Composed:
    """Returns a statement that PostgreSQL has printed."""
    return sql.Composed([sql.SQL(text)])


class Runner:
    """Runs statements on a database. A rehearsal has another one, which goes on after errors."""

    rehearses = False

    def __init__(
        self, conn: Connection, release: Callable[[], None] = lambda: None, lock_timeout: Optional[float] = None
    ) -> None:
        """`release` gives up the lock of the move, so that its schema can be dropped.

        `lock_timeout` is for how many seconds the user lets others wait behind kidctl, if not for a moment.
        """
        self.conn, self.release, self.lock_timeout = conn, release, lock_timeout

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
            if what.about and what.about.label not in str(error):
                raise Failed(what, error) from error
            raise

    def all(self, statements: Sequence[Statement]) -> None:
        """Runs statements one by one."""
        for what in statements:
            self.execute(what)

    def query(self, text: sql.Composed | str, parameters: Any = None) -> list[tuple[Any, ...]]:
        """Returns the rows of a query that changes nothing."""
        return self.conn.execute(text, parameters).fetchall()

    def take(self, locks: Sequence[Lock]) -> None:
        """Takes locks. From then on, the transaction waits for no lock for longer than others may wait behind it."""
        # Autovacuum gives way to those who have waited for deadlock_timeout.
        self.limit(f"greatest(setting::int + 10000, {milliseconds(self.lock_timeout or 0)})")
        for each in locks:
            if each.quiet:
                self.conn.execute(each.quiet)
        if self.lock_timeout is None:
            self.wait_for_a_moment()
        else:
            self.limit(str(milliseconds(self.lock_timeout)))
        for each in locks:
            self.conn.execute(each.text)
            if each.proof and not scalar(self.conn, each.proof):
                raise Refused(
                    f"{each.about} has been replaced or given to another role meanwhile", "Run this step again."
                )

    def wait_for_a_moment(self) -> None:
        """Lets the transaction wait for a lock for less than deadlock_timeout, so that no writer is ever canceled."""
        self.limit(f"least({milliseconds(MOMENT)}, setting::int / 3)")

    def limit(self, expression: str) -> None:
        """Sets how many milliseconds the transaction waits for a lock, as an expression of deadlock_timeout."""
        self.conn.execute(
            sql.SQL(
                "SELECT set_config('lock_timeout', {} || 'ms', true) FROM pg_settings WHERE name = 'deadlock_timeout'"
            ).format(sql.SQL(expression))
        )

    def retried(self, locks: Sequence[Lock], work: Callable[[], None]) -> None:
        """Runs some work in one transaction after it has taken locks, until it waits for no lock.

        It waits for objects that the work needs as long as for the locks: then it begins again, with the locks.
        """
        attempts = 1 if self.rehearses else ATTEMPTS
        for _attempt in range(attempts):
            try:
                with self.conn.transaction():
                    self.take(locks)
                    work()
                return
            except (errors.LockNotAvailable, errors.DeadlockDetected, Failed) as error:
                if isinstance(error, Failed) and not isinstance(
                    error.error, (errors.LockNotAvailable, errors.DeadlockDetected)
                ):
                    raise
                time.sleep(random.random())
        raise no_lock(attempts, self.lock_timeout)


def no_lock(attempts: int, lock_timeout: Optional[float]) -> Refused:
    """Returns the error for a lock that others did not give in some attempts."""
    times = "1 attempt" if attempts == 1 else f"{attempts} attempts"
    longer = min(max(10, 2 * (lock_timeout or 0)), LONGEST)
    return Refused(
        f"no lock after {times}: each time, another transaction or a VACUUM used these tables",
        "Run this step again. If transactions always overlap here, allow more time than they usually take, for example"
        f" by --lock-timeout {longer:g}s: for each table that it locks, others wait behind kidctl for that long at"
        " most.",
    )


def milliseconds(seconds: float) -> int:
    """Returns a duration as lock_timeout takes it."""
    return round(1000 * seconds)


class Failed(Exception):
    """An error of PostgreSQL, with the object that the statement was about."""

    def __init__(self, what: Statement, error: psycopg.Error) -> None:
        super().__init__(f"{what.about.label}: {message_of(error)}" if what.about else message_of(error))
        self.error = error
        self.hint = error.diag.message_hint or ""
