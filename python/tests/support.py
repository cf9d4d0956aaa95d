"""What the tests of kidctl share. They need PYTHONPATH=python, and a server that PGHOST and its kin name."""

from __future__ import annotations

import os

from psycopg import sql

from pgkid.ctl.connection import connect


class Database:
    """A database for one test"""

    def __init__(self) -> None:
        self.name = sql.Identifier(f"kidctl_{os.getpid()}")
        self.server = connect("dbname=postgres")
        self.server.execute(sql.SQL("CREATE DATABASE {}").format(self.name))
        self.conn = connect(f"dbname=kidctl_{os.getpid()}")

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
