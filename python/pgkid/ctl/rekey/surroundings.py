"""What somebody must know before a move, beside what the rehearsal finds."""
from __future__ import annotations

import re
from dataclasses import replace
from typing import Iterator, Sequence

from pgkid.ctl.catalog import KeyColumn, tables
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Finding, FindingKind
from pgkid.ctl.functions import Function, functions, mentions, names_of
from pgkid.ctl.kid import is_plain
from pgkid.ctl.names import beside
from pgkid.ctl.rekey import costs, lookalikes
from pgkid.ctl.rekey.plan import Options


INTEGERS = {"smallint": 2, "integer": 4, "bigint": 8}


def look(conn: Connection, columns: Sequence[KeyColumn], options: Options, new_type: str) -> Iterator[Finding]:
    """Yields what `check` tells: functions, references without foreign keys, narrow columns, clients, costs."""
    yield from of_functions(conn, columns, options.new_rows_only)
    yield from of_texts(conn, columns)
    yield from lookalikes.look(conn, columns, INTEGERS.get(new_type, 0), options.new_rows_only)
    yield from of_sequences(conn, columns, not (options.new_rows_only or options.old_name))
    if not options.new_rows_only:
        yield from of_publications(conn, columns)
        yield from of_subscriptions(conn, columns)
        if not options.time:
            yield from random_uuids(conn, columns[0])
            yield from of_time_columns(conn, columns)
        yield from of_search_path(conn, new_type)
        yield from of_sessions(any(column.type != new_type for column in columns))
        yield from costs.look(conn, columns)


# An operator before a number or a string
COMPARED = r"(?:=|<>|!=|<=?|>=?|\b(?:not\s+)?(?:in\s*\(|between\b))\s*[-'\d]"


def of_functions(conn: Connection, columns: Sequence[KeyColumn], new_rows_only: bool) -> Iterator[Finding]:
    """Yields functions that use the tables, with what their text says of them.

    If only new rows get new keys, the tables get no other columns.
    """
    oids = sorted({column.table for column in columns})
    names, readable = {table.name for table in tables(conn, oids)}, names_of(conn, oids)
    keys = sorted({column.name for column in columns})
    own = ("kid", "kid_clocks") if is_plain(conn) else ()  # tracking.py tells of the trigger of kid_track().
    for function in functions(conn, oids):
        if function.schema in own:
            continue
        text = function.code
        named = [name for name in readable if mentions(text, name)]
        told = [f"runs as trigger {trigger}" for trigger in function.triggers]
        if named:
            told.append(f"its text names {', '.join(named)}")
        if function.has_row_type and not new_rows_only:
            told.append("it takes or returns whole rows, which have more columns from prepare to finish")
        if told:
            yield Finding(
                "functions",
                function.label,
                "; ".join(told + details(function, text, sorted(names.intersection(named)), keys)),
            )


def of_texts(conn: Connection, columns: Sequence[KeyColumn]) -> Iterator[Finding]:
    """Yields views that pass a query as text, as to crosstab(). PostgreSQL does not know that they read its tables."""
    names = names_of(conn, [column.table for column in columns])
    for view, text in conn.execute(
        "SELECT CASE relkind WHEN 'm' THEN 'materialized ' ELSE '' END || 'view ' || oid::regclass, pg_get_viewdef(oid)"
        "  FROM pg_catalog.pg_class WHERE relkind IN ('v', 'm') AND relnamespace::regnamespace::text !~"
        " '^pg_|^information_schema$|^kidctl_'"
        " ORDER BY 1"
    ).fetchall():
        queries = [t for t in re.findall(r"'((?:[^']|'')*)'", text) if re.search(r"\b(from|join)\b", t, re.I)]
        named = [name for name in names if any(mentions(t, name) for t in queries)]
        if named:
            yield Finding("functions", view, f"passes a query as text, which names {', '.join(named)}")


