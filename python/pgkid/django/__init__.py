"""kid for Django 3.2 and later: fields whose IDs the server makes, lookups by time, URLs, and expressions.

Add "pgkid.django" to INSTALLED_APPS, and CreateExtension("kid") to the first migration that uses a field.

apps.py         tells drivers about the types, URLs about converters, and django-filter about the fields
fields.py       the fields of models
expressions.py  the time of an ID, and its texts for others
urls.py         converters for paths
operations.py   changes the keys of existing tables, in migrations
"""

from .._needs import needs

with needs(__name__, "django"):
    from .expressions import Encoded, Sealed, Timestamp, Unsealed, is_sealed
    from .fields import FlakeField, FlaxField, Kid53Field, Kid64Field, Kid96Field, SnoField, UuidV7Field
    from .urls import base32_converter, sealed_converter

__all__ = [
    "Encoded",
    "FlakeField",
    "FlaxField",
    "Kid53Field",
    "Kid64Field",
    "Kid96Field",
    "Sealed",
    "SnoField",
    "Timestamp",
    "Unsealed",
    "UuidV7Field",
    "base32_converter",
    "is_sealed",
    "sealed_converter",
]
