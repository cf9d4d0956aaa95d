"""A field for kid64 columns. As a primary key its IDs are made by the server."""

import re
from datetime import datetime

import django
from django.core.exceptions import ValidationError
from django.db import connections, models

ID = re.compile(r"[.0-9A-Z_a-z]{10}[.37BFJNRVZcgkosw]")


class Kid64Field(models.Field):
    """In Python an ID is a str. In queries a datetime stands for the IDs of that time."""

    description = "ID of type kid64"
    empty_strings_allowed = False

    def __init__(self, *args, **kwargs):
        if kwargs.get("primary_key"):
            kwargs.setdefault("editable", False)
            if django.VERSION >= (5,):
                kwargs["db_default"] = models.Func(function="kid_next")
        super().__init__(*args, **kwargs)

    def contribute_to_class(self, cls, name, **kwargs):
        super().contribute_to_class(cls, name, **kwargs)
        if self.primary_key:
            # save() omits this column as long as the object has no ID, also for fixtures.
            cls._meta.auto_field = self

    def db_type(self, connection):
        return "kid64"

    def db_type_suffix(self, connection):
        # Django 5 writes its db_default. Earlier versions have none.
        return "DEFAULT kid_next()" if self.primary_key and django.VERSION < (5,) else None

    @property
    def db_returning(self):
        return self.primary_key

    def get_default(self):
        # A new object has no ID, rather than an expression.
        return None if self.primary_key else super().get_default()

    def pre_save(self, instance, add):
        # For bulk_create(), which inserts all columns.
        value = super().pre_save(instance, add)
        return models.Func(function="kid_next") if value is None and self.primary_key else value

    def formfield(self, **kwargs):
        return super().formfield(**{"empty_value": None, **kwargs})

    def to_python(self, value):
        if value is None or isinstance(value, str) and ID.fullmatch(value):
            return value
        raise ValidationError("“%(value)s” is not an ID.", code="invalid", params={"value": value})

    def get_prep_value(self, value):
        value = super().get_prep_value(value)
        if isinstance(value, datetime):
            # As a DateTimeField does: a time without a zone is in that of the project, and Django warns.
            return models.DateTimeField().get_prep_value(value)
        return self.to_python(value)


class Kid64Converter:
    """For URLs: after register_converter(Kid64Converter, "kid64"), path("orders/<kid64:id>/", view)."""

    regex = ID.pattern
    to_python = to_url = str


def register_arrays(connection=None, using=None, **kwargs):
    """
    Makes arrays of IDs lists of str. For the signals connection_created and post_migrate: the latter is for the
    connection that has just created the extension, as in tests.
    """
    connection = connection or connections[using]
    if connection.vendor != "postgresql":
        return
    connection.ensure_connection()
    driver = connection.connection
    if type(driver).__module__.startswith("psycopg2"):
        from psycopg2 import STRING, extensions

        with driver.cursor() as cursor:
            cursor.execute("SELECT typarray FROM pg_type WHERE oid = to_regtype('kid64')")
            if found := cursor.fetchone():
                extensions.register_type(extensions.new_array_type(found, "kid64[]", STRING), driver)
    else:
        from psycopg.types import TypeInfo

        if info := TypeInfo.fetch(driver, "kid64"):
            info.register(driver)
