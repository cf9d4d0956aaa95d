"""pgkid.consumer beside writers whose transactions commit out of order, and beside what breaks

It needs PGHOST and its kin, which name a server with kid.
"""

from __future__ import annotations

import logging
import os
import random
import signal
import subprocess
import sys
import threading
import time
import unittest
from collections.abc import Callable, Sequence
from typing import Any

import psycopg
from pgkid.consumer import Consumer
from vectors import FOLDER

#: Tables by what makes their IDs.
TABLES = {
    "kid64": "kid64 PRIMARY KEY DEFAULT kid_next()",
    "kid53": "bigint PRIMARY KEY DEFAULT kid53_next()",
    "flake": "flake PRIMARY KEY DEFAULT flake_next()",
    "uuid": "uuid PRIMARY KEY DEFAULT kid_uuidv7()",
    "tracked": "bigserial PRIMARY KEY",
}
NAME = "pgkid_test_consumer"

PROGRAM = """
import logging, sys, time
from pgkid.consumer import Consumer
logging.disable()
consumer = Consumer(sys.argv[1], "events", "billing", ids=sys.argv[2], batch=20, poll=0.02)
def handle(connection, rows):
    time.sleep(0.02)      # so that another process finds the same rows
    connection.cursor().executemany("INSERT INTO handled (id) VALUES (%s)", [[row.id] for row in rows])
consumer.stop_on_signals()
consumer.run_exactly_once(handle)
"""


