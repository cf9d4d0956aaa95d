"""What uses kid otherwise than by its types, so that nothing takes its place, and what is none of these tables' own."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator, Optional, Sequence

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, one
from pgkid.ctl.findings import Finding
from pgkid.ctl.leave.change import is_time_check
from pgkid.ctl.leave.plan import Group, Plan, generated
from pgkid.ctl.leave.triggers import triggers_of_kid
from pgkid.ctl.leave.uses import Use, uses
from pgkid.ctl.made import Made, printed
from pgkid.ctl.objects import Object, of_index, on_table


# What can depend on kid by a definition of its own, rather than by its type alone
CATALOGS = (
    "pg_class",
    "pg_constraint",
    "pg_rewrite",
    "pg_policy",
    "pg_trigger",
    "pg_statistic_ext",
)


@dataclass(frozen=True)
class Need:
    """An object that needs kid."""

    object: Object
    definition: str
    can_be_dropped: bool  # if the user accepts that; otherwise it must be written without kid before


class Needs:
    """What needs kid, of the tables of a plan.

    Call of_uses() and of_generated() for each group, and consume what they yield, before of_others(): these fill
    `given_up`, and what they have told of is not told again.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.given_up: set[Object] = set()  # what is not made again, or is no generated column any more
        self.told: set[Use] = set()
        self.views: set[int] = set()  # that are made again
        self.tables: set[int] = set()  # of the groups, with their partitions
        self.triggers = {(t.table, t.name) for group in plan.groups for t in triggers_of_kid(plan, group)}

    def of_uses(self, group: Group, made: Sequence[Made]) -> Iterator[Finding]:
        """Yields what needs kid in a group. Some of it can be given up, if the user accepts that.

        `made` is what hangs on the columns of the group.
        """
        self.views |= {m.oid for m in made if m.is_view}
        tables = {t.oid for t in self.plan.family(group)}
        self.tables |= tables
        again = {m.object for m in made}
        members: dict[Need, list[str]] = {}
        for use in self.plan.uses:
            need = None if use.has_counterpart else self.need(use, tables)
            # Statistics that do not hang on the columns stay as they are, and of_others() tells of them.
            is_statistics = use.catalog == "pg_statistic_ext"
            if need and (need.object in again or need.can_be_dropped and not is_statistics):
                self.told.add(use)
                members.setdefault(need, []).append(use.member)
        for need, names in members.items():
            self.given_up.add(need.object)
            yield needed(need, "uses " + ", ".join(dict.fromkeys(names)))

    def need(self, use: Use, tables: set[int]) -> Optional[Need]:
        """Returns the object that uses kid, if it belongs to one of some tables, or can be a view of theirs."""
        if use.catalog not in CATALOGS or use.relation not in tables and use.catalog != "pg_rewrite":
            return None
        if use.catalog == "pg_class":
            return self.index(use)
        if use.catalog == "pg_constraint":
            return self.check(use)
        if self.is_trigger_of_kid(use):
            return None
        made = printed(self.plan.conn, use.catalog, use.oid, set())
        if made is None and use.catalog == "pg_rewrite":
            made = printed(self.plan.conn, "view", use.relation or 0, set())
        return Need(made.object, made.make[0], use.catalog == "pg_statistic_ext") if made else None

    def index(self, use: Use) -> Optional[Need]:
        """Returns an index. That of a partition is given up with that of its parent."""
        for index in catalog.indexes(self.plan.conn, [use.relation or 0]):
            if index.oid == use.oid and index.parent:
                self.given_up.add(of_index(index))
            elif index.oid == use.oid:
                return Need(of_index(index), index.definition, True)
        return None

    def check(self, use: Use) -> Optional[Need]:
        """Returns a CHECK, unless a partition has it from its parent, or it goes with kid."""
        for k in catalog.constraints(self.plan.conn, [use.relation or 0]):
            if k.oid == use.oid and k.kind == "c" and not is_time_check(k) and not k.is_inherited:
                return Need(on_table("constraint", k.name, self.plan.table(k.table)), k.definition, True)
        return None

    def is_trigger_of_kid(self, use: Use) -> bool:
        """Returns whether an object is a trigger of kid's own."""
        if use.catalog != "pg_trigger":
            return False
        name = one(self.plan.conn, "SELECT tgname FROM pg_trigger WHERE oid = %s", (use.oid,))
        return (use.relation, name) in self.triggers

    def of_generated(self, group: Group) -> Iterator[Finding]:
        """Yields generated columns: PostgreSQL changes no type of a column that one uses."""
        for column in generated(self.plan.conn, group):
            about = on_table("column", column.name, self.plan.table(column.table))
            self.given_up.add(about)
            message = "is generated; it would be an ordinary column, with its values, and new rows would get none"
            yield Finding("needs kid", about.label, message, column.expression, stops=True, accept_name=about.label)

    def of_others(self) -> Iterator[Finding]:
        """Yields what depends on kid, and stays as it is when the tables leave."""
        yield from remaining([use for use in self.plan.uses if not self.is_mine(use)])

    def is_mine(self, use: Use) -> bool:
        """Returns whether an object belongs to the tables that leave, and changes with them."""
        plan = self.plan
        if use.relation in self.tables:
            return not self.is_left(use)
        if use.relation in self.views:
            return True
        domains = {d.oid for group in plan.groups for d in (*group.domains, *group.core_domains)}
        if use.catalog == "pg_type":
            return use.oid in domains
        if use.catalog == "pg_class":
            return use.oid in {a.relation for a in plan.attributes}
        return use.catalog == "pg_constraint" and self.domain_of(use) in domains

    def is_left(self, use: Use) -> bool:
        """Returns whether something of a table calls kid, and hangs on no column that changes, so that it stays."""
        is_kept = use.catalog in ("pg_rewrite", "pg_policy", "pg_statistic_ext", "pg_trigger")
        return is_kept and not use.has_counterpart and use not in self.told and not self.is_trigger_of_kid(use)

    def domain_of(self, use: Use) -> int:
        """Returns the domain of a constraint, or 0."""
        return int(one(self.plan.conn, "SELECT contypid FROM pg_constraint WHERE oid = %s", (use.oid,)) or 0)


def needed(need: Need, message: str) -> Finding:
    """Returns the finding for an object that needs kid."""
    label = need.object.label
    if need.can_be_dropped:
        message += "; it is dropped"
        return Finding("needs kid", label, message, need.definition, stops=True, accept_name=label)
    return Finding("needs kid", label, message, need.definition, "Rewrite it without kid, or drop it.", stops=True)


def remaining(found: Sequence[Use]) -> list[Finding]:
    """Returns a finding for each object that would still depend on kid."""
    members: dict[str, list[str]] = {}
    for use in found:
        members.setdefault(use.object, []).append(use.member)
    return [Finding("remains", name, "uses " + ", ".join(names)) for name, names in members.items()]


def remains(conn: Connection) -> list[Finding]:
    """Returns a finding for each object that depends on kid now."""
    return remaining(uses(conn))
