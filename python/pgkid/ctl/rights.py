"""The role that kidctl may connect as.

Roles belong to the cluster, so a copy of the schema is no sandbox: code in the tables' triggers, checks and policies
runs with all rights of the session, and can undo SET ROLE. The session must therefore have no right that the owner of
the tables does not have.
"""
from __future__ import annotations

import shlex

from psycopg.conninfo import make_conninfo

from pgkid.ctl.catalog import Table, identifier
from pgkid.ctl.connection import Connection, scalar
from pgkid.ctl.findings import Refused


def become_owner(conn: Connection, table: Table) -> None:
    """Makes the session act as the owner of a table, or raises an error that says how to connect."""
    user, owner = scalar(conn, "SELECT session_user"), table.owner
    hint = f"Connect as {owner}: kidctl -d {shlex.quote(make_conninfo('', user=owner) + ' …')}."
    refuse_superuser(conn, owner, f"table {table.label} belongs to {owner}")
    if user != owner:
        more = rights_beyond(conn, user, owner)
        if more:
            raise Refused(f"role {user} has rights that the owner {owner} of {table.label} does not have: {more}", hint)
        conn.execute(identifier("SET ROLE {}", owner))


def refuse_superuser(conn: Connection, role: str, about: str) -> None:
    """Raises an error if a role is a superuser, or can become one by SET ROLE. `about` ends with its name."""
    superusers = scalar(
        conn,
        """
        SELECT string_agg(r.rolname, ', ' ORDER BY r.rolname) FROM pg_roles AS r, pg_roles AS o
         WHERE o.rolname = %s AND r.rolsuper
               AND (r.oid = o.oid OR NOT o.rolsuper AND pg_has_role(o.oid, r.oid, 'MEMBER'))
        """,
        (role,),
    )
    if superusers:
        what = "a superuser" if superusers == role else f"who can become a superuser: {superusers}"
        raise Refused(
            f"{about}, {what}",
            "Give the table and all that refers to it to an ordinary role with ALTER TABLE … OWNER TO.",
        )


# What a role can be to another one, each of which gives it rights. Until version 16 a member could always SET ROLE.
MEMBERSHIPS = ["MEMBER", "MEMBER WITH ADMIN OPTION"]


def rights_beyond(conn: Connection, user: str, owner: str) -> str:
    """Returns what a role may do beyond the owner, or an empty string. CREATEDB does not count."""
    row = conn.execute(
        """
        SELECT concat_ws(', ',
                   CASE WHEN u.rolsuper THEN 'superuser' END,
                   CASE WHEN u.rolcreaterole AND NOT o.rolcreaterole THEN 'CREATEROLE' END,
                   CASE WHEN u.rolreplication AND NOT o.rolreplication THEN 'REPLICATION' END,
                   CASE WHEN u.rolbypassrls AND NOT o.rolbypassrls THEN 'BYPASSRLS' END,
                   CASE WHEN NOT pg_has_role(u.oid, o.oid, 'MEMBER') THEN 'it is not a member of ' || o.rolname END,
                   (SELECT 'more rights to role ' || string_agg(r.rolname, ', ') FROM pg_roles AS r
                     WHERE r.oid NOT IN (u.oid, o.oid) AND EXISTS (
                               SELECT FROM unnest(%s::text[]) AS p (kind)
                                WHERE pg_has_role(u.oid, r.oid, p.kind) AND NOT pg_has_role(o.oid, r.oid, p.kind))),
                   (SELECT 'owner of objects, or named in privileges or policies' FROM pg_shdepend AS d
                     WHERE d.refclassid = 'pg_authid'::regclass AND d.refobjid = u.oid
                           AND d.deptype IN ('o', 'a', 'i', 'r')
                     LIMIT 1))
          FROM pg_roles AS u, pg_roles AS o WHERE u.rolname = %s AND o.rolname = %s
        """,
        (MEMBERSHIPS + ["USAGE", "SET"] * (conn.info.server_version >= 160000), user, owner),
    ).fetchone()
    return str(row[0]) if row else "it is unknown"
