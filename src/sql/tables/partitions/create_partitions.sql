-- kid_create_partitions(): creates the partitions that a table lacks, for both editions
--
--     kid_create_partitions()         checks its arguments
--       kid_period()                  missing_partitions.sql: the width as months and seconds
--       kid_lock_partitions()         lock_partitions.sql: refuses other tables, and a snapshot that may be old
--         kid_lock_parent()           lock_partitions.sql: refuses other roles, and locks the table
--       kid_partition_key()           partition_key.sql: returns the column
--         kid_key_ids()               partition_key.sql: and the IDs that it contains
--           kid_default_ids()         stored_ids/default_ids.sql: what the default of a bigint says
--       kid_check_partition_setting() lock_partitions.sql: refuses if the times of IDs are not known
--       kid_partition_origin()        missing_partitions.sql: from when on partitions are wanted
--       kid_partition_bounds()        partition_bounds.sql: what there is
--       kid_report_detaching()        lock_partitions.sql: refuses or warns if a partition is being detached
--       kid_missing_partitions()      missing_partitions.sql: what to create
--         kid_partition_gaps()        missing_partitions.sql: where nothing is; calls kid_partition_origin() and
--                                     kid_partition_bounds() again
--       kid_partition_name()          missing_partitions.sql
--       kid_make_partitions()         make_partitions.sql: creates and attaches the tables
--       kid_time_check()              partition_bounds.sql: the condition of the constraint
--       kid_finish_partition()        finish_partition.sql: rights, properties and constraint of each table
--
-- kid_bound_at() and kid_bound_time() of forms.sql turn times into bounds and back, for each type, kid_bound_of()
-- and kid_stored_bound() what the catalog has for a bound, and kid_stored_forms() lists the types. kid_refuse(),
-- kid_refuse_null() and kid_check_isolation() of common.sql raise errors. ATTACH PARTITION locks the default partition.

CREATE FUNCTION @extschema@.kid_create_partitions(
    parent regclass, width interval, until timestamptz, since timestamptz DEFAULT NULL, at_most integer DEFAULT 100,
    time_check boolean DEFAULT false, ids text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE SQL VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse_null('parent') WHERE parent IS NULL;
    SELECT @extschema@.kid_refuse_null('width') WHERE width IS NULL;
    SELECT @extschema@.kid_refuse_null('until') WHERE until IS NULL;
    SELECT @extschema@.kid_refuse_null('time_check') WHERE time_check IS NULL;
    SELECT @extschema@.kid_refuse(
               '22023', format('width of a partition cannot be "%s"', width),
               'A width must be whole months or years, or whole seconds, minutes, hours, days or weeks: at least 1 '
               'second and at most 292,000 years.')
      FROM @extschema@.kid_period(width) AS w
     WHERE (w.months > 0 AND w.seconds = 0
            OR w.months = 0 AND w.seconds BETWEEN 1 AND 9223372036854 AND w.seconds = trunc(w.seconds)) IS NOT TRUE;
    SELECT @extschema@.kid_refuse('22023', 'partitions cannot be created until or since an infinite time')
     WHERE NOT (isfinite(until) AND isfinite(coalesce(since, until)));
    SELECT @extschema@.kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
    SELECT @extschema@.kid_lock_partitions(parent, ids);
    SELECT @extschema@.kid_check_partition_setting(k.setting) FROM @extschema@.kid_partition_key(parent, ids) AS k;
    SELECT @extschema@.kid_refuse('42501', format('must be owner of table %s', d.oid::regclass))
      FROM pg_partitioned_table AS p JOIN pg_class AS d ON d.oid = p.partdefid
     WHERE p.partrelid = parent AND pg_get_userbyid(d.relowner) <> current_user;
    -- First those for which there could be new rows.
    SELECT @extschema@.kid_report_detaching(parent, b.partition, b.ends > now())
      FROM @extschema@.kid_partition_key(parent, ids) AS k,
           @extschema@.kid_partition_origin(parent, ids, k.type, since) AS o,
           @extschema@.kid_partition_bounds(parent, ids) AS b
     WHERE b.detaching AND b.begins < until AND b.ends > o.begins
     ORDER BY b.ends > now() DESC, b.lower;
    -- Each of these queries reads what the one before it returns, which is what keeps them in this order: first the
    -- tables, then what completes them.
    WITH key AS MATERIALIZED (
        SELECT k.* FROM @extschema@.kid_partition_key(parent, ids) AS k
    ), pieces AS MATERIALIZED (
        SELECT m.*, @extschema@.kid_partition_name(
                   parent, width, m.begins, row_number() OVER (PARTITION BY m.begins ORDER BY m.n) - 1) AS partition
          FROM key AS k, @extschema@.kid_missing_partitions(parent, ids, k.type, width, until, since) AS m
    ), made AS MATERIALIZED (
        SELECT m.n, m.partition
          FROM key AS k JOIN pg_type AS t ON t.oid = k.type::oid, @extschema@.kid_make_partitions(
                   parent, k.stored_as, k.name,
                   CASE WHEN k.type = 'bigint'::regtype THEN 'kid53' ELSE concat('type ', t.typname) END,
                   width, at_most, (
                   SELECT jsonb_agg(to_jsonb(p) || jsonb_build_object(
                                        'lower', @extschema@.kid_stored_bound(k.type, k.stored_as, p.lower),
                                        'upper', @extschema@.kid_stored_bound(k.type, k.stored_as, p.upper)))
                     FROM pieces AS p)) AS m
    ), finished AS MATERIALIZED (
        SELECT p.n, m.partition, @extschema@.kid_finish_partition(
                   parent, m.partition, k.type, CASE WHEN time_check THEN c.name END,
                   @extschema@.kid_time_check(k.type, k.time_of, k.setting, p.lower, p.upper))
          FROM key AS k, made AS m JOIN pieces AS p ON p.n = m.n,
               -- A name that no constraint of the table has: kid_time, or kid_time_1 and so on. concat() skips a null.
               -- The + binds more tightly than the ||.
               (SELECT concat('kid_time', '_' || max(coalesce(substring(o.conname, '[0-9]+'), '0')::numeric) + 1)::name
                  FROM pg_constraint AS o WHERE o.conrelid = parent AND o.conname ~ '^kid_time(_[0-9]+|)$') AS c (name)
    )
    SELECT f.partition::text FROM finished AS f ORDER BY f.n;
END;
COMMENT ON FUNCTION
    @extschema@.kid_create_partitions(regclass, interval, timestamptz, timestamptz, integer, boolean, text) IS
    'creates the missing partitions of a table until a time, and returns their names';
