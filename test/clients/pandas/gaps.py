"""
What pandas makes of each kind of key, in a column that has a NULL: numbers become floating-point numbers. It reads and
writes IDs by pgkid.
"""

import os
from datetime import datetime, timedelta, timezone

import pandas
import sqlalchemy
from pgkid.ids import Kid64
from pgkid.pandas import numbers
from pgkid.sqlalchemy import Kid64Type

engine = sqlalchemy.create_engine(os.environ["DATABASE_URL"].replace("postgresql://", "postgresql+psycopg2://"))
with engine.begin() as db:
    db.execute(sqlalchemy.text("CALL insert_rows()"))
    kinds = db.execute(sqlalchemy.text("SELECT name::text, ids FROM kinds ORDER BY nr")).all()


def arrived(column: pandas.Series, ids: list[str]) -> str:
    """Returns what became of the IDs, which are at the end of a column."""
    values = column.tolist()[-len(ids) :]
    if all(str(value) == id for value, id in zip(values, ids)):
        return "text"
    return "number" if [int(value) for value in values] == [int(id) for id in ids] else "rounded"


cells = []
for name, ids in kinds:
    with engine.connect() as db:
        with_null = f"SELECT NULL AS id UNION ALL SELECT id FROM {name}"
        query = sqlalchemy.text(f"SELECT id FROM ({with_null}) AS t ORDER BY id NULLS FIRST")
        frame = pandas.read_sql(query, db)
    cells.append(arrived(frame["id"], ids))

# The rows since a time, and a table of them and of their numbers, as docs/guides/exchanging-data.md has them.
with engine.begin() as db:
    db.execute(sqlalchemy.text("CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text)"))
    db.execute(sqlalchemy.text("INSERT INTO orders VALUES (kid64_at('2026-01-01'), 'old'), (DEFAULT, 'new')"))
    recent = pandas.read_sql(
        sqlalchemy.text("SELECT * FROM orders WHERE id >= :floor"),
        db,
        params={"floor": Kid64.floor(datetime.now(timezone.utc) - timedelta(hours=1))},
    )
    recent["number"] = numbers(recent["id"], Kid64)
    recent.to_sql("copies", db, index=False, dtype={"id": Kid64Type})
    query = "SELECT pg_typeof(id)::text, item, pg_typeof(number)::text, number = id::bigint FROM copies"
    copies = db.execute(sqlalchemy.text(query)).all()
assert copies == [("kid64", "new", "bigint", True)], copies
print("\t".join(["pandas, a column with a NULL", *cells]))
