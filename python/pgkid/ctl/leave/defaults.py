"""What makes values of columns after kid: the defaults of the columns that change, and of those that call kid."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Iterable, NamedTuple, Optional, Sequence

from psycopg import sql

from pgkid.ctl.connection import scalar
from pgkid.ctl.kid import CORE, GENERATORS
from pgkid.ctl.leave.columns import Column
from pgkid.ctl.leave.plan import Group, Plan
from pgkid.ctl.names import free_name
from pgkid.ctl.objects import Object
from pgkid.ctl.steps import Runner, statement

# A uuid of version 7: the milliseconds in the first 6 bytes of a random one, and the bits of the version.
UUIDV7 = (
    "encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid()) PLACING"
    " substring(int8send((date_part('epoch', clock_timestamp()) * 1000)::bigint) FROM 3) FROM 1 FOR 6), 52, 1), 53, 1),"
    " 'hex')::uuid"
)


class SequenceName(NamedTuple):
    """The name of a sequence, without quotes."""

    schema: str
    name: str


class TopColumn(NamedTuple):
    """A column that is not inherited, by its table and its name."""

    table: int
    name: str


@dataclass(frozen=True)
class Default:
    """The default of a column of a table, or of a partition."""

    column: Column
    before: str
    after: Optional[str] = None  # None if a sequence makes it
    sequence: Optional[SequenceName] = None
    is_owner: bool = False  # of the sequence, from which columns of partitions take numbers, too
    is_there: bool = False  # the sequence, as the column has owned it since before its keys came from kid
    takers: tuple[int, ...] = ()  # the tables whose columns take numbers from the sequence that it owns, ...
    top: int = 0  # ... and the one from which all of these inherit, or itself

    def about(self, plan: Plan) -> Object:
        """Returns the default as statements and findings name it."""
        table, name = plan.table(self.column.table), self.column.name
        return Object("default", table.schema, name, table.name, f"default of column {name} of {table.label}")


def read_defaults(plan: Plan, group: Group) -> list[Default]:
    """Returns the defaults that change, those of parents before those of partitions.

    Columns that are inherited take numbers from the sequence of the topmost column.
    """
    found: list[Default] = []
    tops = tops_of(plan, group.columns)
    sequences: dict[TopColumn, SequenceName] = {}
    for c in sorted(group.columns, key=lambda c: (not c.is_top, c.table, c.number)):
        if c.default is None or c.generated:
            continue
        if not is_generator(plan, c.default):
            found.append(Default(c, c.default, after=plan.rewriter.rewrite(c.default)))
            continue
        if core_type(c) != "bigint":
            found.append(Default(c, c.default, after=random_value(plan, c)))
            continue
        top = tops[c.table, c.name]
        if top in sequences:
            found.append(Default(c, c.default, sequence=sequences[top]))
            continue
        # The first one of these columns owns the sequence, from which all of them take numbers.
        owned = owned_sequence(plan, c)
        sequences[top] = owned or free_sequence(plan, c, sequences.values())
        takers = tuple(o.table for o in group.columns if tops[o.table, o.name] == top)
        found.append(
            Default(
                c, c.default, None, sequences[top], is_owner=True, is_there=bool(owned), takers=takers, top=top.table
            )
        )
    return found


def free_sequence(plan: Plan, column: Column, others: Iterable[SequenceName]) -> SequenceName:
    """Returns a name for the sequence of a column, which neither the database nor one of the others has."""
    table = plan.table(column.table)
    taken = {sequence.name for sequence in others if sequence.schema == table.schema}
    return SequenceName(table.schema, free_name(plan.conn, table.schema, f"{table.name}_{column.name}_seq", taken))


def owned_sequence(plan: Plan, column: Column) -> Optional[SequenceName]:
    """Returns the sequence that a column still owns, as that of a bigserial, if it can go on above all keys.

    It must be of type bigint, have no maximum of its own, go up, and not come round. Nothing else may take numbers from
    it.
    """
    row = plan.conn.execute(
        """
        SELECT n.nspname, c.relname
          FROM pg_depend AS d JOIN pg_class AS c ON c.oid = d.objid AND c.relkind = 'S'
               JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_sequence AS s ON s.seqrelid = c.oid
         WHERE d.classid = 'pg_class'::regclass AND d.refclassid = 'pg_class'::regclass AND d.deptype = 'a'
               AND (d.refobjid, d.refobjsubid) = (%s, %s) AND s.seqtypid = 'bigint'::regtype
               AND s.seqincrement > 0 AND s.seqmax = 9223372036854775807 AND NOT s.seqcycle
               AND NOT EXISTS (SELECT FROM pg_depend AS u WHERE u.refclassid = 'pg_class'::regclass
                                      AND u.refobjid = c.oid AND u.deptype = 'n')
         ORDER BY c.oid LIMIT 1
        """,
        (column.table, column.number),
    ).fetchone()
    return SequenceName(*row) if row else None


def inserters(plan: Plan, tables: Sequence[str]) -> tuple[str, ...]:
    """Returns the roles that may insert into some tables, also by views and rules, as parts of a statement.

    PostgreSQL asks for the rights to a sequence of the role that inserts, not of the owner of a view.
    """
    rows = plan.conn.execute(
        """
        WITH RECURSIVE reached (oid, is_table) AS (
            SELECT t.name::regclass::oid, true FROM unnest(%(tables)s::text[]) AS t (name)
            UNION
            SELECT w.ev_class, false
              FROM reached AS r JOIN pg_depend AS d ON d.refclassid = 'pg_class'::regclass AND d.refobjid = r.oid
                                                       AND d.classid = 'pg_rewrite'::regclass
                   JOIN pg_rewrite AS w ON w.oid = d.objid AND w.ev_class <> ALL (%(tables)s::regclass[]))
        SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END
          FROM reached AS r JOIN pg_class AS c ON c.oid = r.oid,
               LATERAL (SELECT c.relacl UNION ALL SELECT t.attacl FROM pg_attribute AS t WHERE t.attrelid = c.oid)
               AS l (acl), aclexplode(l.acl) AS a
         WHERE a.grantee <> c.relowner AND a.grantee <> (SELECT oid FROM pg_roles WHERE rolname = current_user)
               AND (a.privilege_type = 'INSERT' OR a.privilege_type IN ('UPDATE', 'DELETE') AND NOT r.is_table)
         ORDER BY 1
        """,
        {"tables": list(tables)},
    ).fetchall()
    return tuple(row[0] for row in rows)


def is_generator(plan: Plan, default: str) -> bool:
    """Returns whether a default is nothing but a call of a generator of kid."""
    home, names = re.escape(plan.kid.home), "|".join(GENERATORS)
    arguments, cast = r"\([^()]*\)", r'::[\w. "]+'
    # PostgreSQL prints a call in parentheses if it casts the result.
    call = rf"\(? {home}\.(?:{names}) {arguments} \)? (?:{cast})?"
    return re.fullmatch(call, default, re.VERBOSE) is not None


def core_type(column: Column) -> str:
    """Returns the type that a column has afterwards, without a domain."""
    return CORE[column.base] if column.base else column.kind


def tops_of(plan: Plan, columns: Sequence[Column]) -> dict[tuple[int, str], TopColumn]:
    """Returns for each column, by its table and its name, the topmost column from which it is inherited, or itself."""
    rows = plan.conn.execute(
        """
        WITH RECURSIVE up (tab, name, oid, n) AS (
            SELECT c.tab, c.name, c.tab, 0 FROM unnest(%s::oid[], %s::text[]) AS c (tab, name)
            UNION ALL
            SELECT u.tab, u.name, i.inhparent, u.n + 1
              FROM up AS u JOIN pg_inherits AS i ON i.inhrelid = u.oid
                   JOIN pg_attribute AS a ON a.attrelid = i.inhparent AND a.attname = u.name)
        SELECT DISTINCT ON (tab, name) tab, name, oid FROM up ORDER BY tab, name, n DESC, oid
        """,
        ([c.table for c in columns], [c.name for c in columns]),
    ).fetchall()
    return {(int(table), name): TopColumn(int(top), name) for table, name, top in rows}


def random_value(plan: Plan, column: Column) -> str:
    """Returns what makes a random value. Where uuids choose the partition, it contains the time."""
    if core_type(column) != "uuid":
        return "gen_random_uuid()::text"
    if plan.conn.info.server_version >= 180000:
        return "uuidv7()"
    is_key = scalar(
        plan.conn,
        "SELECT EXISTS (SELECT FROM pg_partition_ancestors(%s) AS p (oid)"
        " JOIN pg_partitioned_table AS t ON t.partrelid = p.oid JOIN pg_attribute AS a ON a.attrelid = p.oid"
        " WHERE a.attname = %s AND a.attnum = ANY (t.partattrs))",
        (column.table, column.name),
    )
    return UUIDV7 if is_key else "gen_random_uuid()"


def drop(plan: Plan, defaults: Sequence[Default], runner: Runner) -> None:
    """Drops the defaults. Partitions can have others than their parent."""
    for d in defaults:
        table, column = plan.table(d.column.table), sql.Identifier(d.column.name)
        runner.execute(statement("ALTER TABLE ONLY {} ALTER {} DROP DEFAULT", table.sql, column))


def make(plan: Plan, defaults: Sequence[Default], runner: Runner) -> None:
    """Sets the new defaults."""
    for d in defaults:
        table, column = plan.table(d.column.table), sql.Identifier(d.column.name)
        after: sql.Composable = sql.SQL(d.after or "NULL")
        if d.sequence:
            if d.is_owner:
                make_sequence(plan, d, sql.Identifier(*d.sequence), runner)
            name = sql.Identifier(*d.sequence).as_string(plan.conn)
            after = sql.SQL("nextval({}::regclass)").format(sql.Literal(name))
        change = "ALTER TABLE ONLY {} ALTER {} SET DEFAULT {}"
        runner.execute(statement(change, table.sql, column, after, about=d.about(plan)))


def make_sequence(plan: Plan, d: Default, sequence: sql.Identifier, runner: Runner) -> None:
    """Creates the sequence of a default, or restarts the one that is there, so that sessions forget cached numbers.

    Its numbers go on above all IDs that this server has made, and above those that the column has from others, in
    all tables that take numbers.
    """
    table, column, about = plan.table(d.column.table), sql.Identifier(d.column.name), d.about(plan)
    if d.is_there:
        runner.execute(statement("ALTER SEQUENCE {} RESTART", sequence, about=about))
    else:
        runner.execute(statement("CREATE SEQUENCE {} OWNED BY {}.{}", sequence, table.sql, column, about=about))
    runner.execute(
        statement(
            "SELECT pg_catalog.setval({}, greatest(({})::bigint, (SELECT max({}) FROM {})))",
            sequence.as_string(plan.conn),
            sql.SQL(d.before),
            column,
            plan.table(d.top).sql,
            about=about,
        )
    )


def grant(plan: Plan, defaults: Sequence[Default], runner: Runner) -> None:
    """Lets those use the new sequences who may insert now that all is made again.

    They needed no right to make IDs, as kid's functions for that are PUBLIC's.
    """
    for d in defaults:
        if d.sequence and d.is_owner:
            sequence = sql.Identifier(*d.sequence)
            for user in inserters(plan, [plan.table(oid).label for oid in d.takers]):
                give = "GRANT USAGE ON SEQUENCE {} TO {}"
                runner.execute(statement(give, sequence, sql.SQL(user), about=d.about(plan)))
