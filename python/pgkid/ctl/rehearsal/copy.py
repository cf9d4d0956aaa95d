"""The scratch copy: an empty database with the same schema, in which a move is rehearsed.

The copy is closed to everybody else. Rows are put in between the dump's two halves, before there are foreign keys and
triggers, as pg_restore does it.
"""
from __future__ import annotations

import os
import re
import secrets
import subprocess
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Callable, Iterator, Mapping, Optional, Sequence

import psycopg
from psycopg import conninfo, pq, sql

from pgkid.ctl import strangers
from pgkid.ctl.catalog import identifier
from pgkid.ctl.connection import Connection, connect, scalar, secrets_in, settings_of
from pgkid.ctl.findings import Refused, Report
from pgkid.ctl.interruption import deferred
from pgkid.ctl.objects import Address
from pgkid.ctl.rehearsal.server import COMMENT, CopyServer, left, number_of


# What is not restored. Event triggers and subscriptions would run code of others; subscriptions and user mappings
# contain passwords. The database itself is made before. Publications are restored, but without the tables that they
# name: where a move depends on these, the checks read them in the real database.
LEFT_OUT = re.compile(r"^\d+; \d+ \d+ (SUBSCRIPTION|EVENT TRIGGER|USER MAPPING|PUBLICATION TABLE|DATABASE)\b")


@dataclass
class Copy:
    """A scratch database, and the sessions that are open in it."""

    server: str  # the DSN of the server on which it is
    name: str
    role: str
    sessions: list[Connection] = field(default_factory=list)
    text: str = ""  # of the dump that was restored, with the number of each entry
    errors: dict[Optional[int], str] = field(default_factory=dict)  # the first one of each entry

    @property
    def dsn(self) -> str:
        """How to connect to the copy."""
        return conninfo.make_conninfo(self.server, dbname=self.name)

    def connect(self) -> Connection:
        """Opens a session in the copy, as the owner of the tables."""
        # A signal waits until close() knows the session, which would keep the copy from being dropped.
        with deferred():
            conn = connect(self.dsn)
            self.sessions.append(conn)
        conn.execute(identifier("SET ROLE {}", self.role))
        return conn

    def close(self) -> None:
        """Closes all sessions."""
        for conn in self.sessions:
            conn.close()
        self.sessions.clear()


@contextmanager
def scratch(
    source: Connection, server: CopyServer, fill: Callable[[Connection], None], report: Report
) -> Iterator[Copy]:
    """Makes a copy of the schema of a database, and drops it in the end.

    `fill` puts rows in, after tables were made and before indexes, constraints and triggers are.
    """
    role = scalar(source, "SELECT current_user")
    with server.connect(source, role) as admin:
        for name in left(admin, role):
            remove_left(admin, name, report)
        copy = Copy(server.dsn, f"kidctl_{secrets.token_hex(8)}", role)
        # As long as this session lives, no other kidctl takes the copy for one that was left.
        admin.execute("SELECT pg_catalog.pg_advisory_lock(%s)", (number_of(copy.name),))
        try:
            server.create_database(source, admin, copy.name, role)
            close(admin, copy.name)
            copy_settings(source, admin, copy.name)
            restore(source, copy, fill, report)
            yield copy
        finally:
            with deferred():
                copy.close()
                drop(copy.server, admin, copy.name)


@contextmanager
def twin(copy: Copy) -> Iterator[Copy]:
    """Makes a second copy of a copy as it is now. All sessions of the first one are closed."""
    other = Copy(copy.server, copy.name + "_b", copy.role)
    copy.close()
    with connect(copy.server) as admin:
        try:
            # Monitoring connects to every database that it may, and would be in the way.
            admin.execute(identifier("ALTER DATABASE {} ALLOW_CONNECTIONS false", copy.name))
            end_sessions(admin, copy.name)
            text = "CREATE DATABASE {} OWNER {} TEMPLATE {} ALLOW_CONNECTIONS false"
            admin.execute(identifier(text, other.name, copy.role, copy.name))
            admin.execute(identifier("ALTER DATABASE {} ALLOW_CONNECTIONS true", copy.name))
            close(admin, other.name)
            yield other
        finally:
            with deferred():
                other.close()
                drop(copy.server, admin, other.name)


def close(admin: Connection, name: str) -> None:
    """Opens a new database to its owner alone. Until now nobody could connect."""
    admin.execute(identifier("REVOKE ALL ON DATABASE {} FROM PUBLIC", name))
    admin.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), COMMENT))
    admin.execute(identifier("ALTER DATABASE {} ALLOW_CONNECTIONS true", name))


