"""Operations for migrations."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Iterator, Sequence

from django.core.management.base import CommandError
from django.db import models, transaction
from django.db.migrations.operations import AlterField

from .fields import IdField, ServerKey


@dataclass(frozen=True)
class Column:
    """A key, or a column that refers to it"""

    table: str  # with its schema if the search path needs that, and quoted
    name: str  # quoted
    is_key: bool
    type: str
    changes: bool  # whether it is not of the new type yet
    is_castable: bool
    default: str | None
    is_identity: bool
    sequence: str | None  # that it owns

    @property
    def alter(self) -> str:
        """The beginning of a statement that alters the column"""
        return f"ALTER TABLE {self.table} ALTER COLUMN {self.name}"


@dataclass(frozen=True)
class ForeignKey:
    """A foreign key in the database"""

    table: str
    name: str
    definition: str
    comment: str | None  # quoted


# The columns of tables with the given names, and those that refer to one of them. A model can also be of a view.
COLUMNS = """
    WITH RECURSIVE named (relation, name) AS (SELECT * FROM unnest(%(tables)s::text[], %(names)s::name[])),
    columns (attrelid, attnum) AS (
        SELECT a.attrelid, a.attnum
          FROM named JOIN pg_class AS r ON r.oid = to_regclass(relation) AND r.relkind IN ('r', 'p')
               JOIN pg_attribute AS a ON a.attrelid = r.oid AND a.attname = name
        UNION
        SELECT k.conrelid, k.conkey[n]
          FROM columns AS c
               JOIN pg_constraint AS k ON k.contype = 'f' AND k.conparentid = 0 AND k.confrelid = c.attrelid
               JOIN LATERAL generate_subscripts(k.confkey, 1) AS n ON k.confkey[n] = c.attnum
    )"""
# The key comes first. A domain is cast as its base type is. A type can have a length, as varchar(20).
FACTS = """
    SELECT c.attrelid::regclass::text, quote_ident(a.attname),
           (c.attrelid, a.attname) IS NOT DISTINCT FROM (to_regclass(%(table)s)::oid, %(column)s::name) AS is_key,
           format_type(a.atttypid, a.atttypmod),
           format_type(a.atttypid, a.atttypmod)
               <> concat(format_type(new.oid, NULL), replace(substring(%(type)s::text from '[(].*'), ' ', '')),
           old_base = new_base OR 'S' IN (old.typcategory, new.typcategory)
               OR EXISTS (SELECT FROM pg_cast WHERE castsource = old_base AND casttarget = new_base),
           pg_get_expr(d.adbin, d.adrelid), a.attidentity <> '',
           pg_get_serial_sequence(c.attrelid::regclass::text, a.attname)
      FROM columns AS c JOIN pg_attribute AS a USING (attrelid, attnum)
           JOIN pg_type AS old ON old.oid = a.atttypid
           JOIN pg_type AS new ON new.oid = %(type)s::regtype
           JOIN LATERAL (SELECT coalesce(nullif(old.typbasetype, 0), old.oid) AS old_base,
                                coalesce(nullif(new.typbasetype, 0), new.oid) AS new_base) AS b ON true
           LEFT JOIN pg_attrdef AS d ON (d.adrelid, d.adnum) = (a.attrelid, a.attnum)
     ORDER BY is_key DESC, 1, 2"""
FOREIGN_KEYS = """
    SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid),
           quote_literal(obj_description(oid, 'pg_constraint'))
      FROM pg_constraint AS k
     WHERE contype = 'f' AND conparentid = 0
           AND EXISTS (SELECT FROM columns AS c WHERE k.conrelid = c.attrelid AND c.attnum = ANY (k.conkey)
                                                      OR k.confrelid = c.attrelid AND c.attnum = ANY (k.confkey))
     ORDER BY 1, 2"""
# The constraints whose checks, if the transaction has put them off, prevent ALTER TABLE, and whether they are put off
# from the beginning. SET CONSTRAINTS takes only names, and defers nothing if another constraint of that name cannot be
# deferred.
DEFERRABLE = """
    SELECT DISTINCT format('%%s.%%I', connamespace::regnamespace, conname),
           condeferred AND NOT EXISTS (SELECT FROM pg_constraint AS other
                                        WHERE (other.connamespace, other.conname) = (k.connamespace, k.conname)
                                              AND NOT other.condeferrable)
      FROM pg_constraint AS k
     WHERE condeferrable AND EXISTS (SELECT FROM columns AS c WHERE c.attrelid IN (k.conrelid, k.confrelid))
     ORDER BY 1, 2"""
# The indexes that Django has for LIKE, if the new type has no such operator class.
PATTERN_INDEXES = """
    SELECT DISTINCT indexrelid::regclass::text
      FROM columns AS c JOIN pg_index ON indrelid = attrelid AND indnatts = 1 AND indkey[0] = attnum
           JOIN pg_opclass AS o ON o.oid = indclass[0]
     WHERE o.opcname IN ('varchar_pattern_ops', 'text_pattern_ops')
           AND NOT EXISTS (SELECT FROM pg_type WHERE oid = %(type)s::regtype AND typcategory = 'S')
     ORDER BY 1"""
# What else than the default of the key takes its numbers from a sequence.
USES_OF_SEQUENCE = """
    SELECT FROM pg_depend
     WHERE (refclassid, refobjid, deptype) = ('pg_class'::regclass, %(sequence)s::regclass, 'n')
           AND (classid, objid) NOT IN (
               SELECT 'pg_attrdef'::regclass, d.oid
                 FROM pg_attrdef AS d JOIN pg_attribute AS a ON (a.attrelid, a.attnum) = (d.adrelid, d.adnum)
                WHERE a.attrelid = to_regclass(%(table)s) AND a.attname = %(column)s)"""


class AlterKey(AlterField):
    """Changes the type of a key, and of the columns that refer to it, and lets the server make new keys.

    Write it in the place of the AlterField of a primary key: AlterKey("order", "id", Kid64Field(primary_key=True)). The
    foreign keys that refer to the key are dropped, and added again as they were. Before version 4.1, AlterField loses
    those of a ManyToManyField, and of a ForeignKey with related_name="+". Before version 5, it sets no default.

    If the key is of the new type already, as after `kidctl rekey swap`, nothing is changed that is as it should be. If
    there are rows whose keys cannot be cast to the new type, or would get wrong times, CommandError says what to do.
    """

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Changes the columns."""
        model = to_state.apps.get_model(app_label, self.model_name)
        alias = schema_editor.connection.alias
        if not self.allow_migrate_model(alias, model):
            return
        old = from_state.apps.get_model(app_label, self.model_name)._meta.get_field(self.name)
        new = model._meta.get_field(self.name)
        if not (old.primary_key and new.primary_key and old.column == new.column):
            raise CommandError(
                "AlterKey only changes the type of a primary key. Rename its column, or make it the primary key, by"
                " operations of their own."
            )
        with transaction.atomic(alias):
            _Change(schema_editor, new).run()

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Changes the columns to what they were."""
        self.database_forwards(app_label, schema_editor, from_state, to_state)

    def describe(self) -> str:
        """Says what it does, for the output of migrate."""
        return f"Alter key {self.name} on {self.model_name}"

    def reduce(self, operation: Any, app_label: str) -> Any:
        """Returns what squashmigrations writes for this operation and a later one, whose AlterField is an AlterKey."""
        if type(operation) is AlterField and self.is_same_field_operation(operation):
            return [AlterKey(operation.model_name, operation.name, operation.field, operation.preserve_default)]
        reduced = super().reduce(operation, app_label)
        if not isinstance(reduced, list):
            return reduced
        return [
            AlterKey(each.model_name, each.name, each.field, self.preserve_default)
            if type(each) is AlterField
            else each
            for each in reduced
        ]


class _Change:
    """The change of a key to what a field says"""

    def __init__(self, schema_editor: Any, field: Any) -> None:
        self.editor = schema_editor
        self.connection = schema_editor.connection
        self.field = field
        # That of an AutoField is the type of its column, not bigserial.
        self.type = field.rel_db_type(self.connection)
        self._unlimited = self.type.split("(")[0]
        self.fields = [field, *_referring(field)]
        tables = [self._quote(each.model._meta.db_table) for each in self.fields]
        names = [self._unquoted(each.column) for each in self.fields]
        self.parameters = {"tables": tables, "names": names, "table": tables[0], "column": names[0], "type": self.type}

    def run(self) -> None:
        """Changes what is not as the field says."""
        columns = [Column(*row) for row in self._query(COLUMNS + FACTS, self.parameters)]
        if not (columns and columns[0].is_key):
            return self._report_no_key()
        is_script = self.editor.collect_sql and not self.editor.atomic_migration
        if is_script:
            self._execute("BEGIN")
        if changing := [column for column in columns if column.changes]:
            self._change(columns[0], columns, changing)
        self._set_default(columns[0])
        if is_script:
            self._execute("COMMIT")

    def _report_no_key(self) -> None:
        """Raises an error, or, for sqlmigrate, says why there are no statements."""
        message = f"There is no column {self._quote(self.field.column)} of a table {self.parameters['table']}."
        if not self.editor.collect_sql:
            raise CommandError(message)
        self.editor.collected_sql.append(f"-- {message} What AlterKey does depends on what the database has.")

    def _change(self, key: Column, columns: Sequence[Column], changing: Sequence[Column]) -> None:
        """Changes the types of columns."""
        self._execute("LOCK TABLE " + ", ".join(dict.fromkeys(column.table for column in columns)))
        foreign_keys = [ForeignKey(*row) for row in self._query(COLUMNS + FOREIGN_KEYS, self.parameters)]
        self._refuse_rows(key, changing)
        self._check_constraints()
        for each in foreign_keys:
            self._execute(f"ALTER TABLE {each.table} DROP CONSTRAINT {each.name}")
        for (index,) in self._query(COLUMNS + PATTERN_INDEXES, self.parameters):
            self._execute(f"DROP INDEX {index}")
        if key.changes:
            self._drop_default(key)
        for column in changing:
            # There are no rows, or no keys in them, if the old type cannot be cast. A cast to a type with a length cuts
            # off what is longer. To store it in such a column is an error instead.
            value = column.name if column.is_castable else "NULL"
            self._execute(f"{column.alter} TYPE {self.type} USING {value}::{self._unlimited}")
        for each in foreign_keys:
            self._execute(f"ALTER TABLE {each.table} ADD CONSTRAINT {each.name} {each.definition}")
            if each.comment:
                self._execute(f"COMMENT ON CONSTRAINT {each.name} ON {each.table} IS {each.comment}")
        for field in self.fields:
            if field.model._meta.managed and (index := self.editor._create_like_index_sql(field.model, field)):
                self._execute(str(index).replace("CREATE INDEX", "CREATE INDEX IF NOT EXISTS", 1))

    def _refuse_rows(self, key: Column, changing: Sequence[Column]) -> None:
        """Raises an error if keys, or references to them, would be lost."""
        if key.changes and key.is_castable and self._loses_times(key.default or "") and self._has_rows(key):
            raise CommandError(
                f"{key.table} has rows, and keys of {key.default} would get wrong times as those of"
                f" {self.field.generator}(). {self._way_out(key)}"
            )
        for column in [column for column in changing if not column.is_castable]:
            if self._has_rows(column):
                raise CommandError(
                    f"{column.table} has rows, and {column.type}, the type of {column.name}, cannot be cast to"
                    f" {self.type}. {self._way_out(key)}"
                )
        for column in changing:
            if not key.changes and self._has_rows(column) and not self._refers(column, key):
                raise CommandError(
                    f"{column.table} has rows, but no {column.name} of them is a key of {key.table}."
                    f" {self._way_out(key)}"
                )

    def _loses_times(self, default: str) -> bool:
        """Returns whether a cast reads keys that a default makes as IDs of another kind. A kid53 is no other number."""
        makers = default.split(".")[-1], f"{getattr(self.field, 'generator', '')}()"
        return "kid53_next()" in makers and all(maker.endswith("_next()") for maker in makers)

    def _has_rows(self, column: Column) -> bool:
        """Returns whether there are rows with a value in a column."""
        with self._all_rows():
            return bool(self._query(f"SELECT FROM {column.table} WHERE {column.name} IS NOT NULL LIMIT 1"))

    def _refers(self, column: Column, key: Column) -> bool:
        """Returns whether a value of a column is a key."""
        with self._all_rows():
            return bool(
                self._query(
                    f"SELECT FROM {column.table} AS c JOIN {key.table} AS k"
                    f" ON k.{key.name} = c.{column.name}::{self._unlimited} LIMIT 1"
                )
            )

    def _way_out(self, key: Column) -> str:
        """Returns what to do with rows whose keys cannot be cast."""
        if not key.changes:
            return (
                "kidctl does not move a column without a foreign key. Replace the column with one that has the"
                f" present keys, from a join of its old keys with those of {key.table}, and then run `migrate` again."
            )
        if not isinstance(self.field, ServerKey):
            return (
                f"If kidctl has given the rows their keys, run `kidctl rekey back {key.table}`, and then `migrate`"
                " again. After `kidctl rekey finish` there is no way back."
            )
        return (
            f"Let kidctl give the rows new keys, by `kidctl rekey run {key.table} --to {_kind(self.field)}` with --time"
            f" or --during, and `kidctl rekey swap {key.table}`. Then run `migrate` again, which finds the columns"
            " changed, or record this migration with `migrate --fake`."
        )

    def _check_constraints(self) -> None:
        """Makes the checks that the transaction has put off. ALTER TABLE refuses a table that has some."""
        if constraints := self._query(COLUMNS + DEFERRABLE, self.parameters):
            self._execute(f"SET CONSTRAINTS {', '.join(name for name, _ in constraints)} IMMEDIATE")
        if deferred := [name for name, is_deferred in constraints if is_deferred]:
            self._execute(f"SET CONSTRAINTS {', '.join(deferred)} DEFERRED")

    def _drop_default(self, column: Column) -> None:
        """Drops the default of the key, and the sequence that it takes its numbers from, unless others use it, too."""
        if column.is_identity:
            self._execute(f"{column.alter} DROP IDENTITY")
        elif column.default is not None:
            self._execute(f"{column.alter} DROP DEFAULT")
            if column.sequence and column.default.startswith("nextval("):
                if self._query(USES_OF_SEQUENCE, {**self.parameters, "sequence": column.sequence}):
                    self._execute(f"ALTER SEQUENCE {column.sequence} OWNED BY NONE")
                else:
                    self._execute(f"DROP SEQUENCE {column.sequence}")

    def _set_default(self, key: Column) -> None:
        """Gives the key the default of its field, unless it has that."""
        if not key.changes and self._has_default(key.default or "", key.is_identity):
            return
        if not key.changes:
            self._drop_default(key)
        if isinstance(self.field, ServerKey):
            self._execute(f"{key.alter} SET DEFAULT {self.field.generator}()")
        elif isinstance(self.field, models.AutoField):
            self._add_sequence(key)
        elif getattr(self.field, "db_default", models.NOT_PROVIDED) is not models.NOT_PROVIDED:
            default, parameters = self.editor.db_default_sql(self.field)
            self.editor.execute(f"{key.alter} SET DEFAULT {default}", parameters)

    def _has_default(self, default: str, is_identity: bool) -> bool:
        """Returns whether a default makes the keys of the field."""
        if isinstance(self.field, ServerKey):
            return default.split(".")[-1] == f"{self.field.generator}()"
        return isinstance(self.field, models.AutoField) and (is_identity or default.startswith("nextval("))

    def _add_sequence(self, key: Column) -> None:
        """Gives a key the numbers of a sequence, which goes on above the keys that are there."""
        if identity := self.field.db_type_suffix(self.connection):
            self._execute(f"{key.alter} ADD {identity}")
        else:  # before Django 4.1
            ((schema, table),) = self._query(
                "SELECT quote_ident(nspname), relname FROM pg_class JOIN pg_namespace AS n ON n.oid = relnamespace"
                " WHERE pg_class.oid = to_regclass(%(table)s)",
                self.parameters,
            )
            sequence = f"{schema}.{self._quote(table + '_' + self.parameters['column'] + '_seq')}"
            self._execute(f"CREATE SEQUENCE {sequence} OWNED BY {key.table}.{key.name}")
            self._execute(f"{key.alter} SET DEFAULT nextval({self.editor.quote_value(sequence)})")
        table, column = (self.editor.quote_value(name) for name in (key.table, self.parameters["column"]))
        with self._all_rows():
            self._execute(
                f"SELECT setval(pg_get_serial_sequence({table}, {column}), greatest(max({key.name}), 1),"
                f" coalesce(max({key.name}) >= 1, false)) FROM {key.table}"
            )

    def _quote(self, name: str) -> str:
        return self.editor.quote_name(name)  # type: ignore[no-any-return]

    def _unquoted(self, name: str) -> str:
        """Returns a name as the catalog has it. Django takes those in quotes, too."""
        return self._quote(name)[1:-1]

    def _execute(self, statement: str) -> None:
        """Executes a statement, or keeps it for sqlmigrate. Without parameters, the driver finds no % in it."""
        self.editor.execute(statement, params=None)

    def _query(self, query: str, parameters: Any = None) -> list[Any]:
        with self.connection.cursor() as cursor:
            cursor.execute(query, parameters)
            return cursor.fetchall()  # type: ignore[no-any-return]

    @contextmanager
    def _all_rows(self) -> Iterator[None]:
        """Makes statements fail if row-level security would hide rows from them."""
        ((before,),) = self._query("SELECT current_setting('row_security')")
        self._query("SELECT set_config('row_security', 'off', true)")
        yield
        self._query("SELECT set_config('row_security', %s, true)", [before])


def _kind(field: ServerKey) -> str:
    """Returns what `kidctl rekey --to` calls the keys of a field."""
    if isinstance(field, IdField):
        return field.kind.type_name  # type: ignore[no-any-return]
    return "uuid" if isinstance(field, models.UUIDField) else "kid53"


def _referring(field: Any) -> Iterator[Any]:
    """Yields the fields that refer to a field, also those without a constraint, and those that refer to one of them."""
    for relation in field.model._meta.get_fields(include_hidden=True):
        other = getattr(relation, "field", None)
        if relation.auto_created and isinstance(other, models.ForeignKey) and other.target_field == field:
            yield other
            if other.unique:
                yield from _referring(other)
