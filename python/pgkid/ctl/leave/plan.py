"""What leaving is about, on one connection: the groups of tables that change together, and what hangs on them."""
from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Iterable, Optional, Sequence

from pgkid.ctl import catalog, constraints, state
from pgkid.ctl.catalog import ColumnAddress
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.hanging import hanging
from pgkid.ctl.leave.columns import Attribute, Column, Domain, attributes, columns, domains
from pgkid.ctl.leave.links import join_tables
from pgkid.ctl.leave.rewriter import Rewriter
from pgkid.ctl.leave.uses import Kid, Use, read_kid, uses
from pgkid.ctl.made import Made


@dataclass(frozen=True)
class LateConstraint(constraints.Kept):
    """A constraint that is left to validate.

    Its OID tells it if somebody has given it or its table another name. It is another one in a restored copy, and
    after PostgreSQL has made the constraint again, as it does when the type of a column changes.
    """

    oid: int

    def present(self, conn: Connection) -> LateConstraint:
        """Returns it with the names that it has now in the database in which it was kept."""
        query = "SELECT conrelid::regclass::text, conname FROM pg_constraint WHERE oid = %s AND conrelid <> 0"
        row = conn.execute(query, (self.oid,)).fetchone()
        return replace(self, table=row[0], name=row[1]) if row else self

    def here(self, conn: Connection) -> LateConstraint:
        """Returns it with the OID that the constraint of its names has in this database, or 0."""
        return replace(self, oid=oid_of(conn, self.table, self.name) or 0)


def oid_of(conn: Connection, table: str, name: str) -> Optional[int]:
    """Returns the OID of a constraint of a table, or None if it is not there."""
    query = "SELECT oid FROM pg_constraint WHERE conrelid = to_regclass(%s) AND conname = %s"
    found: Optional[int] = scalar(conn, query, (table, name))
    return found


@dataclass
class LeaveState(state.State):
    """What is left to do after the transactions that change tables, of all tables of the role."""

    late: list[LateConstraint]  # that were added without looking at rows, and are left to validate
    views: dict[str, int]  # the OID of each view of `to_fill` by its name there, as somebody may rename it

    def take_home(self, conn: Connection) -> None:
        """Takes what the state names for what is called so here, before it becomes one of this database."""
        self.late = [constraint.here(conn) for constraint in self.late]
        self.views = {}


def state_schema(conn: Connection) -> str:
    """Returns the name of the schema of the state. All tables of a role leave in one move, also in several runs."""
    found = state_schemas(conn)
    return found[0] if found else own_schema(conn)


def own_schema(conn: Connection) -> str:
    """Returns the name that the schema of the state has if no run has left one with another name."""
    return state.schema_of_role("leave", scalar(conn, "SELECT current_user"))


def state_schemas(conn: Connection) -> list[str]:
    """Returns the schemas of states that runs have left, first the one with the name of this role.

    If the role was renamed since, or has got tables by REASSIGN OWNED, others have the names of other roles.
    """
    rows = conn.execute(
        "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'kidctl\\_leave\\_%%' AND nspowner ="
        " (SELECT oid FROM pg_roles WHERE rolname = current_user) ORDER BY nspname <> %s, nspname",
        (own_schema(conn),),
    ).fetchall()
    return [row[0] for row in rows]


@dataclass
class Group:
    """Tables that change together, in one transaction."""

    tables: list[catalog.Table]  # without partitions
    columns: list[Column]
    domains: list[Domain]
    core_domains: list[Domain]  # over core types

    @property
    def labels(self) -> list[str]:
        """The names of the tables. As a set, they tell the group again in another session, or in a copy.

        Their order follows the names that the user gave, so a plan that is read with other names has another one.
        """
        return [table.label for table in self.tables]

    @property
    def typed(self) -> list[Column]:
        """The columns that get another type."""
        return [c for c in self.columns if c.is_typed]

    @property
    def addresses(self) -> list[ColumnAddress]:
        """What tells the columns that get another type from all others."""
        return [c.address for c in self.typed]


@dataclass(frozen=True)
class Generated:
    """A generated column, with its expression."""

    table: int
    name: str
    expression: str


def generated(conn: Connection, group: Group) -> list[Generated]:
    """Returns the generated columns that depend on columns of a group, or on kid."""
    # An expression also depends on its own column.
    touched = [c for c in group.columns if c.is_typed or c.generated]
    return catalog.read(
        conn,
        Generated,
        """
        SELECT DISTINCT a.attrelid AS table, a.attname::text AS name, pg_get_expr(f.adbin, f.adrelid) AS expression
          FROM pg_attribute AS a JOIN pg_attrdef AS f ON f.adrelid = a.attrelid AND f.adnum = a.attnum
               JOIN pg_depend AS d ON d.classid = 'pg_attrdef'::regclass AND d.objid = f.oid
               JOIN unnest(%s::oid[], %s::int[]) AS c (tab, num) ON d.refobjid = c.tab AND d.refobjsubid = c.num
         WHERE a.attgenerated <> '' AND a.attinhcount = 0
        """,
        ([c.table for c in touched], [c.number for c in touched]),
    )


