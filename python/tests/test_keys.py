"""Tests which column of a primary key contains IDs, and what new keys are"""

from __future__ import annotations

import unittest
from typing import Optional

from support import Database

from pgkid.ctl import catalog
from pgkid.ctl.findings import Refused
from pgkid.ctl.kid import home_of
from pgkid.ctl.partition.keys import key_of
from pgkid.ctl.rekey.new_rows import target_of


class Keys(unittest.TestCase):
    """Each test makes a table in a database of its own."""

    def setUp(self) -> None:
        self.database = Database()
        self.addCleanup(self.database.close)
        self.database.run("CREATE EXTENSION kid")

    def found(self, columns: str, ids: Optional[str] = None, has_begun: bool = False) -> str:
        """Returns the column of IDs of a table, and what these are, or an error."""
        self.database.run(f"DROP TABLE IF EXISTS t; CREATE TABLE t ({columns})")
        conn = self.database.conn
        try:
            key = key_of(conn, catalog.table(conn, "public.t"), home_of(conn), ids, has_begun)
        except Refused as error:
            return f"{error} {error.hint}"
        return f"{key.column.name} {key.ids.prefix} {key.ids.name}"

    def test_types(self) -> None:
        self.assertEqual(self.found("id kid64 PRIMARY KEY"), "id kid64 None")
        self.assertEqual(self.found("n bigint, id flax, PRIMARY KEY (n, id)"), "id flax None")
        self.assertEqual(self.found("id uuid PRIMARY KEY"), "id kid_uuidv7 None")
        self.assertIn("has IDs kid64, as the type of its key says", self.found("id kid64 PRIMARY KEY", "kid53"))

    def test_defaults(self) -> None:
        self.assertEqual(self.found("id bigint PRIMARY KEY DEFAULT kid53_next()"), "id kid53 kid53")
        self.assertEqual(self.found("id bigint PRIMARY KEY DEFAULT kid_next()"), "id kid64 kid64")
        self.assertEqual(self.found("id bigint PRIMARY KEY DEFAULT flake_next()"), "id flake flake")
        self.assertEqual(
            self.found("n bigint, id bigint DEFAULT kid53_next(), PRIMARY KEY (n, id)", "kid53"), "id kid53 kid53"
        )
        self.assertEqual(
            self.found("id bigint DEFAULT kid53_next(), n bigint DEFAULT kid53_next(), PRIMARY KEY (id) INCLUDE (n)"),
            "id kid53 kid53",
        )
        self.assertIn(
            "as the default of its key says, and not kid64",
            self.found("id bigint PRIMARY KEY DEFAULT kid53_next()", "kid64"),
        )
        # The default can have changed since the move began.
        self.assertEqual(self.found("id bigint PRIMARY KEY DEFAULT kid53_next()", "kid64", True), "id kid64 kid64")

    def test_defaults_of_several(self) -> None:
        both = "id bigint PRIMARY KEY DEFAULT coalesce(kid53_next(), kid_next()::bigint)"
        self.assertIn("makes IDs of several types Say which: --ids kid53, --ids kid64.", self.found(both))
        self.assertEqual(self.found(both, "kid53"), "id kid53 kid53")
        self.assertIn("has several columns of IDs", self.found("a kid64, b sno, PRIMARY KEY (a, b)"))
        self.assertIn("has several columns of IDs", self.found("a bigint, b bigint, PRIMARY KEY (a, b)", "kid53"))

    def test_without_ids(self) -> None:
        self.assertIn("say which: --ids kid53, --ids kid64, --ids flake.", self.found("id bigint PRIMARY KEY"))
        self.assertEqual(self.found("id bigint PRIMARY KEY", "flake"), "id flake flake")
        self.assertIn("no primary key with IDs of kid `kidctl rekey`", self.found("id int PRIMARY KEY", "kid53"))
        self.assertIn("no primary key with IDs of kid", self.found("id bigint DEFAULT kid53_next()"))

    def test_of_strangers(self) -> None:
        """Functions with the names of kid's are none of them in another schema, or with other arguments."""
        self.database.run(
            """
            CREATE SCHEMA other; CREATE FUNCTION other.kid53_next() RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
            CREATE FUNCTION kid53_next(text) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint';
            """
        )
        self.assertIn("say which", self.found("id bigint PRIMARY KEY DEFAULT other.kid53_next()"))

    def test_target_of(self) -> None:
        """What new keys are if only new rows get them: of the type that the key has."""
        targets = {"bigint": "kid53", "integer": "kid53", "public.kid64": "kid64", "kid.flake": "flake", "uuid": "uuid"}
        self.assertEqual({key: target_of(key) for key in targets}, targets)


if __name__ == "__main__":
    unittest.main()