def details(function: Function, text: str, names: Sequence[str], keys: Sequence[str]) -> list[str]:
    """Returns what in a function may not suit new keys, or more columns."""
    told = []
    used = [key for key in keys if mentions(text, key)]
    passed = [key for key in keys if any(mentions(arguments, key) for arguments in function.arguments)]
    if used:
        told.append(f"names {', '.join(used)}")
    if any(re.search(rf'(?<!\w){re.escape(key)}"?\s*{COMPARED}', text, re.I) for key in used):
        told.append("compares it with a constant")
    if passed:
        told.append(f"gets {', '.join(passed)} as an argument of the trigger")
    if re.search(r"\(\s*(new|old)\s*[,)]|\b(new|old)\s*\.\s*\*", text, re.I):
        told.append("uses whole rows")
    for table in names:
        name = rf'"?{re.escape(table)}"?'
        if re.search(rf"\b(insert\s+into|copy)\s+(\w+\.)?{name}\s*(values|select|from)\b", text, re.I):
            told.append(f"gives no list of columns for {table}")
        if re.search(rf"\*\s+from\s+(only\s+)?(\w+\.)?{name}|{name}\s*%\s*rowtype", text, re.I):
            told.append(f"reads all columns of {table}")
    numbers = [p for p in function.parameters if p.rsplit(" ", 1)[-1] in INTEGERS and named_as_key(p, keys, names)]
    if numbers:
        told.append(f"has the parameters {', '.join(numbers)}")
    return told


def named_as_key(parameter: str, keys: Sequence[str], names: Sequence[str]) -> bool:
    """Returns whether a parameter is called as a key or as a reference."""
    name = parameter.rsplit(" ", 1)[0]
    return lookalikes.Names(names, keys, set()).fit(name)


def findings(
    conn: Connection, kind: FindingKind, query: str, columns: Sequence[KeyColumn], hint: str = ""
) -> Iterator[Finding]:
    """Yields a finding for each row of a query, which returns an object and a message."""
    parameters = {
        "key": columns[0].table,
        "number": columns[0].number,
        "tables": sorted({column.table for column in columns}),
    }
    for name, message in conn.execute(query, parameters):
        yield Finding(kind, name, message, hint=hint)


def of_sequences(conn: Connection, columns: Sequence[KeyColumn], drops: bool) -> Iterator[Finding]:
    """Yields defaults of other columns, rules and the like that take numbers from the sequence of the key.

    If `finish` drops the sequence with the column, they stop the move, because PostgreSQL would refuse that.
    """
    for name, sequence, owned in conn.execute(
        """
        WITH key AS (
            SELECT s.refobjid AS sequence, NULL::"char" AS owned FROM pg_catalog.pg_attrdef AS d
                   JOIN pg_catalog.pg_depend AS s
                   ON s.classid = 'pg_catalog.pg_attrdef'::regclass AND s.objid = d.oid
                      AND s.refclassid = 'pg_catalog.pg_class'::regclass
                   JOIN pg_catalog.pg_class AS c ON c.oid = s.refobjid AND c.relkind = 'S'
             WHERE d.adrelid = %(key)s AND d.adnum = %(number)s
            UNION
            SELECT s.objid, s.deptype FROM pg_catalog.pg_depend AS s
                   JOIN pg_catalog.pg_class AS c ON c.oid = s.objid AND c.relkind = 'S'
             WHERE s.classid = 'pg_catalog.pg_class'::regclass AND s.refclassid = 'pg_catalog.pg_class'::regclass
                   AND s.refobjid = %(key)s AND s.refobjsubid = %(number)s AND s.deptype IN ('a', 'i')
        )
        SELECT i.type || ' ' || i.identity, k.sequence::regclass::text, max(k.owned::text)
          FROM key AS k JOIN pg_catalog.pg_depend AS s ON s.refclassid = 'pg_catalog.pg_class'::regclass
                                                          AND s.refobjid = k.sequence AND s.deptype = 'n'
               LEFT JOIN pg_catalog.pg_attrdef AS d ON s.classid = 'pg_catalog.pg_attrdef'::regclass
                   AND d.oid = s.objid,
               LATERAL pg_catalog.pg_identify_object(s.classid, s.objid, 0) AS i
         WHERE (d.adrelid, d.adnum::int) IS DISTINCT FROM (%(key)s, %(number)s)
         GROUP BY 1, 2 ORDER BY 1
        """,
        {"key": columns[0].table, "number": columns[0].number},
    ):
        hint = {
            "a": f"Detach the sequence from the key: ALTER SEQUENCE {sequence} OWNED BY NONE.",
            "i": "Let this object take its numbers from another sequence.",
        }.get(owned, "")
        stops = drops and owned is not None
        message = f"takes numbers from sequence {sequence}, which the key has"
        yield Finding("refused" if stops else "note", name, message, hint=hint if stops else "", stops=stops)


