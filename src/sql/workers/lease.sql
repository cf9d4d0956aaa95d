-- Worker numbers: kid_lease_worker() grants a window, and returns it
--
-- It commits, which PostgreSQL allows only to a procedure that runs with the rights of its caller and sets nothing. So
-- each step is a function that runs as its owner, and checks that its caller may call the procedure. In the procedure
-- itself names mean what the caller's search_path says. It has no operator, and only names with a schema.

CREATE PROCEDURE @extschema@.kid_lease_worker(
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
COMMENT ON PROCEDURE @extschema@.kid_lease_worker(
    text, bigint, uuid, bigint, bigint, bigint, integer, bigint, text, integer, text) IS
    'leases a worker number for the times at or after "since" and before "until", in milliseconds since 1970; with the '
    'number and token of the last reply, it leases the next window of that number if it can';

-- The procedure is found when this script runs, whatever its schema is called later.
CREATE FUNCTION kid_workers.lease_procedure() RETURNS regprocedure
    LANGUAGE SQL IMMUTABLE
RETURN ('@extschema@.kid_lease_worker(text,bigint,uuid,bigint,bigint,bigint,integer,bigint,text,integer,text)'
        )::regprocedure;
COMMENT ON FUNCTION kid_workers.lease_procedure() IS 'returns kid_lease_worker()';

-- Returns the role that leases, and raises an error if it may not. In a function that runs as its owner, the setting
-- "role" still has the role that the session chose by SET ROLE.
--
-- But ANALYZE, autovacuum and the like run functions in indexes and materialized views, with the rights of the owner of
-- the table and not of the session. That is a security-restricted operation, in which UNLISTEN is an error. Otherwise
-- it does nothing, because no session listens to this channel.
CREATE FUNCTION kid_workers.caller() RETURNS name
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
CREATE FUNCTION kid_workers.wait_for_standbys() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('synchronous_commit', 'on', true), set_config('client_min_messages', 'warning', true);
END $$;
COMMENT ON FUNCTION kid_workers.wait_for_standbys() IS
    'lets the commit of this transaction wait for synchronous standbys, and warn if that is canceled';

-- Postpones all numbers of a pool if the timeline is another one, and returns whether. That has to be committed before
-- a window is granted, whether or not a number is free then. Otherwise each call that fails would take the postponement
-- back, and the next one would begin it anew.
CREATE FUNCTION kid_workers.notice_failover(pool_name text) RETURNS boolean
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
CREATE FUNCTION kid_workers.leasing_pool(pool_name text, ttl integer) RETURNS kid_workers.pools
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
CREATE FUNCTION kid_workers.lock_own(
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
CREATE FUNCTION kid_workers.is_running(id xid) RETURNS boolean
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
CREATE FUNCTION kid_workers.is_unfinished(marked_by xid) RETURNS boolean
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
CREATE FUNCTION kid_workers.check_quota(pool kid_workers.pools, its_role name, renewed bigint) RETURNS void
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
CREATE FUNCTION kid_workers.lock_free(
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
CREATE FUNCTION kid_workers.grant_window(
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
CREATE FUNCTION kid_workers.wait_again(pool_name text, its_number bigint) RETURNS boolean
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
CREATE FUNCTION kid_workers.tell_window(
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
CREATE FUNCTION @extschema@.kid_forget_worker(pool text, number bigint, token uuid) RETURNS boolean
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
COMMENT ON FUNCTION @extschema@.kid_forget_worker(text, bigint, uuid) IS
    'gives up a worker number, and returns whether it was held; others can lease it when its window ends';
