"""Finds columns that seem to contain a key, and have no foreign key that says so."""
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Collection, Iterator, Optional, Sequence, Union

from psycopg import errors, sql

from pgkid.ctl.catalog import KeyColumn, read
from pgkid.ctl.connection import Connection, in_statement, scalar
from pgkid.ctl.findings import Finding
from pgkid.ctl.kid import NUMBERS
from pgkid.ctl.names import beside
from pgkid.ctl.rekey.plan import Plan


# Words at the end of a column that refers, and at its beginning. A column may also be called as the table.
SUFFIXES = ("", "id", "ids", "fk", "key", "keys", "uuid", "uuids", "guid", "pk", "ref", "no", "nr", "num")
PREFIXES = ("id", "fk", "ids")
IRREGULAR = {"people": "person", "children": "child", "men": "man", "women": "woman", "mice": "mouse"}

# Names of keys that are too common to tell the table.
COMMON = frozenset("id ids uuid guid key pk oid code name no nr num number value".split())


@dataclass(frozen=True)
class Candidate:
    """A column that could contain a key, because of its type"""

    table: int
    number: int
    label: str  # column … of …
    table_name: str
    name: str
    type: str
    is_array: bool
    is_number: bool
    width: int  # of an integer, in bytes; otherwise 0
    kind_column: Optional[str]  # owner_type beside owner_id, or content_type_id beside object_id
    is_generic: bool  # whether that one refers to the table of Django that lists the kinds
    kinds: Optional[list[str]]  # its most common values, if they are names
    least: Optional[str]  # of the values that ANALYZE saw
    greatest: Optional[str]


# Columns of the key's kind of type, also in arrays and domains, without a foreign key. Beside a foreign key to
# django_content_type a text may contain the key, too, as in the log of Django's admin. The statistics are in the
# catalog, so that no code of the owners of these tables runs. Before the way back, columns beside a kind can also be
# texts and numbers: a bigint contains a kid64 by a cast.
CANDIDATES = """
    WITH RECURSIVE bases (type, base, is_array) AS (
        SELECT t.oid, t.oid, false FROM pg_catalog.pg_type AS t WHERE t.typtype = 'b' AND t.typcategory <> 'A'
        UNION
        SELECT t.oid, b.base, b.is_array OR t.typcategory = 'A'
          FROM bases AS b JOIN pg_catalog.pg_type AS t
               ON t.typtype = 'd' AND t.typbasetype = b.type OR t.typcategory = 'A' AND t.typelem = b.type
    ),
    families (base, family) AS (
        SELECT t.oid, CASE WHEN t.oid IN (20, 21, 23, 1700) THEN 'number' WHEN t.typcategory = 'S' THEN 'text'
                           ELSE t.oid::text END
          FROM pg_catalog.pg_type AS t
    ),
    key AS (
        SELECT f.family FROM pg_catalog.pg_attribute AS a JOIN bases AS b ON b.type = a.atttypid
               JOIN families AS f ON f.base = b.base
         WHERE a.attrelid = %(table)s AND a.attnum = %(number)s
    )
    SELECT c.oid AS table, a.attnum AS number, format('column %%I of %%s', a.attname, c.oid::regclass) AS label,
           c.relname AS table_name, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, b.is_array,
           f.family = 'number' AS is_number,
           CASE b.base WHEN 21 THEN 2 WHEN 23 THEN 4 WHEN 20 THEN 8 ELSE 0 END AS width,
           k.attname AS kind_column, k.is_generic IS TRUE AS is_generic,
           (SELECT s.most_common_vals::text::text[] FROM pg_catalog.pg_stats AS s
             WHERE (s.schemaname, s.tablename, s.attname, s.inherited)
                   = (n.nspname, c.relname, k.attname, c.relkind = 'p') AND NOT k.is_generic) AS kinds,
           v.least, v.greatest
      FROM key
           JOIN families AS f ON f.family IN (key.family, 'text') OR %(back)s AND f.family = 'number'
           JOIN bases AS b ON b.base = f.base
           JOIN pg_catalog.pg_attribute AS a ON a.atttypid = b.type AND a.attnum > 0 AND NOT a.attisdropped
                                                AND a.attname !~ '^kid_(new|old)_'
           JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p', 'f') AND NOT c.relispartition
           JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
               AND n.nspname !~ '^pg_|^information_schema$|^kidctl_'
           LEFT JOIN LATERAL (
               SELECT k.attname, r.oid IS NOT NULL AS is_generic
                 FROM pg_catalog.pg_attribute AS k
                      LEFT JOIN (pg_catalog.pg_constraint AS r JOIN pg_catalog.pg_class AS t ON t.oid = r.confrelid)
                          ON r.contype = 'f' AND r.conrelid = c.oid AND r.conkey = ARRAY[k.attnum]
                             AND t.relname = 'django_content_type' AND k.attname ~ 'type_id$'
                WHERE k.attrelid = c.oid AND NOT k.attisdropped AND a.attname !~ '^_?(id|Id|ID|uuid)$'
                      AND CASE WHEN r.oid IS NULL
                               THEN k.attname ~ '[_tT]ype$' AND regexp_replace(k.attname, '_?[tT]ype$', '')
                                    = regexp_replace(a.attname, '_?(id|Id|ID|uuid)$', '')
                               ELSE a.attname ~ '_(id|pk|uuid)$'
                                    AND regexp_replace(k.attname, '_?(content_)?type_id$', '') IN (
                                        regexp_replace(a.attname, '_?object_(id|pk|uuid)$', ''),
                                        regexp_replace(a.attname, '_(id|pk|uuid)$', '')) END
                ORDER BY is_generic DESC LIMIT 1) AS k ON true
           LEFT JOIN LATERAL (
               SELECT min(e::numeric)::text, max(e::numeric)::text
                 FROM pg_catalog.pg_stats AS s,
                      unnest(coalesce(s.histogram_bounds::text::text[], '{}')
                             || coalesce(s.most_common_vals::text::text[], '{}')) AS e
                WHERE f.family = 'number' AND NOT b.is_array
                      AND (s.schemaname, s.tablename, s.attname, s.inherited)
                          = (n.nspname, c.relname, a.attname, c.relkind = 'p')) AS v (least, greatest) ON true
     WHERE (c.oid, a.attnum::int) NOT IN (SELECT * FROM unnest(%(tables)s::oid[], %(numbers)s::int[]))
           AND (f.family = key.family OR (k.is_generic OR %(back)s AND k.attname IS NOT NULL) AND NOT b.is_array)
           AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint AS r
                            WHERE r.contype = 'f' AND r.conrelid = c.oid AND a.attnum = ANY (r.conkey))
     ORDER BY c.oid::regclass::text, a.attnum"""