@dataclass
class Plan:
    """The tables that leave, on one connection."""

    conn: Connection
    kid: Kid
    groups: list[Group]
    uses: list[Use]
    rewriter: Rewriter
    attributes: list[Attribute]
    takes_all: bool  # of the tables of the session's role
    read_tables: dict[int, catalog.Table] = field(default_factory=dict)

    def table(self, oid: int) -> catalog.Table:
        """Returns a table by its OID. A table that was read before it was created again is found by its old OID."""
        if oid not in self.read_tables:
            self.read_tables[oid] = catalog.tables(self.conn, [oid])[0]
        return self.read_tables[oid]

    def family(self, group: Group) -> list[catalog.Table]:
        """Returns the tables of a group with their partitions."""
        return catalog.family(self.conn, [t.oid for t in group.tables])

    def rebuilt(self, group: Group) -> list[int]:
        """Returns the partitioned tables of trees partitioned by a column whose type changes, parents first."""
        keys = [c.table for c in group.typed if c.is_key]
        rows = self.conn.execute(
            "SELECT p.relid::oid FROM unnest(%s::oid[]) AS t (oid), pg_partition_tree(pg_partition_root(t.oid)) AS p"
            " WHERE NOT p.isleaf GROUP BY p.relid ORDER BY min(p.level), 1",
            (keys,),
        ).fetchall()
        return [row[0] for row in rows]

    def touched(self, group: Group) -> list[ColumnAddress]:
        """Returns the columns that get another type, and those of tables that are created again."""
        of_rebuilt = [column.address for oid in self.rebuilt(group) for column in catalog.columns(self.conn, oid)]
        return list(dict.fromkeys([*group.addresses, *of_rebuilt]))

    def hanging(self, group: Group) -> list[Made]:
        """Returns what hangs on the columns that change, and on tables that are created again.

        Generated columns and publications are another matter. Raises an error that names what cannot be made again.
        """
        rebuilt_tables = [ColumnAddress(oid, 0) for oid in self.rebuilt(group)]  # 0 stands for the table as a whole
        wanted = dict.fromkeys([*self.touched(group), *rebuilt_tables])
        return hanging(self.conn, wanted, others=("pg_attrdef", "pg_publication_rel"))

    def of_kid(self, catalog_name: str, oid: int) -> bool:
        """Returns whether an object depends on kid."""
        return any((u.catalog, u.oid) == (catalog_name, oid) for u in self.uses)

    def without_counterpart(self, catalog_name: str, oid: int) -> list[str]:
        """Returns what an object uses of kid that nothing takes the place of."""
        return [u.member for u in self.uses if (u.catalog, u.oid) == (catalog_name, oid) and not u.has_counterpart]


def read_plan(conn: Connection, names: Optional[Sequence[str]]) -> Plan:
    """Reads which tables leave: those with these names and what is linked with them, or all of the session's role."""
    kid = read_kid(conn)
    found, layers, depending = columns(conn), domains(conn), uses(conn)
    sets = join_tables(conn, found, layers, depending)
    named = [catalog.table(conn, name).oid for name in names or []]
    if names is None:
        user = scalar(conn, "SELECT current_user")
        everything = catalog.tables(conn, sorted(sets.tables()))
        wanted = sorted({sets.of_table(t.oid) for t in everything if t.owner == user})
    else:
        wanted = list(dict.fromkeys(sets.of_table(oid) for oid in named if sets.has_table(oid)))
    groups = []
    for first in wanted:
        members = [oid for oid in sets.tables() if sets.of_table(oid) == first]
        groups.append(group_of(catalog.tables(conn, sorted(members)), found, layers, named))
    takes_all = names is None
    # A composite type belongs to no table, so it changes with all of them, and not with some.
    composites = attributes(conn) if takes_all else []
    return Plan(conn, kid, groups, depending, Rewriter(conn, kid), composites, takes_all)


def group_of(
    members: Sequence[catalog.Table], found: Sequence[Column], layers: Sequence[Domain], named: Sequence[int]
) -> Group:
    """Returns the group of some tables, with those of all columns and domains that belong to it.

    Tables that the user named come first, in the order of `named`, and then others by OID.
    """
    oids = {table.oid for table in members}
    tops = [t for t in members if not t.is_partition]
    tops.sort(key=lambda t: (named.index(t.oid) if t.oid in named else len(named), t.oid))
    mine = [c for c in found if c.table in oids]
    used = domains_of(mine, layers)
    return Group(tops, mine, [d for d in used if d.base], [d for d in used if not d.base])


def domains_of(mine: Iterable[Column], layers: Sequence[Domain]) -> list[Domain]:
    """Returns the domains of some columns, and those that these domains are over, which come first."""
    used = {oid for c in mine for oid in (c.domain, c.maker)}
    for domain in reversed(layers):
        if domain.oid in used:
            used.add(domain.parent)
    return [d for d in layers if d.oid in used]
