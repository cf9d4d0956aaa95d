-- worker numbers, which PostgreSQL leases, in plain SQL, which needs no other module. This is version 1.0.0.
-- It needs PostgreSQL 15 or later, and the privilege CREATE in the database. See docs/start/managed-servers.md.
--
-- This is one statement, which takes effect as a whole or not at all, also in a transaction of yours, and leaves no
-- setting behind. It puts all into the schemas kid,kid_workers. The role that runs it owns the logical clocks. To upgrade,
-- run it again, or a later version, as the same role: it replaces functions, and keeps clocks, types and keys, and the
-- rights on functions that this role granted to others.
--
-- Nothing here trusts a name or a setting of the caller. Bodies in SQL are parsed when they are created, those in
-- PL/pgSQL in the caller's session: so they set the search_path or, where that would take too long, use no operator and
-- give every name its schema.

DO $kid$
DECLARE
    path pg_catalog.text := pg_catalog.current_setting('search_path');      -- the caller's, which end.sql sets again
    schema_name pg_catalog.text;        -- for schemas.sql.in
    what record;                        -- the rows of loops
    -- For revoke_rights.sql
    private pg_catalog.regnamespace;
    schemas pg_catalog.name[];
    functions pg_catalog.oid[];
    old_schemas pg_catalog.oid[] := ARRAY(SELECT n.oid FROM pg_catalog.pg_namespace AS n);
    old_functions pg_catalog.oid[] := ARRAY(SELECT p.oid FROM pg_catalog.pg_proc AS p);
    -- For made_by_others.sql
    members pg_catalog.oid[];
    trusted pg_catalog.regnamespace[];
BEGIN
PERFORM pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true);

-- The extension kid and its edition in plain SQL would take each other's names. The extension does not look for this
-- edition: in the schema kid its names are taken, so PostgreSQL refuses it there until docs/start/to_the_extension.sql
-- has dropped them. In another schema the extension can be created beside this edition.

IF EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'kid') THEN
    RAISE 'this database has the extension kid' USING ERRCODE = 'duplicate_object';
END IF;

-- Creates the schemas that are missing. The others must belong to this role, and so must all that is in them: functions
-- that run as this role call it.
FOREACH schema_name IN ARRAY '{kid,kid_workers}'::text[] LOOP
    IF to_regnamespace(schema_name) IS NULL THEN
        EXECUTE format('CREATE SCHEMA %I', schema_name);
    ELSIF EXISTS (SELECT FROM pg_namespace AS n, LATERAL (
                      SELECT n.nspowner
                      UNION ALL SELECT a.grantee FROM aclexplode(n.nspacl) AS a WHERE a.privilege_type = 'CREATE'
                      UNION ALL SELECT c.relowner FROM pg_class AS c WHERE c.relnamespace = n.oid
                      UNION ALL SELECT t.typowner FROM pg_type AS t WHERE t.typnamespace = n.oid
                      UNION ALL SELECT p.proowner FROM pg_proc AS p WHERE p.pronamespace = n.oid
                      UNION ALL SELECT o.oprowner FROM pg_operator AS o WHERE o.oprnamespace = n.oid) AS o (role)
                   WHERE n.nspname = schema_name
                     AND o.role <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user)) THEN
        RAISE 'schema %, or something in it, belongs to another role', schema_name
            USING ERRCODE = 'insufficient_privilege',
                  HINT = 'Run the script as the owner of the schema, and let no other role create objects there.';
    END IF;
END LOOP;

-- When the script runs again, it keeps the worker numbers. A later version that needs another column has it in
-- workers/tables.sql, and after END IF here, for tables that an earlier version created:
--
--     ALTER TABLE kid_workers.numbers ADD COLUMN IF NOT EXISTS other bigint;

PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
IF to_regclass('kid_workers.numbers') IS NULL THEN

-- Worker numbers: the tables
--
-- A process that makes IDs itself needs a number that no other process has: the generator of flake, the partition of
-- sno, a lane of kid64 or kid53, or the node of kid96. It leases one. A lease is not a right to act for a while,
-- because a process that was paused cannot know that it has lost such a right. It is a window of times in IDs: with
-- this number the process makes only IDs whose time is at or after `since`, and before `until`. The windows of a number
-- never overlap, so no pause, clock or lost message lets two processes make the same ID.
-- docs/guides/worker-rules.md has the rules for clients and the proof. Those for the server are:
--
--   1. `until` of a number is the end of all windows that were ever granted of it. It only rises. A number is closed,
--      never deleted. A new number begins when windows that an earlier table may have granted have ended, unless nobody
--      ever had it. The same holds for a number that was closed and is opened again.
--   2. A grant locks the row of the number, then reads the clock. Its window begins at the later of `until` and now.
--      Windows begin and end with whole seconds, which begin time units of all types.
--   3. A renewal is a grant of the next window, with a new token. No reply is given twice: of two copies of a
--      process, one gets another number.
--   4. A transaction that comes after the one that granted a window returns the window. If replication is synchronous,
--      another commit comes between them, because the first returns with a mere warning if its wait for a standby is
--      canceled.
--   5. If the table is in another database than the one that granted, granting is an error until the owner adopts it.
--      On another timeline of WAL, windows may be missing, so all numbers are postponed first, in a transaction of its
--      own.
--   6. No number that is granted is one with which this server makes IDs.
--   7. The type of IDs, lanes, epoch, the greatest ttl and the margin belong to the pool, and never change.
--   8. Roles have no rights on the tables. A role has at most so many numbers of a pool at a time.
--
-- Times are milliseconds since 1970, as bigint, because drivers cut fractions of a timestamp.

CREATE TABLE kid_workers.pools (
    pool text PRIMARY KEY CHECK (pool <> ''),
    type text NOT NULL,
    lanes integer,
    epoch bigint,
    max_ttl integer NOT NULL CHECK (max_ttl BETWEEN 1 AND 3600),
    margin integer NOT NULL CHECK (margin BETWEEN 0 AND 3600),
    per_role integer NOT NULL CHECK (per_role > 0),
    history text NOT NULL
);
COMMENT ON TABLE kid_workers.pools IS 'pools of worker numbers: what their IDs are, and how many a role may lease';
COMMENT ON COLUMN kid_workers.pools.epoch IS 'from when a flake counts, in milliseconds since 1970';
COMMENT ON COLUMN kid_workers.pools.max_ttl IS 'the longest window, in seconds';
COMMENT ON COLUMN kid_workers.pools.margin IS
    'by how many seconds the clocks of a former and a new primary can differ at an asynchronous failover';
