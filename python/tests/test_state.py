"""Tests the state that a move keeps in the database"""

from __future__ import annotations

import unittest
from typing import get_args

from support import Database

from pgkid.ctl import catalog, state
from pgkid.ctl.findings import Refused
from pgkid.ctl.leave.plan import LateConstraint, LeaveState
from pgkid.ctl.objects import Object
from pgkid.ctl.partition import plan as partition_plan
from pgkid.ctl.partition.late import Late
from pgkid.ctl.rekey import plan as rekey_plan


class Kept(unittest.TestCase):
    """Each test has a table with a state."""

    def setUp(self) -> None:
        self.database = Database()
        self.addCleanup(self.database.close)
        self.database.run("CREATE EXTENSION kid; CREATE TABLE t (id kid64 PRIMARY KEY DEFAULT kid_next())")
        self.table = catalog.table(self.database.conn, "public.t")

    def begin(self, kind: state.Kind) -> str:
        """Writes the state of a move in the place of another one, and returns its schema."""
        conn, schema = self.database.conn, state.schema_of(kind, self.table)
        self.database.run(f"DROP SCHEMA IF EXISTS {schema} CASCADE")
        begun: state.State
        if kind == "rekey":
            rekey = rekey_plan.Options("kid96", None, None, "2020-01-01", "2021-01-01", None, "off", False)
            begun = rekey_plan.read_plan(conn, self.table, rekey).begin([self.table])
        else:
            partition = partition_plan.Options("1 day", None)
            begun = partition_plan.read_plan(conn, self.table, partition).new_state()
        state.create(conn, schema, begun)
        return schema

    def change(self, schema: str, change: str) -> None:
        """Changes a state by an expression of it."""
        self.database.run(f"UPDATE {schema}.state SET state = {change}")


class Names(unittest.TestCase):
    """Tests the names of the schemas of moves, which PostgreSQL must not cut."""

    def test_long(self) -> None:
        for kind in get_args(state.Kind):
            names = {state.schema_name(kind, word, full) for word in ("a" * 63, "ä" * 31) for full in ("a.b", "a.c")}
            self.assertEqual(len(names), 4)
            for name in names:
                self.assertIn(len(name.encode()), (62, 63))
                self.assertRegex(name, f"^kidctl_{kind}_[aä]+_[0-9a-f]{{8}}$")


class OtherVersion(Kept):
    """Tests states that another version of kidctl has written, or that are damaged."""

    unreadable = (
        "jsonb 'null'",
        "jsonb '[]'",
        "jsonb '\"text\"'",
        "state - 'step'",
        "jsonb_set(state, '{step}', '\"other\"')",
        "jsonb_set(state, '{step}', '[]')",
    )

    def test_step(self) -> None:
        schema = self.begin("partition")
        begun = state.saved(self.database.conn, schema)
        self.assertEqual("prepare", begun and begun["step"])
        for change in self.unreadable:
            self.change(self.begin("partition"), change)
            with self.subTest(change), self.assertRaisesRegex(
                Refused, "^another version of kidctl has begun the move in schema kidctl_"
            ):
                state.step_of(self.database.conn, schema)

    def test_fields(self) -> None:
        kinds: list[state.Kind] = ["rekey", "partition"]
        for kind in kinds:
            for change in (
                "state || jsonb '{\"added\": 1}'",
                "state - 'relation'",
                "state - 'options'",
                "state - 'version'",
                "state || jsonb '{\"version\": 2}'",
                "jsonb_set(state, '{options,added}', '1')",
                "jsonb_set(state, '{origin,added}', '1')",
                "jsonb_set(state, '{options}', 'null')",
                "jsonb_set(state, '{tables}', '[]')",
                "jsonb_set(state, '{to_fill}', 'null')",
                *self.unreadable,
            ):
                self.change(self.begin(kind), change)
                with self.subTest(change, kind=kind), self.assertRaisesRegex(
                    Refused, "^another version of kidctl has begun the move in schema kidctl_"
                ):
                    if kind == "rekey":
                        rekey_plan.read_plan(self.database.conn, self.table, None)
                    else:
                        partition_plan.read_plan(self.database.conn, self.table, None)


class Restored(unittest.TestCase):
    """Tests the parts of a state, which need no server."""

    def test_other_containers(self) -> None:
        partition = partition_plan.Options
        wrong: list[tuple[object, object]] = [
            (partition, None),
            (partition, ["1 day", None]),
            (partition, "1 day"),
            (list[Late], None),
            (list[Late], {}),
            (list[Late], [None]),
            (dict[str, int], None),
            (dict[str, int], []),
        ]
        for kind, value in wrong:
            with self.subTest(f"{kind} {value}"), self.assertRaises(TypeError):
                state.restored(kind, value)

    def test_containers(self) -> None:
        self.assertEqual(
            partition_plan.Options("1 day", None),
            state.restored(partition_plan.Options, {"width": "1 day", "until": None}),
        )
        self.assertEqual({"a": 1}, state.restored(dict[str, int], {"a": 1}))
        self.assertEqual([], state.restored(list[Late], []))


class Loaded(Kept):
    """Tests that a state is read as it was written, with the types of all that it contains."""

    def test_rekey(self) -> None:
        schema = self.begin("rekey")
        plan = rekey_plan.read_plan(self.database.conn, self.table, None)
        assert plan.state
        plan.state.seen = [rekey_plan.Seen(Object("view", "public", "v", label="view public.v"), ["one", "two"])]
        plan.state.remade = [rekey_plan.Remade(Object("rule", "public", "r", "t"), ["before"], [])]
        plan.state.constraints = [rekey_plan.OldConstraint("public.t", "k", "CHECK (true)", True)]
        plan.state.to_fill = ["public.m"]
        plan.save("swap")
        self.assertEqual(plan.state, state.load(self.database.conn, schema, rekey_plan.RekeyState))
        self.assertEqual("swap", state.step_of(self.database.conn, schema))

    def test_partition(self) -> None:
        schema = self.begin("partition")
        plan = partition_plan.read_plan(self.database.conn, self.table, None)
        assert plan.state
        plan.state.late = [Late("public.t", "k", "FOREIGN KEY (a) REFERENCES t", True, False, None)]
        plan.state.indexes = {"t_old_pkey": "t_pkey"}
        plan.save("swap")
        self.assertEqual(plan.state, state.load(self.database.conn, schema, partition_plan.TableState))

    def test_leave(self) -> None:
        conn, schema = self.database.conn, state.schema_of_role("leave", "somebody")
        begun = LeaveState(
            "public.t", state.origin_of(conn), {}, "change", [], [LateConstraint("public.t", "k", 7)], {}
        )
        state.create(conn, schema, begun)
        self.assertEqual(begun, state.load(conn, schema, LeaveState))


if __name__ == "__main__":
    unittest.main()