# Columns of text and ltree in which ANALYZE saw nothing but keys, and several of them in some values. A number after a
# point belongs to a path only in ltree: a text may be a version. Of an ltree without statistics, nothing is known.
SEVERAL = """
    SELECT c.oid AS table, a.attname AS name, format('column %%I of %%s', a.attname, c.oid::regclass) AS label
      FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
           JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           JOIN pg_catalog.pg_type AS t ON t.oid = a.atttypid AND (t.typcategory = 'S' OR t.typname = 'ltree')
           CROSS JOIN LATERAL (
               SELECT '(' || %(one)s || ')' AS one, CASE t.typname WHEN 'ltree' THEN '[.]' ELSE '[/,;| ]' END AS between
           ) AS p
           LEFT JOIN LATERAL (
               SELECT bool_and(e ~ format('^%%2$s*(%%1$s%%2$s+)*%%1$s?$', p.one, p.between)) AS all,
                      bool_or(e ~ format('%%1$s%%2$s+%%1$s', p.one, p.between)) AS some
                 FROM pg_catalog.pg_stats AS s,
                      unnest(coalesce(s.histogram_bounds::text::text[], '{}')
                             || coalesce(s.most_common_vals::text::text[], '{}')) AS e
                WHERE (s.schemaname, s.tablename, s.attname, s.inherited)
                      = (n.nspname, c.relname, a.attname, c.relkind = 'p')) AS v ON true
     WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname !~ '^pg_|^information_schema$|^kidctl_'
           AND coalesce(v.all AND v.some, t.typname = 'ltree')
     ORDER BY c.oid::regclass::text, a.attnum"""
