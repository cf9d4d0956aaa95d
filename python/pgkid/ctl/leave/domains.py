"""Domains over kid's types: each is replaced by one with the same name over a core type.

If the default of a domain, over whatever type, makes IDs, its columns get defaults of their own instead: a default of a
column is in force in all sessions at once, that of a domain is not.
"""
from __future__ import annotations

from dataclasses import dataclass, field

from psycopg import sql

from pgkid.ctl.findings import Refused
from pgkid.ctl.leave.columns import Column, Domain, domains
from pgkid.ctl.leave.defaults import is_generator
from pgkid.ctl.leave.plan import Group, Plan
from pgkid.ctl.leave.uses import declaration
from pgkid.ctl.steps import Runner, Statement, raw, statement


@dataclass
class Domains:
    """The domains of one group."""

    plan: Plan
    group: Group
    runner: Runner
    details: dict[int, list[str]] = field(default_factory=dict)
    found: dict[int, object] = field(default_factory=dict)  # what each domain was like when the plan was read

    def new_name(self, domain: Domain) -> sql.Identifier:
        """Returns the name that a domain has until the old one is dropped."""
        return sql.Identifier(domain.schema, f"kidctl_leave_{domain.oid}")

    def create(self) -> None:
        """Creates the new domains, with the defaults, CHECKs, privileges and comments of the old ones."""
        rewrite = self.plan.rewriter.rewrite
        changing = (*self.group.domains, *self.group.core_domains)
        self.found = {d.oid: (d, self.read_checks(d), self.read_details(d)) for d in changing}
        for domain in self.group.domains:
            name, about = self.new_name(domain), domain.object
            self.runner.execute(statement("CREATE DOMAIN {} AS {}", name, sql.SQL(self.base_of(domain)), about=about))
            if domain.default and not is_generator(self.plan, domain.default):
                value = sql.SQL(rewrite(domain.default))
                self.runner.execute(statement("ALTER DOMAIN {} SET DEFAULT {}", name, value, about=about))
            if domain.not_null:
                self.runner.execute(self.not_null(domain))
            for constraint, definition in self.read_checks(domain).items():
                parts = name, sql.Identifier(constraint), sql.SQL(rewrite(definition))
                self.runner.execute(statement("ALTER DOMAIN {} ADD CONSTRAINT {} {}", *parts, about=about))
            self.details[domain.oid] = self.read_details(domain)

    def read(self) -> dict[int, object]:
        """Returns what each domain is like now."""
        now = {domain.oid: domain for domain in domains(self.plan.conn)}
        return {
            domain.oid: (now.get(domain.oid), self.read_checks(domain), self.read_details(domain))
            for domain in (*self.group.domains, *self.group.core_domains)
        }

    def refuse_changed(self) -> None:
        """Raises an error if another session has changed a domain meanwhile: no lock keeps it from that."""
        now = self.read()
        for domain in (*self.group.domains, *self.group.core_domains):
            if now[domain.oid] != self.found[domain.oid]:
                raise Refused(
                    f"{domain.object.label} was changed meanwhile",
                    "Nothing of its tables was changed. Run the same command again.",
                )

    def not_null(self, domain: Domain) -> Statement:
        """Returns the statement for NOT NULL, which has a name from PostgreSQL 17 on."""
        name, about = self.new_name(domain), domain.object
        for (constraint,) in self.runner.query(
            "SELECT conname FROM pg_constraint WHERE contypid = %s AND contype = 'n'", (domain.oid,)
        ):
            add = "ALTER DOMAIN {} ADD CONSTRAINT {} NOT NULL"
            return statement(add, name, sql.Identifier(constraint), about=about)
        return statement("ALTER DOMAIN {} SET NOT NULL", name, about=about)

    def base_of(self, domain: Domain) -> str:
        """Returns the type that the new domain is over."""
        for other in self.group.domains:
            if other.oid == domain.parent:
                return self.new_name(other).as_string(self.plan.conn)
        assert domain.base
        return declaration(domain.base)

    def read_checks(self, domain: Domain) -> dict[str, str]:
        """Returns the definitions of a domain's CHECKs by their names."""
        rows = self.runner.query(
            "SELECT conname, pg_get_constraintdef(oid) FROM pg_constraint"
            " WHERE contypid = %s AND contype = 'c' ORDER BY conname",
            (domain.oid,),
        )
        return {name: definition for name, definition in rows}

    def read_details(self, domain: Domain) -> list[str]:
        """Returns the statements for what a domain has beside its definition."""
        rows = self.runner.query(
            """
            SELECT l.line FROM pg_type AS t, LATERAL (
                SELECT 1, format('REVOKE ALL ON DOMAIN %%s FROM PUBLIC', t.oid::regtype) WHERE t.typacl IS NOT NULL
                UNION ALL
                SELECT 2, format('GRANT USAGE ON DOMAIN %%s TO %%s', t.oid::regtype,
                                 coalesce(nullif(a.grantee::regrole::text, '-'), 'PUBLIC'))
                       || CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END
                  FROM aclexplode(t.typacl) AS a WHERE a.grantee <> t.typowner
                UNION ALL
                SELECT 3, format('COMMENT ON DOMAIN %%s IS %%L', t.oid::regtype, obj_description(t.oid, 'pg_type'))
                 WHERE obj_description(t.oid, 'pg_type') <> ''
                UNION ALL
                SELECT 4, format('COMMENT ON CONSTRAINT %%I ON DOMAIN %%s IS %%L', k.conname, t.oid::regtype,
                                 obj_description(k.oid, 'pg_constraint'))
                  FROM pg_constraint AS k WHERE k.contypid = t.oid AND obj_description(k.oid, 'pg_constraint') <> '')
                AS l (n, line)
             WHERE t.oid = %s ORDER BY l.n, l.line
            """,
            (domain.oid,),
        )
        return [str(row[0]) for row in rows]

    def type_of(self, column: Column) -> str:
        """Returns the new type of a column."""
        for domain in self.group.domains:
            if domain.oid == column.domain:
                return self.new_name(domain).as_string(self.plan.conn) + "[]" * column.is_array
        assert column.base
        return declaration(column.base, column.is_array)

    def replace(self) -> None:
        """Drops the old domains, and gives the new ones their names."""
        self.refuse_changed()
        self.drop_defaults()  # before it takes long to find where new sequences begin
        for domain in reversed(self.group.domains):
            old = sql.Identifier(domain.schema, domain.name)
            self.runner.execute(statement("DROP DOMAIN {}", old, about=domain.object))
        for domain in self.group.domains:
            self.runner.execute(
                statement("ALTER DOMAIN {} RENAME TO {}", self.new_name(domain), sql.Identifier(domain.name))
            )
            for line in self.details[domain.oid]:
                self.runner.execute(Statement(raw(line), domain.object))

    def drop_defaults(self) -> None:
        """Drops the defaults of domains that stay, whose columns get defaults of their own."""
        for domain in self.group.core_domains:
            name = sql.Identifier(domain.schema, domain.name)
            self.runner.execute(statement("ALTER DOMAIN {} DROP DEFAULT", name, about=domain.object))