COMMENT ON COLUMN kid_workers.pools.history IS 'the database and the timeline that granted the windows';

-- A renewal changes no indexed column, and finds space on its page, so that it is a HOT update.
CREATE TABLE kid_workers.numbers (
    pool text NOT NULL REFERENCES kid_workers.pools,
    number bigint NOT NULL,
    until bigint NOT NULL CHECK (until % 1000 = 0),
    since bigint,
    token uuid,
    xid xid8,
    role name,
    holder text,
    closed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (pool, number)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX numbers_role ON kid_workers.numbers (pool, role) WHERE role IS NOT NULL;
COMMENT ON TABLE kid_workers.numbers IS 'worker numbers, each with the last window that was granted of it';
COMMENT ON COLUMN kid_workers.numbers.until IS
    'the end of all windows that were ever granted, or 0, in milliseconds since 1970';
COMMENT ON COLUMN kid_workers.numbers.since IS 'when the last window begins, or null if it was postponed';
COMMENT ON COLUMN kid_workers.numbers.token IS 'lets the holder of the last window lease the next one';
COMMENT ON COLUMN kid_workers.numbers.xid IS 'the transaction that granted the last window';
COMMENT ON COLUMN kid_workers.numbers.role IS 'the role that leased the number last';

-- Sessions of one role wait for each other, so that its numbers can be counted. Advisory locks would not do: any role
-- can take them. The rows are good for nothing but locks, so they are neither logged nor published.
CREATE UNLOGGED TABLE kid_workers.roles (pool text, role name, PRIMARY KEY (pool, role)) WITH (fillfactor = 50);
COMMENT ON TABLE kid_workers.roles IS 'a row for each role that has leased from a pool, to be locked';

END IF;

-- Worker numbers: what changes of the tables are rejected, also those that come by replication

-- Logical replication of all tables brings the numbers of another server, which are not this server's. The triggers for
-- rows ignore such changes. A trigger for statements cannot skip its statement, so a TRUNCATE that comes by replication
-- raises the error, and the apply worker ends with it.
CREATE OR REPLACE FUNCTION kid_workers.keep() RETURNS trigger
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF TG_LEVEL = 'ROW' AND current_setting('session_replication_role') = 'replica' THEN
        RETURN NULL;
    END IF;
    RAISE 'worker numbers are closed, not deleted, and their windows do not go back'
        USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_close_workers().';
END $$;
COMMENT ON FUNCTION kid_workers.keep() IS
    'rejects a change after which a window could be granted again, and ignores rows that come by replication';

CREATE OR REPLACE TRIGGER keep BEFORE UPDATE ON kid_workers.numbers FOR EACH ROW
    WHEN (NEW.until < OLD.until OR NEW.pool <> OLD.pool OR NEW.number <> OLD.number
          OR current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep BEFORE UPDATE ON kid_workers.pools FOR EACH ROW
    WHEN ((NEW.pool, NEW.type, NEW.lanes, NEW.epoch, NEW.max_ttl, NEW.margin)
          IS DISTINCT FROM (OLD.pool, OLD.type, OLD.lanes, OLD.epoch, OLD.max_ttl, OLD.margin)
          OR current_setting('session_replication_role') = 'replica')
    EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER ignore BEFORE INSERT ON kid_workers.numbers FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER ignore BEFORE INSERT ON kid_workers.pools FOR EACH ROW
    WHEN (current_setting('session_replication_role') = 'replica') EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_row BEFORE DELETE ON kid_workers.numbers FOR EACH ROW EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_row BEFORE DELETE ON kid_workers.pools FOR EACH ROW EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_all BEFORE TRUNCATE ON kid_workers.numbers
    FOR EACH STATEMENT EXECUTE FUNCTION kid_workers.keep();
CREATE OR REPLACE TRIGGER keep_all BEFORE TRUNCATE ON kid_workers.pools
    FOR EACH STATEMENT EXECUTE FUNCTION kid_workers.keep();
ALTER TABLE kid_workers.numbers ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_row,
    ENABLE ALWAYS TRIGGER keep_all, ENABLE ALWAYS TRIGGER ignore;
ALTER TABLE kid_workers.pools ENABLE ALWAYS TRIGGER keep, ENABLE ALWAYS TRIGGER keep_row,
    ENABLE ALWAYS TRIGGER keep_all, ENABLE ALWAYS TRIGGER ignore;

-- Worker numbers: with which numbers this edition makes IDs itself
--
-- A number n is the server's if n % modulus = number. This edition has neither nodes nor lanes. If it makes kid64 or
-- kid53, it uses all of the sequence.

CREATE OR REPLACE FUNCTION kid_workers.server(
    type text, lanes integer, OUT number bigint, OUT modulus bigint, OUT epoch bigint, OUT problem text,
    OUT remedy text)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    epoch := CASE type WHEN 'flake' THEN 0 END;
    IF type IN ('kid64', 'kid53') AND to_regprocedure(format('kid.%s_next()', type)) IS NOT NULL THEN
        problem := format('This database makes %s with all lanes, because kid in plain SQL has none.', type);
        remedy := 'Install the extension kid, or choose another type.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.server(text, integer) IS
    'returns the numbers of a type with which this database makes IDs, and its epoch of flake';

-- Worker numbers: time, and which database and timeline grants windows

CREATE OR REPLACE FUNCTION kid_workers.this_second() RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()))::bigint * 1000;
COMMENT ON FUNCTION kid_workers.this_second() IS
    'returns when the present second of the system clock began, in milliseconds since 1970';

-- Returns "cluster.database.table", during recovery, too.
CREATE OR REPLACE FUNCTION kid_workers.database_identity() RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT concat(s.system_identifier, '.', d.oid, '.', 'kid_workers.numbers'::regclass::oid)
              FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database());
END $$;
COMMENT ON FUNCTION kid_workers.database_identity() IS
    'returns the cluster, the database and the table, which differ from those of a copy';