# A role that owns a table, or one that inherits from it, and whose code must not run with the rights of this role; and
# whether the table has its name still.
STRANGER = """
    WITH RECURSIVE tree (oid) AS (
        SELECT %(table)s::oid UNION SELECT i.inhrelid FROM tree AS t JOIN pg_inherits AS i ON i.inhparent = t.oid
    )
    SELECT min(r.rolname) FILTER (WHERE NOT r.rolsuper AND NOT pg_has_role(r.oid, 'USAGE')),
           to_regclass(%(label)s)::oid IS NOT DISTINCT FROM %(table)s
      FROM tree AS t JOIN pg_class AS c ON c.oid = t.oid JOIN pg_roles AS r ON r.oid = c.relowner"""
# Whether old keys can be cast to the type of a column
CASTS = """
    SELECT 'S' IN (old.typcategory, t.typcategory) OR old.oid = b.base
           OR EXISTS (SELECT FROM pg_cast WHERE castsource = old.oid AND casttarget = b.base)
      FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid JOIN pg_type AS o ON o.oid = %(old)s::regtype,
           LATERAL (SELECT * FROM pg_type WHERE oid = coalesce(nullif(o.typbasetype, 0), o.oid)) AS old,
           LATERAL (SELECT coalesce(nullif(t.typbasetype, 0), t.oid)) AS b (base)
     WHERE (a.attrelid, a.attnum) = (%(table)s, %(number)s)"""
NUMBER = "[0-9]+"
UUID = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"

BY_HAND = (
    "kidctl does not move {}: update these rows yourself between swap and finish, while both keys exist, and right"
    " after the swap if programs read them."
)
GENERIC = BY_HAND.format("it") + " With --old-name, both keys exist after finish, too."


