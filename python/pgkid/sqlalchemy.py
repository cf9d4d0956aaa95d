"""kid's types for SQLAlchemy 1.4 and 2: columns whose values are IDs of pgkid.ids, and that compare with times.

    from pgkid.sqlalchemy import Kid64Type

    class Order(Base):
        __tablename__ = "orders"
        id = Column(Kid64Type, primary_key=True, server_default=func.kid_next())

    recent = select(Order).where(Order.id >= datetime.now(timezone.utc) - timedelta(hours=1)).order_by(Order.id)

A time without a zone is an error. A condition on times uses the primary key. For arrays of IDs, call register(engine).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from ._needs import needs
from .ids import Flake, Flax, Id, Kid53, Kid64, Kid96, Sno
from .ids.times import micros_of

with needs(__name__, "sqlalchemy"):
    from sqlalchemy import BigInteger, and_, cast, event, func, inspect, literal, not_, select
    from sqlalchemy.dialects.postgresql import TIMESTAMP, UUID
    from sqlalchemy.dialects.postgresql.base import ischema_names
    from sqlalchemy.engine import Engine
    from sqlalchemy.ext.asyncio import AsyncEngine
    from sqlalchemy.sql import operators
    from sqlalchemy.types import TypeDecorator, UserDefinedType

__all__ = [
    "FlakeType",
    "FlaxType",
    "Kid53Type",
    "Kid64Type",
    "Kid96Type",
    "SnoType",
    "UuidV7Type",
    "register",
    "take_ids",
]

_COMPARISONS = {operators.eq, operators.ne, operators.lt, operators.le, operators.gt, operators.ge}


def _timestamptz(time: datetime) -> Any:
    """Returns a time as an expression. Raises ValueError if the time has no zone. Drivers need to see its type."""
    micros_of(time)
    return cast(literal(time, TIMESTAMP(timezone=True)), TIMESTAMP(timezone=True))


class _IdComparator(UserDefinedType.Comparator):
    """Compares IDs with times by operators of kid's."""

    def operate(self, op: Any, *other: Any, **named: Any) -> Any:
        if op in _COMPARISONS and len(other) == 1 and isinstance(other[0], datetime):
            other = (_timestamptz(other[0]),)
            if op in {operators.eq, operators.ne}:
                # No operator says that an ID has a time, so that nobody compares a time with one ID by mistake.
                same = and_(super().operate(operators.ge, *other), super().operate(operators.le, *other))
                return same if op is operators.eq else not_(same)
        return super().operate(op, *other, **named)


class _IdType(UserDefinedType):
    """A column of one of kid's types. SQLAlchemy wants cache_ok in each class."""

    comparator_factory = _IdComparator
    kind: type[Id]

    def get_col_spec(self, **_named: Any) -> str:
        """Returns the name of the type in SQL."""
        return self.kind.type_name

    @property
    def python_type(self) -> type[Id]:
        """The class of values"""
        return self.kind

    def bind_processor(self, dialect: Any) -> Callable[[Any], Any]:
        """Returns a function that makes what is sent to the server: a text."""
        return lambda value: None if value is None else str(value)

    def result_processor(self, dialect: Any, coltype: Any) -> Callable[[Any], Any]:
        """Returns a function that makes an ID of what the driver returned: a text, or an ID if it knows the type."""
        kind: Any = self.kind
        return lambda value: value if value is None or isinstance(value, kind) else kind(value)

    def literal_processor(self, dialect: Any) -> Callable[[Any], str]:
        """Returns a function that writes an ID into a statement."""
        kind: Any = self.kind
        return lambda value: f"'{kind(str(value))}'"


class Kid64Type(_IdType):
    """A column of type kid64"""

    cache_ok = True
    kind = Kid64


class Kid96Type(_IdType):
    """A column of type kid96"""

    cache_ok = True
    kind = Kid96


class SnoType(_IdType):
    """A column of type sno"""

    cache_ok = True
    kind = Sno


class FlakeType(_IdType):
    """A column of type flake"""

    cache_ok = True
    kind = Flake


class FlaxType(_IdType):
    """A column of type flax"""

    cache_ok = True
    kind = Flax


