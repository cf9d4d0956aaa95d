"""Operations for migrations."""

from __future__ import annotations

from typing import Any

from django.db.migrations.operations.base import Operation


class SetDefault(Operation):
    """Makes the server fill the key of an existing table, whose field is one of pgkid.django.

    From Django 5 on AlterField does so itself. Before, add it after AlterField: SetDefault("order", "id").
    """

    reduces_to_sql = True

    def __init__(self, model_name: str, name: str) -> None:
        self.model_name = model_name
        self.name = name

    def state_forwards(self, app_label: str, state: Any) -> None:
        """Changes nothing that Django knows of."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Sets the default."""
        self._alter(app_label, schema_editor, to_state, "SET DEFAULT {}()")

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drops the default."""
        self._alter(app_label, schema_editor, from_state, "DROP DEFAULT")

    def _alter(self, app_label: str, schema_editor: Any, state: Any, action: str) -> None:
        model = state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            field = model._meta.get_field(self.name)
            table, column = map(schema_editor.quote_name, (model._meta.db_table, field.column))
            schema_editor.execute(f"ALTER TABLE {table} ALTER COLUMN {column} {action.format(field.generator)}")

    def describe(self) -> str:
        """Says what it does, for the output of migrate."""
        return f"Let the server make the IDs of {self.model_name}.{self.name}"
