"""What uses kid otherwise than by its types, so that nothing takes its place, and what is none of these tables' own."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Optional, Sequence

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection
from pgkid.ctl.findings import Finding
from pgkid.ctl.leave.change import is_time_check
from pgkid.ctl.leave.plan import Plan, generated
from pgkid.ctl.leave.triggers import triggers_of_kid
from pgkid.ctl.leave.uses import Use, uses
from pgkid.ctl.made import Made
from pgkid.ctl.objects import Object, of_index, on_table


# What of a table changes only if it hangs on a column that changes. Otherwise it stays as it is.
HANGING = ("pg_rewrite", "pg_policy", "pg_trigger", "pg_statistic_ext")


@dataclass
class Needs:
    """What needs kid."""

    findings: list[Finding] = field(default_factory=list)  # about objects of the tables that leave; each stops the move
    given_up: list[Object] = field(default_factory=list)  # those that are not made again, if the user accepts that
    remaining: list[Finding] = field(default_factory=list)  # about what stays as it is, and depends on kid then


@dataclass(frozen=True)
class Need:
    """An object of the tables that needs kid."""

    object: Object
    definition: str
    can_be_given_up: bool  # otherwise the tables would do something else without it, so it must be written without kid
    is_part: bool = False  # an index of a partition, which goes with that of the parent


@dataclass(frozen=True)
class Touched:
    """What changes, is made again, or is dropped when tables leave."""

    tables: frozenset[int]  # with their partitions
    domains: frozenset[int]
    composites: frozenset[int]
    triggers: frozenset[int]  # of kid, which are dropped
    made: dict[tuple[str, int], Made]  # what hangs on the columns that change, by its catalog and OID

    def made_again(self, use: Use) -> Optional[Made]:
        """Returns the object that uses kid, or the view to which it belongs, if that is made again."""
        return self.made.get((use.catalog, use.oid)) or self.made.get(("view", use.relation or 0))

    def drops(self, use: Use) -> bool:
        """Returns whether the object that uses kid is a trigger of kid's own."""
        return use.catalog == "pg_trigger" and use.oid in self.triggers

    def stays(self, use: Use) -> bool:
        """Returns whether the object that uses kid stays as it is."""
        if self.made_again(use) or self.drops(use) or use.type in self.domains or use.relation in self.composites:
            return False
        return use.relation not in self.tables or use.catalog in HANGING


def read_touched(plan: Plan, made: Sequence[Made]) -> Touched:
    """Returns what is touched when the tables of a plan leave."""
    return Touched(
        tables=frozenset(table.oid for group in plan.groups for table in plan.family(group)),
        domains=frozenset(d.oid for group in plan.groups for d in (*group.domains, *group.core_domains)),
        composites=frozenset(attribute.relation for attribute in plan.attributes),
        triggers=frozenset(trigger.oid for group in plan.groups for trigger in triggers_of_kid(plan, group)),
        made={(m.catalog, m.oid): m for m in made},
    )


def read_needs(plan: Plan, made: Sequence[Made]) -> Needs:
    """Returns what needs kid when the tables of a plan leave. `made` is all that hangs on the columns that change."""
    touched, needs = read_touched(plan, made), Needs()
    members: dict[Need, list[str]] = {}
    for use in plan.uses:
        need = None if use.has_counterpart or touched.drops(use) else need_of(plan, touched, use)
        if need and need.is_part:
            needs.given_up.append(need.object)
        elif need:
            members.setdefault(need, []).append(use.member)
    for need, names in members.items():
        needs.findings.append(needed(need, names))
        if need.can_be_given_up:
            needs.given_up.append(need.object)
    for group in plan.groups:
        for column in generated(plan.conn, group):
            about = on_table("column", column.name, plan.table(column.table))
            needs.findings.append(needed_by_column(about, column.expression))
            needs.given_up.append(about)
    needs.remaining = findings_about([use for use in plan.uses if touched.stays(use)])
    return needs


def need_of(plan: Plan, touched: Touched, use: Use) -> Optional[Need]:
    """Returns the object that uses kid, if it changes with the tables, or is made again."""
    made = touched.made_again(use)
    if made:
        return Need(made.object, made.definition, can_be_given_up=use.catalog == "pg_statistic_ext")
    if use.relation not in touched.tables:
        return None
    if use.catalog == "pg_class":
        return need_of_index(plan, use)
    return need_of_check(plan, use) if use.catalog == "pg_constraint" else None


def need_of_index(plan: Plan, use: Use) -> Optional[Need]:
    """Returns an index that uses kid. The use can also be that of a column, by its type."""
    for index in catalog.indexes(plan.conn, [use.relation or 0]):
        if index.oid == use.oid:
            return Need(
                of_index(index),
                index.definition,
                can_be_given_up=not index.constraint,
                is_part=bool(index.parent),
            )
    return None


def need_of_check(plan: Plan, use: Use) -> Optional[Need]:
    """Returns a CHECK that uses kid, unless a partition has it from its parent, or it goes with kid."""
    for k in catalog.constraints(plan.conn, [use.relation or 0]):
        if k.oid == use.oid and k.kind == "c" and not is_time_check(k) and not k.is_inherited:
            return Need(on_table("constraint", k.name, plan.table(k.table)), k.definition, can_be_given_up=True)
    return None


def needed(need: Need, members: Sequence[str]) -> Finding:
    """Returns the finding for an object that uses members of kid."""
    label, message = need.object.label, "uses " + ", ".join(dict.fromkeys(members))
    if need.can_be_given_up:
        return Finding("needs kid", label, message + "; it is dropped", need.definition, stops=True, accept_name=label)
    return Finding("needs kid", label, message, need.definition, "Rewrite it without kid, or drop it.", stops=True)


def needed_by_column(column: Object, expression: str) -> Finding:
    """Returns the finding for a generated column: PostgreSQL changes no type of a column that one uses."""
    message = "is generated; it would be an ordinary column, with its values, and new rows would get none"
    return Finding("needs kid", column.label, message, expression, stops=True, accept_name=column.label)


def findings_about(found: Sequence[Use]) -> list[Finding]:
    """Returns a finding for each object with some uses of kid, which would still depend on it."""
    members: dict[str, list[str]] = {}
    hints: dict[str, str] = {}
    for use in found:
        members.setdefault(use.object, []).append(use.member)
        # A column, its default, and an index that uses nothing of kid but operator classes change with their table.
        changes = use.catalog == "pg_attrdef" or use.catalog == "pg_class" and (use.number > 0 or use.has_counterpart)
        if not changes:
            hints[use.object] = "Rewrite or drop it, and run `kidctl leave` again."
        hints.setdefault(use.object, "Run `kidctl leave` for its table, too.")
    return [Finding("remains", o, "uses " + ", ".join(names), hint=hints[o]) for o, names in members.items()]


def remains(conn: Connection) -> list[Finding]:
    """Returns a finding for each object that depends on kid now."""
    return findings_about(uses(conn))
