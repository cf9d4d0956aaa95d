"""What the tests of kidctl share. They need PYTHONPATH=python, and a server that PGHOST and its kin name."""

from __future__ import annotations

import os
from itertools import count

from psycopg import sql

from pgkid.ctl.connection import connect


class Database:
    """A database for one test"""

    numbers = count(1)

    def __init__(self) -> None:
        name = f"kidctl_{os.getpid()}_{next(self.numbers)}"
        self.name = sql.Identifier(name)
        self.server = connect("dbname=postgres")
        self.server.execute(sql.SQL("CREATE DATABASE {}").format(self.name))
        self.conn = connect(f"dbname={name}")

    def run(self, statements: str) -> None:
        """Runs statements as a user writes them."""
        self.conn.execute("SET search_path = public")
        self.conn.execute(statements)
        self.conn.execute("SET search_path = pg_catalog, pg_temp")

    def close(self) -> None:
        """Drops the database."""
        self.conn.close()
        self.server.execute(sql.SQL("DROP DATABASE {}").format(self.name))
        self.server.close()
