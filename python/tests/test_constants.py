"""Tests which definitions kidctl finds beside a key"""

from __future__ import annotations

import unittest
from collections import defaultdict

import psycopg

import beside_cases as cases
from support import Database

from pgkid.ctl import catalog
from pgkid.ctl.beside import search
from pgkid.ctl.connection import Connection


def keys(conn: Connection) -> list[tuple[int, int]]:
    """Returns the key of users, and all columns with a foreign key to it."""
    return conn.execute(
        "SELECT conrelid, conkey[1] FROM pg_constraint WHERE contype = 'f' OR contype = 'p' AND"
        " conrelid = 'public.users'::regclass"
    ).fetchall()  # type: ignore[return-value]


class Beside(unittest.TestCase):
    """What is found in each definition of beside_cases.py"""

    database: Database
    constants: list[tuple[str, str]]
    found: dict[str, dict[str, list[str]]]

    @classmethod
    def setUpClass(cls) -> None:
        cls.database = Database()
        cls.addClassCleanup(cls.database.close)
        cls.database.run(cases.TABLES)
        cls.constants = list(cases.CONSTANTS)
        if cls.database.conn.info.server_version >= 180000:
            cls.constants += cases.CONSTANTS_18
        for statement in [case[-1] for case in [cases.PLAIN_VIEW, *cls.constants, *cases.CONTROLS, *cases.OTHERS]]:
            try:
                cls.database.run(statement)
            except psycopg.Error as error:
                raise AssertionError(statement) from error
        cls.found = defaultdict(lambda: defaultdict(list))
        for one in search.search(cls.database.conn, keys(cls.database.conn)):
            cls.found[one.object][one.kind.value].append(one.piece)

    def test_constants(self) -> None:
        for name, statement in self.constants:
            with self.subTest(statement):
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

    def test_findings(self) -> None:
        table = catalog.table(self.database.conn, "public.users").oid
        found = search.look(self.database.conn, catalog.related(self.database.conn, table), False)
        (policy,) = (f for f in found if f.object == "policy c_using on public.users")
        self.assertEqual(("constants", True, policy.object), (policy.kind, policy.stops, policy.accept_name))
        self.assertIn("id <> 1", policy.message)
        self.assertEqual("USING (((id <> 1) OR (CURRENT_USER = 'root'::name)))", policy.definition)
        later = search.look(self.database.conn, catalog.related(self.database.conn, table), True)
        self.assertEqual({"note"}, {f.kind for f in later if f.object == policy.object})
        narrow = {name for kind, name, _ in cases.OTHERS if kind == "narrow cast"}
        self.assertEqual(narrow, {f.object for f in later if f.stops})
        (cast,) = (f for f in found if f.object == "view public.o_cast")
        self.assertEqual(("casts", "casts the key: id::text", False), (cast.kind, cast.message, cast.stops))
        kinds = {f.object: f.kind for f in found}
        self.assertEqual("references", kinds["view public.o_reference"])
        self.assertEqual(
            {f.object for f in found if f.stops}, {name for name, _ in self.constants} | narrow | {"table public.lists"}
        )

    def test_many_pieces(self) -> None:
        self.assertEqual("1; 2; 3; 4; 5; 6; and 2 more", search.some("12345678"))
        self.assertEqual("1; 2; 3; 4; 5; 6", search.some("123456"))

    def test_partitions(self) -> None:
        """What a partition has from its parent is told once."""
        database = Database()
        self.addCleanup(database.close)
        database.run(cases.PARTITIONS)
        found: dict[str, set[str]] = defaultdict(set)
        for one in search.search(database.conn, keys(database.conn)):
            found[one.kind.value].add(one.object)
        parent = {
            "table constraint visits_check on public.visits",
            "trigger of_all on public.visits",
            "index public.visits_index",
            "default value for public.visits.user_id",
            "default value for public.visits.odd",
        }
        own = {
            "table constraint own_check on public.visits_1",
            "index public.visits_1_index",
            "default value for public.visits_2.user_id",
            "trigger of_one on public.visits_2",
        }
        self.assertEqual(parent | own, found["constant"])

    def test_types_of_keys(self) -> None:
        database = Database()
        self.addCleanup(database.close)
        database.run(cases.TYPES)
        columns = database.conn.execute(
            "SELECT conrelid, conkey[1] FROM pg_constraint WHERE contype IN ('p', 'f') AND conrelid > 16384"
        ).fetchall()
        found = search.search(database.conn, [(table, number) for table, number in columns])
        views = database.conn.execute("SELECT 'view public.' || relname FROM pg_class WHERE relname ~ '^c_'").fetchall()
        self.assertEqual({view for view, in views}, {one.object for one in found if one.kind.value == "constant"})


if __name__ == "__main__":
    unittest.main()
