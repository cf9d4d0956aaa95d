"""What can stand in the way of any move: rights that the session lacks, and what cannot be made again."""
from __future__ import annotations

from typing import Iterable, Iterator, Sequence

from pgkid.ctl import state
from pgkid.ctl.catalog import ColumnAddress, Table
from pgkid.ctl.connection import Connection, in_statement, scalar
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.made import Made
from pgkid.ctl.strangers import of_literals, of_overloads


def refused(object: str, message: str, hint: str = "") -> Finding:
    """Returns a finding that cannot be accepted."""
    return Finding("refused", object, message, hint=hint, stops=True)


def rights(object: str, message: str, hint: str) -> Finding:
    """Returns a finding about what the session's role may not do."""
    return Finding("rights", object, message, hint=hint, stops=True)


def refuse(findings: Iterable[Finding]) -> None:
    """Raises an error for the first one of some findings."""
    for finding in findings:
        raise Refused(f"{finding.object}: {finding.message}".removeprefix(": "), finding.hint)


# What is no table, by the kind of relation that pg_class tells
OTHERS = {
    "v": "views",
    "m": "materialized views",
    "f": "foreign tables",
    "S": "sequences",
    "i": "indexes",
    "I": "partitioned indexes",
    "c": "composite types",
    "t": "TOAST tables",
}


def refuse_kind(table: Table) -> None:
    """Raises an error for a relation that is no table of the user's, in the words in which PostgreSQL refuses it."""
    if table.kind in OTHERS:
        raise Refused(f'"{table.label}" is not a table: this operation is not supported for {OTHERS[table.kind]}')
    if table.schema in ("pg_catalog", "information_schema"):
        raise Refused(f'permission denied: "{table.label}" is a system catalog')
    if table.persistence == "t":
        raise Refused(
            f'"{table.label}" is a temporary table', "kidctl works in sessions of its own. Move permanent tables."
        )


def refuse_partition(conn: Connection, table: Table) -> None:
    """Raises an error for a partition, which changes with its parent alone."""
    if table.is_partition:
        parent = scalar(conn, "SELECT pg_partition_root(%s)::regclass::text", (table.oid,))
        raise Refused(f'"{table.label}" is a partition of "{parent}"', "Its keys change with those of the parent only.")


def of_owners(conn: Connection, tables: Iterable[Table]) -> Iterator[Finding]:
    """Yields tables that do not belong to the session's role."""
    user = scalar(conn, "SELECT current_user")
    for table in tables:
        if table.owner != user:
            hint = f"ALTER TABLE {table.label} OWNER TO {in_statement(conn, user)}."
            yield rights(table.label, f"belongs to {table.owner}, and not to {user}", hint)


def of_strange_schemas(conn: Connection, tables: Iterable[int]) -> Iterator[Finding]:
    """Yields schemas of strangers that contain tables of the session's role whose rows are read.

    These are some tables, their partitions, and what they refer to. The owner of a schema can exchange its name for
    that of another one at any time. A query of kidctl would then read a view, whose functions run with the rights of
    this role.
    """
    user = scalar(conn, "SELECT quote_ident(current_user)")
    for schema, owner, labels in conn.execute(
        """
        WITH RECURSIVE reached (oid) AS (
            SELECT unnest(%s::oid[])
            UNION
            SELECT x.oid FROM reached AS r, LATERAL (
                SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = r.oid
                UNION ALL SELECT k.confrelid FROM pg_constraint AS k WHERE k.conrelid = r.oid AND k.contype = 'f')
                AS x (oid))
        SELECT quote_ident(n.nspname), quote_ident(o.rolname), string_agg(c.oid::regclass::text, ', ' ORDER BY c.oid)
          FROM reached AS r JOIN pg_class AS c ON c.oid = r.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
               JOIN pg_roles AS o ON o.oid = n.nspowner JOIN pg_database AS d ON d.datname = current_database()
         WHERE pg_get_userbyid(c.relowner) = current_user
               AND NOT (o.rolsuper OR o.oid = d.datdba OR o.rolname = 'pg_database_owner'
                        OR pg_has_role(o.oid, 'USAGE'))
         GROUP BY n.nspname, o.rolname ORDER BY 1
        """,
        (list(tables),),
    ).fetchall():
        about = f"schema {schema}"
        yield Finding(
            "rights",
            about,
            f"belongs to {owner}, who could put views in the place of {labels}, whose code would run as {user}",
            hint=f"Accept it if you trust {owner}.",
            stops=True,
            accept_name=about,
        )


def of_hidden_rows(conn: Connection, tables: Iterable[Table]) -> Iterator[Finding]:
    """Yields the session's role if policies hide rows from it."""
    may_bypass = "SELECT rolbypassrls FROM pg_roles WHERE rolname = current_user"
    if any(table.force_row_security for table in tables) and not scalar(conn, may_bypass):
        user = scalar(conn, "SELECT quote_ident(current_user)")
        hint = f"As a superuser run ALTER ROLE {user} BYPASSRLS."
        yield rights(user, "would not see all rows of tables with FORCE ROW LEVEL SECURITY", hint)


def unfinished(move: state.Unfinished) -> Finding:
    """Returns the finding about a move that has to be finished before another one."""
    message = f"is in a move that is not finished, whose state is in schema {move.schema}"
    return refused(move.relation, message, move.way_out)


