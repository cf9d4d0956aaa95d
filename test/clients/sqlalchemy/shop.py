"""Tables with kid64 keys."""

from sqlalchemy import ARRAY, Column, ForeignKey, Text, event, func, inspect, select, text
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.orm import Session, declarative_base, relationship
from sqlalchemy.types import UserDefinedType


class Kid64(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **kw):
        return "kid64"


# So reflection, and with it Alembic, knows the type.
ischema_names["kid64"] = Kid64


@event.listens_for(Session, "before_flush")
def take_ids(session, flush_context, instances):
    """Gives all new objects their IDs, with one query. Otherwise SQLAlchemy 2 inserts each row by itself."""
    new = []
    for each in session.new:
        key = inspect(each).mapper.primary_key
        if len(key) == 1 and isinstance(key[0].type, Kid64) and key[0].server_default is not None:
            name = inspect(each).mapper.get_property_by_column(key[0]).key
            if getattr(each, name) is None:
                new.append((each, name))
    if new:
        for (each, name), id in zip(new, session.scalars(select(func.kid_next(len(new))))):
            setattr(each, name, id)


Base = declarative_base()


class Order(Base):
    __tablename__ = "orders"
    id = Column(Kid64, primary_key=True, server_default=text("kid_next()"))
    item = Column(Text)


class Line(Base):
    __tablename__ = "lines"
    id = Column(Kid64, primary_key=True, server_default=text("kid_next()"))
    order_id = Column(Kid64, ForeignKey("orders.id"))
    order = relationship("Order")
    related = Column(ARRAY(Kid64))


def register_arrays(dbapi_connection, record):
    """Makes arrays of IDs lists of str, for psycopg 3 and psycopg2, as soon as the extension has been created."""
    if type(dbapi_connection).__module__.startswith("psycopg2"):
        from psycopg2 import STRING, extensions

        with dbapi_connection.cursor() as cursor:
            cursor.execute("SELECT typarray FROM pg_type WHERE oid = to_regtype('kid64')")
            if found := cursor.fetchone():
                extensions.register_type(extensions.new_array_type(found, "kid64[]", STRING), dbapi_connection)
        dbapi_connection.rollback()
    else:
        from psycopg.types import TypeInfo

        if info := TypeInfo.fetch(dbapi_connection, "kid64"):
            info.register(dbapi_connection)
