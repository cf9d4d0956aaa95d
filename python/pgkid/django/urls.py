"""Converters for paths. A text that is not an ID is a 404, as it does not match the path.

pgkid.django registers those that are named for types: path("orders/<kid64:id>/", view). Others are made for a prefix:

    register_converter(sealed_converter(Kid64, "ord"), "order")

    path("orders/<order:id>/", view)
"""

from __future__ import annotations

from typing import Any, TypeVar

from ..ids import Flake, Flax, Id, Kid53, Kid64, Kid96, Sno
from .expressions import Unsealed, sealed_pattern
from .fields import FlakeField, FlaxField, IdField, Kid53Field, Kid64Field, Kid96Field, SnoField

T = TypeVar("T", bound=Id)

FIELDS: dict[type[Id], Any] = {
    **{Kid64: Kid64Field, Kid96: Kid96Field, Sno: SnoField, Flake: FlakeField, Flax: FlaxField, Kid53: Kid53Field}
}


class _TextConverter:
    """Takes the text of an ID."""

    #: As Django reverses a path, it checks by this that the value is a text of that form, rather than "None".
    regex = "[-.0-9A-Z_a-z]{16}"
    kind: Any

    def to_python(self, text: str) -> Id:
        """Returns the ID. Raises ValueError if the text is not one."""
        return self.kind(text)  # type: ignore[no-any-return]

    def to_url(self, id: Id | str) -> str:
        """Returns the text."""
        return str(id)


class Kid64Converter(_TextConverter):
    """Takes the text of a kid64."""

    regex = "[.0-9A-Z_a-z]{11}"
    kind = Kid64


class Kid96Converter(_TextConverter):
    """Takes the text of a kid96."""

    kind = Kid96


class SnoConverter(_TextConverter):
    """Takes the text of a sno."""

    kind = Sno


class FlaxConverter(_TextConverter):
    """Takes the text of a flax."""

    kind = Flax


class FlakeConverter(_TextConverter):
    """Takes the digits of a flake."""

    regex = "0|[1-9][0-9]*"
    kind = Flake


class Kid53Converter(_TextConverter):
    """Takes the digits of a kid53."""

    regex = "0|[1-9][0-9]*"
    kind = Kid53


CONVERTERS = {
    "kid64": Kid64Converter,
    "kid96": Kid96Converter,
    "sno": SnoConverter,
    "flax": FlaxConverter,
    "flake": FlakeConverter,
    "kid53": Kid53Converter,
}


def _checked(id: Any, kind: type[T]) -> T:
    """Returns an ID. Raises ValueError, by which a path does not match, for other values, such as None."""
    if not isinstance(id, kind):
        raise ValueError(f"not a {kind.type_name}: {id!r}")
    return id


def base32_converter(kind: type[T], prefix: str) -> type:
    """Returns a converter for IDs in base32, as Encoded and ID.base32() write them. They tell their time."""

    class Converter:
        regex = f"{prefix}_[0-9A-Za-z]+" if prefix else "[0-9A-Za-z]+"

        def to_python(self, text: str) -> T:
            return kind.of_base32(text, prefix)

        def to_url(self, id: Any) -> str:
            return _checked(id, kind).base32(prefix)

    return Converter


def sealed_converter(kind: type[T], prefix: str, keys: Any = None) -> type:
    """Returns a converter for sealed IDs, which tell nothing.

    With `keys`, a pgkid.seal.Keys, a view gets the ID, and a text that is forged does not match the path. The function
    reverse() takes an ID. Without it, the database opens the text: a view gets an expression, and compares it with the
    ID of a row, as get_object_or_404(Order, id=id) does. Then reverse() takes only a text that Sealed has made, because
    it makes no query.
    """
    field: IdField | Kid53Field = FIELDS[kind]()

    class Converter:
        regex = sealed_pattern(prefix)

        def to_python(self, text: str) -> Any:
            return Unsealed(text, prefix, field) if keys is None else keys.unseal(kind, text, prefix)

        def to_url(self, id: Any) -> str:
            return str(id) if keys is None else keys.seal(_checked(id, kind), prefix)  # type: ignore[no-any-return]

    return Converter
