"""Fields of models. The server makes the IDs of a primary key, by the default of its column.

A value is an ID of pgkid.ids, or uuid.UUID. In a query a datetime stands for the IDs of that time, as in id__gte=since,
and a date for those of its midnight.
"""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

import django
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import lookups
from django.db.models.query_utils import DeferredAttribute

from ..ids import Flake, Flax, Id, Kid53, Kid64, Kid96, Sno, UuidV7
from ..ids.times import EPOCH

HAS_DB_DEFAULT = django.VERSION >= (5,)


class IdAttribute(DeferredAttribute):
    """Makes an ID of what is assigned to an attribute, as after an INSERT, whose result some versions do not convert.

    What is not an ID stays as it is: forms and save() say so.
    """

    field: Any

    def __set__(self, instance: Any, value: Any) -> None:
        instance.__dict__[self.field.attname] = self.field.id_of(value)


class ServerKey(models.Field):
    """A field that the server fills if it is the primary key"""

    #: The function of the server that makes an ID.
    generator: str

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if kwargs.get("primary_key"):
            kwargs.setdefault("editable", False)
            if HAS_DB_DEFAULT:
                kwargs["db_default"] = models.Func(function=self.generator)
        super().__init__(*args, **kwargs)

    def deconstruct(self) -> Any:
        """Migrations import the fields from pgkid.django.

        Django sets `serialize` of a primary key itself. A migration that somebody wrote lacks it, and would differ from
        the model.
        """
        name, path, args, kwargs = super().deconstruct()
        if self.primary_key:
            kwargs.pop("serialize", None)
        return name, path.replace("pgkid.django.fields.", "pgkid.django."), args, kwargs

    def contribute_to_class(self, cls: Any, name: str, **kwargs: Any) -> None:
        """save() omits the column of a primary key as long as the object has no ID, also for fixtures."""
        super().contribute_to_class(cls, name, **kwargs)
        if self.primary_key:
            cls._meta.auto_field = self

    def db_type_suffix(self, connection: Any) -> str | None:
        """Returns the default, which Django writes itself from version 5 on."""
        return f"DEFAULT {self.generator}()" if self.primary_key and not HAS_DB_DEFAULT else None

    @property
    def db_returning(self) -> bool:
        """Whether an INSERT returns the value"""
        return bool(self.primary_key)

    def get_default(self) -> Any:
        """Returns None for a new object, rather than an expression."""
        return None if self.primary_key else super().get_default()

    def pre_save(self, instance: Any, add: bool) -> Any:
        """Returns the value to store. bulk_create() inserts all columns, so it needs the expression."""
        value = super().pre_save(instance, add)
        return models.Func(function=self.generator) if value is None and self.primary_key else value


