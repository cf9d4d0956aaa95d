"""Orders with kid64 keys, by SQLAlchemy, with Alembic. Each release of SQLAlchemy has another driver."""

import asyncio
import os
import re
import shutil
import sys
import tempfile
import warnings
from contextlib import redirect_stdout
from datetime import timedelta
from pathlib import Path

import alembic.config
import sqlalchemy
from alembic import command
from sqlalchemy import Column, MetaData, Table, create_engine, event, func, select, text
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from pgkid.alembic import compare_server_default
from pgkid.ids import Kid64
from pgkid.sqlalchemy import FlakeType, Kid53Type, Kid64Type, UuidV7Type, register, take_ids
from shop import Line, Order
from steps import hour_ago, raises, show

warnings.simplefilter("error")
is_new = sqlalchemy.__version__ >= "2"


def url(driver):
    return os.environ["DATABASE_URL"].replace("postgresql:", f"postgresql+{driver}:")


engine = create_engine(url("psycopg" if is_new else "psycopg2"))
register(engine)
event.listen(Session, "before_flush", take_ids)

# As in a new database, where connections work already.
with engine.begin() as connection:
    connection.execute(text("DROP EXTENSION kid"))
engine.dispose()

# alembic init, revision --autogenerate and upgrade. The migration is a file, which needs its imports.
with tempfile.TemporaryDirectory() as folder, engine.begin() as connection, redirect_stdout(sys.stderr):
    config = alembic.config.Config(f"{folder}/alembic.ini")
    command.init(config, f"{folder}/migrations")
    shutil.copy("env.py", f"{folder}/migrations/env.py")
    config.set_main_option("script_location", f"{folder}/migrations")
    config.attributes["connection"] = connection
    migration = Path(command.revision(config, "tables", autogenerate=True).path)
    extension = r'\g<0>\n    op.execute("CREATE EXTENSION kid")'
    migration.write_text(re.sub(r"def upgrade\(.*", extension, migration.read_text()))
    command.upgrade(config, "head")
    nothing = Path(command.revision(config, "nothing", autogenerate=True).path).read_text()
    assert "op." in migration.read_text() and "op." not in nothing, nothing
assert compare_server_default(None, None, None, "public.kid_next()", None, "flake_next()")
assert compare_server_default(None, None, None, "0", None, "kid_next()") is None
engine.dispose()

with Session(engine) as session:
    order = Order(item="tea")
    session.add(Line(order=order))
    session.commit()
    print("inserted", order.id)

    batch = [Order(item="batch") for _ in range(1000)]
    session.add_all(batch)
    session.flush()
    ids = show("batch", [order.id for order in batch])
    session.commit()

    print("found", session.get(Order, order.id).id)

    recent = session.scalars(
        select(Order).where(Order.id >= hour_ago).order_by(Order.id).limit(10)
    ).all()
    show("recent", [order.id for order in recent])

    print("nested", session.scalars(select(Line)).one().order.id)

    with raises(DataError) as wrong:
        session.get(Order, "12345")
    print("wrong", wrong.exception.orig.sqlstate if is_new else wrong.exception.orig.pgcode)


def check(session, engine):
    # Arrays of IDs, in rows and as results.
    line = Line(related=ids[:3])
    session.add(line)
    session.commit()
    assert line.related == ids[:3], line.related
    (found,) = session.scalars(select(func.array_agg(Order.id)).where(Order.id.in_(line.related)))
    assert sorted(found) == line.related, found
    assert {type(id) for id in [line.id, *line.related, *found]} == {Kid64}

    # A flush sends a few statements, however many new objects there are. Their IDs are in their order.
    statements = []
    event.listen(engine, "before_cursor_execute", lambda *statement: statements.append(statement))
    new = [Line(order=Order(item="flushed")) for _ in range(3000)]
    session.add_all(new)
    session.flush()
    assert len(statements) < 20, len(statements)
    assert sorted(new, key=lambda line: line.id) == new
    session.rollback()


def check_times(session):
    """Each type compares with times as its bounds do, at every edge of a millisecond."""
    start = hour_ago.replace(microsecond=0)
    for kind, name, sql in (
        (Kid64Type, "kid64", "kid64"),
        (FlakeType, "flake", "flake"),
        (Kid53Type, "kid53", "bigint"),
        (UuidV7Type, "kid_uuidv7", "uuid"),
    ):
        table = Table(f"of_{name}", MetaData(), Column("id", kind, primary_key=True), prefixes=["TEMPORARY"])
        table.create(session.connection())
        expected = {}
        for micros in 0, 1023, 1024, 2000:
            time = start + timedelta(microseconds=micros)
            bounds = session.execute(text(f"SELECT {name}_floor(:t), {name}_ceil(:t)"), {"t": time}).one()
            for bound in bounds:
                values = text(f"INSERT INTO of_{name} SELECT CAST(:id AS {sql}) ON CONFLICT DO NOTHING")
                session.execute(values, {"id": bound})
            expected[time] = bounds
        all_ids = session.scalars(select(table.c.id).order_by(table.c.id)).all()
        for time, (floor, ceil) in expected.items():
            floor, ceil = (session.scalar(select(table.c.id).where(table.c.id == bound)) for bound in (floor, ceil))
            for operator, condition in (
                (table.c.id < time, lambda id: id < floor),
                (table.c.id <= time, lambda id: id <= ceil),
                (table.c.id > time, lambda id: id > ceil),
                (table.c.id >= time, lambda id: id >= floor),
                (table.c.id == time, lambda id: floor <= id <= ceil),
                (table.c.id != time, lambda id: not floor <= id <= ceil),
            ):
                found = session.scalars(select(table.c.id).where(operator).order_by(table.c.id)).all()
                assert found == [id for id in all_ids if condition(id)], (name, str(operator), found)
        with raises(ValueError):
            table.c.id >= time.replace(tzinfo=None)
    session.rollback()


async def check_asyncpg():
    engine = create_async_engine(url("asyncpg"), connect_args={"server_settings": {"jit": "off"}})
    register(engine)
    async with AsyncSession(engine) as session:
        await session.run_sync(check, engine.sync_engine)
        await session.run_sync(check_times)
        with raises(DBAPIError) as wrong:
            await session.get(Order, "12345")
        assert wrong.exception.orig.sqlstate == "22P02"
    await engine.dispose()


with Session(engine) as session:
    check(session, engine)
    check_times(session)
engine.dispose()
asyncio.run(check_asyncpg())
