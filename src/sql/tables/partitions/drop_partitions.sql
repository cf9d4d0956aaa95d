-- kid_drop_partitions(): drops the partitions of a table that are old, for both editions

-- Takes partitions whose detaching has not begun, as an array of the rows below. `doubt` says why the times of IDs may
-- be wrong, so that the partitions of today would seem to be old. It is null if they cannot be wrong. If `has_numbers`
-- is true, the partition is for keys that a sequence made, whose times nobody knows.
CREATE FUNCTION @extschema@.kid_drop_old_partitions(
    parent regclass, older_than timestamptz, dry_run boolean, at_most integer, doubt text, partitions jsonb)
    RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    dropped record;
    count integer := 0;
BEGIN
    FOR dropped IN
        SELECT p.*, p.partition::regclass::text AS name FROM jsonb_to_recordset(partitions) AS p (
            lower text, partition oid, is_foreign boolean, is_old boolean, has_numbers boolean, others_stay boolean)
         ORDER BY p.lower COLLATE "C"
    LOOP
        IF doubt IS NOT NULL AND NOT dropped.others_stay THEN
            RAISE 'no partition of % would remain for new rows', parent
                USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = doubt,
                      HINT = 'If the times are right, create partitions for new rows first, or drop the old ones by '
                             'name.';
        ELSIF dropped.is_old IS NOT TRUE THEN
            CONTINUE;
        ELSIF dropped.has_numbers THEN
            RAISE WARNING 'partition % of % may have keys of a sequence, and is not dropped', dropped.name, parent
                USING DETAIL = 'Such keys are small numbers, which as IDs would be older than all others.',
                      HINT = format('If its rows are old, run ALTER TABLE %s DETACH PARTITION %s; DROP TABLE %2$s.',
                                    parent, dropped.name);
            CONTINUE;
        ELSIF count = at_most THEN
            RAISE NOTICE 'more partitions of % are older than %', parent, older_than
                USING HINT = 'The next call drops them.';
            EXIT;
        END IF;
        IF NOT dry_run THEN
            -- A partition cannot be dropped if foreign keys refer to the parent. DETACH checks that they refer to no
            -- row of the partition.
            EXECUTE format('ALTER TABLE %s DETACH PARTITION %s; DROP %s %2$s', parent, dropped.name,
                           CASE WHEN dropped.is_foreign THEN 'FOREIGN TABLE' ELSE 'TABLE' END);
            IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = dropped.partition) THEN
                RAISE 'table % was renamed while its partitions were to be changed', dropped.name
                    USING ERRCODE = 'object_not_in_prerequisite_state';
            END IF;
        END IF;
        RETURN NEXT dropped.name;
        count := count + 1;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.kid_drop_old_partitions(regclass, timestamptz, boolean, integer, text, jsonb) IS
    'drops those of the given partitions that are old, and returns their names';

CREATE FUNCTION @extschema@.kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean DEFAULT true, at_most integer DEFAULT 100,
    ids text DEFAULT NULL)
    RETURNS SETOF text
    LANGUAGE SQL VOLATILE
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' SET jit = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse('22004', 'arguments of kid_drop_partitions must not be null')
     WHERE num_nulls(parent, older_than, dry_run) > 0;
    SELECT @extschema@.kid_refuse('22023', 'partitions older than an infinite time cannot be dropped')
     WHERE NOT isfinite(older_than);
    SELECT @extschema@.kid_refuse('22023', 'at_most must be greater than 0') WHERE at_most < 1;
    SELECT @extschema@.kid_lock_partitions(parent, ids) WHERE NOT dry_run;
    SELECT @extschema@.kid_check_partition_setting(k.setting) FROM @extschema@.kid_partition_key(parent, ids) AS k;
    -- A sequence makes numbers below 10^13, which as IDs are of the first 30 days of the type. A partition that begins
    -- there, and ends in the first year, is for such numbers, however new its rows are.
    WITH key AS MATERIALIZED (
        SELECT k.*, @extschema@.kid_bound_of(k.type, 'bigint'::regtype, '10000000000000'::text)
               AS above_numbers,
               @extschema@.kid_bound_time(k.type, @extschema@.kid_bound_at(k.type, '-infinity'::timestamptz))
               + interval '1 year' AS first_year_ends
          FROM @extschema@.kid_partition_key(parent, ids) AS k
    ), partitions AS MATERIALIZED (
        SELECT b.lower, b.partition::oid, b.detaching, c.relkind = 'f' AS is_foreign,
               b.upper > @extschema@.kid_bound_at(k.type, '-infinity'::timestamptz)
               AND b.upper <= @extschema@.kid_bound_at(k.type, older_than) AS is_old,
               b.lower < k.above_numbers AND b.ends <= k.first_year_ends AS has_numbers,
               bool_or(b.ends > greatest(now(), older_than)) OVER () AS others_stay
          FROM key AS k, @extschema@.kid_partition_bounds(parent, ids) AS b JOIN pg_class AS c ON c.oid = b.partition
    ), reported AS MATERIALIZED (
        -- kid_report_detaching() is STRICT: PostgreSQL does not call it for a null, and nothing is reported.
        SELECT p.*, @extschema@.kid_report_detaching(
                   parent, CASE WHEN p.detaching AND p.is_old THEN p.partition END, false)
          FROM partitions AS p
    )
    SELECT d.name
      FROM key AS k, @extschema@.kid_drop_old_partitions(
               parent, older_than, dry_run, at_most,
               CASE WHEN k.setting IS NOT NULL
                    THEN format('The value of "%s" may not be the one with which the IDs of the table were made.',
                                k.setting)
                    WHEN k.stored_as = 'bigint'::regtype
                    THEN format('The numbers of column "%s" may be other IDs than those of %s.', k.name,
                                CASE WHEN k.type = k.stored_as THEN 'kid53'
                                     ELSE (SELECT t.typname FROM pg_type AS t WHERE t.oid = k.type::oid) END) END,
               (SELECT jsonb_agg(to_jsonb(r)) FROM reported AS r WHERE NOT r.detaching)) AS d (name);
END;
COMMENT ON FUNCTION @extschema@.kid_drop_partitions(regclass, timestamptz, boolean, integer, text) IS
    'drops the partitions whose IDs are all older than a time, unless dry_run is true, and returns their names';
