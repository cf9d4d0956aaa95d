"""Orders with kid64 keys, by SQLAlchemy, with Alembic."""

import asyncio
import os
import re
import shutil
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from pathlib import Path

import alembic.config
import sqlalchemy
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import cast, create_engine, event, func, select, text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from shop import Base, Line, Order, Parcel, register_arrays, register_arrays_2
from steps import hour_ago, raises, show

warnings.simplefilter("error")


def url(driver):
    return os.environ["DATABASE_URL"].replace("postgresql:", f"postgresql+{driver}:")


old_engine = create_engine(url("psycopg2"))
event.listen(old_engine, "connect", register_arrays_2)
engine = old_engine
if sqlalchemy.__version__ >= "2":
    engine = create_engine(url("psycopg"))
    event.listen(engine, "connect", register_arrays)

# As in a new database, where connections work already.
with Session(old_engine) as session:
    session.execute(text("DROP EXTENSION kid"))
    session.commit()
for each in (old_engine, engine):
    each.dispose()
    each.connect().close()

# alembic init, revision --autogenerate and upgrade. The migration is a file, which needs its imports.
with tempfile.TemporaryDirectory() as folder, engine.connect() as connection, redirect_stdout(sys.stderr):
    config = alembic.config.Config(f"{folder}/alembic.ini")
    command.init(config, f"{folder}/migrations")
    shutil.copy("env.py", f"{folder}/migrations/env.py")
    config.set_main_option("script_location", f"{folder}/migrations")
    config.attributes["connection"] = connection
    command.revision(config, "tables", autogenerate=True)
    (migration,) = Path(folder, "migrations", "versions").glob("*.py")
    upgrade = re.compile(r"^def upgrade\(.*:$", re.M)
    migration.write_text(upgrade.sub(r'\g<0>\n    op.execute("CREATE EXTENSION kid")', migration.read_text()))
    command.upgrade(config, "head")
    if sqlalchemy.__version__ >= "2":
        connection.commit()
    assert "server_default=sa.text('kid_next()')" in migration.read_text(), migration.read_text()
for each in (old_engine, engine):
    each.dispose()
with engine.connect() as connection:
    migrations = MigrationContext.configure(connection, opts={"compare_type": True})
    changes = [change for change in compare_metadata(migrations, Base.metadata) if change[1].name != "alembic_version"]
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
    show("batch", ids)

    print("found", session.get(Order, order.id).id)

    listed = session.scalars(select(Order.id).where(Order.id.in_(ids[5:8])))
    show("listed", listed)

    recent = session.scalars(
        select(Order).where(Order.id >= cast(hour_ago, TIMESTAMP(timezone=True))).order_by(Order.id).limit(10)
    ).all()
    show("recent", [order.id for order in recent])

    page = session.scalars(select(Order).where(Order.id > recent[-1].id).order_by(Order.id).limit(10))
    show("page", [order.id for order in page])

    session.expire_all()
    print("nested", session.scalars(select(Line)).one().order.id)

    ids = session.scalars(select(func.kid_next(1000))).all()
    session.bulk_insert_mappings(Order, [{"id": id, "item": "bulk"} for id in ids])
    session.commit()
    show("bulk", ids)

    try:
        session.get(Order, "12345")
    except DataError as error:
        print("wrong", getattr(error.orig, "sqlstate", None) or error.orig.pgcode)


def check_arrays(session, first):
    """Arrays of IDs, in rows and as results."""
    parcel = Parcel(orders=ids[first : first + 3])
    session.add(parcel)
    session.commit()
    assert parcel.orders == ids[first : first + 3], parcel.orders
    (found,) = session.scalars(select(func.array_agg(Order.id)).where(Order.id.in_(parcel.orders)))
    assert sorted(found) == parcel.orders, found


def check_flush(session, engine):
    """A flush sends a few statements, however many new objects there are. Their IDs are in their order."""
    statements = []
    event.listen(engine, "before_cursor_execute", lambda *statement: statements.append(statement))
    new = [Order(item="flushed", lines=[Line(note="with milk")]) for _ in range(3000)]
    session.add_all(new)
    session.flush()
    assert len(statements) < 20, len(statements)
    assert sorted(new, key=lambda order: order.id) == new
    session.rollback()


for each in (old_engine, engine):
    with Session(each) as session:
        check_arrays(session, 0)
        check_flush(session, each)
    each.dispose()


async def check_asyncpg():
    engine = create_async_engine(url("asyncpg"), connect_args={"server_settings": {"jit": "off"}})
    async with AsyncSession(engine) as session:
        await session.run_sync(check_arrays, 3)
        await session.run_sync(check_flush, engine.sync_engine)
        with raises(DBAPIError) as wrong:
            await session.get(Order, "12345")
        assert wrong.exception.orig.sqlstate == "22P02"
    await engine.dispose()


asyncio.run(check_asyncpg())
