"""Tests how long kidctl waits for a lock of a table, while others wait behind it"""

from __future__ import annotations

import argparse
import unittest
from typing import Optional

from psycopg import sql
from support import Database

from pgkid.ctl import cli, steps
from pgkid.ctl.connection import scalar
from pgkid.ctl.session import lock_timeout


class Option(unittest.TestCase):
    """What --lock-timeout accepts."""

    def test_durations(self) -> None:
        wanted = {"1ms": 0.001, "300 ms": 0.3, "0.5s": 0.5, "10s": 10, "1.5 min": 90, "1h": 3600}
        self.assertEqual(wanted, {text: lock_timeout(text) for text in wanted})

    def test_others_are_rejected(self) -> None:
        for text in ("", "0", "0s", "10", "-1s", "nan", "nan s", "inf s", "1e3s", "0.9ms", "3601s", "1.01h", "10 days"):
            with self.subTest(text), self.assertRaises(argparse.ArgumentTypeError):
                lock_timeout(text)

    def test_all_commands_have_it(self) -> None:
        for words in (["rekey", "swap", "t"], ["partition", "run", "t"], ["leave", "run", "t"]):
            self.assertIsNone(cli.parser().parse_args(words).lock_timeout)
            self.assertEqual(10, cli.parser().parse_args([*words, "--lock-timeout", "10s"]).lock_timeout)

    def test_error_names_a_longer_one(self) -> None:
        for given, named in ((None, "10s"), (2, "10s"), (7.5, "15s"), (3600, "3600s")):
            self.assertIn(f"--lock-timeout {named}: ", steps.no_lock(300, given).hint)


class Locks(unittest.TestCase):
    """What a transaction waits for."""

    def setUp(self) -> None:
        self.database = Database()
        self.addCleanup(self.database.close)
        self.database.run("CREATE TABLE t ()")

    def limit(self, lock_timeout: Optional[float]) -> str:
        """Returns for how long a transaction waits for a lock after it has taken that of the table."""
        conn = self.database.conn
        with conn.transaction(force_rollback=True):
            steps.Runner(conn, lock_timeout=lock_timeout).take([steps.lock([sql.Identifier("public", "t")])])
            return str(scalar(conn, "SHOW lock_timeout"))

    def test_default_is_shorter_than_deadlock_timeout(self) -> None:
        self.assertEqual("300ms", self.limit(None))
        self.database.conn.execute("SET deadlock_timeout = '300ms'")
        self.assertEqual("100ms", self.limit(None))

    def test_option(self) -> None:
        limits = [self.limit(seconds) for seconds in (0.001, 10, 3600)]
        self.assertEqual(["1ms", "10s", "1h"], limits)


if __name__ == "__main__":
    unittest.main()
