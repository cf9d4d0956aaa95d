"""The triggers that give each row its other key, before the swap and after it.

All functions are in the schema of the move. The functions that the triggers execute run with the rights of the owner of
the table, whichever role writes.
"""
from __future__ import annotations

from psycopg import sql

from pgkid.ctl import catalog, state
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.objects import on_table
from pgkid.ctl.rekey.plan import Direction, Plan
from pgkid.ctl.steps import Runner, Statement, body, statement


# Sorts behind the names of other triggers, so that it sees the row as it will be.
TRIGGER = "~kid_rekey"


def tables(plan: Plan) -> list[Statement]:
    """Returns the tables of the move: keys that were assigned or promised, how far the fill is, who fills."""
    return [
        statement(
            "CREATE TABLE IF NOT EXISTS {} (old {} PRIMARY KEY, new {} NOT NULL UNIQUE)",
            plan.in_schema("keys"),
            sql.SQL(plan.keys.old_type),
            sql.SQL(plan.keys.new_type),
        ),
        statement(
            "CREATE TABLE IF NOT EXISTS {} (relation text PRIMARY KEY, block bigint NOT NULL)",
            plan.in_schema("next_blocks"),
        ),
        statement("CREATE TABLE IF NOT EXISTS {} (pid integer PRIMARY KEY)", plan.in_schema("filling")),
        statement("CREATE SEQUENCE IF NOT EXISTS {}", plan.in_schema("numbers")),
    ]


def known(plan: Plan) -> Statement:
    """Returns a view of the keys of the root. It names the same columns before and after they change names."""
    return statement(
        "CREATE OR REPLACE VIEW {} AS SELECT r.{} AS old, r.{} AS new FROM ONLY {} AS r",
        plan.in_schema("known"),
        plan.key.sql,
        sql.Identifier(plan.direction("new").beside(plan.key.name)),
        plan.root.sql,
    )


def functions(plan: Plan, d: Direction) -> list[Statement]:
    """Returns the functions that look keys up."""
    holes = {
        "schema": sql.Identifier(plan.schema),
        "word": sql.Identifier(d.word),
        "other": sql.Identifier(d.other),
        "equals": sql.SQL(d.equals),
    }
    to = sql.SQL(
        """CREATE OR REPLACE FUNCTION {to}(given {schema}.keys.{other}%TYPE) RETURNS {schema}.keys.{word}%TYPE
    LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET row_security = off AS $kidctl$
DECLARE
    result {schema}.keys.{word}%TYPE;
BEGIN
    SELECT r.{word} INTO result FROM {schema}.known AS r WHERE r.{other} {equals} given;
    IF NOT FOUND THEN
        RETURN {promise}(given);
    ELSIF result IS NULL THEN
        SELECT k.{word} INTO result FROM {schema}.keys AS k WHERE k.{other} {equals} given;
    END IF;
    RETURN result;
END $kidctl$"""
    ).format(to=plan.in_schema(f"to_{d.word}"), promise=plan.in_schema(f"promise_{d.word}"), **holes)
    moved = sql.SQL(
        """CREATE OR REPLACE FUNCTION {moved}(before {schema}.keys.{other}%TYPE, after {schema}.keys.{other}%TYPE)
    RETURNS void LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $kidctl$
    DELETE FROM {schema}.keys AS k WHERE k.{other} {equals} after;
    UPDATE {schema}.keys AS k SET {other} = after WHERE k.{other} {equals} before
$kidctl$"""
    ).format(moved=plan.in_schema(f"moved_{d.word}"), **{k: v for k, v in holes.items() if k != "word"})
    return [promise(plan, d), Statement(to), Statement(moved)]


