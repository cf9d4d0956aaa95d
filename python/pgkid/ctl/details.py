"""What CREATE leaves to other statements: owner, privileges, comments, options of columns and of tables."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Optional, Sequence

from psycopg import sql

from pgkid.ctl.catalog import Index, Table, read, tables
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.steps import Runner, Statement, statement, text


def details(conn: Connection, relation: int, column: Optional[int] = None) -> list[str]:
    """Returns statements that give a relation with the same name, or one column of it, what this one has."""
    if column is not None:
        return grants(conn, relation, column) + columns(conn, relation, column)
    return owner(conn, relation) + grants(conn, relation, None) + columns(conn, relation, None)


KIND = "CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' ELSE 'TABLE' END"


def owner(conn: Connection, relation: int) -> list[str]:
    """Returns statements for the owner and the comment, and such that take away what default privileges give."""
    return strings(
        conn,
        f"""
        SELECT l.line FROM pg_class AS c, LATERAL (SELECT {KIND}) AS k (kind), LATERAL (
            SELECT 1, format('ALTER %%s %%s OWNER TO %%s', k.kind, c.oid::regclass, c.relowner::regrole)
            UNION ALL
            SELECT 2, format('COMMENT ON %%s %%s IS %%L', k.kind, c.oid::regclass, obj_description(c.oid, 'pg_class'))
             WHERE obj_description(c.oid, 'pg_class') <> ''
            UNION ALL
            SELECT DISTINCT 3, format('REVOKE ALL ON %%s FROM %%s', c.oid::regclass, g.name)
              FROM pg_default_acl AS f, aclexplode(f.defaclacl) AS d,
                   coalesce(nullif(d.grantee::regrole::text, '-'), 'PUBLIC') AS g (name)
             WHERE d.grantee <> c.relowner AND f.defaclobjtype = 'r' AND f.defaclnamespace IN (0, c.relnamespace)
            UNION ALL
            -- What an owner took from itself stays away.
            SELECT 4, format('REVOKE ALL ON %%s FROM %%s', c.oid::regclass, c.relowner::regrole)
             WHERE c.relacl IS NOT NULL) AS l (n, line)
         WHERE c.oid = %s ORDER BY l.n, l.line
        """,
        relation,
    )


def grants(conn: Connection, relation: int, column: Optional[int]) -> list[str]:
    """Returns the GRANTs of a relation and its columns, or of one column, by those who granted them if possible."""
    lines = []
    back = text(conn, "SET LOCAL ROLE {}", sql.Identifier(scalar(conn, "SELECT current_user")))
    for grantor, grant in conn.execute(
        """
        SELECT CASE WHEN d.grantor <> c.relowner AND pg_has_role(d.grantor, 'MEMBER') THEN d.grantor::regrole::text END,
               format('GRANT %%s ON %%s TO %%s',
                      string_agg(d.privilege_type || o.columns, ', ' ORDER BY d.privilege_type),
                      c.oid::regclass, coalesce(nullif(d.grantee::regrole::text, '-'), 'PUBLIC'))
               || CASE WHEN d.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
          FROM pg_class AS c, LATERAL (
                   SELECT c.relacl, '' WHERE %(column)s::int IS NULL
                   UNION ALL
                   SELECT a.attacl, format(' (%%I)', a.attname) FROM pg_attribute AS a
                    WHERE a.attrelid = c.oid AND NOT a.attisdropped
                          AND (a.attnum = %(column)s::int OR %(column)s::int IS NULL AND a.attnum > 0))
               AS o (acl, columns),
               aclexplode(o.acl) WITH ORDINALITY AS d (grantor, grantee, privilege_type, is_grantable, n)
         WHERE c.oid = %(relation)s
         GROUP BY c.oid, o.columns, d.grantor, d.grantee, d.is_grantable ORDER BY o.columns <> '', min(d.n)
        """,
        {"relation": relation, "column": column},
    ).fetchall():
        lines += [text(conn, "SET LOCAL ROLE {}", sql.SQL(grantor)), grant, back] if grantor else [grant]
    return lines


def columns(conn: Connection, relation: int, column: Optional[int]) -> list[str]:
    """Returns comments, statistics targets and options of all columns, or of one."""
    return strings(
        conn,
        f"""
        SELECT l.line FROM pg_class AS c, LATERAL (SELECT {KIND}) AS k (kind), pg_attribute AS a,
               format('%%s %%s ALTER COLUMN %%I SET ', k.kind, c.oid::regclass, a.attname) AS h (head), LATERAL (
            SELECT format('COMMENT ON COLUMN %%s.%%I IS %%L', c.oid::regclass, a.attname,
                          col_description(c.oid, a.attnum)) WHERE col_description(c.oid, a.attnum) <> ''
            UNION ALL
            SELECT concat('ALTER ', h.head, 'STATISTICS ', a.attstattarget)
             WHERE a.attstattarget >= 0 AND c.relkind <> 'v'
            UNION ALL
            -- Minor versions keep a mark of their own among the options.
            SELECT concat('ALTER ', h.head, '(', string_agg(o.option, ', '), ')')
              FROM unnest(a.attoptions) AS o (option)
             WHERE o.option NOT LIKE 'pg\\_%%' HAVING count(*) > 0
            UNION ALL
            -- A new table has these by LIKE.
            SELECT concat('ALTER ', h.head, 'STORAGE ', CASE a.attstorage WHEN 'p' THEN 'PLAIN' WHEN 'e' THEN 'EXTERNAL'
                                                                          WHEN 'm' THEN 'MAIN' ELSE 'EXTENDED' END)
              FROM pg_type AS t WHERE c.relkind = 'm' AND t.oid = a.atttypid AND t.typstorage <> a.attstorage
            UNION ALL
            SELECT concat('ALTER ', h.head, 'COMPRESSION ', CASE a.attcompression WHEN 'p' THEN 'pglz' ELSE 'lz4' END)
             WHERE c.relkind = 'm' AND a.attcompression <> '') AS l (line)
         WHERE c.oid = %s AND a.attrelid = c.oid AND NOT a.attisdropped AND a.attnum > 0
               AND (a.attnum = coalesce(%s, a.attnum)) ORDER BY a.attnum, l.line
        """,
        relation,
        column,
    )


def strings(conn: Connection, query: str, *parameters: Optional[int]) -> list[str]:
    """Returns the only column of a query."""
    return [str(row[0]) for row in conn.execute(query, parameters).fetchall()]


def identity(conn: Connection, kind: str, sequence: int) -> str:
    """Returns what makes a column an identity with the options of a sequence."""
    return str(
        scalar(
            conn,
            """
            SELECT concat('ADD GENERATED ', CASE %s WHEN 'a' THEN 'ALWAYS' ELSE 'BY DEFAULT' END, ' AS IDENTITY (',
                          concat_ws(' ', 'SEQUENCE NAME ' || s.seqrelid::regclass, 'START ' || s.seqstart,
                                    'INCREMENT ' || s.seqincrement, 'MINVALUE ' || s.seqmin,
                                    'MAXVALUE ' || s.seqmax, 'CACHE ' || s.seqcache,
                                    CASE WHEN s.seqcycle THEN 'CYCLE' END), ')')
              FROM pg_sequence AS s WHERE s.seqrelid = %s
            """,
            (kind, sequence),
        )
    )


def of_new_table(table: Table, new: sql.Composable) -> list[Statement]:
    """Returns statements that give a new table the row-level security and the replica identity of another one.

    A replica identity that is an index comes with the index: of_index() has it.
    """
    found = []
    for flag, word in ((table.row_security, "ENABLE"), (table.force_row_security, "FORCE")):
        if flag:
            found.append(statement("ALTER TABLE {} {} ROW LEVEL SECURITY", new, sql.SQL(word)))
    identity = {"f": "FULL", "n": "NOTHING"}.get(table.replica_identity)
    if identity:
        found.append(statement("ALTER TABLE {} REPLICA IDENTITY {}", new, sql.SQL(identity)))
    return found


def of_index(conn: Connection, index: Index) -> list[str]:
    """Returns what an index has beside its definition, as statements by its name."""
    table = sql.SQL(scalar(conn, "SELECT %s::oid::regclass::text", (index.table,)))
    name, own = index.sql, sql.Identifier(index.name)
    lines = extensions(conn, "pg_class", index.oid, sql.SQL("INDEX {}").format(name))
    if index.comment:
        lines.append(text(conn, "COMMENT ON INDEX {} IS {}", name, index.comment))
    if index.constraint_comment:
        lines.append(text(conn, "COMMENT ON CONSTRAINT {} ON {} IS {}", own, table, index.constraint_comment))
    if index.is_clustered:
        lines.append(text(conn, "ALTER TABLE {} CLUSTER ON {}", table, own))
    if index.is_replica_identity:
        lines.append(text(conn, "ALTER TABLE {} REPLICA IDENTITY USING INDEX {}", table, own))
    for number, target in conn.execute(
        "SELECT attnum, attstattarget FROM pg_attribute WHERE attrelid = %s AND attstattarget >= 0", (index.oid,)
    ).fetchall():
        lines.append(text(conn, "ALTER INDEX {} ALTER COLUMN {} SET STATISTICS {}", name, number, target))
    return lines


def extensions(conn: Connection, catalog: str, oid: int, what: sql.Composable) -> list[str]:
    """Returns the statements by which an object is dropped with extensions, as ALTER … DEPENDS ON EXTENSION says.

    `what` is the kind and the name of the object.
    """
    return [
        text(conn, "ALTER {} DEPENDS ON EXTENSION {}", what, sql.Identifier(extension))
        for (extension,) in conn.execute(
            "SELECT e.extname FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid"
            " WHERE d.classid = %s::regclass AND d.objid = %s AND d.deptype = 'x'"
            " AND d.refclassid = 'pg_extension'::regclass ORDER BY 1",
            (catalog, oid),
        ).fetchall()
    ]


@dataclass(frozen=True)
class Inherited:
    """A constraint that a partition has from its parent, with its own name and comment."""

    table: int
    label: str  # the name of the table as part of a statement, by which it is found if it was created again
    parent: str  # the name of the parent's constraint
    kind: str
    name: str
    comment: Optional[str]


def inherited(conn: Connection, relations: Sequence[int]) -> list[Inherited]:
    """Returns the constraints that partitions have from their parents. CHECKs and NOT NULL have the parent's name.

    A foreign key to a partitioned table has one more constraint for each partition, of the same table, without a name
    that anybody has given.
    """
    return read(
        conn,
        Inherited,
        """
        SELECT k.conrelid AS table, k.conrelid::regclass::text AS label, coalesce(p.conname, k.conname) AS parent,
               k.contype::text AS kind, k.conname AS name, obj_description(k.oid, 'pg_constraint') AS comment
          FROM pg_constraint AS k LEFT JOIN pg_constraint AS p ON p.oid = k.conparentid
         WHERE k.conrelid = ANY (%s) AND p.conrelid IS DISTINCT FROM k.conrelid
               AND (k.contype IN ('f', 'p', 'u') AND p.conname !~ '^kid_(new|old)_'
                    OR k.contype IN ('c', 'n') AND k.coninhcount > 0)
         ORDER BY k.oid
        """,
        (list(relations),),
    )


def give_inherited(runner: Runner, wanted: Sequence[Inherited]) -> None:
    """Gives constraints that partitions have from their parents the names and comments that they had."""
    for constraint in wanted:
        oid = scalar(
            runner.conn,
            "SELECT oid FROM pg_class WHERE oid IN (%(oid)s, to_regclass(%(label)s)) ORDER BY oid <> %(oid)s LIMIT 1",
            {"oid": constraint.table, "label": constraint.label},
        )
        table = tables(runner.conn, [oid])[0].sql
        for (present,) in runner.query(
            "SELECT k.conname FROM pg_constraint AS k LEFT JOIN pg_constraint AS p ON p.oid = k.conparentid"
            " WHERE k.conrelid = %s AND coalesce(p.conname, k.conname) = %s AND k.contype::text = %s"
            " AND p.conrelid IS DISTINCT FROM k.conrelid",
            (oid, constraint.parent, constraint.kind),
        ):
            name = sql.Identifier(constraint.name)
            if present != constraint.name:
                rename = "ALTER TABLE {} RENAME CONSTRAINT {} TO {}"
                runner.execute(statement(rename, table, sql.Identifier(present), name))
            if constraint.comment:
                runner.execute(statement("COMMENT ON CONSTRAINT {} ON {} IS {}", name, table, constraint.comment))
