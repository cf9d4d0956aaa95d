"""The way back of a move to new keys before the swap."""
from __future__ import annotations

from dataclasses import asdict
from json import dumps
from typing import Any, Optional, Sequence

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Refused
from pgkid.ctl.names import is_beside
from pgkid.ctl.rekey import follow
from pgkid.ctl.rekey.finish import drop_columns
from pgkid.ctl.rekey.plan import RekeyState
from pgkid.ctl.steps import Runner, lock, statement


class Cancel:
    """Takes everything back before the swap.

    It drops what the state lists, under whatever name, also if the foreign key is gone that made a table a part of the
    move. In a restored copy it goes by the names in the state, also for a table that was restored alone if it has the
    trigger of the move. Without the state, as in a copy of the schema alone, it goes by the triggers. Columns that only
    have such a name can be somebody's own.
    """

    def __init__(self, conn: Connection, relation: str) -> None:
        self.conn, self.relation = conn, relation

    @property
    def root(self) -> catalog.Table:
        """The table that the user named."""
        return catalog.table(self.conn, self.relation)

    @property
    def schema(self) -> str:
        """The schema of the move."""
        return state.schema_of("rekey", self.root)

    def run(self, runner: Runner) -> None:
        """Drops triggers, columns, and the schema of the move."""
        schema = self.schema
        followed, added = follow.followed(self.conn, schema), self.added(schema)
        tables = catalog.tables(self.conn, sorted({*followed, *(table.oid for table, _name in added)}))

        def remove() -> None:
            self.refuse_swapped()
            for table in tables:
                if table.oid in followed:
                    runner.execute(statement("DROP TRIGGER {} ON {}", sql.Identifier(follow.TRIGGER), table.sql))
            state.remove(runner, schema)
            self.drop_indexes(runner, tables)
            drop_columns(runner, added)

        runner.retried([lock([table.sql for table in tables])] if tables else [], remove)

    def added(self, schema: str) -> list[tuple[catalog.Table, str]]:
        """Returns the columns that the move has added, with their tables. Those of partitions go with the parent's."""
        begun = state.load(self.conn, schema, RekeyState)
        followed = follow.followed(self.conn, schema)
        if begun and begun.added:
            is_here = state.is_here(self.conn, begun.origin, schema)
            given = dumps([asdict(column) for column in begun.added])
            rows = self.conn.execute(
                """
                SELECT a.attrelid, a.attname
                  FROM jsonb_to_recordset(%s) AS s ("table" text, oid oid, number smallint, name name)
                       JOIN pg_attribute AS a
                            ON CASE WHEN %s AND EXISTS (SELECT FROM pg_class AS c WHERE c.oid = s.oid)
                                    THEN (a.attrelid, a.attnum) = (s.oid, s.number)
                                    ELSE (a.attrelid, a.attname) = (to_regclass(s."table"), s.name) END
                 WHERE NOT a.attisdropped AND a.attinhcount = 0 AND (NOT %s OR a.attrelid = ANY (%s || %s::oid[]))
                """,
                (given, is_here, is_here, followed, [column.oid for column in begun.added]),
            ).fetchall()
        else:
            rows = [
                (oid, column.name)
                for oid in followed
                for column in catalog.columns(self.conn, oid)
                if is_beside(column.name, "new")
            ]
        return [(catalog.tables(self.conn, [oid])[0], name) for oid, name in [*rows, *self.detached(rows)]]

    def detached(self, added: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Returns the columns that somebody detached with a partition made during the move. They refer to new keys."""
        rows = self.conn.execute(
            """
            SELECT DISTINCT a.attrelid, a.attname
              FROM unnest(%s::oid[], %s::text[]) AS s (tab, name)
                   JOIN pg_attribute AS n ON n.attrelid = s.tab AND n.attname = s.name
                   JOIN pg_constraint AS k ON k.contype = 'f' AND k.confrelid = s.tab AND k.confkey = ARRAY[n.attnum]
                   JOIN pg_class AS c ON c.oid = k.conrelid AND c.relowner = current_user::regrole AND c.relkind = 'r'
                   JOIN pg_attribute AS a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1] AND a.attinhcount = 0
            """,
            ([oid for oid, _name in added], [name for _oid, name in added]),
        ).fetchall()
        return [row for row in rows if row not in added and is_beside(row[1], "new")]

    def refuse(self) -> None:
        """Raises an error if there is nothing to take back, or after the swap."""
        if state.owner_of(self.conn, self.schema) is None:
            refused = state.not_begun("rekey", self.root)
            raise Refused(str(refused), self.hint_of_remains() or refused.hint)
        self.refuse_swapped()

    def hint_of_remains(self) -> Optional[str]:
        """Returns how to drop what has a name of kidctl's own, but no move that can be proved.

        A copy of some schemas or tables, without that of the move, has such columns. Those that refer to the key go
        before the key.
        """
        try:
            oids = list(dict.fromkeys(column.table for column in catalog.related(self.conn, self.root.oid)))
        except Refused:  # A copy of tables alone has no keys.
            oids = [self.root.oid]
        drops = self.conn.execute(
            "SELECT format('ALTER TABLE %%s DROP %%I;', attrelid::regclass, attname) FROM pg_attribute"
            " WHERE attrelid = ANY (%s) AND attname ~ '^kid_(new|old)_' AND NOT attisdropped AND attinhcount = 0"
            " ORDER BY array_position(%s::oid[], attrelid) DESC, attnum DESC",
            (oids, oids),
        ).fetchall()
        if not drops:
            return None
        drops += [(f"DROP INDEX {index.label};",) for index in self.old_indexes(oids)]
        text = " ".join(row[0] for row in drops)
        return f"If a move has left these, whose schema was dropped, or is not in this copy, drop them: {text}"

    def refuse_swapped(self) -> None:
        """Raises an error after the swap."""
        begun = state.load(self.conn, self.schema, RekeyState)
        if begun and begun.is_swapped:
            raise Refused(f"{self.root.label} has its new keys already", "Run `kidctl rekey back`.")
        state.refuse_half_back(begun)

    def drop_indexes(self, runner: Runner, tables: list[catalog.Table]) -> None:
        """Drops the indexes on old keys, which were for the way back. Other indexes and CHECKs go with the columns."""
        for index in self.old_indexes([t.oid for t in catalog.family(self.conn, [t.oid for t in tables])]):
            runner.execute(statement("DROP INDEX IF EXISTS {}", index.sql))

    def old_indexes(self, tables: list[int]) -> list[catalog.Index]:
        """Returns the indexes on old keys of some tables."""
        found = catalog.indexes(self.conn, tables)
        return [index for index in found if is_beside(index.name, "old") and not index.parent]
