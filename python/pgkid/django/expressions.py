"""Expressions for queries: the time of an ID, and its texts for others. Filter by the ID, since filtering by one of
these reads every row, except by Unsealed."""

from __future__ import annotations

import re
from typing import Any

from django.db.models import DateTimeField, Func, TextField, Value

from ..ids import Id, base32
from .fields import IdField, Kid53Field, Kid64Field


def _function(expression: Func, name: str) -> str:
    """Returns the function for an ID. Those for a bigint, which can have other values, have names of their own."""
    source = expression.get_source_expressions()[0].output_field
    return f"kid53_{name}" if isinstance(source, Kid53Field) else f"kid_{name}"


class Timestamp(Func):
    """When the time unit of an ID begins: Order.objects.annotate(created=Timestamp("id"))"""

    output_field = DateTimeField()

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Calls the function of the type."""
        return super().as_sql(compiler, connection, **{**extra, "function": _function(self, "timestamp")})


class Encoded(Func):
    """An ID in base32, as kid_encode(id, prefix): annotate(public=Encoded("id", "ord"))"""

    function = "kid_encode"
    output_field = TextField()

    def __init__(self, id: Any, prefix: str = "", **extra: Any) -> None:
        super().__init__(id, Value(prefix), **extra)

    def _named_for(self, name: str, compiler: Any, connection: Any, **extra: Any) -> Any:
        return super().as_sql(compiler, connection, **{**extra, "function": _function(self, name)})

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Calls the function of the type."""
        return self._named_for("encode", compiler, connection, **extra)


class Sealed(Encoded):
    """An ID as strangers may see it, as kid_seal(id, prefix): annotate(public=Sealed("id", "ord"))"""

    def as_sql(self, compiler: Any, connection: Any, **extra: Any) -> Any:
        """Calls the function of the type."""
        return self._named_for("seal", compiler, connection, **extra)


def sealed_pattern(prefix: str = "") -> str:
    """Returns a regular expression for the texts that have the form of a sealed ID with a prefix."""
    return base32.check_prefix(prefix) + "[0-7][0-9a-hjkmnp-tv-z]{25}"


def is_sealed(value: Any, prefix: str = "") -> bool:
    """Returns whether a value is a text that has the form of a sealed ID with a prefix. Whether a key opens the text is
    not tested."""
    return isinstance(value, str) and re.fullmatch(sealed_pattern(prefix), value) is not None


class Unsealed(Func):
    """The ID in a sealed text, or NULL: Order.objects.get(id=Unsealed(text, "ord"))

    A value that has not the form of a sealed ID, such as a text with a zero byte, is not sent to the server.
    """

    def __init__(self, text: Any, prefix: str = "", field: IdField | Kid53Field | None = None, **extra: Any) -> None:
        field = field or Kid64Field()
        kind: type[Id] | None = getattr(field, "kind", None)
        name = f"{kind.type_name if kind else 'kid53'}_unseal"
        text = text if is_sealed(text, prefix) else None
        super().__init__(Value(text), Value(prefix), Value(True), function=name, output_field=field, **extra)
