"""What `kidctl leave check` finds before the rehearsal."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Sequence

from psycopg import sql

from pgkid.ctl import state
from pgkid.ctl.beside import definitions
from pgkid.ctl.beside.nodetree import ERRORS, all_nodes, parse
from pgkid.ctl.catalog import Table
from pgkid.ctl.connection import in_statement, scalar
from pgkid.ctl.dependents import dependents
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.kid import CORE, NUMBERS
from pgkid.ctl.leave.columns import Column
from pgkid.ctl.leave.defaults import core_type, is_generator
from pgkid.ctl.leave.indexes import Indexes
from pgkid.ctl.leave.needs import read_needs
from pgkid.ctl.leave.partitions import partitioned
from pgkid.ctl.leave.plan import Group, Plan
from pgkid.ctl.leave.triggers import triggers_of_kid
from pgkid.ctl.leave.uses import MEMBERS, declaration
from pgkid.ctl.made import Made
from pgkid.ctl.objects import Object
from pgkid.ctl.obstacles import (
    of_hidden_rows,
    of_made,
    of_owners,
    of_row_types,
    of_state,
    of_tablespaces,
    refused,
    rights,
    unfinished,
)


NO_DEFAULT = "has no default afterwards, as its columns get defaults of their own"


@dataclass(frozen=True)
class Look:
    """The findings about tables that leave, and the objects that are not made again if the user accepts that."""

    findings: list[Finding]
    given_up: frozenset[Object]


def look(plan: Plan) -> Look:
    """Looks at everything."""
    found: list[Finding] = []
    hangings = [read_hanging(plan, group) for group in plan.groups]
    for group, hanging in zip(plan.groups, hangings):
        found += of_rights(plan, group)
        found += of_tables(plan, group)
        found += of_columns(plan, group)
        if not any(finding.kind == "rights" for finding in found):
            found += of_order(plan, group)  # which reads rows
        found += of_domains(plan, group)
        found += of_users(plan, group, hanging.made)
        domains = [domain.oid for domain in group.domains]
        found += [*hanging.unknown, *of_made(plan.conn, hanging.made, plan.touched(group), domains)]
        found += of_publications(plan, group)
        found += of_replication(plan, group)
        found += of_trees(plan, group)
        found += of_casts(plan, group)
        found += of_triggers(plan, group)
    found += of_unfinished(plan)
    found += of_cursors(plan)
    needs = read_needs(plan, [made for hanging in hangings for made in hanging.made])
    for group in plan.groups:
        found += of_places(plan, group, frozenset(needs.given_up))
    found += needs.findings
    found += of_composites(plan)
    found += of_texts(plan)
    if not any(hanging.unknown for hanging in hangings):
        found += needs.remaining
    return Look(found, frozenset(needs.given_up))


@dataclass(frozen=True)
class HangingOfGroup:
    """What hangs on the columns of a group, or the finding that some of it cannot be made again."""

    made: list[Made]
    unknown: list[Finding]


def read_hanging(plan: Plan, group: Group) -> HangingOfGroup:
    """Returns what hangs on the columns of a group."""
    try:
        return HangingOfGroup(plan.hanging(group), [])
    except Refused as error:
        return HangingOfGroup([], [refused("", str(error), error.hint)])


def of_rights(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields what the owner may not do."""
    user = str(scalar(plan.conn, "SELECT current_user"))
    role = in_statement(plan.conn, user)
    tables = plan.family(group)
    yield from of_owners(plan.conn, tables)
    yield from of_hidden_rows(plan.conn, tables)
    yield from of_state(plan.conn)
    for label, owner in [(d.label, d.owner) for d in (*group.domains, *group.core_domains)]:
        if owner != user:
            yield rights(label, f"belongs to {owner}, and not to {user}", f"Give it to {role}.")
    for schema in sorted({t.schema for t in tables} | {d.schema for d in group.domains}):
        if not scalar(plan.conn, "SELECT has_schema_privilege(%s, 'CREATE')", (schema,)):
            yield rights(
                user,
                f"may not create sequences and domains in schema {schema}",
                f"GRANT CREATE ON SCHEMA {in_statement(plan.conn, schema)} TO {role}.",
            )


def of_unfinished(plan: Plan) -> Iterator[Finding]:
    """Yields the moves of these tables that were not finished: their ways back need kid."""
    tables = {table.oid: table.label for group in plan.groups for table in plan.family(group)}
    for move in state.unfinished(plan.conn):
        if plan.takes_all or move.has_any(tables):
            yield unfinished(move)