class Consumers(unittest.TestCase):
    """Each test has a database of its own."""

    def setUp(self) -> None:
        with psycopg.connect(autocommit=True) as conn:
            conn.execute(f"DROP DATABASE IF EXISTS {NAME} WITH (FORCE)")
            conn.execute(f"CREATE DATABASE {NAME}")
        self.conn = psycopg.connect(f"dbname={NAME}", autocommit=True)
        self.addCleanup(self.conn.close)
        self.conn.execute("CREATE EXTENSION kid")
        self.threads: list[threading.Thread] = []

    def begin(self, ids: str) -> None:
        """Makes the database anew, with a table whose keys are of a kind."""
        self.conn.close()
        self.setUp()
        self.table(ids)

    def table(self, ids: str) -> None:
        self.conn.execute(f"CREATE TABLE events (id {TABLES[ids]}, payload text)")
        kind = "bigint" if ids in ("tracked", "kid53") else ids
        self.conn.execute(f"CREATE TABLE handled (nr serial, id {kind})")
        if ids == "tracked":
            self.conn.execute("SELECT kid_track('events')")

    def consumer(self, ids: str | None = None, **options: Any) -> Consumer:
        made = Consumer(f"dbname={NAME}", "events", "billing", ids=ids, poll=0.02, **options)
        made.create()
        self.addCleanup(made.close)
        return made

    def start(self, run: Callable[..., Any], *arguments: Any) -> threading.Thread:
        thread = threading.Thread(target=run, args=arguments)
        thread.start()
        self.threads.append(thread)
        return thread

    def write(self, transactions: int, writers: int = 4) -> None:
        """Writes events in so many transactions of each writer, which commit late, or roll back."""

        def run(seed: int) -> None:
            some = random.Random(seed)
            with psycopg.connect(f"dbname={NAME}") as conn:
                for _ in range(transactions):
                    conn.execute("INSERT INTO events (payload) VALUES ('early'), ('early')")
                    time.sleep(some.random() * 0.05)
                    conn.execute("INSERT INTO events (payload) VALUES ('late')")
                    conn.rollback() if some.random() < 0.1 else conn.commit()
                    time.sleep(some.random() * 0.01)

        threads = [self.start(run, seed) for seed in range(writers)]
        for thread in threads:
            thread.join()

    def ids(self, table: str) -> list[Any]:
        order = "id" if table == "events" else "nr"
        return [row[0] for row in self.conn.execute(f"SELECT id::text FROM {table} ORDER BY {table}.{order}")]

    def wait_until_handled(self) -> None:
        """Waits until the last event has been handled, for half a minute or so."""
        for _ in range(600):
            if len(self.ids("handled")) >= len(self.ids("events")):
                return
            time.sleep(0.05)

    @staticmethod
    def insert(connection: psycopg.Connection[Any], rows: Sequence[Any]) -> None:
        connection.cursor().executemany("INSERT INTO handled (id) VALUES (%s)", [[row.id] for row in rows])

    def test_each_kind(self) -> None:
        """Each event is handled once and in order, whatever makes the IDs. A consumer by id > last misses some."""
        for ids in TABLES:
            with self.subTest(ids=ids):
                self.begin(ids)
                consumer = self.consumer(ids, batch=50, columns=["payload"])
                self.start(consumer.run_exactly_once, self.insert)
                naive: list[Any] = []
                stop = threading.Event()
                self.start(self.read_naively, naive, stop)
                self.write(30)
                self.wait_until_handled()
                consumer.stop()
                stop.set()
                for thread in self.threads:
                    thread.join(10)
                written = self.ids("events")
                self.assertGreater(len(written), 100)
                self.assertEqual(self.ids("handled"), written)
                self.assertLess(len(naive), len(written))

    def read_naively(self, naive: list[Any], stop: threading.Event) -> None:
        with psycopg.connect(f"dbname={NAME}", autocommit=True) as conn:
            last: Any = None
            while not stop.is_set():
                where = "" if last is None else "WHERE events.id > %s"
                query = f"SELECT events.id::text FROM events {where} ORDER BY events.id"
                rows = conn.execute(query, [] if last is None else [last]).fetchall()
                naive += rows
                last = rows[-1][0] if rows else last
                time.sleep(0.02)

    def test_killed(self) -> None:
        """Processes of one name are killed, and so are their sessions. Each event is handled once and in order."""
        for ids in "kid64", "tracked":
            with self.subTest(ids=ids):
                self.begin(ids)
                self.consumer(ids).close()
                command = [sys.executable, "-c", PROGRAM, f"dbname={NAME} application_name=consumer", ids]
                processes = [subprocess.Popen(command) for _ in range(3)]
                some = random.Random(ids)
                writing = self.start(self.write, 80)
                while writing.is_alive():
                    time.sleep(0.15)
                    if some.random() < 0.3:
                        victim = some.randrange(3)
                        processes[victim].kill()
                        processes[victim].wait()
                        processes[victim] = subprocess.Popen(command)
                    else:
                        # The session, at whatever it does.
                        self.conn.execute(
                            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                            " WHERE application_name = 'consumer' ORDER BY random() LIMIT 1"
                        )
                self.wait_until_handled()
                # A process that has just started knows no signals yet.
                sessions = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'consumer'"
                while self.conn.execute(sessions).fetchone() != (3,):
                    time.sleep(0.05)
                for process in processes:
                    process.send_signal(signal.SIGTERM)
                self.assertEqual([process.wait(10) for process in processes], [0, 0, 0])
                written = self.ids("events")
                self.assertGreater(len(written), 200)
                self.assertEqual(self.ids("handled"), written)

    def test_at_least_once(self) -> None:
        """Work outside of the database misses nothing, though the session is lost in the midst of it."""
        self.table("kid64")
        consumer = self.consumer(batch=20)
        sent: list[str] = []

        def handle(rows: Sequence[Any]) -> None:
            sent.extend(str(row.id) for row in rows)
            if len(sent) % 3 == 0:
                self.terminate_others()

        self.start(consumer.run_at_least_once, handle)
        self.write(40)
        for _ in range(200):
            if set(sent) >= set(self.ids("events")):
                break
            time.sleep(0.05)
        consumer.stop()
        written = self.ids("events")
        # A receiver that ignores IDs that are not above its last one gets each once and in order.
        received: list[str] = []
        for id in sent:
            if not received or id > received[-1]:
                received.append(id)
        self.assertEqual(received, written)

    def terminate_others(self) -> None:
        """Ends the sessions that asked for rows last."""
        with psycopg.connect(f"dbname={NAME}", autocommit=True) as conn:
            conn.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND query LIKE '%kid_horizon%' AND pid <> pg_backend_pid()"
            )

    def test_handler_fails(self) -> None:
        """An error of the handler undoes what it did, and ends the run. The next run begins with the same rows."""
        self.table("kid64")
        self.conn.execute("INSERT INTO events (payload) VALUES ('good'), ('bad')")
        consumer = self.consumer()

        def fail(connection: Any, rows: Any) -> None:
            self.insert(connection, rows)
            raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            consumer.run_exactly_once(fail)
        self.assertEqual(self.ids("handled"), [])

        def handle(connection: Any, rows: Any) -> None:
            self.insert(connection, rows)
            consumer.stop()

        consumer.run_exactly_once(handle)
        self.assertEqual(self.ids("handled"), self.ids("events"))
        # An error in SQL is no reason to try again, either.
        self.conn.execute("INSERT INTO events (payload) VALUES ('other')")

        def fail_in_sql(connection: Any, _rows: Any) -> None:
            connection.execute("SELECT FROM missing")

        with self.assertRaises(psycopg.errors.UndefinedTable):
            consumer.run_exactly_once(fail_in_sql)

    def test_waking(self) -> None:
        """A notification, wake() and stop() end the waiting, which would take an hour."""
        self.table("kid64")
        consumer = Consumer(f"dbname={NAME}", "events", "billing", poll=3600, channel="events")
        consumer.create()
        seen: list[float] = []

        def handle(connection: Any, rows: Any) -> None:
            self.insert(connection, rows)
            seen.append(time.monotonic())

        thread = self.start(consumer.run_exactly_once, handle)
        for wake in (lambda: self.conn.execute("NOTIFY events"), consumer.wake):
            time.sleep(0.5)
            self.conn.execute("INSERT INTO events (payload) VALUES ('tea')")
            time.sleep(0.2)
            before, asked = len(seen), time.monotonic()
            wake()
            while len(seen) == before and time.monotonic() < asked + 60:
                time.sleep(0.01)
            self.assertGreater(len(seen), before)
        consumer.stop()
        thread.join(10)
        self.assertFalse(thread.is_alive())

    def test_idle_writes_nothing(self) -> None:
        """A consumer without rows takes no transaction ID and writes no WAL."""
        self.table("kid64")
        consumer = self.consumer()
        thread = self.start(consumer.run_exactly_once, self.insert)
        time.sleep(0.3)
        query = "SELECT pg_snapshot_xmax(pg_current_snapshot())"
        # The server's own processes may take some at any time, but not always.
        seen = []
        for _ in range(10):
            seen.append(self.conn.execute(query).fetchone())
            time.sleep(0.2)
        self.assertLess(len(set(seen)), len(seen))
        consumer.stop()
        thread.join(10)

    def test_log(self) -> None:
        """The log says that the connection was lost, and that there is one again."""
        self.table("kid64")
        logging.disable(logging.NOTSET)
        self.addCleanup(logging.disable)
        consumer = self.consumer()
        with self.assertLogs("pgkid.consumer") as logs:
            thread = self.start(consumer.run_exactly_once, self.insert)
            for payload in "before", "after":
                self.conn.execute("INSERT INTO events (payload) VALUES (%s)", [payload])
                self.wait_until_handled()
                if payload == "before":
                    self.conn.execute(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                        " WHERE datname = current_database() AND pid <> pg_backend_pid()"
                    )
            consumer.stop()
            thread.join(10)
        lost, *others = [record.getMessage() for record in logs.records]
        self.assertRegex(lost, "^billing tries again: ")
        self.assertEqual(others, ["billing is connected again"])

    def test_from_now(self) -> None:
        """A consumer can begin after the rows that are there. Creating it again moves nothing."""
        for ids in "kid64", "tracked":
            with self.subTest(ids=ids):
                self.begin(ids)
                self.conn.execute("INSERT INTO events (payload) VALUES ('old'), ('old')")
                for name in "billing", "mail":
                    consumer = Consumer(f"dbname={NAME}", "public.events", name, ids=ids)
                    consumer.create(from_now=True)
                    self.conn.execute("INSERT INTO events (payload) VALUES ('new')")
                    consumer.create(from_now=True)
                    payloads: list[str] = []

                    def handle(rows: Sequence[Any], found: list[str] = payloads, one: Consumer = consumer) -> None:
                        found.extend(row.payload for row in rows)
                        one.stop()

                    consumer.run_at_least_once(handle)
                    self.assertEqual(payloads, ["new"])

    def test_created_twice(self) -> None:
        """A table of cursors that another program creates at the same time is no error."""
        self.table("kid64")
        with psycopg.connect(f"dbname={NAME}") as other:
            other.execute("CREATE TABLE consumers (name text PRIMARY KEY, last kid64 NOT NULL)")
            thread = self.start(self.consumer)
            blocked = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'CREATE TABLE IF%'"
            for _ in range(600):
                if self.conn.execute(blocked).fetchone() is not None:
                    break
                time.sleep(0.05)
            other.commit()
        thread.join(10)
        self.assertEqual(self.conn.execute("SELECT name FROM consumers").fetchall(), [("billing",)])

    def test_other_type(self) -> None:
        """A run ends with an error when the IDs get another type, as by kidctl leave, and reads no row afterwards."""
        for is_cursor_changed in False, True:
            with self.subTest(is_cursor_changed=is_cursor_changed):
                self.begin("kid64")
                self.conn.execute("INSERT INTO events (payload) VALUES ('before')")
                consumer = self.consumer()
                errors: list[str] = []

                def run(one: Consumer = consumer, found: list[str] = errors) -> None:
                    try:
                        one.run_exactly_once(self.insert)
                    except ValueError as error:
                        found.append(str(error))

                thread = self.start(run)
                self.wait_until_handled()
                tables = "events ALTER id DROP DEFAULT, ALTER id", "consumers ALTER last"
                with self.conn.transaction():
                    for table in tables[: 1 + is_cursor_changed]:
                        self.conn.execute(f"ALTER TABLE {table} TYPE bigint")
                    self.conn.execute("INSERT INTO events SELECT max(id) + 1, 'after' FROM events")
                thread.join(10)
                if thread.is_alive():
                    consumer.stop()
                    thread.join()
                self.assertEqual(len(errors), 1)
                self.assertRegex(errors[0], "^the type of events.id has changed from kid64 to bigint, ")
                self.assertEqual(len(self.ids("handled")), 1)
                # Neither does another run of the same consumer read, nor is its cursor created.
                with self.assertRaisesRegex(ValueError, "has changed from kid64 to bigint"):
                    consumer.run_at_least_once(print)
                with self.assertRaisesRegex(ValueError, "has changed from kid64 to bigint"):
                    consumer.create()

    def replicate_into(self, table: str) -> None:
        """Makes a table one into which a subscription brings rows, as far as catalogs show it."""
        with psycopg.connect(f"dbname={NAME}", autocommit=True) as conn:
            conn.execute(
                "CREATE SUBSCRIPTION consuming CONNECTION 'host=/nowhere' PUBLICATION consuming"
                " WITH (connect = false, slot_name = NONE)"
            )
            conn.execute("SET allow_system_table_mods = on")
            conn.execute(
                "INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)"
                " SELECT oid, %s::regclass, 'r' FROM pg_subscription WHERE subname = 'consuming'",
                [table],
            )

    def payloads(self, *arguments: Any, **options: Any) -> list[str]:
        """Returns the payloads of the first rows that a new consumer reads."""
        consumer = Consumer(f"dbname={NAME}", *arguments, poll=0.02, **options)
        consumer.create()
        seen: list[str] = []

        def handle(rows: Sequence[Any]) -> None:
            seen.extend(row.payload for row in rows)
            consumer.stop()

        consumer.run_at_least_once(handle)
        return seen

    def test_several_servers(self) -> None:
        """A consumer of rows of several servers reads up to the lowest horizon of a table, and refuses to omit it."""
        self.table("kid64")
        self.conn.execute("INSERT INTO events (payload) VALUES ('one'), ('two')")
        self.replicate_into("events")
        self.addCleanup(self.conn.execute, "DROP SUBSCRIPTION consuming")
        with self.assertRaisesRegex(LookupError, "does not cover rows that logical replication brings into events"):
            self.consumer().run_exactly_once(self.insert)
        with self.assertRaisesRegex(LookupError, "as `horizons`"):
            Consumer(f"dbname={NAME}", "events", "late").create(from_now=True)
        self.conn.execute(
            """
            CREATE TABLE horizons (server text PRIMARY KEY, id kid64 NOT NULL);
            INSERT INTO horizons SELECT 'a', max(id) FROM events;
            INSERT INTO horizons VALUES ('b', kid_next())"""
        )
        self.assertEqual(self.payloads("events", "first", horizons="public.horizons"), ["one"])
        Consumer(f"dbname={NAME}", "events", "new", horizons="horizons").create(from_now=True)
        self.conn.execute("UPDATE horizons SET id = kid_next() WHERE server = 'a'")
        self.assertEqual(self.payloads("events", "first", horizons="horizons"), ["two"])
        self.assertEqual(self.payloads("events", "new", horizons="horizons"), ["two"])
        # A position that is made here is covered, and so is what a view of the rows below the horizons shows.
        self.conn.execute(
            """
            ALTER TABLE events ADD pos kid64 NOT NULL DEFAULT kid_next();
            CREATE VIEW below AS SELECT * FROM events WHERE id < (SELECT min(id) FROM horizons)"""
        )
        self.assertEqual(self.payloads("events", "by position", id="pos"), ["one", "two"])
        self.assertEqual(self.payloads("below", "of a view"), ["one", "two"])

    def test_rights(self) -> None:
        """A role that may not create tables uses a table of cursors that exists, here one with more columns."""
        self.table("kid64")
        self.conn.execute(
            f"""
            DO $$ BEGIN IF to_regrole('{NAME}') IS NULL THEN CREATE ROLE {NAME}; END IF; END $$;
            REVOKE CREATE ON SCHEMA public FROM PUBLIC;
            CREATE TABLE consumers (name text PRIMARY KEY, last kid64 NOT NULL, turn bigint NOT NULL DEFAULT 0);
            GRANT SELECT ON events TO {NAME};
            GRANT SELECT, INSERT, UPDATE ON consumers TO {NAME};
            GRANT INSERT ON handled TO {NAME};
            GRANT USAGE ON SEQUENCE handled_nr_seq TO {NAME};
            INSERT INTO events (payload) VALUES ('one'), ('two')"""
        )
        connection = f"dbname={NAME} options='-c role={NAME}'"
        consumer = Consumer(connection, "events", "billing", poll=0.02)
        self.addCleanup(consumer.close)
        consumer.create()
        consumer.create(from_now=True)

        def handle(connection: psycopg.Connection[Any], rows: Sequence[Any]) -> None:
            self.insert(connection, rows)
            consumer.stop()

        self.conn.execute("INSERT INTO events (payload) VALUES ('three')")
        consumer.run_exactly_once(handle)
        self.assertEqual(self.ids("handled"), self.ids("events")[2:])
        with self.assertRaisesRegex(psycopg.errors.InsufficientPrivilege, "schema public"):
            Consumer(connection, "events", "billing", cursors="others").create()

    def test_what_is_missing(self) -> None:
        self.table("kid53")
        with self.assertRaisesRegex(ValueError, "argument ids"):
            Consumer(f"dbname={NAME}", "events", "billing").run_exactly_once(self.insert)
        with self.assertRaisesRegex(ValueError, "kid64, kid53"):
            Consumer(f"dbname={NAME}", "events", "billing", ids="kid").run_exactly_once(self.insert)
        with self.assertRaisesRegex(LookupError, "no column"):
            Consumer(f"dbname={NAME}", "events", "billing", id="nr").create()
        self.consumer("kid53").close()
        with self.assertRaisesRegex(LookupError, "create"):
            Consumer(f"dbname={NAME}", "events", "other", ids="kid53").run_exactly_once(self.insert)
        self.conn.execute("CREATE TABLE orders (id kid64 PRIMARY KEY)")
        with self.assertRaisesRegex(ValueError, "another type than kid64: name another table"):
            Consumer(f"dbname={NAME}", "orders", "billing").create()
        elsewhere = f"dbname={NAME} options='-c search_path=none'"
        with self.assertRaisesRegex(LookupError, "add the schema of kid to the search_path"):
            Consumer(elsewhere, "public.events", "billing", ids="tracked").run_exactly_once(self.insert)

    def tries_again(self, connection: str, sqlstate: str | None = None, ids: str | None = None) -> bool:
        """Runs a consumer, whose handler fails with this SQLSTATE, until it tries again. Raises the error otherwise."""
        consumer = Consumer(connection, "events", "billing", ids=ids)
        self.addCleanup(consumer.close)
        retries: list[str] = []

        class Watcher(logging.Handler):
            def emit(self, record: logging.LogRecord) -> None:
                retries.append(record.getMessage())
                consumer.stop()

        def handle(connection: psycopg.Connection[Any], rows: Sequence[Any]) -> None:
            self.insert(connection, rows)
            if sqlstate is not None:
                connection.execute(f"DO $$ BEGIN RAISE 'mine' USING ERRCODE = '{sqlstate}'; END $$")
            consumer.stop()

        logging.disable(logging.NOTSET)
        log, watcher = logging.getLogger("pgkid.consumer"), Watcher()
        log.addHandler(watcher)
        try:
            consumer.run_exactly_once(handle)
        finally:
            log.removeHandler(watcher)
            logging.disable()
        return bool(retries)

    def test_errors_by_sqlstate(self) -> None:
        """The SQLSTATE decides whether a consumer tries again, or ends with the error."""
        self.table("kid64")
        self.consumer().close()
        self.conn.execute("INSERT INTO events (payload) VALUES ('one')")
        # The lists are those of the consumer for Node, in node/test/consumer.test.js.
        passing = "08006 08P01 25P03 40001 40P01 53100 53300 53400 55P03 57014 57P01 57P03 57P05 58030"
        for sqlstate in passing.split():
            with self.subTest(sqlstate=sqlstate):
                self.assertTrue(self.tries_again(f"dbname={NAME}", sqlstate))
        for sqlstate in "0A000 23505 25001 25P02 28000 40002 42501 54000 55000 55006 57P04 58P01 XX000".split():
            with self.subTest(sqlstate=sqlstate), self.assertRaises(psycopg.Error) as raised:
                self.tries_again(f"dbname={NAME}", sqlstate)
            self.assertEqual(raised.exception.sqlstate, sqlstate)
        self.assertEqual(self.ids("handled"), [])

    def test_mistakes(self) -> None:
        """A mistake that lasts ends the run with an error that says what to do, and is not tried again."""
        self.table("tracked")
        self.consumer("tracked").close()
        self.conn.execute("INSERT INTO events (payload) VALUES ('one')")
        errors = psycopg.errors
        for connection, kind, message in (
            (
                "options='-c default_transaction_isolation=serializable'",
                errors.ObjectNotInPrerequisiteState,
                "READ COMMITTED.*default_transaction_isolation = 'read committed'",
            ),
            ("options='-c default_transaction_read_only=on'", errors.ReadOnlySqlTransaction, "read-only transaction"),
            ("user=pgkid_test_nobody", psycopg.OperationalError, 'role "pgkid_test_nobody" does not exist'),
            ("dbname=pgkid_test_nothing", psycopg.OperationalError, 'database "pgkid_test_nothing" does not exist'),
            ("options='-c work_mem=x'", psycopg.OperationalError, 'invalid value for parameter "work_mem"'),
            ("tea=black", psycopg.ProgrammingError, "tea"),
        ):
            with self.subTest(connection=connection), self.assertRaisesRegex(kind, f"(?s){message}"):
                self.tries_again(f"dbname={NAME} {connection}", ids="tracked")
        self.conn.execute("SELECT kid_untrack('events')")
        with self.assertRaisesRegex(errors.ObjectNotInPrerequisiteState, r"(?s)is not tracked.*Call kid_track\(\)"):
            self.tries_again(f"dbname={NAME}", ids="tracked")

    def test_no_server_for_a_while(self) -> None:
        """A consumer tries again if there is no server, or a standby that is not promoted yet."""
        self.table("kid64")
        self.consumer().close()
        self.conn.execute(
            """
            INSERT INTO events (payload) VALUES ('one');
            CREATE FUNCTION pg_is_in_recovery() RETURNS boolean LANGUAGE sql RETURN true"""
        )
        standby = "-c default_transaction_read_only=on -c search_path=public,pg_catalog"
        self.assertTrue(self.tries_again(f"dbname={NAME} options='{standby}'"))
        self.assertTrue(self.tries_again(f"dbname={NAME} host=/nowhere"))

    def test_plain_sql(self) -> None:
        """With kid in plain SQL a consumer says what it needs: the horizon of the table, which then is enough."""
        self.conn.execute("DROP EXTENSION kid")
        for script in (FOLDER.parents[1] / "released").glob("kid-all--*.sql"):
            self.conn.execute(script.read_text(encoding="utf-8"))
        self.conn.execute(f"ALTER DATABASE {NAME} SET search_path = public, kid; SET search_path = public, kid")
        for ids, cursors in ("kid64", "numbers"), ("kid53", "numbers"), ("uuid", "uuids"):
            with self.subTest(ids=ids):
                table = f"events_{ids}"
                self.conn.execute(f"CREATE TABLE {table} (id {TABLES[ids]}, payload text)")
                wrong, right = (
                    Consumer(f"dbname={NAME}", table, ids, ids=named, cursors=cursors) for named in (ids, "tracked")
                )
                with self.assertRaisesRegex(LookupError, rf"call kid_track\('{table}'\) and pass ids='tracked'"):
                    wrong.create()
                self.conn.execute("SELECT kid_track(%s::regclass)", [table])
                self.conn.execute(f"INSERT INTO {table} (payload) VALUES ('one'), ('two')")
                right.create()
                payloads: list[str] = []

                def handle(rows: Sequence[Any], found: list[str] = payloads, one: Consumer = right) -> None:
                    found.extend(row.payload for row in rows)
                    one.stop()

                right.run_at_least_once(handle)
                self.assertEqual(payloads, ["one", "two"])
        with self.assertRaisesRegex(ValueError, "With kid in plain SQL it is 'tracked'"):
            Consumer(f"dbname={NAME}", "events_kid64", "billing").create()


if __name__ == "__main__":
    logging.disable()
    os.environ.setdefault("PGOPTIONS", "-c jit=off")
    unittest.main()
