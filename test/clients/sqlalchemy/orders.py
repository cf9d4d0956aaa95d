"""Orders with kid64 keys, by SQLAlchemy, with Alembic. Each release of SQLAlchemy has another driver."""

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
from sqlalchemy import cast, create_engine, event, func, select, text
from sqlalchemy.dialects.postgresql import TIMESTAMP
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.ext.asyncio import AsyncSession, create_async_engine
from sqlalchemy.orm import Session

from shop import Line, Order, register_arrays
from steps import hour_ago, raises, show

warnings.simplefilter("error")
is_new = sqlalchemy.__version__ >= "2"


def url(driver):
    return os.environ["DATABASE_URL"].replace("postgresql:", f"postgresql+{driver}:")


engine = create_engine(url("psycopg" if is_new else "psycopg2"))
event.listen(engine, "connect", register_arrays)

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
        select(Order).where(Order.id >= cast(hour_ago, TIMESTAMP(timezone=True))).order_by(Order.id).limit(10)
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

    # A flush sends a few statements, however many new objects there are. Their IDs are in their order.
    statements = []
    event.listen(engine, "before_cursor_execute", lambda *statement: statements.append(statement))
    new = [Line(order=Order(item="flushed")) for _ in range(3000)]
    session.add_all(new)
    session.flush()
    assert len(statements) < 20, len(statements)
    assert sorted(new, key=lambda line: line.id) == new
    session.rollback()


async def check_asyncpg():
    engine = create_async_engine(url("asyncpg"), connect_args={"server_settings": {"jit": "off"}})
    async with AsyncSession(engine) as session:
        await session.run_sync(check, engine.sync_engine)
        with raises(DBAPIError) as wrong:
            await session.get(Order, "12345")
        assert wrong.exception.orig.sqlstate == "22P02"
    await engine.dispose()


with Session(engine) as session:
    check(session, engine)
engine.dispose()
asyncio.run(check_asyncpg())
