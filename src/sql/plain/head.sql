-- kid in plain SQL, for a server where no extension in C can be installed. It needs PostgreSQL 15 or later.
-- docs/managed-servers.md describes it.
--
-- Run this script as the role that is to own the logical clocks. It need not be a superuser. Everything goes into the
-- schemas kid and kid_clocks. To upgrade, run the script again, or that of a later version, as the same role: that
-- replaces the functions, and keeps the clocks and the type kid64 as they are.
--
-- Nothing here trusts a name or a setting of the caller. Bodies in SQL are parsed when they are created, below. A body
-- in PL/pgSQL is parsed in the caller's session. So it sets the search_path, or, where that would take too long, uses
-- no operator and gives every name its schema.

BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;

DO $kid$
BEGIN
    IF EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'kid') THEN
        RAISE 'this database has the extension kid' USING ERRCODE = 'duplicate_object';
    END IF;
END $kid$;
