"""What SQLAlchemy's reflection says of each kind of key. Superset lists the columns of a table by it."""

import os
import warnings

import sqlalchemy
from sqlalchemy.exc import CompileError, SAWarning

engine = sqlalchemy.create_engine(os.environ["DATABASE_URL"].replace("postgresql://", "postgresql+psycopg2://"))
with engine.connect() as db:
    kinds = db.execute(sqlalchemy.text("SELECT name::text FROM kinds ORDER BY nr")).scalars().all()

cells = []
for name in kinds:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SAWarning)
        columns = sqlalchemy.inspect(engine).get_columns(name)
    (kind,) = [column["type"] for column in columns if column["name"] == "id"]
    try:
        # Superset shows this name, and UNKNOWN if there is none.
        said = f"`{kind.compile(engine.dialect)}`"
    except CompileError:
        said = "no type"
    assert (said == "no type") == any("Did not recognize type 'kid64'" in str(w.message) for w in caught), (name, said)
    assert sqlalchemy.inspect(engine).get_pk_constraint(name)["constrained_columns"] == ["id"]
    cells.append(said)
print("\t".join(["SQLAlchemy's reflection, as in Superset", *cells]))
