"""Tables that publications name, with their lists of columns and their conditions."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional

from psycopg import sql

from pgkid.ctl.catalog import read
from pgkid.ctl.connection import Connection
from pgkid.ctl.steps import Statement, statement


@dataclass(frozen=True)
class Membership:
    """A table as a publication names it."""

    publication: str
    owner: str
    is_owned: bool  # whether this role may change it
    table: str
    columns: Optional[str]
    condition: Optional[str]

    def drop(self) -> Statement:
        """Returns the statement that takes the table from the publication."""
        publication = sql.Identifier(self.publication)
        return statement("ALTER PUBLICATION {} DROP TABLE {}", publication, sql.SQL(self.table), about=self.label)

    def add(self) -> Statement:
        """Returns the statement that gives a table of this name to the publication."""
        rest = f" ({self.columns})" * bool(self.columns) + f" WHERE ({self.condition})" * bool(self.condition)
        publication = sql.Identifier(self.publication)
        return statement(
            "ALTER PUBLICATION {} ADD TABLE {}{}", publication, sql.SQL(self.table), sql.SQL(rest), about=self.label
        )

    @property
    def label(self) -> str:
        """How findings name the publication."""
        return f"publication {self.publication}"


def memberships(conn: Connection, table: int) -> list[Membership]:
    """Returns the publications that name a table. Those for all tables, or for a schema, do not name it."""
    return read(
        conn,
        Membership,
        """
        SELECT p.pubname AS publication, pg_get_userbyid(p.pubowner) AS owner,
               pg_has_role(p.pubowner, 'USAGE') AS is_owned, r.prrelid::regclass::text AS table,
               (SELECT string_agg(quote_ident(a.attname), ', ' ORDER BY a.attnum) FROM pg_attribute AS a
                 WHERE a.attrelid = r.prrelid AND a.attnum = ANY (r.prattrs::smallint[])) AS columns,
               pg_get_expr(r.prqual, r.prrelid) AS condition
          FROM pg_publication_rel AS r JOIN pg_publication AS p ON p.oid = r.prpubid
         WHERE r.prrelid = %s ORDER BY 1
        """,
        (table,),
    )