def promise(plan: Plan, d: Direction) -> Statement:
    """Returns the function that notes a key for a row that is still to come in this transaction, and will take it."""
    holes = {"schema": sql.Identifier(plan.schema), "word": sql.Identifier(d.word), "other": sql.Identifier(d.other)}
    insert = sql.SQL(
        """
    INSERT INTO {schema}.keys AS k ({other}, {word}) VALUES (given, {next})
        ON CONFLICT ({other}) DO UPDATE SET {other} = k.{other} RETURNING k.{word}
"""
    ).format(next=sql.SQL(d.next), **holes)
    head = sql.SQL(
        """CREATE OR REPLACE FUNCTION {promise}(given {schema}.keys.{other}%TYPE) RETURNS {schema}.keys.{word}%TYPE
    LANGUAGE sql STRICT SET search_path = pg_catalog, pg_temp AS {body}"""
    )
    return Statement(head.format(promise=plan.in_schema(f"promise_{d.word}"), body=body(insert, plan.conn), **holes))


def root_part(plan: Plan, d: Direction) -> sql.Composed:
    """Returns what the trigger of the root does: a row takes the key that was promised or remembered."""
    made: sql.Composable = sql.SQL(d.next)
    if d.word == "old":  # A row that comes with an old key keeps it.
        made = sql.SQL("coalesce(NEW.{}, {})").format(sql.Identifier(d.beside(plan.key.name)), made)
    return sql.SQL(
        """    IF TG_OP = 'DELETE' THEN
        INSERT INTO {keys} ({other}, {word}) SELECT OLD.{key}, OLD.{beside} WHERE OLD.{beside} IS NOT NULL
            ON CONFLICT DO NOTHING;
        RETURN OLD;
    ELSIF TG_OP = 'INSERT' THEN
        NEW.{beside} := coalesce((SELECT k.{word} FROM {keys} AS k WHERE k.{other} {equals} NEW.{key}), {made});
    ELSIF (NEW.{key} {equals} OLD.{key}) IS NOT TRUE THEN
        PERFORM {moved}(OLD.{key}, NEW.{key});
        NEW.{beside} := OLD.{beside};
    ELSE
        NEW.{beside} := OLD.{beside};
    END IF;
"""
    ).format(
        key=plan.key.sql,
        beside=sql.Identifier(d.beside(plan.key.name)),
        keys=plan.in_schema("keys"),
        word=sql.Identifier(d.word),
        other=sql.Identifier(d.other),
        equals=sql.SQL(d.equals),
        made=made,
        moved=plan.in_schema(f"moved_{d.word}"),
    )


def reference_part(plan: Plan, d: Direction, column: catalog.KeyColumn) -> sql.Composed:
    """Returns what a trigger does with a column that refers to the key."""
    beside = sql.Identifier(d.beside(column.name))
    first = sql.SQL("IF").format()
    if column.top == plan.root.oid:  # A row can refer to itself.
        first = sql.SQL("IF NEW.{} {} NEW.{} THEN\n        NEW.{} := NEW.{};\n    ELSIF").format(
            column.sql, sql.SQL(d.equals), plan.key.sql, beside, sql.Identifier(d.beside(plan.key.name))
        )
    return sql.SQL(
        """    {first} TG_OP = 'INSERT' OR OLD.{beside} IS NULL OR (NEW.{column} {equals} OLD.{column}) IS NOT TRUE THEN
        NEW.{beside} := {to}(NEW.{column}::{given});
    ELSE
        NEW.{beside} := OLD.{beside};
    END IF;
"""
    ).format(
        first=first,
        beside=beside,
        column=column.sql,
        equals=sql.SQL(d.equals),
        to=plan.in_schema(f"to_{d.word}"),
        given=sql.SQL(plan.keys.old_type if d.word == "new" else plan.keys.new_type),
    )


