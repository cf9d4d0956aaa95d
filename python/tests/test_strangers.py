"""Tests that a copy leaves out tables that use code of other roles, and that the report names these roles"""

from __future__ import annotations

import unittest

from support import Database

from pgkid.ctl.findings import Report
from pgkid.ctl.strangers import left_out

FUNCTION = "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'"
DOMAIN = "CREATE DOMAIN positive AS int CHECK (VALUE > 0)"


class Strangers(unittest.TestCase):
    """The session's role owns neither the code nor the table that uses it."""

    def setUp(self) -> None:
        self.database = Database()
        self.addCleanup(self.database.close)
        self.database.run("CREATE ROLE kidctl_owner; CREATE ROLE kidctl_one; CREATE ROLE kidctl_two")
        self.addCleanup(self.database.run, "DROP ROLE kidctl_owner, kidctl_one, kidctl_two")
        self.addCleanup(self.database.run, "DROP OWNED BY kidctl_owner, kidctl_one, kidctl_two CASCADE")
        self.database.run("GRANT CREATE ON SCHEMA public TO kidctl_one, kidctl_two")

    def assert_named(self, owners: str, code: dict[str, str], columns: str) -> None:
        """Lets each role create its code, and looks which roles the report of a table with some columns names."""
        for role, statement in code.items():
            self.database.run(f"SET ROLE {role}; {statement}; RESET ROLE")
        self.database.run(f"CREATE TABLE t ({columns}); ALTER TABLE t OWNER TO kidctl_owner")
        report = Report()
        left_out(self.database.conn, report)
        message = f"use functions or domains of {owners}, whose code would run with the rights of this role"
        self.assertEqual([(f.object, f.message) for f in report.findings], [("table public.t", message)])

    def test_domain(self) -> None:
        self.assert_named("kidctl_one", {"kidctl_one": DOMAIN}, "id positive")

    def test_function(self) -> None:
        self.assert_named("kidctl_two", {"kidctl_two": FUNCTION}, "id int CHECK (f(id) > 0)")

    def test_both(self) -> None:
        code = {"kidctl_one": DOMAIN, "kidctl_two": FUNCTION}
        self.assert_named("kidctl_one, kidctl_two", code, "id positive CHECK (f(id) > 0)")


if __name__ == "__main__":
    unittest.main()
