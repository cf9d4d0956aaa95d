"""Where the scratch copy is made: the server, and the database that it begins as."""
from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import Iterator, Optional

import psycopg
from psycopg import sql

from pgkid.ctl import rights
from pgkid.ctl.catalog import identifier, read
from pgkid.ctl.connection import Connection, connect, scalar
from pgkid.ctl.findings import Refused

COMMENT = "Scratch copy of kidctl, which drops it"


@dataclass(frozen=True)
class Locale:
    """The encoding of a database, and all that decides how it sorts."""

    encoding: str
    collate: str
    ctype: str
    provider: str
    name: Optional[str]  # of a provider other than libc
    rules: Optional[str]


@dataclass(frozen=True)
class CopyServer:
    """How to connect to a server, and the template of the copy, or an empty string."""

    dsn: str
    template: str = ""
    is_other: bool = False  # than that of the tables

    @contextmanager
    def connect(self, source: Connection, role: str) -> Iterator[Connection]:
        """Opens the session that creates and drops copies. They belong to a role, which must be there, too."""
        try:
            admin = connect(self.dsn)
        except psycopg.OperationalError as error:
            if self.is_other:
                raise Refused(f"--rehearse-on: {error}".strip()) from error
            raise
        with admin:
            if self.is_other:
                refuse_server(source, admin, role)
            yield admin

    def create_database(self, source: Connection, admin: Connection, name: str, role: str) -> None:
        """Creates the database, which nobody can enter until it is opened to its owner."""
        database = str(scalar(source, "SELECT current_database()"))
        like = locale(source, database)
        if self.template:
            refuse_template(admin, self.template, role, database, like)
            text = identifier(
                "CREATE DATABASE {} OWNER {} TEMPLATE {} ALLOW_CONNECTIONS false", name, role, self.template
            )
        else:
            text = sql.SQL("CREATE DATABASE {} OWNER {} TEMPLATE template0 ALLOW_CONNECTIONS false {}").format(
                sql.Identifier(name), sql.Identifier(role), options(like)
            )
        try:
            admin.execute(text)
        except psycopg.errors.InsufficientPrivilege as error:
            if self.template and scalar(admin, "SELECT rolcreatedb FROM pg_roles WHERE rolname = session_user"):
                raise Refused(
                    f"template {self.template} cannot be copied: {error.diag.message_primary}",
                    f"Run {identifier('ALTER DATABASE {} IS_TEMPLATE true', self.template).as_string(admin)}.",
                ) from error
            user = scalar(admin, "SELECT quote_ident(session_user)")
            other = "" if self.is_other else ", or use another server with --rehearse-on"
            raise Refused(
                f"role {user} may not create the database for the rehearsal",
                f"As a superuser run ALTER ROLE {user} CREATEDB{other}.",
            ) from error
        except (psycopg.errors.WrongObjectType, psycopg.errors.InvalidParameterValue) as error:
            raise Refused(
                f"no database like {database} can be created: {error.diag.message_primary}",
                "Give the server of the rehearsal the operating system's locales that this one has, or use this one.",
            ) from error
        refuse_objects(admin, self.template, name, role)


def locale(conn: Connection, database: str) -> Locale:
    """Returns how a database sorts."""
    found = read(
        conn,
        Locale,
        """
        SELECT pg_encoding_to_char(d.encoding) AS encoding, d.datcollate AS collate, d.datctype AS ctype,
               j ->> 'datlocprovider' AS provider, coalesce(j ->> 'datlocale', j ->> 'daticulocale') AS name,
               j ->> 'daticurules' AS rules
          FROM pg_database AS d, to_jsonb(d) AS j WHERE d.datname = %s
        """,
        (database,),
    )
    if not found:
        raise Refused(f"there is no database {database} on the server of the rehearsal")
    return found[0]


def options(like: Locale) -> sql.Composed:
    """Returns the options of CREATE DATABASE that give it the encoding and the order of another one."""
    found = [("ENCODING", like.encoding), ("LC_COLLATE", like.collate), ("LC_CTYPE", like.ctype)]
    more: list[tuple[str, Optional[str]]] = []
    if like.provider == "i":
        more = [("LOCALE_PROVIDER", "icu"), ("ICU_LOCALE", like.name), ("ICU_RULES", like.rules)]
    elif like.provider == "b":
        more = [("LOCALE_PROVIDER", "builtin"), ("BUILTIN_LOCALE", like.name)]
    return sql.SQL(" ").join(
        sql.SQL("{} {}").format(sql.SQL(option), value) for option, value in [*found, *more] if value is not None
    )


