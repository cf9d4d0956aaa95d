"""Tests a state of a move that another version of kidctl has written"""

from __future__ import annotations

import unittest

from support import Database

from pgkid.ctl import catalog, state
from pgkid.ctl.findings import Refused
from pgkid.ctl.partition import plan as partition_plan
from pgkid.ctl.rekey import plan as rekey_plan


class OtherVersion(unittest.TestCase):
    """Each test has a table with a state, which it changes."""

    def setUp(self) -> None:
        self.database = Database()
        self.addCleanup(self.database.close)
        self.database.run("CREATE EXTENSION kid; CREATE TABLE t (id kid64 PRIMARY KEY)")
        self.table = catalog.table(self.database.conn, "public.t")

    def begin(self, kind: state.Kind, change: str) -> str:
        """Writes the state of a move, changes it by an expression of `state`, and returns the schema."""
        conn = self.database.conn
        schema = state.schema_of(kind, self.table)
        state.create(conn, schema, state.State(kind, "public.t", *state.identity(conn), {}, {"options": {}}))
        self.database.run(f"UPDATE {schema}.state SET state = {change}")
        return schema

    def test_fields(self) -> None:
        for change in ("state || jsonb '{\"added\": 1}'", "state - 'relation'"):
            with self.subTest(change), self.assertRaisesRegex(
                Refused, "^another version of kidctl has begun this move"
            ):
                state.load(self.database.conn, self.begin("rekey", change))

    def test_options(self) -> None:
        change = "jsonb_set(state, '{options,options}', '{\"added\": 1}')"
        self.begin("rekey", change)
        with self.assertRaisesRegex(Refused, "^another version of kidctl has begun this move"):
            rekey_plan.read_plan(self.database.conn, self.table, None)
        self.begin("partition", change)
        with self.assertRaisesRegex(Refused, "^another version of kidctl has begun this move"):
            partition_plan.read_plan(self.database.conn, self.table, None)


if __name__ == "__main__":
    unittest.main()
