"""Tests how far standbys are, as a move of many rows sees them"""

from __future__ import annotations

import unittest
from typing import Any
from unittest import mock

from pgkid.ctl import throttle


def connection(*rows: tuple[str, str]) -> Any:
    """Returns a connection on which every query has these rows."""
    conn = mock.Mock()
    conn.execute.return_value.fetchall.return_value = list(rows)
    return conn


class Readers(unittest.TestCase):
    """The rows are those of pg_stat_replication and of unused slots."""

    def test_standbys_with_the_same_name(self) -> None:
        rows = ("walreceiver", "0/1"), ("walreceiver", "0/2"), ("slot b", "0/3")
        found = throttle.Throttle().readers(connection(*rows))
        self.assertEqual(list(rows), [(reader.name, reader.position) for reader in found])

    def test_one_of_two_has_gone(self) -> None:
        told = "--max-lag: walreceiver is not connected any more, so nothing waits for it"
        held_back = throttle.Throttle()
        both = connection(("walreceiver", "0/1"), ("walreceiver", "0/2"))
        with mock.patch.object(throttle, "say") as say:
            held_back.readers(both)
            held_back.readers(both)
            say.assert_not_called()
            held_back.readers(connection(("walreceiver", "0/2")))
            say.assert_called_once_with(told)


if __name__ == "__main__":
    unittest.main()