def of_publications(conn: Connection, columns: Sequence[KeyColumn]) -> Iterator[Finding]:
    """Yields the publications and the slots of this database by which subscribers get these tables."""
    yield from findings(
        conn,
        "clients",
        """
        WITH published AS (
            SELECT p.pubname, c.oid, p.puballtables, pg_catalog.cardinality(r.prattrs::int2[]) AS listed
              FROM pg_catalog.pg_publication AS p
                   JOIN pg_catalog.pg_class AS c ON c.oid = ANY (%(tables)s)
                   LEFT JOIN pg_catalog.pg_publication_rel AS r ON r.prpubid = p.oid AND r.prrelid = c.oid
             WHERE p.puballtables OR r.oid IS NOT NULL
                   OR EXISTS (SELECT FROM pg_catalog.pg_publication_namespace AS s
                               WHERE s.pnpubid = p.oid AND s.pnnspid = c.relnamespace)
        )
        SELECT format('publication %%I', pubname),
               concat('publishes ', string_agg(
                   concat(oid::regclass, CASE WHEN listed > 0 THEN ' with a list of columns' END),
                                               ', ' ORDER BY oid::regclass::text))
          FROM published GROUP BY pubname ORDER BY 1
        """,
        columns,
        "From prepare on, subscribers stop until their tables have the added columns, too. A list of columns does not"
        " get the new key by itself.",
    )
    yield from findings(
        conn,
        "clients",
        """
        SELECT format('replication slot %%I', slot_name),
               concat('is ', CASE WHEN NOT active THEN 'not ' END, 'read now, and decodes this database with ', plugin)
          FROM pg_catalog.pg_replication_slots
         WHERE slot_type = 'logical' AND database = pg_catalog.current_database() ORDER BY 1
        """,
        columns,
        "Its reader sees more columns of each of these tables from prepare to finish, and other keys after the swap.",
    )


def of_subscriptions(conn: Connection, columns: Sequence[KeyColumn]) -> Iterator[Finding]:
    """Yields the subscriptions that write these tables: with old keys, also after the swap.

    If the type of the keys stays, PostgreSQL takes old keys for new ones without an error.
    """
    query = """
        SELECT format('subscription %%I', s.subname), 'writes ' || string_agg(r.srrelid::regclass::text, ', ')
          FROM pg_catalog.pg_subscription_rel AS r JOIN pg_catalog.pg_subscription AS s ON s.oid = r.srsubid
         WHERE r.srrelid = ANY (%(tables)s) GROUP BY s.subname ORDER BY 1
        """
    for found in findings(conn, "clients", query, columns):
        yield replace(
            found,
            message=f"{found.message}: after the swap its changes name old keys, so they fail or are lost",
            hint="Drop it, move the tables on the other server, and copy them by a new subscription.",
            stops=True,
            accept_name=found.object,
        )


def of_search_path(conn: Connection, new_type: str) -> Iterator[Finding]:
    """Yields the search_path of clients if PostgreSQL does not find the operators of new keys by it.

    In plain SQL the type is a domain, whose operators are those of bigint.
    """
    row = conn.execute(
        """
        SELECT n.nspname, s.reset_val, quote_ident(n.nspname), quote_ident(current_database()), current_user
          FROM pg_catalog.pg_type AS t JOIN pg_catalog.pg_namespace AS n ON n.oid = t.typnamespace
               JOIN pg_catalog.pg_settings AS s ON s.name = 'search_path'
         WHERE t.oid = to_regtype(%s) AND t.typtype <> 'd'
        """,
        (new_type,),
    ).fetchone()
    if row is None:
        return
    home, path, schema, database, user = row
    with conn.transaction(force_rollback=True):
        conn.execute("SELECT pg_catalog.set_config('search_path', %s, true)", (path,))
        found = scalar(conn, "SELECT pg_catalog.current_schemas(true)")
    if home not in found:
        yield Finding(
            "clients",
            "search_path",
            f"of {user} is {path}, without schema {schema}: after the swap PostgreSQL finds no operator for new keys,"
            " so even WHERE id = … fails",
            hint=f"ALTER DATABASE {database} SET search_path = {path}, {schema}, and the same for roles and functions"
            " that have their own.",
            stops=True,
            accept_name="search_path",
        )


