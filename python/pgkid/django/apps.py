"""The app: tells drivers about kid's types, URLs about converters, and django-filter about the fields."""

from __future__ import annotations

from typing import Any

from django.apps import AppConfig, apps
from django.db import connections
from django.db.backends.signals import connection_created
from django.db.models.signals import post_migrate
from django.urls import register_converter

from .fields import IdField
from .urls import CONVERTERS


class Kid(AppConfig):
    """The app pgkid.django"""

    name = "pgkid.django"
    label = "pgkid"
    verbose_name = "kid"

    def ready(self) -> None:
        """Connects signals and registers what others need to know."""
        connection_created.connect(register_types)
        # For the connection that has just created the extension, as in tests.
        post_migrate.connect(register_types)
        for name, converter in CONVERTERS.items():
            register_converter(converter, name)
        if apps.is_installed("django_filters"):
            _teach_django_filter()


def register_types(connection: Any = None, using: str | None = None, **_named: Any) -> None:
    """Makes arrays of IDs lists, by telling the driver of a connection about the types."""
    connection = connection or connections[using]
    if connection.vendor != "postgresql":
        return
    connection.ensure_connection()
    if type(connection.connection).__module__.startswith("psycopg2"):
        from ..psycopg2 import register
    else:
        from ..psycopg import register
    register(connection.connection)


def _teach_django_filter() -> None:
    """Makes filters of the fields. A text that is not an ID is an error of the form."""
    import django_filters

    sets = [django_filters.FilterSet]
    if apps.is_installed("rest_framework"):
        from django_filters import rest_framework

        sets.append(rest_framework.FilterSet)
    for field in _subclasses(IdField):
        for each in sets:
            each.FILTER_DEFAULTS[field] = {
                "filter_class": django_filters.CharFilter,
                "extra": lambda model_field: {"validators": [model_field.to_python]},
            }


def _subclasses(field: type) -> list[type]:
    return [field, *(each for below in field.__subclasses__() for each in _subclasses(below))]