def filling_part(plan: Plan, d: Direction, columns: list[catalog.KeyColumn]) -> sql.Composed:
    """Returns what a trigger does while kidctl fills the row: nothing that other triggers did to it remains."""
    if d.word == "old":  # Nothing is filled after the swap.
        return sql.SQL("").format()
    names = [sql.Identifier(d.beside(c.name)) for c in columns]
    is_filled = sql.SQL(" OR ").join(sql.SQL("OLD.{0} IS NULL AND NEW.{0} IS NOT NULL").format(n) for n in names)
    keep = sql.SQL("").join(sql.SQL("            NEW.{0} := filled.{0};\n").format(n) for n in names)
    return sql.SQL(
        """    IF TG_OP = 'UPDATE' AND ({}) THEN
        PERFORM FROM {} AS f WHERE f.pid = pg_backend_pid();
        IF FOUND THEN
            filled := NEW;
            NEW := OLD;
{}            RETURN NEW;
        END IF;
    END IF;
"""
    ).format(is_filled, plan.in_schema("filling"), keep)


def trigger_function(plan: Plan, d: Direction, table: catalog.Table, number: int) -> Statement:
    """Returns the function of the trigger of one table."""
    columns = plan.columns_of(table.oid)
    code = filling_part(plan, d, columns)
    if table.oid == plan.root.oid:
        code += root_part(plan, d)
        columns = columns[1:]
    for column in columns:
        code += reference_part(plan, d, column)
    return statement(
        """CREATE OR REPLACE FUNCTION {}() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET row_security = off AS {}""",
        plan.in_schema(f"follow_{number}"),
        body(sql.SQL("\nDECLARE\n    filled record;\nBEGIN\n{}    RETURN NEW;\nEND ").format(code), plan.conn),
        about=on_table("trigger", TRIGGER, table),
    )


def follow(plan: Plan, d: Direction) -> list[Statement]:
    """Returns all functions for a direction. They replace those of the other one."""
    made = functions(plan, d)
    for number, table in enumerate(plan.top_tables()):
        made.append(trigger_function(plan, d, table, number))
        # With a trigger of its own another role would run the function as the owner. Members of pg_read_all_data can
        # use every schema.
        made.append(statement("REVOKE ALL ON FUNCTION {}() FROM PUBLIC", plan.in_schema(f"follow_{number}")))
    return made


def triggers(plan: Plan) -> list[Statement]:
    """Returns the statements that create the triggers.

    The triggers also fire in sessions with session_replication_role = replica, such as those of logical replication.
    """
    made = []
    for number, table in enumerate(plan.top_tables()):
        events = (
            "INSERT OR UPDATE OR DELETE" if table.oid == plan.root.oid and is_deferrable(plan) else "INSERT OR UPDATE"
        )
        made.append(
            statement(
                "CREATE OR REPLACE TRIGGER {} BEFORE {} ON {} FOR EACH ROW EXECUTE FUNCTION {}()",
                sql.Identifier(TRIGGER),
                sql.SQL(events),
                table.sql,
                plan.in_schema(f"follow_{number}"),
            )
        )
        made.append(statement("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}", table.sql, sql.Identifier(TRIGGER)))
    return made


def followed(conn: Connection, schema: str) -> list[int]:
    """Returns the tables that have a trigger of the move with this schema, by which the move is known for sure."""
    query = (
        "SELECT t.tgrelid FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid"
        " WHERE t.tgname = %s AND t.tgparentid = 0 AND p.pronamespace = to_regnamespace(quote_ident(%s))"
        " ORDER BY 1"
    )
    return [row[0] for row in conn.execute(query, (TRIGGER, schema))]


def is_deferrable(plan: Plan) -> bool:
    """Returns whether a row that is referred to can be deleted and inserted again in one transaction."""
    found = scalar(
        plan.conn,
        "SELECT EXISTS (SELECT FROM pg_constraint WHERE contype = 'f' AND condeferrable AND confrelid = ANY (%s))",
        ([c.table for c in plan.columns],),
    )
    return bool(found)


def remove(plan: Plan, runner: Runner) -> None:
    """Drops the triggers and the schema of the move."""
    for table in catalog.tables(plan.conn, followed(plan.conn, plan.schema)):
        runner.execute(statement("DROP TRIGGER {} ON {}", sql.Identifier(TRIGGER), table.sql))
    state.remove(runner, plan.schema)
