"""What `kidctl leave check` finds before the rehearsal."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Iterator, Optional

from psycopg import sql

from pgkid.ctl import catalog, hanging
from pgkid.ctl.beside import definitions
from pgkid.ctl.beside.nodetree import ERRORS, Node, Value, nodes_in, parse
from pgkid.ctl.connection import in_statement, one
from pgkid.ctl.dependents import dependents
from pgkid.ctl.findings import Finding, Refused
from pgkid.ctl.kid import CORE, NUMBERS
from pgkid.ctl.leave.change import is_time_check, triggers_of_kid
from pgkid.ctl.leave.defaults import core_type, generator
from pgkid.ctl.leave.partitions import nodes
from pgkid.ctl.leave.plan import Column, Group, Plan, generated
from pgkid.ctl.leave.uses import Use
from pgkid.ctl.objects import Object, of_index, on_table
from pgkid.ctl.obstacles import of_hidden_rows, of_made, of_owners, of_row_types, of_state, refused, rights


@dataclass
class Look:
    """The findings about tables, and what would not be made again."""

    plan: Plan
    findings: list[Finding] = field(default_factory=list)
    given_up: set[Object] = field(default_factory=set)
    told: set[Use] = field(default_factory=set)

    def run(self) -> None:
        """Looks at everything."""
        for group in self.plan.groups:
            # The order matters: of_order() reads no rows if of_rights() has found something. Below, of_others() needs
            # what of_hanging() and of_uses() have found.
            for part in (
                self.of_rights,
                self.of_tables,
                self.of_columns,
                self.of_order,
                self.of_domains,
                self.of_users,
                self.of_hanging,
                self.of_publications,
                self.of_trees,
                self.of_uses,
                self.of_generated,
                self.of_casts,
                self.of_triggers,
            ):
                self.findings += part(group)
        relations = list(dict.fromkeys(a.relation for a in self.plan.attributes))
        self.findings += of_row_types(
            self.plan.conn, relations, "so PostgreSQL cannot change the types of its attributes"
        )
        self.findings += self.of_texts()
        self.findings += self.of_others()

    def of_rights(self, group: Group) -> Iterator[Finding]:
        """Yields what the owner may not do."""
        user = str(one(self.plan.conn, "SELECT current_user"))
        role = in_statement(self.plan.conn, user)
        tables = self.plan.family(group)
        yield from of_owners(self.plan.conn, tables)
        yield from of_hidden_rows(self.plan.conn, tables)
        yield from of_state(self.plan.conn)
        for label, owner in [(d.label, d.owner) for d in (*group.domains, *group.core_domains)]:
            if owner != user:
                yield rights(label, f"belongs to {owner}, and not to {user}", f"Give it to {role}.")
        for schema in sorted({t.schema for t in tables} | {d.schema for d in group.domains}):
            if not one(self.plan.conn, "SELECT has_schema_privilege(%s, 'CREATE')", (schema,)):
                yield rights(
                    user,
                    f"may not create sequences in schema {schema}",
                    f"GRANT CREATE ON SCHEMA {in_statement(self.plan.conn, schema)} TO {role}.",
                )

    def of_tables(self, group: Group) -> Iterator[Finding]:
        """Yields tables of kinds that cannot change, and columns that contain their rows."""
        for table in group.tables:
            if table.is_typed:
                yield refused(table.label, "is a typed table", f"ALTER TABLE {table.label} NOT OF.")
        typed = [c.table for c in group.typed]
        yield from of_row_types(self.plan.conn, typed, "so PostgreSQL cannot change their types")

    def of_columns(self, group: Group) -> Iterator[Finding]:
        """Yields columns that cannot change."""
        for c in group.columns:
            about = f"column {c.name} of {self.plan.table(c.table).label}"
            if c.generated:
                continue
            if c.default and not self.has_default(c):
                hint = "ALTER TABLE … ALTER … SET DEFAULT what will make values."
                yield refused(about, f"has a default that kidctl cannot replace: {c.default}", hint)
            elif c.default and c.is_top and core_type(c) == "text" and generator(self.plan, c.default):
                yield Finding("note", about, "new values are random uuids as text; look whether they suit CHECKs")
            elif c.default and c.is_top and c.is_key and core_type(c) == "bigint" and generator(self.plan, c.default):
                message = "new numbers are of a sequence, so all new rows go to the partition of the last ID"
                yield Finding("note", about, message, hint="Partition it by a column with a time.")

    def of_publications(self, group: Group) -> Iterator[Finding]:
        """Yields publications that name columns, or filter by them: the copy of the schema has none."""
        for publication, table in self.plan.conn.execute(
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

    def of_trees(self, group: Group) -> Iterator[Finding]:
        """Yields tables partitioned by an ID that cannot be created again."""
        for node in nodes(self.plan, group):
            for message, hint in node.obstacles(self.plan):
                yield refused(node.table.label, message, hint)

    def of_order(self, group: Group) -> Iterator[Finding]:
        """Yields columns with IDs that are negative as a bigint, which kid compares without a sign."""
        if any(f.kind == "rights" for f in self.findings):
            return
        for c in group.typed:
            table = self.plan.table(c.table)
            if c.is_top and not c.is_array and core_type(c) == "bigint" and table.kind != "f":
                home = sql.SQL(self.plan.kid.home if self.plan.kid.is_extension else "pg_catalog")
                query = sql.SQL("SELECT {}.max({})::bigint < 0 FROM {}")
                if one(self.plan.conn, query.format(home, sql.Identifier(c.name), table.sql)):
                    about = f"column {c.name} of {table.label}"
                    message = "has IDs that are negative numbers as bigint, and come first then"
                    yield Finding("changed", about, message, stops=True, accept_name=about)

    def has_default(self, c: Column) -> bool:
        """Returns whether a default can be replaced."""
        assert c.default
        if generator(self.plan, c.default):
            return not c.is_array and core_type(c) in ("bigint", "uuid", "text")
        if c.maker:
            return False
        oid = one(self.plan.conn, "SELECT oid FROM pg_attrdef WHERE adrelid = %s AND adnum = %s", (c.table, c.number))
        return not self.plan.without_counterpart("pg_attrdef", oid)

    def of_domains(self, group: Group) -> Iterator[Finding]:
        """Yields domains that need a function of kid."""
        for domain in group.domains:
            is_replaced = domain.default and generator(self.plan, domain.default)
            members = [] if is_replaced else self.plan.without_counterpart("pg_type", domain.oid)
            for (oid,) in self.plan.conn.execute(
                "SELECT oid FROM pg_constraint WHERE contypid = %s", (domain.oid,)
            ).fetchall():
                members += self.plan.without_counterpart("pg_constraint", oid)
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

    def of_users(self, group: Group) -> Iterator[Finding]:
        """Yields what else uses a domain than other domains, tables that change, and what is made again."""
        made = self.made(group)
        tables = {t.oid for t in self.plan.family(group)} | {m.oid for m in made if m.catalog == "view"}
        same = {("pg_type", d.oid) for d in group.domains} | {(m.catalog, m.oid) for m in made}
        for user in dependents(self.plan.conn, "pg_type", [d.oid for d in group.domains]):
            if user.relation not in tables and (user.catalog, user.oid) not in same:
                message = f"depends on {user.target}, a domain that is replaced by another one"
                yield refused(user.label, message, "Drop it before, and make it again afterwards.")

    def of_hanging(self, group: Group) -> Iterator[Finding]:
        """Yields what cannot be made again, because of its kind or its owner."""
        try:
            yield from of_made(self.plan.conn, self.plan.made(group))
        except Refused as error:
            yield refused("", str(error), error.hint)

    def of_uses(self, group: Group) -> Iterator[Finding]:
        """Yields what needs kid. Some of it can be given up, if the user accepts that."""
        made = {m.object for m in self.made(group)}
        members: dict[tuple[Object, str, str], list[str]] = {}
        for use in self.plan.uses:
            if use.has_counterpart or use.catalog not in OBJECTS:
                continue
            found = self.object_of(use, group)
            if found and (found[0] in made or found[2] and use.catalog != "pg_statistic_ext"):
                self.told.add(use)
                members.setdefault(found, []).append(use.member)
        for (about, text, message), names in members.items():
            self.given_up.add(about)
            label = about.label
            uses = "uses " + ", ".join(dict.fromkeys(names))
            if message:
                yield Finding("needs kid", label, f"{uses}; {message}", text, stops=True, accept_name=label)
            else:
                yield Finding("needs kid", label, uses, text, "Rewrite it without kid, or drop it.", stops=True)

    def made(self, group: Group) -> list[hanging.Made]:
        """Returns what hangs on the columns, or nothing if that is an error, which is told elsewhere."""
        try:
            return self.plan.made(group)
        except Refused:
            return []

    def object_of(self, use: Use, group: Group) -> Optional[tuple[Object, str, str]]:
        """Returns an object that uses kid, its text, and what becomes of it if that is accepted."""
        conn = self.plan.conn
        if use.relation not in {t.oid for t in self.plan.family(group)} and use.catalog != "pg_rewrite":
            return None
        if use.catalog == "pg_class":
            for index in catalog.indexes(conn, [use.relation or 0]):
                if index.oid == use.oid and not index.parent:
                    return of_index(index), index.definition, "it is dropped"
                if index.oid == use.oid:
                    self.given_up.add(of_index(index))  # with its parent
            return None
        if use.catalog == "pg_constraint":
            for k in catalog.constraints(conn, [use.relation or 0]):
                if k.oid == use.oid and k.kind == "c" and not is_time_check(k) and not k.is_inherited:
                    return on_table("constraint", k.name, self.plan.table(k.table)), k.definition, "it is dropped"
            return None
        made = hanging.PRINTERS[use.catalog](conn, use.oid, set())
        if made is None and use.catalog == "pg_rewrite":
            made = hanging.PRINTERS["view"](conn, use.relation or 0, set())
        if made is None or use.catalog == "pg_trigger" and self.is_of_kid(use, group):
            return None
        return made.object, made.make[0], "it is dropped" if use.catalog == "pg_statistic_ext" else ""

    def is_of_kid(self, use: Use, group: Group) -> bool:
        """Returns whether a trigger is one of kid's own."""
        name = one(self.plan.conn, "SELECT tgname FROM pg_trigger WHERE oid = %s", (use.oid,))
        return any(row[:2] == (use.relation, name) for row in triggers_of_kid(self.plan, group))

    def of_generated(self, group: Group) -> Iterator[Finding]:
        """Yields generated columns: PostgreSQL changes no type of a column that one uses."""
        for table, name, text in generated(self.plan.conn, group):
            about = on_table("column", name, self.plan.table(table))
            self.given_up.add(about)
            message = "is generated; it would be an ordinary column, with its values, and new rows would get none"
            yield Finding("needs kid", about.label, message, text, stops=True, accept_name=about.label)

    def of_casts(self, group: Group) -> Iterator[Finding]:
        """Yields definitions that read text as an ID: as a number, the same text would mean something else."""
        conn = self.plan.conn
        numbers = {
            row[0]
            for row in conn.execute(
                "SELECT t.oid FROM pg_type AS t WHERE t.oid = ANY (%s::regtype[])",
                ([name for name, core in self.plan.kid.types.items() if core == "bigint"],),
            ).fetchall()
        }
        for d in definitions.definitions(conn, [(c.table, c.number) for c in group.typed]):
            if not d.is_copy and any(reads_text(tree, numbers) for tree in (d.tree, d.condition) if tree):
                hint = "Write the number, or drop it."
                yield Finding("needs kid", d.object, "reads text as an ID", d.sql, hint, stops=True)

    def of_triggers(self, group: Group) -> Iterator[Finding]:
        """Yields the triggers of kid, which are dropped."""
        for oid, name, is_tracking in triggers_of_kid(self.plan, group):
            message = "is dropped" + ("; consumers that call kid_horizon(table) must find another way" * is_tracking)
            yield Finding("note", f"trigger {name} on {self.plan.table(oid).label}", message)

    def of_others(self) -> Iterator[Finding]:
        """Yields what depends on kid, and is no part of these tables. It is not known if these have obstacles."""
        if any(f.kind == "refused" and not f.object for f in self.findings):
            return
        mine = {t.oid for group in self.plan.groups for t in self.plan.family(group)}
        domains = {d.oid for group in self.plan.groups for d in (*group.domains, *group.core_domains)}
        views = {m.oid for group in self.plan.groups for m in self.made(group) if m.is_view}
        others: dict[str, list[str]] = {}
        for use in self.plan.uses:
            is_mine = (
                use.relation in mine
                and not self.is_left(use)
                or use.relation in views
                or use.catalog == "pg_type"
                and use.oid in domains
                or use.catalog == "pg_class"
                and use.oid in {a.relation for a in self.plan.attributes}
                or use.catalog == "pg_constraint"
                and self.domain_of(use) in domains
            )
            if not is_mine:
                others.setdefault(use.object, []).append(use.member)
        for name, members in others.items():
            yield Finding("remains", name, "uses " + ", ".join(members))

    def is_left(self, use: Use) -> bool:
        """Returns whether something of a table calls kid, and hangs on no column that changes, so that it stays."""
        is_kept = use.catalog in ("pg_rewrite", "pg_policy", "pg_statistic_ext", "pg_trigger")
        return (
            is_kept
            and not use.has_counterpart
            and use not in self.told
            and not any(self.is_of_kid(use, group) for group in self.plan.groups)
        )

    def domain_of(self, use: Use) -> int:
        """Returns the domain of a constraint, or 0."""
        return int(one(self.plan.conn, "SELECT contypid FROM pg_constraint WHERE oid = %s", (use.oid,)) or 0)

    def of_texts(self) -> Iterator[Finding]:
        """Yields functions whose text names something of kid's: PostgreSQL does not know that they depend on it."""
        for name, words in self.plan.conn.execute(
            """
            SELECT p.oid::regprocedure::text, string_agg(DISTINCT w.word, ', ' ORDER BY w.word)
              FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
                  AND n.nspname !~ '^(pg_|information_schema$)',
                   regexp_split_to_table(p.prosrc, '[^A-Za-z0-9_]+') AS w (word)
             WHERE (w.word ~ %(names)s OR w.word = ANY (%(types)s))
                   AND (EXISTS (SELECT FROM pg_proc AS o WHERE o.pronamespace = %(home)s::regnamespace
                                                               AND o.proname = w.word)
                        OR w.word = ANY (%(types)s))
                   AND n.nspname NOT IN ('kid', 'kid_clocks', 'kid_workers') AND NOT EXISTS (
                       SELECT FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid
                        WHERE d.objid = p.oid AND d.deptype = 'e')
             GROUP BY p.oid ORDER BY 1
            """,
            {"home": self.plan.kid.home, "types": list(CORE), "names": f"^({'|'.join(['kid', *NUMBERS, *CORE])})_"},
        ).fetchall():
            yield Finding("functions", name, f"names {words}", hint="It fails after DROP EXTENSION kid.")


NO_DEFAULT = "has no default afterwards, as its columns get defaults of their own"

# What can depend on kid by a definition of its own, rather than by its type alone
OBJECTS = (
    "pg_class",
    "pg_constraint",
    "pg_rewrite",
    "pg_policy",
    "pg_trigger",
    "pg_statistic_ext",
)


def reads_text(tree: str, types: set[int]) -> bool:
    """Returns whether a definition converts text to one of some types."""
    if "COERCEVIAIO" not in tree:
        return False
    try:
        return any(node.name == "COERCEVIAIO" and node.number("resulttype") in types for node in all_nodes(parse(tree)))
    except (*ERRORS, RecursionError):
        return True


def all_nodes(value: Value) -> Iterator[Node]:
    """Returns all nodes of a tree."""
    for node in nodes_in(value):
        yield node
        for below in node.below():
            yield from all_nodes(below)