def refuse_template(admin: Connection, name: str, role: str, database: str, like: Locale) -> None:
    """Raises an error unless a copy of a database, which sorts like this, can begin as a template.

    What is in the template is part of the copy, in which code runs with the rights of this role. So nobody else may
    have made it but a superuser.
    """
    theirs = locale(admin, name)
    if not scalar(
        admin,
        "SELECT r.rolsuper OR r.rolname = %s FROM pg_database AS d JOIN pg_roles AS r ON r.oid = d.datdba"
        " WHERE d.datname = %s",
        (role, name),
    ):
        raise Refused(f"template {name} belongs neither to a superuser nor to {role}", "Let a superuser own it.")
    if theirs != like:
        raise Refused(
            f"template {name} has another encoding or locale than database {database}",
            sql.SQL("Create it by CREATE DATABASE {} TEMPLATE template0 {}.")
            .format(sql.Identifier(name), options(like))
            .as_string(admin),
        )


def refuse_objects(admin: Connection, template: str, name: str, role: str) -> None:
    """Raises an error if something in a copy of a template belongs to others, whose code would run in the copy."""
    others = scalar(
        admin,
        "SELECT string_agg(DISTINCT r.rolname, ', ' ORDER BY r.rolname) FROM pg_shdepend AS s"
        " JOIN pg_database AS d ON d.oid = s.dbid"
        " JOIN pg_roles AS r ON s.refclassid = 'pg_authid'::regclass AND r.oid = s.refobjid"
        " WHERE d.datname = %s AND s.deptype = 'o' AND NOT r.rolsuper AND r.rolname <> %s",
        (name, role),
    )
    if others:
        raise Refused(
            f"template {template} contains objects of {others}, whose code would run with the rights of {role}",
            "As a superuser drop them there, or give them to a superuser with REASSIGN OWNED.",
        )


def refuse_server(source: Connection, admin: Connection, role: str) -> None:
    """Raises an error unless another server does what this one would, and the role has no more rights there."""
    theirs, ours = (conn.info.server_version // 10000 for conn in (admin, source))
    if theirs != ours:
        raise Refused(
            f"--rehearse-on: that server is PostgreSQL {theirs}, and this one is PostgreSQL {ours}, which refuses other"
            " statements",
            f"Use a server of version {ours}.",
        )
    user = scalar(admin, "SELECT session_user")
    if not scalar(admin, "SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = %s)", (role,)):
        raise Refused(
            f"--rehearse-on: role {role}, to which the tables belong, does not exist on that server",
            f"Create it there, and connect as {role}: CREATE ROLE {identifier('{}', role).as_string(admin)} LOGIN"
            " CREATEDB.",
        )
    try:
        rights.refuse_superuser(admin, role, f"--rehearse-on: on that server the tables would belong to {role}")
    except Refused as refused:
        hint = f"Revoke this privilege from {role} there, because code of the tables would run with it."
        raise Refused(str(refused), hint) from refused
    more = rights.rights_beyond(admin, user, role) if user != role else ""
    if more:
        raise Refused(
            f"--rehearse-on: role {user} has rights on that server that {role} does not have: {more}",
            f"Connect there as {role}.",
        )
    may_set = "SELECT has_parameter_privilege(%s, 'session_replication_role', 'SET')"
    if scalar(source, may_set, (role,)) and not scalar(admin, may_set, (role,)):
        raise Refused(
            f"--rehearse-on: {role} may not set session_replication_role on that server, as it may on this one",
            "As a superuser run there GRANT SET ON PARAMETER session_replication_role TO"
            f" {identifier('{}', role).as_string(admin)}.",
        )


def number_of(name: str) -> int:
    """Returns the number of the advisory lock that is held as long as a copy is in use."""
    return int.from_bytes(bytes.fromhex(name[7:23]), "big", signed=True)


def left(admin: Connection, role: str) -> list[str]:
    """Returns the copies of a role that no kidctl uses any more.

    They have a name and a comment that only kidctl gives, or no comment yet and nobody could ever connect to them. The
    advisory lock is taken before the database is created, and is seen from all databases of a server. Locks of those
    who cannot act as the role do not count.
    """
    return [
        row[0]
        for row in admin.execute(
            """
            SELECT d.datname FROM pg_database AS d
             WHERE d.datname ~ '^kidctl_[0-9a-f]{16}(_b)?$' AND pg_get_userbyid(d.datdba) = %s
                   AND coalesce(shobj_description(d.oid, 'pg_database') = %s, NOT d.datallowconn)
                   AND NOT EXISTS (
                       SELECT FROM pg_locks AS l JOIN pg_stat_activity AS a USING (pid)
                        WHERE pg_has_role(a.usesysid, d.datdba, 'MEMBER') AND l.locktype = 'advisory' AND l.objsubid = 1
                              AND (l.classid::bigint << 32) | l.objid::bigint
                                  = ('x' || substr(d.datname, 8, 16))::bit(64)::bigint)
            """,
            (role, COMMENT),
        ).fetchall()
    ]