def of_sessions(changes_type: bool) -> Iterator[Finding]:
    """Yields what every client must know. `changes_type` says whether new keys are of another type than old ones."""
    all_columns = "those with SELECT * or RETURNING *"
    which = f"{all_columns}, after prepare, swap, finish, back and cancel"
    if changes_type:
        which = (
            f"after prepare, finish and cancel {all_columns}; after swap and back all that return a key, also"
            " SELECT id and RETURNING id"
        )
    yield Finding(
        "clients",
        "prepared statements",
        "fail with error 0A000, cached plan must not change result type, until the session prepares them again:"
        f" {which}",
        hint="Let connection pools reconnect after these steps.",
    )
    yield Finding(
        "clients",
        "SELECT * and COPY",
        "see more columns of each table from prepare to finish",
        hint="Name the columns in COPY … FROM, in INSERT without a list of columns, and where functions RETURN QUERY.",
    )


def of_time_columns(conn: Connection, columns: Sequence[KeyColumn]) -> Iterator[Finding]:
    """Yields columns that could tell when a row was made: those of times, and of IDs that always contain one.

    Those that a move has added are none.
    """
    table = columns[0].table
    added = [beside("new", column.name) for column in columns if column.table == table]
    for name, message in conn.execute(
        """
        SELECT a.attname, concat('is of type ', format_type(a.atttypid, NULL),
                                 CASE WHEN NOT a.attnotnull THEN ', and can be null' END)
          FROM pg_catalog.pg_attribute AS a
         WHERE a.attrelid = %s AND a.attnum > 0 AND NOT a.attisdropped AND a.attname <> ALL (%s::text[])
               AND (a.atttypid IN (1082, 1114, 1184) OR a.atttypid <> 'uuid'::regtype AND EXISTS (
                   SELECT FROM pg_catalog.pg_proc AS p WHERE p.proname = 'kid_timestamp' AND p.pronargs = 1
                                                             AND p.proargtypes[0] = a.atttypid))
         ORDER BY a.attname !~* 'creat|insert|made|added|start', a.attnum
        """,
        (table, added),
    ):
        yield Finding("times", f"--time {name}", message)


def random_uuids(conn: Connection, key: KeyColumn) -> Iterator[Finding]:
    """Yields the key if it contains random uuids, as its default or the values that ANALYZE saw tell."""
    row = conn.execute(
        """
        SELECT coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid) ~ 'gen_random_uuid|uuid_generate_v4|uuidv4', false),
               s.random, s.seen
          FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid
               JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
               LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum,
               LATERAL (SELECT count(*) FILTER (WHERE pg_catalog.substr(v, 15, 1) = '4'), count(*)
                          FROM pg_catalog.pg_stats AS s, unnest(s.histogram_bounds::text::text[]) AS v
                         WHERE (s.schemaname, s.tablename, s.attname, s.inherited)
                               = (n.nspname, c.relname, a.attname, c.relkind = 'p'))
                   AS s (random, seen)
         WHERE a.attrelid = %s AND a.attnum = %s AND a.atttypid = 'uuid'::regtype
        """,
        (key.table, key.number),
    ).fetchone()
    if row and (row[0] or row[1]):
        seen = f": {row[1]} of {row[2]} keys that ANALYZE saw are" if row[2] else ", as its default makes them"
        yield Finding(
            "times",
            f"column {key.name}",
            f"contains random uuids{seen}; their order is not that of the rows, so times from --during mean nothing",
            hint="Name a column with --time.",
        )