def copy_settings(source: Connection, admin: Connection, name: str) -> None:
    """Gives a database the settings that ALTER DATABASE gave the source."""
    for setting, value in source.execute(
        """
        SELECT split_part(s, '=', 1), substr(s, strpos(s, '=') + 1)
          FROM pg_db_role_setting AS r JOIN pg_database AS d ON d.oid = r.setdatabase, unnest(r.setconfig) AS s
         WHERE r.setrole = 0 AND d.datname = current_database()
        """
    ).fetchall():
        option = sql.SQL(".").join(map(sql.Identifier, setting.split(".")))
        try:
            # The value of a list such as search_path is no part of a statement: its quotes are as somebody wrote them.
            with admin.transaction():
                admin.execute("SELECT pg_catalog.set_config(%s, %s, true)", (setting, value))
                admin.execute(sql.SQL("ALTER DATABASE {} SET {} FROM CURRENT").format(sql.Identifier(name), option))
        except psycopg.Error:
            pass  # a setting that only a superuser can give


def drop(server: str, admin: Connection, name: str) -> None:
    """Drops a scratch database, as soon as nobody is in it any more: autovacuum may be."""
    if admin.closed or admin.broken:
        admin = connect(server)
    if not scalar(admin, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = %s)", (name,)):
        return
    admin.execute(identifier("ALTER DATABASE {} ALLOW_CONNECTIONS false", name))
    end_sessions(admin, name)
    for attempt in range(60):
        try:
            admin.execute(identifier("DROP DATABASE {}", name))
            return
        except psycopg.errors.ObjectInUse:
            if attempt == 59:
                raise
            time.sleep(0.5)


def end_sessions(admin: Connection, name: str) -> None:
    """Ends the sessions of this role in a copy. kidctl has closed them, but a pooler keeps them for the next client."""
    admin.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND usename = session_user", (name,)
    )


def remove_left(admin: Connection, name: str, report: Report) -> None:
    """Drops a copy that a kidctl has left that was killed, unless something of it still runs there."""
    try:
        admin.execute(identifier("DROP DATABASE {}", name))
        report.add("note", "", f"dropped database {name}, which a kidctl that was killed has left")
    except (psycopg.errors.ObjectInUse, psycopg.errors.InvalidCatalogName):
        pass


