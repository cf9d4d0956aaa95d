"""Orders with kid64 keys, by SQLAlchemy, with Alembic."""

import os
import warnings
from datetime import datetime, timedelta, timezone

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import Column, ForeignKey, Text, cast, create_engine, func, select, text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.dialects.postgresql.base import ischema_names
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session, declarative_base, relationship
from sqlalchemy.types import UserDefinedType


class Kid64(UserDefinedType):
    cache_ok = True

    def get_col_spec(self, **kw):
        return "kid64"


# So reflection, and with it Alembic, knows the type.
ischema_names["kid64"] = Kid64

Base = declarative_base()


class Order(Base):
    __tablename__ = "orders"
    id = Column(Kid64, primary_key=True, server_default=text("kid_next()"))
    item = Column(Text)
    lines = relationship("Line", back_populates="order")


class Line(Base):
    __tablename__ = "lines"
    id = Column(Kid64, primary_key=True, server_default=text("kid_next()"))
    order_id = Column(Kid64, ForeignKey("orders.id"))
    note = Column(Text)
    order = relationship("Order", back_populates="lines")


warnings.simplefilter("error")
engine = create_engine(os.environ["DATABASE_URL"])
Base.metadata.create_all(engine)
with engine.connect() as connection:
    changes = compare_metadata(MigrationContext.configure(connection, opts={"compare_type": True}), Base.metadata)
    assert changes == [], changes

with Session(engine) as session:
    order = Order(item="tea", lines=[Line(note="with milk")])
    session.add(order)
    session.commit()
    print("inserted", order.id)

    batch = [Order(item="batch") for _ in range(1000)]
    session.add_all(batch)
    session.flush()
    ids = [order.id for order in batch]
    session.commit()
    for id in ids:
        print("batch", id)

    print("found", session.get(Order, order.id).id)

    listed = session.scalars(select(Order.id).where(Order.id.in_(ids[5:8])))
    for id in listed:
        print("listed", id)

    since = datetime.now(timezone.utc) - timedelta(hours=1)
    recent = session.scalars(
        select(Order).where(Order.id >= cast(since, TIMESTAMP(timezone=True))).order_by(Order.id).limit(10)
    ).all()
    for order in recent:
        print("recent", order.id)

    page = session.scalars(select(Order).where(Order.id > recent[-1].id).order_by(Order.id).limit(10))
    for order in page:
        print("page", order.id)

    session.expire_all()
    print("nested", session.scalars(select(Line)).one().order.id)

    ids = session.scalars(select(func.kid_next(1000))).all()
    session.bulk_insert_mappings(Order, [{"id": id, "item": "bulk"} for id in ids])
    session.commit()
    for id in ids:
        print("bulk", id)

    try:
        session.get(Order, "12345")
    except DataError as error:
        print("wrong", error.orig.pgcode)
