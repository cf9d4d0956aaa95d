-- kid_horizon(table) and kid_track_holders(), for both editions

-- Returns a row for each lock, and before them one without a transaction, for what the sequence allows.
--
-- `last` is the last value of the sequence, read before the locks are, or null if there is none. A key has only the
-- last bits of a floor, as source.sql.in says. They tell the floor, because it is near that of `last`: below it, or, if
-- the transaction has begun since, above it. `behind` says by how much it is below: of the 2^40 numbers from -2^32 on,
-- it is the one that fits these bits. A transaction that has begun since does not hold the horizon back.
--
-- pg_lock_status() shows the key of an advisory lock as classid, bits 63 to 32, and objid, bits 31 to 0. objsubid is 1
-- if the key is one bigint.
CREATE FUNCTION @extschema@.kid_track_locks(tab regclass, shift integer, problem text, hint text, last bigint)
    RETURNS TABLE (horizon bigint, pid integer, virtualtransaction text)
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    -- How many bits of a key are those of the floor, and how many above them are those of the table's OID
    floor_bits CONSTANT integer := 40;
    table_bits CONSTANT integer := 23;
    most_above CONSTANT bigint := bigint '1' << 32;
    last_floor bigint;
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE 'table % has no horizon on a standby', tab
            USING ERRCODE = 'read_only_sql_transaction',
                  DETAIL = 'A standby does not know which transactions are open.';
    ELSIF NOT has_any_column_privilege(tab, 'SELECT') THEN
        RAISE 'permission denied for table %', tab USING ERRCODE = 'insufficient_privilege';
    ELSIF problem IS NOT NULL THEN
        RAISE 'table % is not tracked: %', tab, problem
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = hint;
    END IF;
    last := coalesce(last, -1);
    last_floor := last >> shift;
    horizon := last + 1;
    RETURN NEXT;
    -- In FROM, as in the view pg_locks, PostgreSQL would store all rows of pg_lock_status() before it reads the first.
    -- In the list of a SELECT it reads one row at a time.
    RETURN QUERY
    SELECT ((last_floor - d.behind) << shift) + 1, d.pid, d.virtualtransaction
      FROM (SELECT ((last_floor - k.key + most_above) & ((bigint '1' << floor_bits) - 1)) - most_above AS behind,
                   (l).pid, (l).virtualtransaction
              FROM (SELECT pg_lock_status() AS l OFFSET 0) AS locks,
                   LATERAL (SELECT (l).classid::bigint << 32 | (l).objid::bigint) AS k (key)
             WHERE (l).objsubid = 1 AND k.key >> floor_bits = (tab::oid::bigint & ((bigint '1' << table_bits) - 1))
                   AND (l).locktype = 'advisory' AND (l).mode = 'ShareLock' AND (l).granted
                   AND (l).database = (SELECT d.oid FROM pg_database AS d WHERE d.datname = current_database())) AS d;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_locks(regclass, integer, text, text, bigint) IS
    'returns the locks of open transactions on the floors of a table, and the horizon that each allows';

-- A procedure cannot stand in the query that reads the rows, whose snapshot would be older.
CREATE PROCEDURE @extschema@.kid_horizon(tab regclass, INOUT horizon bigint DEFAULT NULL)
    LANGUAGE SQL
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT @extschema@.kid_check_isolation('a horizon of a table can only be read at READ COMMITTED');
    -- The last value is an argument, so it is read before the locks.
    SELECT min(l.horizon)
      FROM @extschema@.kid_track_column(tab::oid) AS c,
           LATERAL @extschema@.kid_track_source(tab::oid, c.attname) AS s,
           LATERAL @extschema@.kid_track_problem(tab::oid, true, s.attname, s.seq, s.shift, c.args) AS why,
           LATERAL @extschema@.kid_track_locks(
               tab, s.shift, why.problem, why.hint, @extschema@.kid_track_last(tab::oid, s.attname::text, s.seq)) AS l;
END;
COMMENT ON PROCEDURE @extschema@.kid_horizon(tab regclass, INOUT horizon bigint) IS
    'returns the horizon of a tracked table: later statements in `READ COMMITTED` see all rows with lower IDs';

CREATE FUNCTION @extschema@.kid_track_holders(
    tab regclass, OUT horizon bigint, OUT pid integer, OUT gid text, OUT usename name, OUT application_name text,
    OUT since timestamptz)
    RETURNS SETOF record
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('tab') WHERE tab IS NULL;
    SELECT @extschema@.kid_check_isolation('a horizon of a table can only be read at READ COMMITTED');
    SELECT l.horizon, l.pid, p.gid, coalesce(a.usename, p.owner), a.application_name, coalesce(a.xact_start, p.prepared)
      FROM @extschema@.kid_track_column(tab::oid) AS c,
           LATERAL @extschema@.kid_track_source(tab::oid, c.attname) AS s,
           LATERAL @extschema@.kid_track_problem(tab::oid, true, s.attname, s.seq, s.shift, c.args) AS why,
           LATERAL @extschema@.kid_track_locks(
               tab, s.shift, why.problem, why.hint, @extschema@.kid_track_last(tab::oid, s.attname::text, s.seq)) AS l
           LEFT JOIN pg_stat_activity AS a ON a.pid = l.pid
           LEFT JOIN pg_locks AS x ON l.pid IS NULL AND x.pid IS NULL AND x.virtualtransaction = l.virtualtransaction
                                      AND x.locktype = text 'transactionid' AND x.mode = text 'ExclusiveLock'
           LEFT JOIN pg_prepared_xacts AS p ON p.transaction = x.transactionid
     WHERE l.virtualtransaction IS NOT NULL
     ORDER BY 1;
END;
COMMENT ON FUNCTION @extschema@.kid_track_holders(tab regclass) IS
    'lists the running and prepared transactions that hold back `kid_horizon(table)`, and the horizon that each allows';