class _BoundsComparator(TypeDecorator.Comparator):
    """Compares numbers and UUIDs with times by bounds, since no operator of the database does."""

    floor: str
    ceil: str

    def operate(self, op: Any, *other: Any, **named: Any) -> Any:
        if op in _COMPARISONS and len(other) == 1 and isinstance(other[0], datetime):
            time = _timestamptz(other[0])
            floor, ceil = (getattr(func, name)(time, type_=self.type) for name in (self.floor, self.ceil))
            if op is operators.eq:
                return and_(super().operate(operators.ge, floor), super().operate(operators.le, ceil))
            if op is operators.ne:
                return not_(self.operate(operators.eq, *other))
            # An ID counts as equal to all times of its unit.
            return super().operate(op, floor if op in {operators.ge, operators.lt} else ceil)
        return super().operate(op, *other, **named)


class Kid53Type(TypeDecorator):
    """A bigint column with kid53. Numbers that are not one, such as negative ones, arrive as int."""

    impl = BigInteger
    cache_ok = True

    class Comparator(_BoundsComparator):
        """Compares numbers with times."""

        floor, ceil = "kid53_floor", "kid53_ceil"

    comparator_factory = Comparator

    def process_result_value(self, value: int | None, dialect: Any) -> int | None:
        """Makes an ID of what the driver returned."""
        return Kid53(value) if value is not None and 0 <= value < 1 << 53 else value


class UuidV7Type(TypeDecorator):
    """A uuid column that compares with times. Values are uuid.UUID, since rows can have other versions."""

    impl = UUID(as_uuid=True)
    cache_ok = True

    class Comparator(_BoundsComparator):
        """Compares UUIDs with times."""

        floor, ceil = "kid_uuidv7_floor", "kid_uuidv7_ceil"

    comparator_factory = Comparator


# Reflection, and with it Alembic, knows the types.
ischema_names.update({one.kind.type_name: one for one in (Kid64Type, Kid96Type, SnoType, FlakeType, FlaxType)})


def register(engine: Engine | AsyncEngine) -> None:
    """Tells the driver of an engine about kid's types, as soon as the extension has been created.

    Without it, arrays of IDs arrive as single characters. If a program goes on after it has created the extension, call
    engine.dispose() in between, so that new connections know the types.
    """
    event.listen(getattr(engine, "sync_engine", engine), "connect", _register_connection)


def _register_connection(connection: Any, _record: Any) -> None:
    driver = type(connection).__module__
    if driver.startswith("psycopg2"):
        from . import psycopg2 as for_psycopg2

        for_psycopg2.register(connection)
        connection.rollback()
    elif driver.startswith("psycopg"):
        from . import psycopg as for_psycopg

        for_psycopg.register(connection)
        connection.rollback()
    # asyncpg and psycopg's asynchronous connections know arrays by themselves, or through their adaptation.
    elif hasattr(connection, "run_async"):
        connection.run_async(_register_async)


async def _register_async(connection: Any) -> None:
    if type(connection).__module__.startswith("asyncpg"):
        from . import asyncpg as for_asyncpg

        await for_asyncpg.register(connection)
    else:
        from . import psycopg as for_psycopg

        await for_psycopg.register_async(connection)
        await connection.rollback()


def take_ids(session: Any, _flush_context: Any, _instances: Any) -> None:
    """Gives all new objects of a session their IDs, with one query for each type of key.

    Otherwise SQLAlchemy sends an INSERT for each object whose key the server makes. Listen for it:
    event.listen(Session, "before_flush", take_ids)
    """
    wanted: dict[str, list[tuple[Any, str]]] = {}
    for each in session.new:
        mapper = inspect(each).mapper
        key = mapper.primary_key
        generator = _generator(key[0]) if len(key) == 1 else None
        name = mapper.get_property_by_column(key[0]).key
        if generator and getattr(each, name) is None:
            wanted.setdefault(generator, []).append((each, name))
    for generator, objects in wanted.items():
        ids: Sequence[Any] = session.scalars(
            select(getattr(func, generator)(len(objects), type_=inspect(objects[0][0]).mapper.primary_key[0].type))
        ).all()
        for (each, name), id in zip(objects, ids):
            setattr(each, name, id)


def _generator(column: Any) -> str | None:
    """Returns which function of kid makes the default of a key, if that is all that the default is."""
    default = getattr(column.server_default, "arg", None)
    text = str(default).strip().lower() if default is not None else ""
    names = {"kid_next", "kid64_next", "kid96_next", "sno_next", "flake_next", "flax_next", "kid53_next", "kid_uuidv7"}
    return text[:-2] if text.endswith("()") and text[:-2] in names else None