def restore(source: Connection, copy: Copy, fill: Callable[[Connection], None], report: Report) -> None:
    """Dumps the schema of the source, and restores it in two halves with rows between them."""
    with tempfile.TemporaryDirectory(prefix="kidctl-") as folder:
        archive, listed = os.path.join(folder, "dump"), os.path.join(folder, "list")
        role = scalar(source, "SELECT current_user")
        tool(source, "pg_dump", "--role", role, "-Fc", "-f", archive, *dump_options(source, report))
        contents = run("pg_restore", "--list", archive).splitlines()
        copy.text = run("pg_restore", "--verbose", "--no-tablespaces", "-f", "-", archive)
        strange = strangers.left_out(source, report)
        with open(listed, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.writelines(line + "\n" for line in contents if is_copied(line, strange))
        options = ["--no-tablespaces", "--role", copy.role, "-L", listed, archive]
        conn = copy.connect()
        errors = tool(conn, "pg_restore", "--verbose", "--section=pre-data", *options, may_fail=True)
        prepare_clocks(conn)
        fill(conn)
        errors += tool(conn, "pg_restore", "--verbose", "--section=post-data", *options, may_fail=True)
        copy.close()
    copy.errors = errors_of(errors)


def errors_of(text: str) -> dict[Optional[int], str]:
    """Returns the first error of each entry of a dump in what pg_restore has printed.

    It is no error that an object belongs to this role in the copy, and not to its owner: the object is there.
    """
    number: Optional[int] = None
    found: dict[Optional[int], str] = {}
    is_first = False
    for line in text.splitlines():
        if entry := re.match(r"pg_restore: from TOC entry (\d+);", line):
            number = int(entry[1])
        elif error := re.match(r"pg_restore: error: (?:could not execute query: (?:[^\s:]+ ?: +)?)?(.*)", line):
            is_first = number not in found
            found.setdefault(number, error[1])
        elif is_first and re.match("Command was: ALTER .* OWNER TO ", line):
            del found[number]
            is_first = False
    return found


def is_copied(line: str, strange: set[Address]) -> bool:
    """Returns whether an entry of the contents of a dump is restored."""
    entry = re.match(r"\d+; (\d+) (\d+) ", line)
    return not LEFT_OUT.match(line) and not (entry and Address(int(entry[1]), int(entry[2])) in strange)


def prepare_clocks(conn: Connection) -> None:
    """Draws secrets for the logical clocks of kid in plain SQL. They are values of sequences, which no schema has."""
    # Only with parameters, even if there are none, psycopg reads %% as %.
    for (name,) in conn.execute(
        # PostgreSQL may evaluate conditions in any order, and this function fails for what is not a sequence.
        "SELECT c.oid::regclass::text FROM pg_class AS c WHERE c.relname LIKE '%%secret'"
        " AND c.relnamespace = to_regnamespace('kid_clocks')"
        " AND CASE c.relkind WHEN 'S' THEN pg_sequence_last_value(c.oid) IS NULL END",
        (),
    ).fetchall():
        conn.execute("SELECT setval(%s, kid_clocks.kid_random())", (name,))


def dump_options(source: Connection, report: Report) -> Sequence[str]:
    """Returns the options of pg_dump. Tables that the role may not lock are left out. If kid's worker numbers in plain
    SQL are among them, nothing is said of them, because no table refers to them."""
    options = ["--schema-only", "--no-tablespaces", "--no-subscriptions", "--lock-wait-timeout=3s"]
    own = ""
    if scalar(
        source,
        """
        SELECT EXISTS (SELECT FROM pg_class AS c
                        WHERE c.oid = to_regclass('kid_workers.numbers') AND NOT has_table_privilege(c.oid, 'SELECT'))
               AND to_regproc('kid.kid_lease_worker') IS NOT NULL
        """,
    ):
        own = "kid_workers"
        options.append(f"--exclude-schema={own}")
    for (name,) in source.execute(
        """
        SELECT format('%%I.%%I', n.nspname, c.relname)
          FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^(pg_|information_schema$)' AND n.nspname <> %s
               AND NOT (has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT'))
               AND NOT EXISTS (SELECT FROM pg_depend AS d WHERE d.objid = c.oid AND d.deptype = 'e')
        """,
        (own,),
    ).fetchall():
        options.append(f"--exclude-table={name}")
        report.add("not copied", name, "this role may not read it")
    return options


def tool(conn: Connection, program: str, *arguments: str, may_fail: bool = False) -> str:
    """Runs a program of PostgreSQL that connects as a session has, with its settings, and returns what it prints.

    Other users of this machine see arguments, so no password is one.
    """
    hidden = secrets_in(conn)
    known = {name: text for name, text in conninfo.conninfo_to_dict(conn.info.dsn).items() if name not in hidden}
    known["options"] = " ".join(filter(None, [known.get("options"), settings_of(conn)]))
    password = hidden.pop("password", None)
    environment = {"PGPASSWORD": password} if password else {}
    with service(hidden) as more:
        if more:
            known["service"] = "kidctl"
        environment.update(more)
        return run(
            program, "-d", conninfo.make_conninfo(**known), *arguments, may_fail=may_fail, environment=environment
        )


@contextmanager
def service(parameters: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Makes a file of services with parameters that no variable gives, and returns the variable that names it."""
    if not parameters:
        yield {}
        return
    with tempfile.NamedTemporaryFile("w", prefix="kidctl-", encoding="utf-8", errors="surrogateescape") as file:
        file.write("[kidctl]\n" + "".join(f"{name}={value}\n" for name, value in parameters.items()))
        file.flush()
        yield {"PGSERVICEFILE": file.name}


def run(program: str, *arguments: str, may_fail: bool = False, environment: Optional[dict[str, str]] = None) -> str:
    """Runs a program, and returns what it prints: its errors if it may fail."""
    # What these variables say is in the DSN, unless the DSN says otherwise with a value that is the default.
    of_libpq = {option.envvar.decode() for option in pq.Conninfo.get_defaults() if option.envvar}
    variables = {name: value for name, value in os.environ.items() if name not in of_libpq}
    variables.update(PGAPPNAME="kidctl", PGCLIENTENCODING="UTF8", LC_ALL="C.UTF-8", **(environment or {}))
    try:
        done = subprocess.run([program, *arguments], capture_output=True, env=variables, check=False)
    except FileNotFoundError as error:
        raise Refused(f"{program} is not in PATH", "Install the client programs of PostgreSQL.") from error
    errors = done.stderr.decode("utf-8", "surrogateescape")
    if done.returncode and not may_fail:
        is_pooled = "unsupported startup parameter" in errors
        hint = "This is the answer of a pooler. Connect to the server itself." if is_pooled else ""
        raise Refused(f"{program} failed: {errors.strip()}", hint)
    return errors if may_fail else done.stdout.decode("utf-8", "surrogateescape")