-- Returns "cluster.database.table/timeline". The control file lags behind a promotion until the next checkpoint, so the
-- timeline is that of the WAL that is written now.
CREATE OR REPLACE FUNCTION kid_workers.history() RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE 'cannot lease worker numbers during recovery'
            USING ERRCODE = 'read_only_sql_transaction', HINT = 'Connect to the primary.';
    END IF;
    RETURN concat(kid_workers.database_identity(), '/', left(pg_walfile_name(pg_current_wal_insert_lsn()), 8));
END $$;
COMMENT ON FUNCTION kid_workers.history() IS
    'returns the database and the timeline that grant windows now; an error on a standby';

-- A renewal grants a window of at most max_ttl seconds, which begins where the last one ends. It is refused while the
-- last one has more than that left. So a window ends at most twice max_ttl after it was granted.
CREATE OR REPLACE FUNCTION kid_workers.quarantine(max_ttl integer, margin integer) RETURNS bigint
    LANGUAGE SQL IMMUTABLE
RETURN (2 * max_ttl + margin) * 1000::bigint;
COMMENT ON FUNCTION kid_workers.quarantine(integer, integer) IS
    'returns after how many milliseconds all windows have ended that another server granted, by a clock that differs '
    'by at most the margin';

-- Postpones all numbers of a pool, because windows may be missing here, and notes that this database grants from now
-- on. The caller has locked the row of the pool.
CREATE OR REPLACE FUNCTION kid_workers.postpone(pool_name text, now_history text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pool kid_workers.pools;
BEGIN
    UPDATE kid_workers.pools AS p SET history = now_history WHERE p.pool = pool_name RETURNING p.* INTO pool;
    UPDATE kid_workers.numbers AS n
       SET until = greatest(n.until, kid_workers.this_second()) + kid_workers.quarantine(pool.max_ttl, pool.margin),
           since = NULL, token = NULL, role = NULL, holder = NULL
     WHERE n.pool = pool_name;
END $$;
COMMENT ON FUNCTION kid_workers.postpone(text, text) IS
    'postpones all numbers of a pool until windows that may be missing here have ended';

-- Worker numbers: what the owner calls

-- Raises an error if a pool cannot have this type, these lanes and this epoch. Lanes and epoch must be null if the type
-- has none.
CREATE OR REPLACE FUNCTION kid_workers.check_type(type text, lanes integer, epoch bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    most_lanes integer := CASE type WHEN 'kid64' THEN 1024 WHEN 'kid53' THEN 64 END;
BEGIN
    IF type IS NULL OR type NOT IN ('flake', 'sno', 'kid96', 'kid64', 'kid53') THEN
        RAISE 'type of a new pool of worker numbers is missing or unknown'
            USING ERRCODE = 'invalid_parameter_value', HINT = 'It is flake, sno, kid96, kid64 or kid53.';
    ELSIF most_lanes IS NULL AND lanes IS NOT NULL THEN
        RAISE 'type % has no lanes', type USING ERRCODE = 'invalid_parameter_value';
    ELSIF most_lanes IS NOT NULL AND (lanes BETWEEN 2 AND most_lanes AND lanes & (lanes - 1) = 0) IS NOT TRUE THEN
        RAISE 'lanes of % are missing or out of range', type
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = format('They are a power of two, from 2 to %s.', most_lanes);
    ELSIF type <> 'flake' AND epoch IS NOT NULL THEN
        RAISE 'type % has no epoch to choose', type USING ERRCODE = 'invalid_parameter_value';
    ELSIF epoch NOT BETWEEN 0 AND kid_workers.this_second() THEN
        RAISE 'epoch is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = 'It is in milliseconds since 1970, and not later than now.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.check_type(text, integer, bigint) IS
    'raises an error if a pool cannot have this type, these lanes and this epoch';

-- Creates a pool, if there is none of the name, and returns it locked. An argument that is null stands for what the
-- pool has, or for the default of a new one.
CREATE OR REPLACE FUNCTION kid_workers.open_pool(
    pool_name text, type text, lanes integer, epoch bigint, max_ttl integer, margin integer, per_role integer)
    RETURNS kid_workers.pools
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pool kid_workers.pools;
BEGIN
    IF max_ttl NOT BETWEEN 1 AND 3600 OR margin NOT BETWEEN 0 AND 3600 OR per_role < 1 THEN
        RAISE 'max_ttl, margin or per_role is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = 'max_ttl is 1 to 3600 seconds, margin 0 to 3600 seconds, and per_role at least 1.';
    END IF;
    IF NOT EXISTS (SELECT FROM kid_workers.pools AS p WHERE p.pool = pool_name) THEN
        PERFORM kid_workers.check_type(type, lanes, epoch);
        INSERT INTO kid_workers.pools
        SELECT pool_name, open_pool.type, open_pool.lanes, coalesce(open_pool.epoch, s.epoch),
               coalesce(open_pool.max_ttl, 10), coalesce(open_pool.margin, 5), coalesce(open_pool.per_role, 1024),
               kid_workers.history()
          FROM kid_workers.server(type, lanes) AS s
            ON CONFLICT ON CONSTRAINT pools_pkey DO NOTHING;
    END IF;
    UPDATE kid_workers.pools AS p SET per_role = coalesce(open_pool.per_role, p.per_role)
     WHERE p.pool = pool_name RETURNING p.* INTO pool;
    IF (coalesce(type, pool.type), coalesce(lanes, pool.lanes), coalesce(epoch, pool.epoch),
        coalesce(max_ttl, pool.max_ttl), coalesce(margin, pool.margin))
       IS DISTINCT FROM (pool.type, pool.lanes, pool.epoch, pool.max_ttl, pool.margin) THEN
        RAISE 'pool "%" has another type, lanes, epoch, max_ttl or margin', pool_name
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = 'They never change, because windows that were granted go by them.',
                  HINT = 'Close the numbers of the pool, and add another one.';
    END IF;
    RETURN pool;
END $$;
COMMENT ON FUNCTION kid_workers.open_pool(text, text, integer, bigint, integer, integer, integer) IS
    'locks and returns a pool, which it creates if there is none of this name';

-- Raises an error if these numbers cannot be in a pool.
CREATE OR REPLACE FUNCTION kid_workers.check_numbers(pool kid_workers.pools, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    greatest_number bigint := coalesce(pool.lanes - 1, CASE pool.type WHEN 'flake' THEN 1023 WHEN 'sno' THEN 65535
                                                                      ELSE 4294967295 END);
    server record;
    taken bigint;
BEGIN
    IF (first BETWEEN 0 AND last AND last <= greatest_number) IS NOT TRUE THEN
        RAISE 'worker numbers are out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = format('Numbers of pool "%s" are 0 to %s, the first not above the last.', pool.pool,
                                  greatest_number);
    ELSIF last - first >= 65536 THEN
        RAISE 'too many worker numbers'
            USING ERRCODE = 'program_limit_exceeded', DETAIL = 'One call adds at most 65536.';
    END IF;
    SELECT s.* INTO server FROM kid_workers.server(pool.type, pool.lanes) AS s;
    SELECT n INTO taken FROM generate_series(first, last) AS n WHERE n % server.modulus = server.number LIMIT 1;
    IF server.problem IS NOT NULL THEN
        RAISE 'this server makes IDs with numbers of pool "%"', pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = server.problem, HINT = server.remedy;
    ELSIF taken IS NOT NULL THEN
        RAISE 'this server makes IDs with number % of pool "%"', taken, pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Add the numbers below and above it.';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.check_numbers(kid_workers.pools, bigint, bigint) IS
    'raises an error if numbers are out of the range of a pool, or this server makes IDs with one';

-- Lanes of two pools overlap if they have the same number in the pool with fewer lanes.
CREATE OR REPLACE FUNCTION kid_workers.in_common(pool kid_workers.pools, first bigint, last bigint)
    RETURNS SETOF kid_workers.numbers
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN QUERY
    SELECT n.*
      FROM kid_workers.pools AS p JOIN kid_workers.numbers AS n ON n.pool = p.pool
     WHERE p.type = pool.type AND p.pool <> pool.pool
           AND CASE WHEN p.lanes IS NULL THEN n.number BETWEEN first AND last
                    ELSE EXISTS (SELECT FROM generate_series(first, last) AS m
                                  WHERE (m - n.number) % least(p.lanes, pool.lanes) = 0) END;
END $$;
COMMENT ON FUNCTION kid_workers.in_common(kid_workers.pools, bigint, bigint) IS
    'returns the numbers of other pools of the same type with which IDs can be equal to IDs with these numbers';

CREATE OR REPLACE FUNCTION kid_workers.notice_overlap(pool kid_workers.pools, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    other record;
BEGIN
    FOR other IN
        SELECT n.pool, min(n.number) AS number
          FROM kid_workers.in_common(pool, first, last) AS n
         WHERE NOT n.closed
         GROUP BY n.pool ORDER BY n.pool
    LOOP
        RAISE NOTICE 'pools "%" and "%" have worker numbers in common', pool.pool, other.pool
            USING DETAIL = format('The first of them in pool "%s" is %s. '
                                    'An ID of one pool can be equal to an ID of the other.', other.pool, other.number),
                  HINT = 'If the IDs must differ, close these numbers in one of the pools with kid_close_workers().';
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_workers.notice_overlap(kid_workers.pools, bigint, bigint) IS
    'names the other pools of the same type that have some of these numbers';

-- A number that is there keeps its windows, and is opened if it was closed. While it was closed, a server or another
-- pool may have used it, for times until now or shortly after. So it is postponed like a new number, unless it is
-- fresh. In another pool of this database, where it is closed, its windows can last longer than those of this pool do,
-- and it is postponed until they end. Where it is open, a notice says that the pools share it.
CREATE OR REPLACE FUNCTION kid.kid_add_workers(
    pool text, first bigint, last bigint, type text DEFAULT NULL, lanes integer DEFAULT NULL,
    epoch bigint DEFAULT NULL, max_ttl integer DEFAULT NULL, margin integer DEFAULT NULL,
    per_role integer DEFAULT NULL, fresh boolean DEFAULT false) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    opened kid_workers.pools;
    free_from bigint;
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF first IS NULL THEN
        RAISE 'argument "first" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF last IS NULL THEN
        RAISE 'argument "last" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF fresh IS NULL THEN
        RAISE 'argument "fresh" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    opened := kid_workers.open_pool(pool, type, lanes, epoch, max_ttl, margin, per_role);
    PERFORM kid_workers.check_numbers(opened, first, last);
    free_from := CASE WHEN fresh THEN 0
                      ELSE greatest(kid_workers.this_second() + kid_workers.quarantine(opened.max_ttl, opened.margin),
                                    (SELECT max(n.until) FROM kid_workers.in_common(opened, first, last) AS n
                                      WHERE n.closed)) END;
    INSERT INTO kid_workers.numbers (pool, number, until)
    SELECT opened.pool, n, free_from FROM generate_series(first, last) AS n
        ON CONFLICT ON CONSTRAINT numbers_pkey DO NOTHING;
    -- Locks no number that is open, so that processes can renew it while the caller's transaction lasts.
    UPDATE kid_workers.numbers AS n
       SET closed = false, until = greatest(n.until, free_from), since = NULL, token = NULL, role = NULL, holder = NULL
     WHERE n.pool = opened.pool AND n.number BETWEEN first AND last AND n.closed;
    PERFORM kid_workers.notice_overlap(opened, first, last);
END $$;
COMMENT ON FUNCTION kid.kid_add_workers(
    text, bigint, bigint, text, integer, bigint, integer, integer, integer, boolean) IS
    'adds worker numbers to a pool, and creates the pool if there is none of this name; `fresh` numbers, which nobody '
    'ever had, can be leased at once, others when earlier windows have ended';

CREATE OR REPLACE FUNCTION kid.kid_close_workers(pool text, first bigint, last bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF first IS NULL THEN
        RAISE 'argument "first" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF last IS NULL THEN
        RAISE 'argument "last" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    UPDATE kid_workers.numbers AS n SET closed = true
     WHERE n.pool = kid_close_workers.pool AND n.number BETWEEN first AND last;
    IF NOT FOUND THEN
        RAISE 'pool "%" has no worker numbers from % to %', pool, first, last USING ERRCODE = 'undefined_object';
    END IF;
END $$;
COMMENT ON FUNCTION kid.kid_close_workers(text, bigint, bigint) IS
    'closes worker numbers: no further windows of them are granted, and windows that were granted stay valid';

CREATE OR REPLACE FUNCTION kid.kid_adopt_workers(pool text) RETURNS void
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF pool IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    PERFORM FROM kid_workers.pools AS p WHERE p.pool = kid_adopt_workers.pool FOR NO KEY UPDATE;
    IF NOT FOUND THEN
        RAISE 'pool "%" does not exist', pool USING ERRCODE = 'undefined_object';
    END IF;
    PERFORM kid_workers.postpone(pool, kid_workers.history());
END $$;
COMMENT ON FUNCTION kid.kid_adopt_workers(text) IS
    'declares that the database from which a pool was restored or copied leases no worker numbers any more, so that '
    'this database can lease them when earlier windows have ended';

CREATE OR REPLACE FUNCTION kid.kid_workers(
    OUT pool text, OUT number bigint, OUT state text, OUT role name, OUT holder text, OUT since timestamptz,
    OUT until timestamptz, OUT per_role integer)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    second bigint := kid_workers.this_second();
    this_database text := kid_workers.database_identity();
BEGIN
    RETURN QUERY
    SELECT n.pool, n.number,
           CASE WHEN n.closed THEN 'closed'
                WHEN n.number % s.modulus = s.number OR s.problem IS NOT NULL THEN 'server'
                WHEN split_part(p.history, '/', 1) <> this_database THEN 'unadopted'
                WHEN n.until <= second THEN 'free'
                -- A window ends within one quarantine of when it was granted, and postpone() adds another. More comes
                -- of a clock that has gone back since, or of several postponements in a row.
                WHEN n.until > second + 2 * kid_workers.quarantine(p.max_ttl, p.margin) THEN 'ahead'
                WHEN n.since IS NULL THEN 'postponed'
                ELSE 'leased' END,
           n.role, n.holder, to_timestamp(n.since / 1000), to_timestamp(nullif(n.until, 0) / 1000), p.per_role
      FROM kid_workers.pools AS p
           CROSS JOIN LATERAL kid_workers.server(p.type, p.lanes) AS s
           JOIN kid_workers.numbers AS n ON n.pool = p.pool
     ORDER BY n.pool, n.number;
END $$;
COMMENT ON FUNCTION kid.kid_workers() IS
    'lists worker numbers: who leased each number last, whether it is leased, free, postponed, ahead of the clock, '
    'closed, in a pool that has to be adopted first, or a number with which this server makes IDs, and how many '
    'numbers of the pool a role may have';

-- Worker numbers: kid_lease_worker() grants a window, and returns it
--
-- It commits, which PostgreSQL allows only to a procedure that runs with the rights of its caller and sets nothing. So
-- each step is a function that runs as its owner, and checks that its caller may call the procedure. In the procedure
-- itself names mean what the caller's search_path says. It has no operator, and only names with a schema.

CREATE OR REPLACE PROCEDURE kid.kid_lease_worker(
    pool text, INOUT number bigint DEFAULT NULL, INOUT token uuid DEFAULT NULL, INOUT since bigint DEFAULT NULL,
    INOUT until bigint DEFAULT NULL, INOUT now bigint DEFAULT NULL, INOUT lanes integer DEFAULT NULL,
    INOUT epoch bigint DEFAULT NULL, INOUT type text DEFAULT NULL, ttl integer DEFAULT 10, holder text DEFAULT NULL)
    LANGUAGE plpgsql AS $$
BEGIN
    COMMIT;   -- in a transaction block an error, before anything is granted
    SET TRANSACTION ISOLATION LEVEL READ COMMITTED;
    IF kid_workers.notice_failover(pool) THEN
        COMMIT AND CHAIN;
    END IF;
    SELECT g.number, g.token INTO number, token FROM kid_workers.grant_window(pool, number, token, ttl, holder) AS g;
    COMMIT AND CHAIN;
    IF kid_workers.wait_again(pool, number) THEN
        COMMIT AND CHAIN;
    END IF;
    SELECT t.since, t.until, t.now, t.lanes, t.epoch, t.type INTO since, until, now, lanes, epoch, type
      FROM kid_workers.tell_window(pool, number, token) AS t;
END $$;
COMMENT ON PROCEDURE kid.kid_lease_worker(
    text, bigint, uuid, bigint, bigint, bigint, integer, bigint, text, integer, text) IS
    'leases a worker number for the times at or after "since" and before "until", in milliseconds since 1970; with the '
    'number and token of the last reply, it leases the next window of that number if it can';

-- The procedure is found when this script runs, whatever its schema is called later.
CREATE OR REPLACE FUNCTION kid_workers.lease_procedure() RETURNS regprocedure
    LANGUAGE SQL IMMUTABLE
RETURN ('kid.kid_lease_worker(text,bigint,uuid,bigint,bigint,bigint,integer,bigint,text,integer,text)'
        )::regprocedure;
COMMENT ON FUNCTION kid_workers.lease_procedure() IS 'returns kid_lease_worker()';

-- Returns the role that leases, and raises an error if it may not. In a function that runs as its owner, the setting
-- "role" still has the role that the session chose by SET ROLE.
--
-- But ANALYZE, autovacuum and the like run functions in indexes and materialized views, with the rights of the owner of
-- the table and not of the session. That is a security-restricted operation, in which UNLISTEN is an error. Otherwise
-- it does nothing, because no session listens to this channel.
CREATE OR REPLACE FUNCTION kid_workers.caller() RETURNS name
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    role name := coalesce(nullif(current_setting('role'), 'none'), session_user);
BEGIN
    UNLISTEN kid_workers;
    IF NOT has_function_privilege(role, kid_workers.lease_procedure()::oid, 'EXECUTE') THEN
        RAISE 'permission denied for procedure kid_lease_worker' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN role;
END $$;
COMMENT ON FUNCTION kid_workers.caller() IS 'returns the role that leases, and raises an error if it may not';

-- Lets the commit of this transaction wait for synchronous standbys, and warn if that wait is canceled, whatever the
-- settings of the session are.
CREATE OR REPLACE FUNCTION kid_workers.wait_for_standbys() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true), set_config('client_min_messages', 'warning', true);
END $$;
COMMENT ON FUNCTION kid_workers.wait_for_standbys() IS
    'lets the commit of this transaction wait for synchronous standbys, and warn if that is canceled';

-- Postpones all numbers of a pool if the timeline is another one, and returns whether. That has to be committed before
-- a window is granted, whether or not a number is free then. Otherwise each call that fails would take the postponement
-- back, and the next one would begin it anew.
CREATE OR REPLACE FUNCTION kid_workers.notice_failover(pool_name text) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    now_history text;
    old_history text;
BEGIN
    PERFORM kid_workers.caller();
    IF pool_name IS NULL THEN
        RAISE 'argument "pool" must not be null' USING ERRCODE = 'null_value_not_allowed';
    END IF;
    now_history := kid_workers.history();
    SELECT p.history INTO old_history FROM kid_workers.pools AS p WHERE p.pool = pool_name;
    IF NOT FOUND THEN
        RAISE 'pool "%" of worker numbers does not exist', pool_name
            USING ERRCODE = 'undefined_object', HINT = 'The owner of the database makes one with kid_add_workers().';
    ELSIF old_history = now_history THEN
        RETURN false;
    ELSIF split_part(old_history, '/', 1) <> split_part(now_history, '/', 1) THEN
        RAISE 'pool "%" comes from another database, which may still lease its worker numbers', pool_name
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  HINT = 'If no process leases them there any more, the owner of this database calls '
                           'kid_adopt_workers().';
    END IF;
    PERFORM kid_workers.wait_for_standbys();
    -- If another session is about to do the same, waits for it.
    PERFORM FROM kid_workers.pools AS p WHERE p.pool = pool_name AND p.history = old_history FOR NO KEY UPDATE;
    IF FOUND THEN
        PERFORM kid_workers.postpone(pool_name, now_history);
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION kid_workers.notice_failover(text) IS
    'postpones the numbers of a pool if the timeline of WAL has changed, and returns whether; a part of '
    'kid_lease_worker()';

-- Returns a pool that may lease windows of this length now, and raises an error if there is none.
CREATE OR REPLACE FUNCTION kid_workers.leasing_pool(pool_name text, ttl integer) RETURNS kid_workers.pools
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    pool kid_workers.pools;
BEGIN
    IF current_setting('transaction_isolation') NOT LIKE 'read %committed' THEN
        RAISE 'worker numbers can only be leased at READ COMMITTED' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    SELECT p.* INTO pool FROM kid_workers.pools AS p WHERE p.pool = pool_name;
    IF (pool.history = kid_workers.history()) IS NOT TRUE THEN
        RAISE 'pool "%" cannot lease worker numbers here yet', pool_name
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_lease_worker() again.';
    ELSIF ttl IS NULL THEN
        RAISE 'argument "ttl" must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF ttl NOT BETWEEN 1 AND pool.max_ttl THEN
        RAISE 'ttl is out of range'
            USING ERRCODE = 'numeric_value_out_of_range',
                  DETAIL = format('Windows of pool "%s" have 1 to %s seconds.', pool.pool, pool.max_ttl),
                  HINT = 'Ask for such a window. max_ttl of a pool never changes: the owner of the database can '
                           'create another pool, with a greater one.';
    END IF;
    RETURN pool;
END $$;
COMMENT ON FUNCTION kid_workers.leasing_pool(text, integer) IS
    'returns a pool, and raises an error if it cannot lease windows of this length here now';

-- Locks a number of which the caller has the last window, and returns where that ends, or null if the number cannot be
-- had: another process has leased it since, or it was closed, or a copy of this process has renewed it.
CREATE OR REPLACE FUNCTION kid_workers.lock_own(
    pool kid_workers.pools, wanted bigint, its_token uuid, its_role name, ttl integer) RETURNS bigint
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    ended bigint;
BEGIN
    SELECT n.until INTO ended
      FROM kid_workers.numbers AS n
     WHERE n.pool = pool.pool AND n.number = wanted AND n.token = its_token AND n.role = its_role AND NOT n.closed
           FOR NO KEY UPDATE;
    IF ended > kid_workers.this_second() + ttl * 1000 THEN
        RAISE 'it is too early to renew worker number %', wanted
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Its last window ends at %s.', to_timestamp(ended / 1000)),
                  HINT = 'If that window is used up, lease another number, without a token.';
    END IF;
    RETURN ended;
END $$;
COMMENT ON FUNCTION kid_workers.lock_own(kid_workers.pools, bigint, uuid, name, integer) IS
    'locks the number of which a caller has the last window, and returns where that ends';

-- Returns whether a transaction has not ended yet. It began when a row that the caller sees was changed or locked, so
-- its ID is less than 2^31 from the next one.
CREATE OR REPLACE FUNCTION kid_workers.is_running(id xid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- pg_xact_status() needs the upper half of the transaction's ID, too.
    above bigint := pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 2147483647;
BEGIN
    RETURN pg_xact_status((above - (above - id::text::bigint & 4294967295))::text::xid8) IS NOT DISTINCT FROM
           'in progress';
EXCEPTION WHEN invalid_parameter_value THEN
    RETURN false;   -- no transaction has this ID yet
END $$;
COMMENT ON FUNCTION kid_workers.is_running(xid) IS 'returns whether a transaction has not ended yet';

-- Returns whether a transaction has not ended yet that has changed this version of a number's row, or has locked it to
-- do so. `marked_by` is xmax of the row: the last such transaction, or a MultiXactId, which stands for several of them,
-- if others have locked the row, too. Nothing tells which of the two it is. So both are looked at, and if the number
-- is in use as both, the answer can be true for a while without a reason.
CREATE OR REPLACE FUNCTION kid_workers.is_unfinished(marked_by xid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    -- Those of the rows are not older than relminmxid. Others may be gone, and asking for one that is gone, or that has
    -- not been made yet, is an error.
    IF mxid_age(marked_by) BETWEEN 1 AND (SELECT mxid_age(c.relminmxid) FROM pg_class AS c
                                           WHERE c.oid = 'kid_workers.numbers'::regclass)
       AND EXISTS (SELECT FROM pg_get_multixact_members(marked_by) AS m
                    WHERE m.mode NOT IN ('keysh', 'sh') AND kid_workers.is_running(m.xid)) THEN
        RETURN true;
    END IF;
    RETURN kid_workers.is_running(marked_by);
END $$;
COMMENT ON FUNCTION kid_workers.is_unfinished(xid) IS
    'returns whether a transaction has not ended yet that has changed a row with this xmax';

-- Raises an error if a role has as many numbers as it may have. A number counts until its last window ends, and until
-- a transaction that has renewed it or given it up ends, too, because nobody else can lease it so long. Most rows are
-- still marked as locked by the transaction that has granted their window. It has ended, because others see the row.
--
-- Sessions of the role wait for each other only if it has nearly as many numbers as it may have: each transaction takes
-- at most one, so no more than the server has transactions can be missing from the count. `renewed` is not counted: it
-- is a number whose window has ended, which this transaction has locked to renew it, or null.
CREATE OR REPLACE FUNCTION kid_workers.check_quota(pool kid_workers.pools, its_role name, renewed bigint) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    missing integer := current_setting('max_connections')::integer + current_setting('max_worker_processes')::integer
        + current_setting('max_prepared_transactions')::integer;
    second bigint;
    held bigint;
    own bigint;
BEGIN
    FOR attempt IN 1..2 LOOP
        second := kid_workers.this_second();
        SELECT count(*) FILTER (WHERE n.number IS DISTINCT FROM renewed
                                      AND (n.until > second
                                           OR n.xmax <> 0 AND n.xmax IS DISTINCT FROM n.xid::xid
                                              AND kid_workers.is_unfinished(n.xmax))),
               count(*) FILTER (WHERE n.xid = pg_current_xact_id_if_assigned())
          INTO held, own
          FROM kid_workers.numbers AS n
         WHERE n.pool = pool.pool AND n.role = its_role;
        IF own > 0 THEN
            RAISE 'this transaction has taken a worker number already'
                USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_lease_worker().';
        ELSIF held >= pool.per_role THEN
            RAISE 'role "%" has too many worker numbers of pool "%"', its_role, pool.pool
                USING ERRCODE = 'configuration_limit_exceeded',
                      DETAIL = format('A role has at most %s at a time.', pool.per_role),
                      HINT = 'Processes that end keep their number until its window ends. The owner of the database '
                               'can raise the limit with kid_add_workers().';
        END IF;
        EXIT WHEN held + missing < pool.per_role OR attempt = 2;
        -- Waits in a queue, and then counts again. To lock the row changes nothing in it.
        INSERT INTO kid_workers.roles AS r VALUES (pool.pool, its_role) ON CONFLICT DO NOTHING;
        PERFORM FROM kid_workers.roles AS r WHERE r.pool = pool.pool AND r.role = its_role FOR UPDATE;
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_workers.check_quota(kid_workers.pools, name, bigint) IS
    'raises an error if a role has as many numbers of a pool as it may have';

-- Locks a free number, and returns it, and the end of its last window. Looks from a random number on, by the primary
-- key: to find the one that is free for the longest would need an index on `until`, and no renewal would be HOT.
CREATE OR REPLACE FUNCTION kid_workers.lock_free(
    pool kid_workers.pools, of_server bigint, modulus bigint, OUT number bigint, OUT ended bigint)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    second bigint;
    lowest bigint;
    highest bigint;
    start bigint;
BEGIN
    second := kid_workers.this_second();
    SELECT min(n.number), max(n.number) INTO lowest, highest FROM kid_workers.numbers AS n WHERE n.pool = pool.pool;
    FOREACH start IN ARRAY ARRAY[lowest + floor(random() * (highest - lowest + 1))::bigint, lowest] LOOP
        SELECT n.number, n.until INTO number, ended
          FROM kid_workers.numbers AS n
         WHERE n.pool = pool.pool AND n.number >= start AND NOT n.closed AND n.until <= second
               AND (n.number % modulus = of_server) IS NOT TRUE
         ORDER BY n.number LIMIT 1 FOR NO KEY UPDATE SKIP LOCKED;
        EXIT WHEN FOUND;
    END LOOP;
    IF number IS NULL THEN
        SELECT min(n.until) INTO ended
          FROM kid_workers.numbers AS n
         WHERE n.pool = pool.pool AND NOT n.closed AND (n.number % modulus = of_server) IS NOT TRUE;
        RAISE 'no worker number of pool "%" is free', pool.pool
            USING ERRCODE = 'configuration_limit_exceeded',
                  DETAIL = CASE WHEN ended IS NULL THEN 'All of its numbers are closed, or those of this server.'
                                WHEN ended <= second THEN 'Transactions that have not ended hold one or more of them.'
                                ELSE format('The next one that nobody renews is free at %s.',
                                            to_timestamp(ended / 1000)) END,
                  HINT = CASE WHEN ended IS NULL THEN 'Ask the owner of the database to add numbers with '
                                                       'kid_add_workers().'
                              ELSE 'Try again later. The owner of the database can add numbers with '
                                   'kid_add_workers().' END;
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.lock_free(kid_workers.pools, bigint, bigint) IS
    'locks a number of which no window lasts, and returns it, and where its last one ends';

-- Grants a window, but does not return it, because the caller's transaction may be rolled back. A token is good for one
-- renewal.
CREATE OR REPLACE FUNCTION kid_workers.grant_window(
    pool_name text, INOUT number bigint, INOUT token uuid, ttl integer, holder text)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
    pool kid_workers.pools;
    ended bigint;
    renewed bigint;
    server record;
    starts bigint;
BEGIN
    its_role := kid_workers.caller();
    pool := kid_workers.leasing_pool(pool_name, ttl);
    ended := kid_workers.lock_own(pool, number, token, its_role, ttl);
    PERFORM kid_workers.wait_for_standbys();
    SELECT s.* INTO server FROM kid_workers.server(pool.type, pool.lanes) AS s;
    IF server.problem IS NOT NULL THEN
        RAISE 'this server makes IDs with numbers of pool "%"', pool.pool
            USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = server.problem, HINT = server.remedy;
    END IF;
    renewed := CASE WHEN ended <= kid_workers.this_second() THEN number END;
    IF number % server.modulus = server.number THEN
        ended := NULL;
    END IF;
    IF ended IS NULL OR renewed IS NOT NULL THEN
        PERFORM kid_workers.check_quota(pool, its_role, renewed);
    END IF;
    IF ended IS NULL THEN
        SELECT f.number, f.ended INTO number, ended
          FROM kid_workers.lock_free(pool, server.number, server.modulus) AS f;
    END IF;
    starts := greatest(ended, kid_workers.this_second());   -- reads the clock while the number is locked
    token := gen_random_uuid();
    UPDATE kid_workers.numbers AS n
       SET since = starts, until = starts + ttl * 1000, token = grant_window.token, xid = pg_current_xact_id(),
           role = its_role, holder = left(grant_window.holder, 200)
     WHERE n.pool = pool.pool AND n.number = grant_window.number;
END $$;
COMMENT ON FUNCTION kid_workers.grant_window(text, bigint, uuid, integer, text) IS
    'grants a window of times, which the caller may use once tell_window() has returned it; a part of '
    'kid_lease_worker()';

-- A commit that waits for a standby returns with a warning if the wait is canceled, though the standby may not have the
-- window. So where replication is synchronous, writes something for another commit, and returns true. Raises an error
-- if the window has ended, because a role must lock no numbers but those that check_quota() counts.
CREATE OR REPLACE FUNCTION kid_workers.wait_again(pool_name text, its_number bigint) RETURNS boolean
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
BEGIN
    its_role := kid_workers.caller();
    IF current_setting('synchronous_standby_names') = '' THEN
        RETURN false;
    END IF;
    PERFORM kid_workers.wait_for_standbys();
    UPDATE kid_workers.numbers AS n SET holder = n.holder
     WHERE n.pool = pool_name AND n.number = its_number AND n.role = its_role
           AND n.until > kid_workers.this_second();
    IF NOT FOUND THEN
        RAISE 'the window of worker number % has ended before standbys confirmed it', its_number
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'Call kid_lease_worker() with a longer ttl.';
    END IF;
    RETURN true;
END $$;
COMMENT ON FUNCTION kid_workers.wait_again(text, bigint) IS
    'writes something for a second commit if replication is synchronous, and returns whether; a part of '
    'kid_lease_worker()';

-- Returns a window that an earlier transaction granted, and the time of the server, so that a process needs no clock.
CREATE OR REPLACE FUNCTION kid_workers.tell_window(
    pool_name text, its_number bigint, its_token uuid, OUT since bigint, OUT until bigint, OUT now bigint,
    OUT lanes integer, OUT epoch bigint, OUT type text)
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
BEGIN
    its_role := kid_workers.caller();
    SELECT n.since, n.until, floor(extract(epoch FROM clock_timestamp()) * 1000), p.lanes, p.epoch, p.type
      INTO since, until, now, lanes, epoch, type
      FROM kid_workers.numbers AS n JOIN kid_workers.pools AS p ON p.pool = n.pool
     WHERE n.pool = pool_name AND n.number = its_number AND n.token = its_token AND n.role = its_role
           AND n.xid IS DISTINCT FROM pg_current_xact_id_if_assigned();
    IF NOT FOUND THEN
        RAISE 'this window of worker number % is not committed, or not its last one', its_number
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;
COMMENT ON FUNCTION kid_workers.tell_window(text, bigint, uuid) IS
    'returns the window that an earlier transaction granted; a part of kid_lease_worker()';

-- A role locks only numbers that check_quota() counts, so it does not change one whose window has ended.
CREATE OR REPLACE FUNCTION kid.kid_forget_worker(pool text, number bigint, token uuid) RETURNS boolean
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    its_role name;
BEGIN
    its_role := kid_workers.caller();
    UPDATE kid_workers.numbers AS n SET token = NULL, holder = NULL
     WHERE n.pool = kid_forget_worker.pool AND n.number = kid_forget_worker.number
           AND n.token = kid_forget_worker.token AND n.role = its_role AND n.until > kid_workers.this_second();
    RETURN FOUND;
END $$;
COMMENT ON FUNCTION kid.kid_forget_worker(text, bigint, uuid) IS
    'gives up a worker number, and returns whether it was held; others can lease it when its window ends';

-- Worker numbers: rights, whatever the default privileges of the role are. Rights that it gave since stay.

private := 'kid_workers';
schemas := '{kid_workers}';
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace AND p.proname ~ 'worker');

-- This is a piece of a block in PL/pgSQL, which declares the variables that it names.
--
-- Takes rights from all roles but the owner: on `schemas` and `functions`, and on all that is in the schema `private`.
-- Outside `private`, other roles than PUBLIC keep what they have on `old_schemas` and `old_functions`, which were
-- there before the script ran: the owner granted it since.
FOR what IN
    WITH objects (kind, home, is_old, name, owner, acl) AS (
        SELECT 'SCHEMA', n.oid, n.oid = ANY (old_schemas), n.nspname::text, n.nspowner, n.nspacl
          FROM pg_namespace AS n WHERE n.nspname = ANY (schemas)
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relnamespace, false,
               c.oid::regclass::text, c.relowner, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = private AND c.relkind IN ('r', 'S')
        UNION ALL
        SELECT 'ROUTINE', p.pronamespace, p.oid = ANY (old_functions), p.oid::regprocedure::text, p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p WHERE p.pronamespace = private OR p.oid = ANY (functions))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> o.owner
       AND (o.home = private OR NOT o.is_old OR a.grantee = 0) LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;

GRANT EXECUTE ON FUNCTION kid.kid_workers() TO pg_read_all_stats;

-- Any role may call kid_forget_worker() and the functions that kid_lease_worker() calls, because each of them checks
-- that its caller may lease.
GRANT USAGE ON SCHEMA kid_workers TO PUBLIC;
GRANT EXECUTE ON FUNCTION kid_workers.notice_failover, kid_workers.grant_window, kid_workers.wait_again,
    kid_workers.tell_window, kid.kid_forget_worker TO PUBLIC;

GRANT USAGE ON SCHEMA kid TO PUBLIC;
COMMENT ON SCHEMA kid_workers IS 'worker numbers, and functions that kid_lease_worker() calls';

-- The end of the statement that begin.sql.in begins

PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