def of_state(conn: Connection) -> Iterator[Finding]:
    """Yields the session's role if it may not create the schema of the state."""
    user, database, may_create = conn.execute(
        "SELECT quote_ident(current_user), quote_ident(current_database()),"
        " has_database_privilege(current_database(), 'CREATE')"
    ).fetchall()[0]
    if not may_create:
        message = "may not create the schema in which kidctl keeps the state of the move"
        yield rights(user, message, f"GRANT CREATE ON DATABASE {database} TO {user}.")


def of_row_types(conn: Connection, tables: Sequence[int], consequence: str) -> Iterator[Finding]:
    """Yields columns that contain rows of some tables, or values of composite types, also within other types."""
    for column, rows in conn.execute(
        """
        WITH RECURSIVE reached (top, type) AS (
            SELECT c.oid, c.reltype FROM pg_class AS c WHERE c.oid = ANY (%s)
            UNION
            SELECT r.top, x.type
              FROM reached AS r, LATERAL (
                       SELECT t.typarray FROM pg_type AS t WHERE t.oid = r.type
                       UNION ALL SELECT t.oid FROM pg_type AS t WHERE t.typbasetype = r.type
                       UNION ALL SELECT unnest(ARRAY[g.rngtypid, g.rngmultitypid]) FROM pg_range AS g
                                  WHERE g.rngsubtype = r.type
                       UNION ALL SELECT c.reltype FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid
                                  WHERE a.atttypid = r.type AND NOT a.attisdropped) AS x (type)
             WHERE x.type <> 0)
        SELECT format('column %%I of %%s', a.attname, a.attrelid::regclass), r.top::regclass::text
          FROM reached AS r JOIN pg_attribute AS a ON a.atttypid = r.type AND NOT a.attisdropped
               JOIN pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'm')
         ORDER BY 1, 2
        """,
        (list(tables),),
    ).fetchall():
        yield refused(column, f"has values of type {rows}, {consequence}")


def of_made(
    conn: Connection, made: Sequence[Made], columns: Sequence[ColumnAddress], domains: Sequence[int] = ()
) -> Iterator[Finding]:
    """Yields what must be made again, and belongs to a role that this one may not act as, or could call its code.

    Domains, and all that depends on columns, are made again, too.
    """
    user = scalar(conn, "SELECT quote_ident(current_user)")
    for owner in sorted({m.owner for m in made}):
        if not scalar(conn, "SELECT pg_has_role(%s, 'USAGE')", (owner,)):
            yield rights(
                ", ".join(m.object.label for m in made if m.owner == owner),
                f"must be made again, and belongs to {owner}",
                f"Drop it before, or give it to {user}. GRANT {in_statement(conn, owner)} TO {user} only if {user}"
                f" may do all that {owner} may.",
            )
    yield from of_schemas(conn, made)
    relations = [m.oid for m in made if m.catalog in ("view", "pg_class")]
    yield from of_tablespaces(conn, [*relations, *indexes_of_constraints(conn, made)])
    yield from of_literals(conn, made)
    yield from of_overloads(conn, made, columns, domains)


def indexes_of_constraints(conn: Connection, made: Sequence[Made]) -> list[int]:
    """Returns the indexes of the constraints among what must be made again."""
    oids = [m.oid for m in made if m.catalog == "pg_constraint"]
    rows = conn.execute("SELECT conindid FROM pg_constraint WHERE oid = ANY (%s)", (oids,)).fetchall()
    return [row[0] for row in rows]


def of_tablespaces(conn: Connection, relations: Sequence[int]) -> Iterator[Finding]:
    """Yields relations that must be made again in tablespaces in which this role may not. The rehearsal has none."""
    user = scalar(conn, "SELECT quote_ident(current_user)")
    for label, space in conn.execute(
        "SELECT c.oid::regclass::text, quote_ident(s.spcname) FROM pg_class AS c"
        " JOIN pg_tablespace AS s ON s.oid = c.reltablespace"
        " WHERE c.oid = ANY (%s) AND NOT has_tablespace_privilege(s.oid, 'CREATE') ORDER BY 1",
        (list(relations),),
    ).fetchall():
        message = f"must be made again in tablespace {space}, for which {user} has no privilege CREATE"
        yield rights(label, message, f"GRANT CREATE ON TABLESPACE {space} TO {user}.")


# What is made again in a schema. Other objects belong to a table or a view.
IN_SCHEMA = ("view", "materialized view", "statistics")


def of_schemas(conn: Connection, made: Sequence[Made]) -> Iterator[Finding]:
    """Yields what must be made again in a schema in which this role may not, or the role to which it gives it.

    Of an owner that this role may not act as, of_made() tells already.
    """
    user = scalar(conn, "SELECT current_user")
    for m in [m for m in made if m.object.kind in IN_SCHEMA]:
        for role, privilege in ((user, "USAGE"), (user, "CREATE"), (m.owner, "CREATE")):
            may = "SELECT has_schema_privilege(%s, %s, %s) OR NOT pg_has_role(%s, 'USAGE')"
            if not scalar(conn, may, (role, m.object.schema, privilege, role)):
                schema = in_statement(conn, m.object.schema)
                yield rights(
                    m.object.label,
                    f"must be made again in schema {schema}, for which {role} has no privilege {privilege}",
                    f"GRANT {privilege} ON SCHEMA {schema} TO {in_statement(conn, role)}, or drop it before.",
                )
                break


def refuse_made(conn: Connection, made: Sequence[Made], columns: Sequence[ColumnAddress]) -> None:
    """Raises an error if this role may not make one of the objects that are to be made again."""
    refuse(of_made(conn, made, columns))