class IdField(ServerKey):
    """A column of one of kid's types"""

    empty_strings_allowed = False
    descriptor_class = IdAttribute
    kind: Any

    def id_of(self, value: Any) -> Any:
        """Returns the ID of a value, or the value itself if it is not one."""
        try:
            return self.to_python(value)
        except ValidationError:
            return value

    def db_type(self, connection: Any) -> str:
        """Returns the name of the type in SQL."""
        return self.kind.type_name  # type: ignore[no-any-return]

    def formfield(self, **kwargs: Any) -> Any:
        """Returns the field of a form."""
        return super().formfield(**{"empty_value": None, **kwargs})

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Makes an ID of what the driver returned."""
        return value if value is None or isinstance(value, self.kind) else self.kind(value)

    def to_python(self, value: Any) -> Any:
        """Makes an ID of a text, or of a number if it is a Flake. Raises ValidationError if the value is not one."""
        if value is None or isinstance(value, self.kind):
            return value
        try:
            return self.kind(value)
        except (TypeError, ValueError):
            raise ValidationError("“%(value)s” is not an ID.", code="invalid", params={"value": value}) from None

    def get_prep_value(self, value: Any) -> Any:
        """Returns what is sent to the server: an ID, or a time, which the operators of the types take."""
        value = super().get_prep_value(value)
        return _prepared_time(value) if isinstance(value, date) else self.to_python(value)

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> Any:
        """Returns what the driver gets: a text, also for a Flake, which can be too great for a bigint."""
        value = super().get_db_prep_value(value, connection, prepared)
        return str(value) if isinstance(value, Id) else value


class Kid64Field(IdField):
    """A column of type kid64"""

    description = "ID of type kid64"
    kind, generator = Kid64, "kid_next"


class Kid96Field(IdField):
    """A column of type kid96"""

    description = "ID of type kid96"
    kind, generator = Kid96, "kid96_next"


class SnoField(IdField):
    """A column of type sno"""

    description = "ID of type sno"
    kind, generator = Sno, "sno_next"


class FlakeField(IdField):
    """A column of type flake"""

    description = "ID of type flake"
    kind, generator = Flake, "flake_next"


class FlaxField(IdField):
    """A column of type flax"""

    description = "ID of type flax"
    kind, generator = Flax, "flax_next"


class Kid53Field(ServerKey, models.BigIntegerField):
    """A bigint column with kid53. Numbers that are not one are int."""

    description = "ID kid53 in a bigint"
    descriptor_class = IdAttribute
    generator = "kid53_next"

    def id_of(self, value: Any) -> Any:
        """Returns the ID of a value, or the value itself if it is not one."""
        return Kid53(value) if isinstance(value, int) and 0 <= value < 1 << Kid53.bits else value

    def from_db_value(self, value: Any, expression: Any, connection: Any) -> Any:
        """Makes an ID of what the driver returned."""
        return self.id_of(value)

    def to_python(self, value: Any) -> Any:
        """Makes an ID of a number or its digits. Raises ValidationError if the text is no number."""
        return self.id_of(super().to_python(value))

    def get_prep_value(self, value: Any) -> Any:
        """Returns the number that is sent to the server. Raises ValidationError, as other fields of IDs do."""
        _refuse_time(value)
        try:
            return super().get_prep_value(value)
        except (TypeError, ValueError):
            raise ValidationError(self.error_messages["invalid"], code="invalid", params={"value": value}) from None


class UuidV7Field(ServerKey, models.UUIDField):
    """A uuid column. Those that the server makes are of version 7."""

    description = "UUID of version 7"
    generator = "kid_uuidv7"

    def get_prep_value(self, value: Any) -> Any:
        """Returns the UUID that is sent to the server. Raises ValidationError if the value is none."""
        _refuse_time(value)
        return super().get_prep_value(value)


def _refuse_time(value: Any) -> None:
    """Refuses a time that no lookup of the field has turned into an ID, as those of a foreign key do not."""
    if isinstance(value, date):
        raise ValidationError(
            "A foreign key cannot be compared with a time. Name the key that it refers to, as in order__id__gte.",
            code="invalid",
        )


def _prepared_time(value: date) -> datetime:
    """Returns a time as a DateTimeField does: one without a zone is in that of the project, and Django warns.

    A datetime is a date, too. Any other date stands for its midnight.
    """
    value = value if isinstance(value, datetime) else datetime.combine(value, time.min)
    return models.DateTimeField().get_prep_value(value)  # type: ignore[no-any-return]


def _bound(kind: type[Id], value: date, upper: bool) -> Id:
    """Returns the lowest or the highest ID of a time. If the project has no time zones, that is the database's."""
    moment = _prepared_time(value)
    moment = moment.astimezone(EPOCH.tzinfo) if moment.tzinfo is None else moment
    return kind.ceil(moment) if upper else kind.floor(moment)


def _add_lookups(field: type[models.Field], kind: type[Id]) -> None:
    """Makes a field compare with times by the bounds of its IDs, since no operator of the database does."""

    def comparison(base: Any, upper: bool) -> Any:
        class Comparison(base):
            rhs: Any

            def get_prep_lookup(self) -> Any:
                if isinstance(self.rhs, date):
                    self.rhs = _bound(kind, self.rhs, upper)
                return super().get_prep_lookup()

        Comparison.__name__ = base.__name__
        return Comparison

    class Range(lookups.Range):
        rhs: Any

        def get_prep_lookup(self) -> Any:
            self.rhs = tuple(
                _bound(kind, each, upper) if isinstance(each, date) else each
                for each, upper in zip(self.rhs, (False, True))
            )
            return super().get_prep_lookup()

    # An ID counts as equal to all times of its unit.
    field.register_lookup(comparison(lookups.GreaterThanOrEqual, False))
    field.register_lookup(comparison(lookups.GreaterThan, True))
    field.register_lookup(comparison(lookups.LessThan, False))
    field.register_lookup(comparison(lookups.LessThanOrEqual, True))
    field.register_lookup(Range)


_add_lookups(Kid53Field, Kid53)
_add_lookups(UuidV7Field, UuidV7)
