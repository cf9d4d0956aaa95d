"""Tables that publications name, with their lists of columns and their conditions."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable, Iterator, Optional, Sequence

from psycopg import errors, sql

from pgkid.ctl.catalog import Table, columns, read
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding
from pgkid.ctl.objects import Object
from pgkid.ctl.obstacles import refused
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
        return statement("ALTER PUBLICATION {} DROP TABLE {}", publication, sql.SQL(self.table), about=self.object)

    def add(self) -> Statement:
        """Returns the statement that gives a table of this name to the publication."""
        rest = f" ({self.columns})" * bool(self.columns) + f" WHERE ({self.condition})" * bool(self.condition)
        publication = sql.Identifier(self.publication)
        return statement(
            "ALTER PUBLICATION {} ADD TABLE {}{}", publication, sql.SQL(self.table), sql.SQL(rest), about=self.object
        )

    @property
    def object(self) -> Object:
        """The publication."""
        return Object("publication", "", self.publication, label=f"publication {self.publication}")


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


def of_subscriptions(conn: Connection, tables: Sequence[int], fate: str) -> Iterator[Finding]:
    """Yields subscriptions that write tables that others take the place of, and would leave these out without an error.

    `fate` says what happens to the tables, as the end of a sentence.
    """
    for name, table in conn.execute(
        "SELECT quote_ident(s.subname), r.srrelid::regclass::text FROM pg_subscription_rel AS r"
        " JOIN pg_subscription AS s ON s.oid = r.srsubid WHERE r.srrelid = ANY (%s) ORDER BY 1, 2",
        (list(tables),),
    ).fetchall():
        yield refused(
            f"subscription {name}",
            f"writes {table}, which {fate}, and would leave out changes then",
            "While nobody writes on the other server, take the table out of the publication there, and run"
            f" ALTER SUBSCRIPTION {name} REFRESH PUBLICATION. Afterwards add it again, and run the same"
            " WITH (copy_data = false).",
        )


def of_updates(conn: Connection, tables: Iterable[Table]) -> Iterator[Finding]:
    """Yields tables that nobody can update, because a publication sends updates and does not know the row by them.

    The rehearsal does not find it, as publications name no tables in the copy (copy.py). PostgreSQL looks before it
    plans to read a row, so EXPLAIN is enough, for which no trigger runs.
    """
    for table in tables:
        if table.kind != "r":
            continue
        column = columns(conn, table.oid)[0]
        value = sql.SQL("DEFAULT") if column.identity else sql.Identifier(column.name)
        update = sql.SQL("EXPLAIN UPDATE ONLY {} SET {} = {} WHERE false")
        try:
            with conn.transaction(force_rollback=True):
                conn.execute(update.format(table.sql, sql.Identifier(column.name), value))
        except (errors.ObjectNotInPrerequisiteState, errors.InvalidColumnReference) as error:
            yield Finding(
                "refused",
                table.label,
                ": ".join(filter(None, (error.diag.message_primary, error.diag.message_detail))),
                hint=f"ALTER TABLE {table.label} REPLICA IDENTITY FULL, at least until the rows are filled.",
                stops=True,
            )
        except errors.InsufficientPrivilege:
            pass  # told as a matter of rights