def words(name: str) -> list[str]:
    """Returns the words of a name, such as post and id for post_id, postId and PostID."""
    return [word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+", name)]


def singulars(word: str) -> set[str]:
    """Returns what a word may be called for one thing, and the word."""
    found = {word, IRREGULAR.get(word, word)}
    for end, instead in (
        ("ies", "y"),
        ("ses", "s"),
        ("xes", "x"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("ves", "f"),
        ("s", ""),
    ):
        if word.endswith(end) and len(word) > len(end) + 1:
            found.add(word[: -len(end)] + instead)
    return found


class Names:
    """The names by which columns refer to some tables"""

    def __init__(self, tables: Sequence[str], keys: Sequence[str], others: set[str]) -> None:
        self.stems: set[str] = set()
        for table in tables:
            parts = words(table)
            self.stems |= {"".join(parts[:-1]) + end for end in singulars(parts[-1])} if parts else set()
            # auth_user is called user, unless there is a table of that name.
            if len(parts) > 1 and not others & singulars(parts[-1]):
                self.stems |= singulars(parts[-1])
        self.keys = {"".join(words(key)) for key in keys} - COMMON

    def fit(self, column: str) -> bool:
        """Returns whether a column is called as one that refers."""
        parts = words(column)
        ends = {"".join(parts[n:]) for n in range(len(parts))}
        # Much ends with a word of one or two letters, so that the whole column must be called as such a table.
        whole = {"".join(parts)}
        if ends & self.keys or any(
            stem + suffix in (ends if len(stem) > 2 else whole) for stem in self.stems for suffix in SUFFIXES
        ):
            return True
        return bool(parts) and parts[0] in PREFIXES and "".join(parts[1:]) in self.stems


def is_called_id(column: str) -> bool:
    """Returns whether a column is called …_id or …_by, but not only id."""
    parts = words(column)
    return len(parts) > 1 and parts[-1] in ("id", "ids", "by", "uuid")


def look(conn: Connection, columns: Sequence[KeyColumn], width: int, new_rows_only: bool = False) -> Iterator[Finding]:
    """Yields the columns that look like references to a key. `width` is that of new keys if they are integers.

    If only new rows get new keys, all other keys stay, so only columns that are too narrow for new ones are told.
    """
    called, others, table = names_of(conn, columns)
    unclear = []
    for column in candidates(conn, columns):
        if new_rows_only:
            if 0 < column.width < width and (called.fit(column.name) or column.kind_column and refers(column, called)):
                message = f"looks like a reference to {table}"
                yield finding(column, message, width, "ALTER it to bigint, unless it refers to something else.")
        elif column.is_generic:
            message = f"contains keys of {table} in some rows, if {column.kind_column} refers to its model"
            yield finding(column, message + of_type(column, width), width, GENERIC)
        elif called.fit(column.name):
            hint = "" if column.is_array else "Give it one, so that kidctl moves it."
            yield finding(column, f"looks like a reference to {table}, and has no foreign key", width, hint)
        elif column.kind_column and refers(column, called):
            message = f"may refer to {table} in some rows, as {column.kind_column} tells"
            yield finding(column, message + of_type(column, width), width, BY_HAND.format("it"))
        elif is_called_id(column.name) and not names_another(column.name, others):
            unclear.append(column.label)
    if new_rows_only:
        return
    if unclear:
        yield Finding(
            "references",
            "",
            f"Whether these refer to {table} is unclear: {'; '.join(unclear)}",
            hint="Give a foreign key to those that do. Without one, a column keeps its old keys.",
        )
    yield from of_several(conn, columns, called, table)


def look_back(conn: Connection, plan: Plan, accepted: Collection[str]) -> Iterator[Finding]:
    """Yields columns beside the kind of thing that they refer to, if they contain new keys, which the way back drops.

    Call it after the swap. Columns whose names were accepted are not read. The kinds do not matter if new keys are
    found, as ANALYZE does not see those that are rare.
    """
    called, _others, _table = names_of(conn, plan.columns)
    root = plan.root.label
    for column in candidates(conn, plan.columns, back=True):
        if not column.kind_column or column.is_array or column.label in accepted or not is_wide(column, plan):
            continue
        found = count_new_keys(conn, plan, column)
        if not found or isinstance(found, str) and not (column.is_generic or refers(column, called)):
            continue
        hint = way_to_old_keys(conn, plan, column)
        what = f"contains new keys of {root} in {found} row{'s' * (found != 1)}"
        if isinstance(found, str):
            what = f"may contain new keys of {root}, but {found}"
            hint = f"Let the owner of {plan.table(column.table).label} do this, if it does contain some: {hint}"
        message = f"{what}; after the way back, no row of {root} has these keys"
        yield Finding("way back", column.label, message, hint=hint, stops=True, accept_name=column.label)


def is_wide(column: Candidate, plan: Plan) -> bool:
    """Returns whether new keys fit into a column. Those of some types are numbers, of 8 bytes."""
    return not column.is_number or column.width in (0, 8) and plan.options.to in (*NUMBERS, *NUMBERS.values())


def way_to_old_keys(conn: Connection, plan: Plan, column: Candidate) -> str:
    """Returns what to do with a column that contains new keys."""
    table, key = plan.table(column.table).label, plan.key.name
    names = column.name, key, beside("old", key), "old_" + column.name
    name, new, old, added = (in_statement(conn, each) for each in names)
    fits = f"l.{name} = o.{new}::{'bigint' if column.is_number else column.type}"
    if "." in column.type and not column.is_number:  # Its operator may be in a schema that is not in the search path.
        fits = f"l.{name}::text = o.{new}::text"
    if scalar(conn, CASTS, {"old": plan.keys.old_type, "table": column.table, "number": column.number}):
        return (
            f"Stop what writes to {table}, and give these rows the old keys: UPDATE {table} AS l"
            f" SET {name} = o.{old}::{column.type} FROM {plan.root.label} AS o WHERE {fits}"
        )
    return (
        f"Stop what writes to {table}, and put a column with the old keys in the place of this one: ALTER TABLE {table}"
        f" ADD {added} {plan.keys.old_type}; UPDATE {table} AS l SET {added} = o.{old}"
        f" FROM {plan.root.label} AS o WHERE {fits}"
    )


def count_new_keys(conn: Connection, plan: Plan, column: Candidate) -> Union[int, str]:
    """Returns in how many rows a column contains a present key of the table, or why that is not known.

    The table may belong to somebody else. When PostgreSQL plans a query, it runs functions in indexes and statistics
    of the table, so this reads only tables of owners who are trusted. The lock comes first, so that nobody lets the
    query wait, and meanwhile gives the name to another table. row_security is off, so that a policy raises an error,
    and so does a view.
    """
    table = plan.table(column.table)
    query = sql.SQL("SELECT count(*) FROM {} AS l JOIN {} AS o ON o.{}::{}::text = l.{}::text").format(
        table.sql,
        plan.root.sql,
        plan.key.sql,
        sql.SQL("int8" if column.is_number else "text"),
        sql.Identifier(column.name),
    )
    try:
        with conn.transaction():
            conn.execute(
                "SELECT set_config(name, 'view, foreign-table', true) FROM pg_settings"
                " WHERE name = 'restrict_nonsystem_relation_kind'"
            )
            if table.kind != "f":
                conn.execute(sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(table.sql))
            ((stranger, is_same),) = conn.execute(STRANGER, {"table": table.oid, "label": table.label}).fetchall()
            if stranger:
                return f"it belongs to {stranger}, whose code would run with the rights of this role"
            if table.kind == "f" or not is_same:
                return "this role cannot read it"
            return int(scalar(conn, query))
    except (errors.InsufficientPrivilege, errors.ObjectNotInPrerequisiteState):
        return "this role cannot read it"


def of_several(conn: Connection, columns: Sequence[KeyColumn], called: Names, table: str) -> Iterator[Finding]:
    """Yields columns with several keys in each value, in the tables of the move and where the name fits."""
    moved = {column.top for column in columns}
    pattern = UUID if columns[0].type == "uuid" else NUMBER
    for oid, name, label in conn.execute(SEVERAL, {"one": pattern}).fetchall():
        if oid in moved or called.fit(name):
            message = f"seems to contain several keys of {table} in each value"
            yield Finding("references", label, message, hint=BY_HAND.format("them"))


def names_of(conn: Connection, columns: Sequence[KeyColumn]) -> tuple[Names, set[str], str]:
    """Returns how columns that refer to a key are called, words for other tables, and the name of the key's table."""
    key = columns[0]
    tops = sorted(
        {column.top for column in columns if column.table == column.top and is_key(conn, column)} | {key.table}
    )
    relations = conn.execute("SELECT oid, relname FROM pg_catalog.pg_class WHERE relkind IN ('r', 'p')").fetchall()
    names: dict[int, str] = {oid: name for oid, name in relations}
    others = {part for oid, name in names.items() if oid not in tops for part in singulars("".join(words(name)))}
    return Names([names[top] for top in tops], [key.name], others), others, names[key.table]


def candidates(conn: Connection, columns: Sequence[KeyColumn], back: bool = False) -> list[Candidate]:
    """Returns the columns that could contain a key."""
    parameters = {
        "back": back,
        "table": columns[0].table,
        "number": columns[0].number,
        "tables": [column.table for column in columns],
        "numbers": [column.number for column in columns],
    }
    return read(conn, Candidate, CANDIDATES, parameters)


def is_key(conn: Connection, column: KeyColumn) -> bool:
    """Returns whether a column alone is the primary key of its table."""
    row = conn.execute(
        "SELECT FROM pg_catalog.pg_index WHERE indrelid = %s AND indisprimary AND indnkeyatts = 1 AND indkey[0] = %s",
        (column.table, column.number),
    ).fetchone()
    return row is not None


def names_another(column: str, others: set[str]) -> bool:
    """Returns whether a column is called after another table."""
    parts = words(column)[:-1]
    return any("".join(parts[n:]) in others for n in range(len(parts)))


def refers(column: Candidate, called: Names) -> bool:
    """Returns whether a column with the kind of thing that another one refers to may name the table."""
    return not column.kinds or any(called.fit(kind) for kind in column.kinds)


def of_type(column: Candidate, width: int) -> str:
    """Returns what to say of a number beside new keys that are none. kidctl changes only types of columns it moves."""
    if not column.is_number or width:
        return ""
    return f"; it is of type {column.type}, which new keys are not: change its type before the swap"


def finding(column: Candidate, message: str, width: int, hint: str) -> Finding:
    """Returns a finding for a column."""
    if column.is_array:
        message += f"; it is of type {column.type}, and arrays cannot have one"
    if column.least is not None:
        message += f"; ANALYZE saw values from {column.least} to {column.greatest}"
    if 0 < column.width < width:
        message += f"; {column.type} is too narrow for new keys"
    return Finding("references", column.label, message, hint=hint)
