"""What pandas makes of each kind of key, in a column that has a NULL: numbers become floating-point numbers."""

import os

import pandas
import sqlalchemy

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
print("\t".join(["pandas, a column with a NULL", *cells]))
