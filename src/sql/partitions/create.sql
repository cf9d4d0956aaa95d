CREATE FUNCTION kid_create_partitions(parent regclass, width interval, until timestamptz, since timestamptz DEFAULT NULL,
                                      at_most integer DEFAULT 100) RETURNS SETOF text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    months int := extract(year FROM width) * 12 + extract(month FROM width); -- null where that is infinite
    remainder interval := width - make_interval(months => months);
    id_type regtype;
    present bytea;
    reach bytea;
    first bytea;    -- where the first hole may be
    reported regclass;
    start timestamptz;
    piece record;
    key name;
    rest regclass;  -- the default partition
    home regnamespace; -- of the operators of a type, which is that of the type
    storage text;   -- where and how the parent keeps its rows, if it says so
    condition text; -- of rows that belong to a partition
    rows bigint;    -- of them in the default partition, 0 or 1
    run text := format('SELECT %s.kid_run_as_owner($1, $2)', kid);
    left_out timestamptz[] := '{}';
    made int := 0;
    partition text;
BEGIN
    IF num_nulls(parent, width, until) > 0 THEN
        RAISE EXCEPTION 'arguments of kid_create_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT coalesce(CASE WHEN months = 0 THEN extract(epoch FROM remainder) >= 1 AND mod(extract(epoch FROM remainder), 1) = 0
                            ELSE months > 0 AND extract(day FROM remainder) = 0 AND extract(epoch FROM remainder) = 0 END, false) THEN
        RAISE EXCEPTION 'width of a partition cannot be "%"', width
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = 'A width is a number of months or years, or of seconds to weeks; at least 1 second, and whole seconds.';
    ELSIF NOT isfinite(until) THEN
        RAISE EXCEPTION 'partitions cannot be created until %', until USING ERRCODE = 'invalid_parameter_value';
    ELSIF NOT isfinite(since) THEN
        RAISE EXCEPTION 'partitions cannot be created since %', since USING ERRCODE = 'invalid_parameter_value';
    ELSIF at_most < 1 THEN
        RAISE EXCEPTION 'at_most must be greater than 0' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- That never changes. All else is read under a lock: who else adds partitions waits; readers and writers do not.
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    EXECUTE format('SELECT %s.kid_bound_setting($1)', kid) USING id_type;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    EXECUTE format('SELECT %s.kid_check_snapshot($1)', kid) USING parent;

    -- From the first partition on, where that has begun, all holes are filled; otherwise from the period that is now. Unless it is said
    -- since when: no ID is before the least one.
    EXECUTE format('SELECT %s.kid_bound($1, now())', kid) INTO present USING id_type;
    reach := present;
    IF since IS NOT NULL THEN
        EXECUTE format($query$ SELECT greatest($1, %1$s.kid_bound_time($2, %1$s.kid_bound($2, '-infinity'))) $query$, kid) INTO start USING since, id_type;
    ELSE
        FOR piece IN EXECUTE format('SELECT lower, upper FROM %s.kid_partition_bounds($1) WHERE NOT detaching ORDER BY lower', kid) USING parent LOOP
            EXIT WHEN piece.lower > reach;
            IF piece.upper IS NULL THEN
                RETURN;
            END IF;
            first := piece.upper;
            reach := piece.upper;
        END LOOP;
        EXECUTE format('SELECT coalesce(%s.kid_bound_time($1, $2), now())', kid) INTO start USING id_type, first;
    END IF;

    -- Periods are counted from a month of January, or from the Monday that began the millennium.
    IF months > 0 THEN
        start := date_trunc('month', start);
        start := start - make_interval(months => mod((extract(year FROM start) * 12 + extract(month FROM start) - 1)::int, months));
    ELSE
        start := date_bin(width, start, '2001-01-01');
    END IF;
    IF first IS NULL THEN
        EXECUTE format('SELECT %s.kid_bound($1, $2)', kid) INTO first USING id_type, start;
    END IF;
    IF extract(epoch FROM until - start) / extract(epoch FROM width) > 10000 THEN
        RAISE EXCEPTION 'more than 10000 partitions of % would be created', parent
            USING ERRCODE = 'program_limit_exceeded',
                  DETAIL = format('That is from %s until %s, each of "%s".', start, until, width);
    END IF;

    -- Where a period begins and where a partition begins or ends: between two such points either a partition is, or it is missing,
    -- or its place is taken by one that is detaching. A bound that somebody made in the time unit in which a period begins is as good
    -- as its own.
    -- Bounds of a kid96 are no closer than its neighborhood, at most 1024 s. What new rows need comes first.
    SELECT a.attname, nullif(p.partdefid, 0), ty.typnamespace,
           concat(' USING ' || quote_ident(am.amname), ' TABLESPACE ' || quote_ident(t.spcname))
      INTO key, rest, home, storage
      FROM pg_class c JOIN pg_partitioned_table p ON p.partrelid = c.oid JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = p.partattrs[0]
           JOIN pg_type ty ON ty.oid = a.atttypid LEFT JOIN pg_am am ON am.oid = c.relam LEFT JOIN pg_tablespace t ON t.oid = c.reltablespace
     WHERE c.oid = parent;
    FOR piece IN EXECUTE format(
        $query$
        WITH partitions AS (SELECT * FROM %1$s.kid_partition_bounds($1)),
             bounds AS (SELECT lower AS id FROM partitions UNION SELECT upper FROM partitions WHERE upper IS NOT NULL),
             points AS (SELECT id, NULL::timestamptz AS begins FROM bounds
                        UNION ALL
                        SELECT id, begins
                          FROM generate_series($2, $3 + $4 + interval '1024 seconds', $4) AS begins, %1$s.kid_bound($7, begins) AS id
                         WHERE id IN (SELECT id FROM bounds)
                            OR %1$s.kid_bound_time($7, id) NOT IN (SELECT %1$s.kid_bound_time($7, id) FROM bounds WHERE id <> '')),
             pieces AS (SELECT id AS lower, lead(id) OVER (ORDER BY id) AS upper, min(begins) AS begins FROM points GROUP BY id)
        SELECT coalesce(begins, %1$s.kid_bound_time($7, pieces.lower)) AS begins,
               %1$s.kid_bound_text($7, pieces.lower) AS lower, %1$s.kid_bound_text($7, pieces.upper) AS upper,
               pieces.upper IS NULL OR pieces.upper = %1$s.kid_bound($7, 'infinity') AS is_beyond_range,
               p.partition AS detaching, bool_or(coalesce(pieces.upper > $6, true)) OVER (PARTITION BY p.partition) AS is_for_new_rows
          FROM pieces LEFT JOIN partitions p ON p.lower <= pieces.lower AND (p.upper > pieces.lower OR p.upper IS NULL)
         WHERE pieces.lower >= $5 AND pieces.lower <= %1$s.kid_bound($7, $3 - interval '1 microsecond')
           AND (p.partition IS NULL OR p.detaching)
         ORDER BY coalesce(pieces.upper > $6, true) DESC, pieces.lower
        $query$, kid) USING parent, start, until, width, first, present, id_type
    LOOP
        IF piece.detaching IS NOT NULL THEN
            -- An error where new rows would find no partition. Where only old ones would, the new ones shall have theirs.
            IF piece.detaching IS DISTINCT FROM reported THEN
                EXECUTE format('SELECT %s.kid_report_detaching($1, $2, $3)', kid) USING parent, piece.detaching, piece.is_for_new_rows;
                reported := piece.detaching;
            END IF;
            CONTINUE;
        ELSIF piece.is_beyond_range THEN
            RAISE EXCEPTION 'timestamp out of range for type %', id_type
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('A partition from %s on cannot be as wide as "%s".', piece.begins, width);
        END IF;
        condition := format('%1$I OPERATOR(%2$s.>=) %3$L::%5$s AND %1$I OPERATOR(%2$s.<) %4$L::%5$s', key, home, piece.lower, piece.upper, id_type);
        IF rest IS NOT NULL THEN
            EXECUTE run INTO rows USING parent, format('SELECT FROM %s WHERE %s LIMIT 1', rest, condition);
            IF rows > 0 THEN
                left_out := left_out || piece.begins;
                CONTINUE;
            END IF;
        END IF;
        IF made = at_most THEN
            RAISE NOTICE 'more partitions of % are missing', parent USING HINT = 'The next call creates them.';
            EXIT;
        END IF;
        EXECUTE format('SELECT %s.kid_partition_name($1, $2, $3)', kid) INTO partition USING parent, width, piece.begins;
        -- CREATE TABLE ... PARTITION OF would lock out readers and writers of the parent, ATTACH does not.
        EXECUTE run USING parent, format(
            'CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE INCLUDING COMPRESSION)%s',
            partition, parent, storage);
        EXECUTE run USING parent, format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)',
                                         parent, partition, piece.lower, piece.upper);
        RETURN NEXT partition;
        made := made + 1;
    END LOOP;
    IF left_out <> '{}' THEN
        RAISE WARNING 'rows in default partition % keep partitions of % from being created', rest, parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Left out: %s, the first from %s on.', cardinality(left_out), (SELECT min(begins) FROM unnest(left_out) AS begins)),
                  HINT = 'Detach the default partition, create the partitions, insert its rows into the parent, and attach it again when it is empty.';
    END IF;
END $$;

COMMENT ON FUNCTION kid_create_partitions(regclass, interval, timestamptz, timestamptz, integer) IS
    'creates the missing partitions of a table until a time, and returns their names; width: months or years, or seconds to weeks';
