"""Tests which definitions kidctl finds beside a key"""

from __future__ import annotations

import unittest
from collections import defaultdict

import psycopg

import beside_cases as cases
from support import Database
from pgkid.ctl import constants
from pgkid.ctl.connection import Connection


def keys(conn: Connection) -> list[tuple[int, int]]:
    """Returns the key of users, and all columns with a foreign key to it."""
    return conn.execute(
        "SELECT conrelid, conkey[1] FROM pg_constraint WHERE contype = 'f' OR contype = 'p' AND"
        " conrelid = 'public.users'::regclass"
    ).fetchall()  # type: ignore[return-value]


class Beside(unittest.TestCase):
    """What is found in each definition of beside_cases.py"""

    @classmethod
    def setUpClass(cls) -> None:
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.database.run(cases.TABLES)
        for statement in [case[-1] for case in [*cases.CONSTANTS, *cases.CONTROLS, *cases.OTHERS]]:
            try:
                cls.database.run(statement)
            except psycopg.Error as error:
                raise AssertionError(statement) from error
        cls.found: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for one in constants.search(cls.database.conn, keys(cls.database.conn)):
            cls.found[one.object][one.kind.value].append(one.piece)

    def test_constants(self) -> None:
        for name, statement in cases.CONSTANTS:
            with self.subTest(statement):
                if name != "view public.v_plain":
                    self.assertIn("constant", self.found[name])

    def test_controls(self) -> None:
        for name, statement in cases.CONTROLS:
            with self.subTest(statement):
                self.assertNotIn("constant", self.found[name])

    def test_others(self) -> None:
        for kind, name, statement in cases.OTHERS:
            with self.subTest(statement):
                self.assertIn(kind, self.found[name])
                self.assertNotIn("constant", self.found[name])

    def test_nothing_unknown(self) -> None:
        self.assertEqual([], [(name, kinds["unknown"]) for name, kinds in self.found.items() if "unknown" in kinds])


if __name__ == "__main__":
    unittest.main()