def of_tables(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields tables of kinds that cannot change, and columns that contain their rows."""
    for table in group.tables:
        if table.is_typed:
            yield refused(table.label, "is a typed table", f"ALTER TABLE {table.label} NOT OF.")
        if table.kind == "f":
            yield refused(table.label, "is a foreign table", hint_of_foreign(plan, group, table))
    typed = [c.table for c in group.typed]
    yield from of_row_types(plan.conn, typed, "so PostgreSQL cannot change their types")


def hint_of_foreign(plan: Plan, group: Group, table: Table) -> str:
    """Returns what to do about a foreign table, which PostgreSQL does not lock, and whose values another server has."""
    changes = []
    for c in group.columns:
        if c.table == table.oid:
            alter = f"ALTER {in_statement(plan.conn, c.name)}"
            if c.default and not c.maker:
                changes.append(f"{alter} DROP {'EXPRESSION' if c.generated else 'DEFAULT'}")
            if c.is_typed or c.maker:
                changes.append(f"{alter} TYPE {declaration(c.base, c.is_array) if c.base else c.kind}")
    if not changes:
        return "Drop from it what uses kid."
    change = f"ALTER FOREIGN TABLE {table.label} {', '.join(changes)}"
    return f"Once its server has values of core types, {change}; or drop it."


def of_columns(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields columns that cannot change."""
    for c in group.columns:
        about = f"column {c.name} of {plan.table(c.table).label}"
        if c.generated:
            continue
        if c.default and not can_replace_default(plan, c):
            hint = "ALTER TABLE … ALTER … SET DEFAULT what will make values."
            yield refused(about, f"has a default that kidctl cannot replace: {c.default}", hint)
        elif c.default and c.is_top and core_type(c) == "text" and is_generator(plan, c.default):
            yield Finding("note", about, "new values are random uuids as text; look whether they suit CHECKs")
        elif c.default and c.is_top and c.is_key and core_type(c) == "bigint" and is_generator(plan, c.default):
            message = "new numbers are of a sequence, so all new rows go to the partition of the last ID"
            yield Finding("note", about, message, hint="Partition it by a column with a time.")


def can_replace_default(plan: Plan, c: Column) -> bool:
    """Returns whether a default can be replaced."""
    assert c.default
    if is_generator(plan, c.default):
        return not c.is_array and core_type(c) in ("bigint", "uuid", "text")
    if c.maker:
        return False
    oid = scalar(plan.conn, "SELECT oid FROM pg_attrdef WHERE adrelid = %s AND adnum = %s", (c.table, c.number))
    return not plan.without_counterpart("pg_attrdef", oid)


def of_order(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields columns with IDs that are negative as a bigint, which kid compares without a sign."""
    for c in group.typed:
        table = plan.table(c.table)
        if c.is_top and not c.is_array and core_type(c) == "bigint" and table.kind != "f":
            home = sql.SQL(plan.kid.home if plan.kid.is_extension else "pg_catalog")
            # Without the cast, an aggregate that somebody else has created there for a domain would fit better.
            assert c.base
            base = sql.SQL("{}.{}").format(sql.SQL(plan.kid.home), sql.Identifier(c.base))
            query = sql.SQL("SELECT {}.max({}::{})::bigint < 0 FROM {}")
            if scalar(plan.conn, query.format(home, sql.Identifier(c.name), base, table.sql)):
                about = f"column {c.name} of {table.label}"
                message = "has IDs that are negative numbers as bigint, and come first then"
                yield Finding("changed", about, message, stops=True, accept_name=about)


def of_domains(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields domains that need a function of kid."""
    for domain in group.domains:
        is_replaced = domain.default and is_generator(plan, domain.default)
        members = [] if is_replaced else plan.without_counterpart("pg_type", domain.oid)
        for (oid,) in plan.conn.execute("SELECT oid FROM pg_constraint WHERE contypid = %s", (domain.oid,)).fetchall():
            members += plan.without_counterpart("pg_constraint", oid)
        if members:
            yield refused(
                f"domain {domain.label}",
                f"uses {', '.join(members)}, which nothing takes the place of",
                "ALTER DOMAIN first.",
            )
        elif is_replaced:
            yield Finding("note", f"domain {domain.label}", NO_DEFAULT)
    for core in group.core_domains:
        yield Finding("note", f"domain {core.label}", NO_DEFAULT)


def of_users(plan: Plan, group: Group, made: Sequence[Made]) -> Iterator[Finding]:
    """Yields what else uses a domain than other domains, tables that change, and what is made again."""
    tables = {t.oid for t in plan.family(group)} | {m.oid for m in made if m.catalog == "view"}
    same = {("pg_type", d.oid) for d in group.domains} | {(m.catalog, m.oid) for m in made}
    for user in dependents(plan.conn, "pg_type", [d.oid for d in group.domains]):
        if user.relation not in tables and (user.catalog, user.oid) not in same:
            message = f"depends on {user.target}, a domain that is replaced by another one"
            yield refused(user.label, message, "Drop it before, and make it again afterwards.")


def of_publications(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields publications that name columns, or filter by them, which the rehearsal does not try (copy.py)."""
    for publication, table in plan.conn.execute(
        """
        SELECT DISTINCT quote_ident(p.pubname), r.prrelid::regclass::text
          FROM unnest(%s::oid[], %s::int[]) AS c (tab, num)
               JOIN pg_depend AS d ON d.classid = 'pg_publication_rel'::regclass AND d.refobjid = c.tab
                                      AND d.refobjsubid = c.num
               JOIN pg_publication_rel AS r ON r.oid = d.objid JOIN pg_publication AS p ON p.oid = r.prpubid
        """,
        ([c.table for c in group.typed], [c.number for c in group.typed]),
    ).fetchall():
        hint = f"ALTER PUBLICATION {publication} DROP TABLE {table}, and add it again afterwards."
        yield refused(table, f"publication {publication} names its columns of kid's types", hint)


# By direction: what replicates, and what to do
REPLICATION = {
    "publication": (
        "sends {}; without binary = true, its subscribers stop at the first change after run",
        "Run it here first. When a subscriber has applied all that was written before, run it there, too.",
    ),
    "subscription": (
        "writes {}; without binary = true, it cannot apply afterwards what the other server has written as IDs of kid",
        "Run it on the other server first, and here when all that was written there before has been applied.",
    ),
}


def of_replication(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields publications and subscriptions of tables with IDs that become numbers, whose texts are other ones then."""
    tables = sorted({c.table for c in group.typed if c.base and CORE[c.base] == "bigint"})
    for kind, name, labels in plan.conn.execute(
        """
        WITH pairs (kind, name, tab) AS (
            SELECT 'publication', p.pubname, c.oid::regclass
              FROM pg_publication AS p JOIN pg_class AS c ON c.oid = ANY (%(tables)s)
             WHERE p.puballtables
                   OR EXISTS (SELECT FROM pg_publication_rel AS r WHERE r.prpubid = p.oid AND r.prrelid IN
                                  (SELECT c.oid UNION ALL SELECT relid FROM pg_partition_ancestors(c.oid) AS a (relid)))
                   OR EXISTS (SELECT FROM pg_publication_namespace AS s
                               WHERE s.pnpubid = p.oid AND s.pnnspid = c.relnamespace)
            UNION ALL
            SELECT 'subscription', s.subname, r.srrelid::regclass
              FROM pg_subscription_rel AS r JOIN pg_subscription AS s ON s.oid = r.srsubid
             WHERE r.srrelid = ANY (%(tables)s))
        SELECT kind, quote_ident(name), string_agg(tab::text, ', ' ORDER BY tab::text)
          FROM pairs GROUP BY 1, 2, name ORDER BY 1, 2
        """,
        {"tables": tables},
    ).fetchall():
        message, hint = REPLICATION[kind]
        yield Finding("clients", f"{kind} {name}", message.format(labels), hint=hint)


def of_trees(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields tables partitioned by an ID that cannot be created again."""
    for tree in partitioned(plan, group):
        yield from tree.obstacles(plan)


def of_places(plan: Plan, group: Group, given_up: frozenset[Object]) -> Iterator[Finding]:
    """Yields tables and indexes that are created again in tablespaces in which this role may not do that."""
    indexes = Indexes(plan, group, given_up)
    keys = [index for index in indexes.found if index.constraint and index.table in indexes.rebuilt]
    yield from of_tablespaces(plan.conn, [*indexes.rebuilt, *(index.oid for index in (*indexes.kept, *keys))])


def of_casts(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields definitions that read text as an ID: as a number, the same text would mean something else."""
    conn = plan.conn
    numbers = {
        row[0]
        for row in conn.execute(
            "SELECT t.oid FROM pg_type AS t WHERE t.oid = ANY (%s::regtype[])",
            ([name for name, core in plan.kid.types.items() if core == "bigint"],),
        ).fetchall()
    }
    for d in definitions.definitions(conn, group.addresses):
        if not d.is_copy and any(reads_text(tree, numbers) for tree in (d.tree, d.condition) if tree):
            hint = "Write the number, or drop it."
            yield Finding("needs kid", d.object, "reads text as an ID", d.sql, hint, stops=True)


def of_triggers(plan: Plan, group: Group) -> Iterator[Finding]:
    """Yields the triggers of kid, which are dropped."""
    for trigger in triggers_of_kid(plan, group):
        message = "is dropped" + "; consumers that call kid_horizon(table) must find another way" * trigger.is_tracking
        yield Finding("note", f"trigger {trigger.name} on {plan.table(trigger.table).label}", message)


def of_cursors(plan: Plan) -> Iterator[Finding]:
    """Yields tables that seem to contain the cursors of consumers, also if they do not leave.

    No foreign key links such a table with the rows that its consumers read. One for kid53_next() or kid_uuidv7() has a
    core type.
    """
    leaving = {table.oid for group in plan.groups for table in group.tables}
    if not leaving:
        return
    for table, needs_kid in plan.conn.execute(
        """
        SELECT c.oid, t.has_kids
          FROM pg_class AS c
               JOIN pg_attribute AS n ON n.attrelid = c.oid AND n.attname = 'name'
               JOIN pg_attribute AS l ON l.attrelid = c.oid AND l.attname = 'last',
               LATERAL (
                   WITH RECURSIVE b (name, base) AS (
                          SELECT y.typname, y.typbasetype FROM pg_type AS y WHERE y.oid = l.atttypid
                           UNION ALL SELECT y.typname, y.typbasetype FROM b JOIN pg_type AS y ON y.oid = b.base)
                   SELECT bool_or(name = ANY (%(types)s)) AS has_kids, bool_or(name IN ('int8', 'uuid')) AS is_core
                     FROM b) AS t
         WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND (t.has_kids OR t.is_core)
               AND EXISTS (SELECT FROM pg_index AS i WHERE i.indrelid = c.oid AND i.indisunique AND i.indnkeyatts = 1
                                                           AND i.indkey[0] = n.attnum)
         ORDER BY c.oid::regclass::text
        """,
        {"types": list(CORE)},
    ).fetchall():
        hint = (
            "Before run, stop the programs that write, let the consumers reach the end, and stop them:"
            " the horizon does not cover new IDs."
        )
        if needs_kid and table not in leaving:
            hint += " Name this table, too, so that its cursors get the type of the IDs."
        yield Finding("clients", plan.table(table).label, "seems to contain the cursors of consumers", hint=hint)


def of_composites(plan: Plan) -> Iterator[Finding]:
    """Yields what keeps composite types from changing: columns with values of them, and rights."""
    relations = list(dict.fromkeys(a.relation for a in plan.attributes))
    if relations:
        yield from of_state(plan.conn)
    yield from of_row_types(plan.conn, relations, "so PostgreSQL cannot change the types of its attributes")


def of_texts(plan: Plan) -> Iterator[Finding]:
    """Yields functions whose text names functions or types of kid: PostgreSQL does not know that they depend on it.

    It does know of a body that SQL has parsed, BEGIN ATOMIC, of which pg_depend tells.
    """
    for name, words in plan.conn.execute(
        MEMBERS
        + """,
        names (name) AS (
            SELECT p.proname::text FROM members AS m JOIN pg_proc AS p ON p.oid = m.objid
             WHERE m.classid = 'pg_proc'::regclass AND p.proname ~ %(prefixes)s
            UNION SELECT unnest(%(types)s::text[]))
        SELECT p.oid::regprocedure::text, string_agg(DISTINCT n.name, ', ' ORDER BY n.name)
          FROM pg_proc AS p JOIN pg_namespace AS s ON s.oid = p.pronamespace,
               regexp_split_to_table(lower(p.prosrc), '[^a-z0-9_]+') AS w (word) JOIN names AS n ON n.name = w.word
         WHERE s.nspname !~ '^(pg_|information_schema$)'
               AND NOT EXISTS (SELECT FROM members AS m WHERE m.classid = 'pg_proc'::regclass AND m.objid = p.oid)
               AND NOT EXISTS (SELECT FROM pg_depend AS d
                                WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
         GROUP BY p.oid ORDER BY 1
        """,
        {"types": list(CORE), "prefixes": f"^({'|'.join(['kid', *NUMBERS, *CORE])})_"},
    ).fetchall():
        yield Finding("functions", name, f"names {words}", hint="It fails after DROP EXTENSION kid.")


def reads_text(tree: str, types: set[int]) -> bool:
    """Returns whether a definition converts text to one of some types."""
    if "COERCEVIAIO" not in tree:
        return False
    try:
        return any(node.name == "COERCEVIAIO" and node.number("resulttype") in types for node in all_nodes(parse(tree)))
    except (*ERRORS, RecursionError):
        return True
