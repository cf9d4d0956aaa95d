-- Worker numbers: time, and which database and timeline grants windows

CREATE FUNCTION kid_workers.this_second() RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN floor(extract(epoch FROM clock_timestamp()))::bigint * 1000;
COMMENT ON FUNCTION kid_workers.this_second() IS
    'returns when the present second of the system clock began, in milliseconds since 1970';

-- Returns "cluster.database.table", during recovery, too.
CREATE FUNCTION kid_workers.database_identity() RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    RETURN (SELECT concat(s.system_identifier, '.', d.oid, '.', 'kid_workers.numbers'::regclass::oid)
              FROM pg_control_system() AS s, pg_database AS d WHERE d.datname = current_database());
END $$;
COMMENT ON FUNCTION kid_workers.database_identity() IS
    'returns the cluster, the database and the table, which differ from those of a copy';

-- Returns "cluster.database.table/timeline". The control file lags behind a promotion until the next checkpoint, so the
-- timeline is that of the WAL that is written now.
CREATE FUNCTION kid_workers.history() RETURNS text
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
CREATE FUNCTION kid_workers.quarantine(max_ttl integer, margin integer) RETURNS bigint
    LANGUAGE SQL IMMUTABLE
RETURN (2 * max_ttl + margin) * 1000::bigint;
COMMENT ON FUNCTION kid_workers.quarantine(integer, integer) IS
    'returns after how many milliseconds all windows have ended that another server granted, by a clock that differs '
    'by at most the margin';

-- Postpones all numbers of a pool, because windows may be missing here, and notes that this database grants from now
-- on. The caller has locked the row of the pool.
CREATE FUNCTION kid_workers.postpone(pool_name text, now_history text) RETURNS void
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
