"""The triggers on the partition whose rows move. They make the changes of writers in the copies, or note them.

Whenever a writer or kidctl commits, this is true: if a row and its copy are not equal, or only one of them is there,
the row is in a block that kidctl has not copied yet, or `noted` contains its ID. So once all blocks are copied and
`noted` is empty, the copies are the rows. It is true because of these rules:

- All blocks are copied anew if the partition has another file than before (rows.py). Then rows can be in other blocks,
  and have other values, as after ALTER TABLE … TYPE … USING. For these no trigger fires.
- A move is refused if the triggers were disabled, or the table has other definitions than the copies (definitions.py).
- A copy is made of a row that is locked FOR SHARE (copies.py). If a writer has changed the row, kidctl waits for the
  end of his transaction, and copies what it finds then. Whoever wants to change the row waits for the copy.
- A trigger deletes the copy of a changed row and inserts another one, in the transaction of the writer.
- If the trigger finds no copy to delete, it notes the ID. Either the row is not copied yet, or the writer's snapshot is
  older than the copy, as it can be at REPEATABLE READ. If the trigger finds a copy where it inserts one, that copy is
  one that a snapshot did not see, and it notes the ID, too.
- TRUNCATE removes all rows, also those that the snapshot of its transaction does not see. At REPEATABLE READ the
  trigger therefore truncates the copies. DELETE would leave those that are younger than the snapshot. Otherwise it uses
  DELETE, because the copies refer to the same tables as the rows: TRUNCATE ... CASCADE of such a table has the copies
  open while the trigger runs, and PostgreSQL would refuse to truncate them again.

Locks are taken in one order, first that of the partition and then those of the copies, by writers and by kidctl.
Otherwise one that truncates and kidctl could wait for each other.
"""
from __future__ import annotations

from psycopg import sql

from pgkid.ctl import catalog
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused
from pgkid.ctl.partition.keys import primary_key
from pgkid.ctl.partition.plan import AGAIN, Plan
from pgkid.ctl.partition.shadow import Shadow
from pgkid.ctl.steps import Runner, body, statement


TRIGGER = "~kidctl"  # the last one by its name
EMPTIED = "~kidctl_truncate"

CODE = """
BEGIN
    IF TG_OP = 'TRUNCATE' THEN
        IF current_setting('transaction_isolation') IN ('repeatable read', 'serializable') THEN
            TRUNCATE {copies};
        ELSE
            DELETE FROM {copies};
        END IF;
        RETURN NULL;
    ELSIF TG_OP <> 'INSERT' THEN
        DELETE FROM {copies} AS c WHERE {is_copy_of_old};
        IF NOT FOUND THEN
            INSERT INTO {noted} (id) VALUES (OLD.{key});
            IF TG_OP = 'UPDATE' THEN
                INSERT INTO {noted} (id) VALUES (NEW.{key});
            END IF;
            RETURN NULL;
        END IF;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO {copies} ({names}) OVERRIDING SYSTEM VALUE VALUES ({values}) ON CONFLICT DO NOTHING;
        IF NOT FOUND THEN
            INSERT INTO {noted} (id) VALUES (NEW.{key});
        END IF;
    END IF;
    RETURN NULL;
END"""


def create(shadow: Shadow) -> None:
    """Creates the triggers. They also fire in sessions with session_replication_role = replica."""
    create_function(shadow)
    source, function = shadow.source.sql, shadow.in_schema("follow")
    for name, event in ((TRIGGER, "INSERT OR UPDATE OR DELETE ON {} FOR EACH ROW"), (EMPTIED, "TRUNCATE ON {}")):
        on = sql.SQL(event).format(source)
        trigger = sql.Identifier(name)
        shadow.runner.execute(statement("CREATE TRIGGER {} AFTER {} EXECUTE FUNCTION {}()", trigger, on, function))
        shadow.runner.execute(statement("ALTER TABLE {} ENABLE ALWAYS TRIGGER {}", source, trigger))


def create_function(shadow: Shadow) -> None:
    """Creates the function of the triggers. It runs with the rights of the owner, whichever role writes.

    A row is found by its whole primary key, because rows can have the same ID if the key has several columns.
    """
    plan = shadow.plan
    code = sql.SQL(CODE).format(
        copies=shadow.table,
        noted=shadow.noted,
        key=plan.key.sql,
        is_copy_of_old=sql.SQL(" AND ").join(part.equal("c", "OLD") for part in primary_key(plan.conn, plan.root)),
        names=shadow.names,
        values=sql.SQL(", ").join(sql.SQL("NEW.{}").format(name) for name in shadow.columns),
    )
    shadow.runner.execute(
        statement(
            "CREATE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER"
            " SET search_path = pg_catalog, pg_temp SET row_security = off AS {}",
            shadow.in_schema("follow"),
            body(code, plan.conn),
        )
    )
    # With a trigger of its own another role would run the function as the owner. A schema that it cannot use is not
    # enough: members of pg_read_all_data can use every schema.
    shadow.runner.execute(statement("REVOKE ALL ON FUNCTION {}() FROM PUBLIC", shadow.in_schema("follow")))


def refuse_lost(plan: Plan) -> None:
    """Raises an error if the triggers were disabled or dropped, also if they fire again."""
    query = """
        SELECT count(*) = 2 FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
         WHERE t.tgrelid = to_regclass(%s)::oid AND t.tgname = ANY (%s) AND t.tgenabled = 'A'
               AND p.pronamespace = to_regnamespace(quote_ident(%s))::oid
    """
    if not scalar(plan.conn, query, (plan.old_label, [TRIGGER, EMPTIED], plan.schema)):
        raise Refused(
            f"the triggers of kidctl on {plan.old_label} were disabled or dropped, so copies are not up to date", AGAIN
        )


def tables(conn: Connection, schema: str) -> list[catalog.Table]:
    """Returns the tables with triggers of the move with this schema: the partition, whatever its name is by now."""
    query = """
        SELECT DISTINCT t.tgrelid FROM pg_trigger AS t JOIN pg_proc AS p ON p.oid = t.tgfoid
         WHERE p.pronamespace = to_regnamespace(quote_ident(%s))::oid AND t.tgname = ANY (%s)
    """
    return catalog.tables(conn, [row[0] for row in conn.execute(query, (schema, [TRIGGER, EMPTIED]))])


def drop(runner: Runner, schema: str) -> None:
    """Drops the triggers."""
    for table in tables(runner.conn, schema):
        for name in (TRIGGER, EMPTIED):
            runner.execute(statement("DROP TRIGGER IF EXISTS {} ON {}", sql.Identifier(name), table.sql))
