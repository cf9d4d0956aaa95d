"""What `kidctl partition check` finds before the rehearsal."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterator

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import Connection, in_statement, scalar
from pgkid.ctl.dependents import dependents
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.functions import functions, mentions
from pgkid.ctl.objects import on_table
from pgkid.ctl.obstacles import of_hidden_rows, of_made, of_state, of_tablespaces, refused, rights, unfinished
from pgkid.ctl.partition.keys import bound_at
from pgkid.ctl.partition.plan import UNTIL, Plan, TablePlan
from pgkid.ctl.partition.shadow import WITHOUT_TIME
from pgkid.ctl.publications import memberships, of_subscriptions


SAMPLE = 1000  # rows

# Beside the copies of rows, which have the name of the table
NAMES_OF_MOVE = "state|running|noted|moment|rest|other_[0-9]+"


def look(plan: TablePlan) -> Iterator[Finding]:
    """Yields what stands in the way, and what somebody must know."""
    yield from of_rekey(plan)
    yield from of_table(plan)
    yield from of_end(plan)
    yield from of_keys(plan)
    yield from of_rights(plan)
    yield from of_publications(plan)
    yield from of_functions(plan)
    yield from of_clients(plan)
    yield from of_references(plan)
    yield from of_costs(plan)


def of_rekey(plan: Plan) -> Iterator[Finding]:
    """Yields the move to new keys that the table is a part of, which knows the table that a partition is afterwards."""
    for move in state.unfinished(plan.conn, ["rekey"]):
        if move.has_any({plan.root.oid: plan.root.label}):
            yield unfinished(move)


def of_table(plan: Plan) -> Iterator[Finding]:
    """Yields what a partitioned table cannot have."""
    root = plan.root
    if root.kind not in ("r", "p") or root.is_typed or root.persistence != "p" or root.inherits:
        yield refused(root.label, "is typed, unlogged, temporary or foreign, or inherits, or is inherited")
    if root.kind == "p" and plan.key.is_partition_key:
        yield refused(
            root.label, "is partitioned by its IDs already", "`kidctl partition move` moves rows of one partition."
        )
    if root.is_partition:
        yield refused(root.label, "is a partition", "Partition its parent.")
    for index in catalog.indexes(plan.conn, [root.oid]):
        if index.is_exclusion:
            yield refused(f"constraint {index.constraint}", "is an exclusion constraint", "Drop it first.")
        elif index.is_unique and plan.key.number not in index.keys:
            yield refused(
                f"index {index.label}",
                f"is unique without the column {plan.key.name}, and PostgreSQL cannot look for duplicates in all"
                " partitions",
                "Make it one that is not unique, or keep its values unique in another table.",
            )
        elif not index.is_valid:
            yield refused(f"index {index.label}", "is not valid", "Drop it, or run REINDEX INDEX CONCURRENTLY.")
    for key in plan.own_constraints():
        if key.name != UNTIL and key.is_enforced and not key.is_validated and key.ref_table != root.oid:
            yield refused(f"constraint {key.name}", "is not valid", "Validate it first, or drop it.")
        elif key.definition.endswith(" NO INHERIT"):
            yield refused(f"constraint {key.name}", "is NO INHERIT, which PostgreSQL refuses for a partitioned table")
    for not_null in catalog.not_nulls(plan.conn, [root.oid]):
        name = f"constraint {not_null.name}"
        if not not_null.is_validated:
            yield refused(name, "is not valid", "Validate it first, or drop it.")
        elif not_null.is_no_inherit:
            constraint = in_statement(plan.conn, not_null.name)
            hint = f"ALTER TABLE {root.label} ALTER CONSTRAINT {constraint} INHERIT."
            yield refused(name, "is NO INHERIT, so new partitions would accept NULL", hint)


@dataclass(frozen=True)
class SomeKeys:
    """What is known of the keys of a table, from some of them."""

    default: str
    rows: int  # of the sample
    strange: int  # of the sample: random uuids, or times that no ID of kid has
    early: int  # of the sample: numbers as a sequence makes them, which are less than all IDs of kid
    late: int  # of the sample: IDs from the end of the first partition on
    example: str

    @property
    def without_time(self) -> int:
        """The keys that contain no time."""
        return self.strange + self.early


def read_keys(plan: TablePlan) -> SomeKeys:
    """Looks at the default of the key, at rows from anywhere in the table, and at the greatest keys."""
    key, table, conn = plan.key, plan.root.sql, plan.conn
    pages = max(plan.root.pages, 1)
    # Whole blocks from anywhere, and the greatest keys, to which an index leads. A small table is read more than once.
    rows = sql.SQL(
        "(SELECT {0} AS id FROM {1} TABLESAMPLE SYSTEM ({2}) LIMIT {3}) UNION (SELECT {0} FROM {1} LIMIT {3})"
        " UNION (SELECT {0} FROM {1} ORDER BY {0} DESC LIMIT {3})"
    ).format(key.sql, table, sql.Literal(min(100.0, 2000.0 / pages)), sql.Literal(SAMPLE))
    query = sql.SQL(
        "SELECT count(*), count(*) FILTER (WHERE s.strange), count(*) FILTER (WHERE s.early),"
        " count(*) FILTER (WHERE s.late),"
        " (array_agg(s.id::text) FILTER (WHERE s.strange OR s.late OR s.early))[1] FROM ("
        "SELECT r.id, NOT r.early AND (r.time IS NULL OR r.time < '2000-01-01') AS strange, r.early, r.late FROM ("
        "SELECT r.id, {time} AS time, coalesce({early}, false) AS early, r.id OPERATOR({schema}.>=) {bound}::{type}"
        " AS late FROM ({rows}) AS r) AS r) AS s"
    ).format(
        time=plan.ids.time(plan.home, sql.SQL("r.id")),
        early=is_early(plan, sql.SQL("r.id")),
        schema=sql.Identifier(plan.operators),
        bound=sql.Literal(plan.bound),
        type=sql.SQL(key.type),
        rows=rows,
    )
    return SomeKeys(key.default or "", *conn.execute(query).fetchall()[0])


def is_early(plan: Plan, key: sql.Composable) -> sql.Composable:
    """Returns the condition that a key is a number of the first day that IDs can have, as a sequence makes them."""
    if not plan.ids.is_number:
        return sql.SQL("false")
    first = sql.SQL(
        "{0}.kid_bound_time({1}::regtype, {0}.kid_bound_at({1}::regtype, '-infinity'::timestamptz))"
    ).format(sql.SQL(plan.home), sql.Literal(plan.ids.type))
    return sql.SQL("{} < (SELECT {} + interval '1 day')").format(plan.ids.time(plan.home, key), first)


def of_keys(plan: TablePlan) -> Iterator[Finding]:
    """Yields keys that are no IDs of kid: random uuids above all, which the first partition could not have."""
    name, keys = f"column {plan.key.name} of {plan.root.label}", read_keys(plan)
    hint = "`kidctl rekey` gives all rows IDs that contain the time."
    if re.search(r"gen_random_uuid|uuid_generate|nextval", keys.default) or plan.key.identity:
        yield refused(
            name, f"has the default {keys.default or 'of an identity'}, whose values do not contain the time", hint
        )
    if keys.strange or keys.rows and keys.early == keys.rows and not plan.ids.is_default:
        yield refused(
            name,
            f"{keys.without_time} of {keys.rows} keys looked at contain no time, such as {keys.example or 'NULL'}",
            hint,
        )
    elif keys.late:
        yield refused(
            name,
            f"{keys.late} of {keys.rows} keys looked at are of {plan.until} or later, such as {keys.example}",
            "Give a later --until, or correct these rows.",
        )
    elif keys.early:
        yield Finding(
            "note",
            name,
            f"{keys.early} of {keys.rows} keys looked at are numbers as a sequence makes them, such as {keys.example};"
            " they are less than all IDs of kid, and stay in the first partition",
        )
    elif not keys.rows:
        yield Finding("note", name, "the table is empty, so it is not known whether new keys contain the time")


def of_end(plan: TablePlan) -> Iterator[Finding]:
    """Yields the end of the first partition if no ID can be later, so that nothing could follow."""
    if plan.bound == bound_at(plan.conn, plan.home, plan.key, plan.ids, "infinity"):
        about = f"column {plan.key.name} of {plan.root.label}"
        message = f"contains IDs {plan.ids.prefix}, none of which is of {plan.until} or later"
        yield refused(about, message, "Give an earlier --until.")


def of_roles(plan: Plan) -> Iterator[Finding]:
    """Yields tables of other roles, and rows that this one would not see."""
    conn, me = plan.conn, scalar(plan.conn, "SELECT quote_ident(current_user)")
    yield from of_hidden_rows(conn, [plan.root])
    yield from of_state(conn)
    indexes = catalog.indexes(conn, [plan.root.oid])
    yield from of_tablespaces(conn, [plan.root.oid, *(index.oid for index in indexes)])
    for table in plan.referring():
        if not scalar(conn, "SELECT pg_has_role(%s, 'USAGE')", (table.owner,)):
            yield of_other(conn, table.label, table.owner)
    for table in plan.referenced():
        if not scalar(conn, "SELECT has_table_privilege(%s::oid, 'REFERENCES')", (table.oid,)):
            yield rights(table.label, "this role may not refer to it", f"GRANT REFERENCES ON {table.label} TO {me}.")


def of_rights(plan: Plan) -> Iterator[Finding]:
    """Yields what belongs to other roles."""
    yield from of_roles(plan)
    try:
        yield from of_made(plan.conn, plan.hanging(), plan.addresses())
    except Refused as error:
        yield refused(plan.root.label, str(error), error.hint)


def of_other(conn: Connection, name: str, owner: str) -> Finding:
    """Returns the finding for an object of another role."""
    me = scalar(conn, "SELECT quote_ident(current_user)")
    return rights(name, f"belongs to {owner}", f"GRANT {in_statement(conn, owner)} TO {me}.")


def of_publications(plan: Plan) -> Iterator[Finding]:
    """Yields publications that would publish partitions, and subscriptions that would not find the new table."""
    named = {member.publication: member for member in memberships(plan.conn, plan.root.oid)}
    for name, is_through_root in plan.conn.execute(
        "SELECT p.pubname, p.pubviaroot FROM pg_publication AS p"
        " WHERE %s IN (SELECT t.relid FROM pg_get_publication_tables(p.pubname::text) AS t) OR p.pubname = ANY (%s)"
        " ORDER BY 1",
        (plan.root.oid, list(named)),
    ).fetchall():
        if not is_through_root:
            yield refused(
                f"publication {name}",
                "would publish each partition under its own name",
                f"ALTER PUBLICATION {in_statement(plan.conn, name)} SET (publish_via_partition_root = true).",
            )
        elif name in named and not named[name].is_owned:
            yield of_other(plan.conn, f"publication {name}", named[name].owner)
    yield from of_subscriptions(plan.conn, [plan.root.oid], "becomes a partition of a new table")


def of_functions(plan: Plan) -> Iterator[Finding]:
    """Yields functions to which it matters that rows are in partitions."""
    table = rf'(\w+\.)?"?{re.escape(plan.root.name)}"?'
    for function in functions(plan.conn, [plan.root.oid]):
        text = function.code
        told = []
        if function.triggers and re.search(r"\btg_(relid|relname|table_name)\b", text, re.I):
            told.append(f"as trigger {', '.join(function.triggers)} it is told the name of the partition")
        if mentions(text, plan.root.name) and re.search(rf"\bonly\s+{table}", text, re.I):
            told.append(f"reads ONLY {plan.root.name}, which has no rows of its own then")
        if re.search(rf"\bcopy\s+{table}", text, re.I):
            told.append("copies the table: COPY … TO needs a query then")
        if told:
            yield Finding("functions", function.label, "; ".join(told), stops=True, accept_name=function.label)


def of_clients(plan: Plan) -> Iterator[Finding]:
    """Yields what every client must know."""
    label = plan.root.label
    yield Finding(
        "clients",
        label,
        "has no rows of its own afterwards",
        hint=f"Write COPY (SELECT …) TO instead of COPY {label} TO, and no ONLY."
        " Build an index CONCURRENTLY on each partition first.",
    )


def of_references(plan: Plan) -> Iterator[Finding]:
    """Yields foreign keys that refer to the table: one day they keep its old partitions from being dropped."""
    for key in plan.incoming():
        if key.is_enforced:
            table = catalog.tables(plan.conn, [key.table])[0]
            about = str(on_table("constraint", key.name, table))
            message = f"keeps an old partition of {plan.root.label} from being dropped while a row refers to its rows"
            hint = "Let the job that drops partitions first "
            if key.table == plan.root.oid:
                hint += "set the references to old rows to NULL, also in old rows."
            else:
                hint += f"delete the rows of {table.label} that refer to old rows."
                hint += f" If {table.label} is partitioned by the same IDs, drop its old partitions instead."
            yield Finding("clients", about, message, hint=hint)


def of_costs(plan: TablePlan) -> Iterator[Finding]:
    """Yields times and locks."""
    size = scalar(
        plan.conn,
        "SELECT pg_size_pretty(sum(pg_table_size(relid))) FROM (SELECT %s::oid UNION SELECT relid"
        " FROM pg_partition_tree(%s)) AS t (relid)",
        (plan.root.oid, plan.root.oid),
    )
    yield Finding(
        "costs", f"until {plan.until}", "rows stay in the first partition; from prepare to swap, later IDs are errors"
    )
    yield Finding("costs", "prove", f"reads the table, {size}, and blocks neither readers nor writers")
    others = [table.label for table in plan.referenced()]
    all_tables = ", ".join([*others, plan.root.label, *(table.label for table in plan.referring())])
    yield Finding("costs", "swap", f"locks out for a moment readers and writers of {all_tables}")
    if others:
        yield Finding("costs", "partitions", f"locks out for a moment writers of {', '.join(others)}")


def look_rows(plan: Plan) -> Iterator[Finding]:
    """Yields what stands in the way of moving rows of a partition, and what somebody must know."""
    yield from of_roles(plan)
    if re.fullmatch(NAMES_OF_MOVE, plan.root.name):
        message = "has the name of a table that kidctl creates in the schema of the move"
        yield refused(plan.root.label, message, "Give it another name until the move has ended.")
    yield from of_references(plan)
    yield from of_dependents(plan)
    yield from of_partition(plan)
    yield from of_keys_without_time(plan)
    yield from of_early_rows(plan)
    yield from of_publications_of_rows(plan)
    yield from of_subscriptions_of_rows(plan)
    size = scalar(
        plan.conn,
        "SELECT pg_size_pretty(pg_total_relation_size(to_regclass(%s)))",
        (plan.old_label,),
    )
    yield Finding("costs", plan.old_label, f"is copied: that takes {size} of disk and more of WAL until the end")
    tables = [table.label for table in [*plan.referenced(), plan.root, *plan.referring()]]
    yield Finding("costs", "exchange", f"locks out for a moment readers and writers of {', '.join(tables)}")
    yield Finding("costs", "exchange", "waits until no transaction has an older snapshot")


def of_publications_of_rows(plan: Plan) -> Iterator[Finding]:
    """Yields publications that would publish what kidctl does to move rows."""
    for name, all_tables, is_through_root in plan.conn.execute(
        "SELECT p.pubname, p.puballtables, p.pubviaroot FROM pg_publication AS p"
        " WHERE %s IN (SELECT t.relid FROM pg_get_publication_tables(p.pubname::text) AS t) OR p.puballtables",
        (plan.root.oid,),
    ).fetchall():
        if all_tables:
            yield refused(f"publication {name}", "would publish the copies of rows", "Name the tables in it instead.")
        elif not is_through_root:
            hint = f"ALTER PUBLICATION {in_statement(plan.conn, name)} SET (publish_via_partition_root = true)."
            yield refused(f"publication {name}", "publishes partitions under their own names", hint)
        elif scalar(plan.conn, "SELECT pubtruncate FROM pg_publication WHERE pubname = %s", (name,)):
            hint = f"ALTER PUBLICATION {in_statement(plan.conn, name)} SET (publish = 'insert, update, delete')."
            yield refused(f"publication {name}", "would publish that a default partition is emptied", hint)


def of_subscriptions_of_rows(plan: Plan) -> Iterator[Finding]:
    """Yields subscriptions that write the partition itself: they fail when it is dropped, or has other bounds."""
    for (name,) in plan.conn.execute(
        "SELECT format('%%I', s.subname) FROM pg_subscription_rel AS r JOIN pg_subscription AS s ON s.oid = r.srsubid"
        " WHERE r.srrelid = to_regclass(%s)::oid ORDER BY 1",
        (plan.old_label,),
    ).fetchall():
        yield refused(
            f"subscription {name}",
            f"writes partition {plan.old_label}, whose rows move",
            f"Let it write {plan.root.label}, which the other server has to publish then, or drop it.",
        )


def of_keys_without_time(plan: Plan) -> Iterator[Finding]:
    """Yields the partition if its least or its greatest key contains no time, so that no new partition could take it.

    An index leads to these two. A uuid without time between them is found when it is copied.
    """
    query = sql.SQL(
        "SELECT r.id::text FROM ((SELECT {0} AS id FROM {1} ORDER BY 1 LIMIT 1)"
        " UNION ALL (SELECT {0} FROM {1} ORDER BY 1 DESC LIMIT 1)) AS r WHERE {2} IS NULL LIMIT 1"
    ).format(plan.key.sql, plan.old, plan.ids.time(plan.home, sql.SQL("r.id")))
    for (key,) in plan.conn.execute(query).fetchall():
        yield refused(plan.old_label, f"has keys that contain no time, such as {key}", WITHOUT_TIME)


def of_early_rows(plan: Plan) -> Iterator[Finding]:
    """Yields the partition if it has numbers of a sequence: read as IDs, they are much older than all other rows."""
    key = sql.SQL("r.id")
    query = sql.SQL("SELECT r.id::text, ({})::text FROM (SELECT {} AS id FROM {} ORDER BY 1 LIMIT 1) AS r WHERE {}")
    for number, begins in plan.conn.execute(
        query.format(plan.ids.time(plan.home, key), plan.key.sql, plan.old, is_early(plan, key))
    ).fetchall():
        yield Finding(
            "costs",
            plan.old_label,
            f"has numbers as a sequence makes them, such as {number}; as an ID it is of {begins}, so partitions of"
            f" {plan.options.width} are created from there on",
            hint="Choose a greater --width, or let the rows stay where they are.",
            stops=True,
            accept_name=plan.old_label,
        )


def of_dependents(plan: Plan) -> Iterator[Finding]:
    """Yields what depends on the partition itself, of whatever role. A default partition is only emptied."""
    partition = catalog.table(plan.conn, plan.old_label).oid
    is_default = plan.is_default(partition)
    for dependent in dependents(plan.conn, "pg_class", [partition]):
        if dependent.catalog == "pg_constraint" or not is_default:
            message = f"depends on partition {plan.old_label}, whose rows move"
            yield refused(dependent.label, message, f"Let it depend on {plan.root.label}, or drop it first.")
    for member in [] if is_default else memberships(plan.conn, partition):
        message = f"names partition {plan.old_label}, which is dropped"
        hint = f"Name {plan.root.label} in it instead, with publish_via_partition_root."
        yield refused(member.object.label, message, hint)


def of_partition(plan: Plan) -> Iterator[Finding]:
    """Yields what the partition has of its own, which is dropped with it. A default partition stays."""
    for label, text in plan.conn.execute(
        """
        WITH part (oid) AS (SELECT c.oid FROM pg_class AS c WHERE c.oid = to_regclass(%s)::oid AND c.oid <> (
                                SELECT p.partdefid FROM pg_partitioned_table AS p WHERE p.partrelid = %s))
        SELECT format('trigger %%I on %%s', t.tgname, p.oid::regclass), pg_get_triggerdef(t.oid)
          FROM part AS p JOIN pg_trigger AS t ON t.tgrelid = p.oid
         WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgname NOT LIKE '~kidctl%%'
        UNION ALL
        SELECT format('index %%s', i.indexrelid::regclass), pg_get_indexdef(i.indexrelid)
          FROM part AS p JOIN pg_index AS i ON i.indrelid = p.oid
         WHERE NOT EXISTS (SELECT FROM pg_inherits AS h WHERE h.inhrelid = i.indexrelid)
        UNION ALL
        SELECT format('constraint %%I on %%s', k.conname, p.oid::regclass), pg_get_constraintdef(k.oid)
          FROM part AS p JOIN pg_constraint AS k ON k.conrelid = p.oid
         WHERE k.contype IN ('c', 'f') AND k.coninhcount = 0 AND k.conparentid = 0
        UNION ALL
        SELECT format('policy %%I on %%s', o.polname, p.oid::regclass), ''
          FROM part AS p JOIN pg_policy AS o ON o.polrelid = p.oid
        UNION ALL
        SELECT format('rule %%I on %%s', r.rulename, p.oid::regclass), pg_get_ruledef(r.oid)
          FROM part AS p JOIN pg_rewrite AS r ON r.ev_class = p.oid
         ORDER BY 1
        """,
        (plan.old_label, plan.root.oid),
    ).fetchall():
        message = "is of this partition alone, and is dropped with it"
        yield Finding("changed", label, message, definition=text, stops=True, accept_name=label)
