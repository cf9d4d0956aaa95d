"""Tables with kid64 keys."""

from pgkid.sqlalchemy import Kid64Type
from sqlalchemy import ARRAY, Column, ForeignKey, Text, func
from sqlalchemy.orm import declarative_base, relationship

Base = declarative_base()


class Order(Base):
    __tablename__ = "orders"
    id = Column(Kid64Type, primary_key=True, server_default=func.kid_next())
    item = Column(Text)


class Line(Base):
    __tablename__ = "lines"
    id = Column(Kid64Type, primary_key=True, server_default=func.kid_next())
    order_id = Column(Kid64Type, ForeignKey("orders.id"))
    order = relationship("Order")
    related = Column(ARRAY(Kid64Type))
