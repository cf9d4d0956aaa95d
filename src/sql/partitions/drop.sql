CREATE FUNCTION kid_drop_partitions(parent regclass, older_than timestamptz, dry_run boolean DEFAULT true,
                                    at_most integer DEFAULT 100) RETURNS SETOF text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    run text := format('SELECT %s.kid_run_as_owner($1, $2)', kid);
    id_type regtype;
    setting text;
    present boolean;
    dropped record;
    count int := 0;
BEGIN
    IF num_nulls(parent, older_than, dry_run) > 0 THEN
        RAISE EXCEPTION 'arguments of kid_drop_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT isfinite(older_than) THEN
        RAISE EXCEPTION 'partitions older than % cannot be dropped', older_than USING ERRCODE = 'invalid_parameter_value';
    ELSIF at_most < 1 THEN
        RAISE EXCEPTION 'at_most must be greater than 0' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    EXECUTE format('SELECT %s.kid_bound_setting($1)', kid) INTO setting USING id_type;
    IF NOT dry_run THEN
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
        EXECUTE format('SELECT %s.kid_check_snapshot($1)', kid) USING parent;
    END IF;
    -- With another value of the setting than the one that made the IDs, rows of today may seem to be years old.
    IF setting IS NOT NULL THEN
        EXECUTE format('SELECT EXISTS (SELECT FROM %1$s.kid_partition_bounds($1) WHERE upper IS NULL OR upper > greatest(%1$s.kid_bound($2, now()), %1$s.kid_bound($2, $3)))', kid)
           INTO present USING parent, id_type, older_than;
        IF NOT present THEN
            RAISE EXCEPTION 'no partition of % that would stay is for new rows', parent
                USING ERRCODE = 'object_not_in_prerequisite_state',
                      DETAIL = format('So "%s" may not have the value here that made the IDs of the table.', setting),
                      HINT = format('Check "%s". If it is right, create partitions for new rows first, or drop the old ones by name.', setting);
        END IF;
    END IF;
    FOR dropped IN EXECUTE format(
        $query$
        SELECT p.partition, p.partition::text AS name, p.detaching, CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind
          FROM %1$s.kid_partition_bounds($1) AS p JOIN pg_class c ON c.oid = p.partition
         WHERE p.upper <= %1$s.kid_bound($2, $3)
         ORDER BY p.lower
        $query$, kid) USING parent, id_type, older_than
    LOOP
        IF dropped.detaching THEN
            EXECUTE format('SELECT %s.kid_report_detaching($1, $2, false)', kid) USING parent, dropped.partition;
            CONTINUE;
        ELSIF count = at_most THEN
            RAISE NOTICE 'more partitions of % are older than %', parent, older_than USING HINT = 'The next call drops them.';
            EXIT;
        ELSIF NOT dry_run THEN
            -- Foreign keys that refer to the parent let no partition be dropped. Detaching it checks that no row is referred to.
            EXECUTE run USING parent, format('ALTER TABLE %s DETACH PARTITION %s', parent, dropped.name);
            EXECUTE run USING dropped.partition, format('DROP %s %s', dropped.kind, dropped.name);
        END IF;
        RETURN NEXT dropped.name;
        count := count + 1;
    END LOOP;
END $$;

COMMENT ON FUNCTION kid_drop_partitions(regclass, timestamptz, boolean, integer) IS
    'drops the partitions all of whose IDs are older than a time, unless dry_run; at most so many in one call, the oldest first, null for any number; returns their names';
