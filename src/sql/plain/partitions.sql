-- Partitions by time
--
-- A table, its constraints and its triggers can run code of the owner. So these functions work only for the owner, who
-- can do all of it without them. Bounds are compared by their binary forms, which sort as the IDs do.

CREATE FUNCTION kid_partition_key(parent regclass, OUT type regtype, OUT name name)
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_range boolean;
BEGIN
    SELECT a.atttypid, a.attname, p.partstrat = 'r' AND p.partnatts = 1 AND a.attnum IS NOT NULL
      INTO type, name, is_range
      FROM pg_partitioned_table AS p
           LEFT JOIN pg_attribute AS a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = parent;
    IF NOT FOUND THEN
        RAISE '"%" is not a partitioned table', (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent)
            USING ERRCODE = 'wrong_object_type';
    ELSIF NOT is_range THEN
        RAISE 'table "%" is not partitioned by range of one column',
            (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent)
            USING ERRCODE = 'wrong_object_type';
    ELSIF type NOT IN ('kid.kid64'::regtype, 'uuid'::regtype) THEN
        RAISE 'table "%" is partitioned by column "%" of type %',
            (SELECT c.relname FROM pg_class AS c WHERE c.oid = parent), name, type
            USING ERRCODE = 'wrong_object_type', DETAIL = 'The column must be of a type for which kid makes IDs.';
    END IF;
END $$;

CREATE FUNCTION kid_bound_at(type regtype, ts timestamptz) RETURNS bytea
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE WHEN type = regtype 'uuid' THEN uuid_send(kid_uuidv7_floor(ts)) ELSE int8send(kid64_floor(ts)) END;
CREATE FUNCTION kid_bound_text(bound bytea) RETURNS text
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE WHEN length(bound) = 16 THEN encode(bound, 'hex')::uuid::text
            ELSE ('x' || encode(bound, 'hex'))::bit(64)::bigint::text END;
CREATE FUNCTION kid_bound_time(bound bytea) RETURNS timestamptz
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN CASE WHEN length(bound) = 16 THEN kid_time(kid_uuidv7_millis(encode(bound, 'hex')::uuid) * 1000)
            ELSE kid_timestamp(('x' || encode(bound, 'hex'))::bit(64)::bigint) END;

CREATE FUNCTION kid_bound_literal(bound bytea) RETURNS text
    LANGUAGE SQL STABLE PARALLEL SAFE
RETURN to_char(kid_bound_time(bound) AT TIME ZONE interval '0', '''YYYY-MM-DD HH24:MI:SS.US+00''::"timestamptz"');

-- `lower` is empty for MINVALUE, `upper` is null for MAXVALUE. Without the default partition.
CREATE FUNCTION kid_partition_bounds(parent regclass, OUT partition regclass, OUT lower bytea, OUT upper bytea,
                                     OUT detaching boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    is_uuid boolean := (SELECT k.type = 'uuid'::regtype FROM kid.kid_partition_key(parent) AS k);
BEGIN
    RETURN QUERY
    SELECT i.inhrelid::regclass,
           CASE WHEN b.text[1] = 'MINVALUE' THEN '' WHEN is_uuid THEN uuid_send(b.text[1]::uuid)
                ELSE int8send(b.text[1]::bigint) END,
           CASE WHEN b.text[2] = 'MAXVALUE' THEN NULL WHEN is_uuid THEN uuid_send(b.text[2]::uuid)
                ELSE int8send(b.text[2]::bigint) END,
           i.inhdetachpending
      FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid),
                        'FROM [(]''?([^'')]+)''?[)] TO [(]''?([^'')]+)''?[)]') AS b (text)
     WHERE i.inhparent = parent AND b.text IS NOT NULL;
END $$;
-- The condition tells the planner which times the IDs of a partition have. A lower bound made by hand can have
-- components that no ID has. Then IDs above the bound have earlier times than the bound, and there is no condition.
CREATE FUNCTION kid_partition_times(
    parent regclass, OUT partition regclass, OUT begins timestamptz, OUT ends timestamptz, OUT detaching boolean,
    OUT time_check text)
    RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT
BEGIN ATOMIC
    SELECT b.partition, CASE WHEN b.lower = bytea '' THEN timestamptz '-infinity' ELSE kid_bound_time(b.lower) END,
           coalesce(kid_bound_time(b.upper), timestamptz 'infinity'), b.detaching,
           CASE WHEN b.lower = bytea ''
                     OR kid_bound_at(k.type, kid_bound_time(b.lower) - interval '1 microsecond') <= b.lower
                THEN nullif(concat_ws(' AND ',
                    'kid.kid_timestamp(' || quote_ident(k.name) || ') >= '
                        || CASE WHEN b.lower <> bytea '' THEN kid_bound_literal(b.lower) END,
                    'kid.kid_timestamp(' || quote_ident(k.name)
                        || CASE WHEN b.upper = kid_bound_at(k.type, kid_bound_time(b.upper)) THEN ') < '
                                ELSE ') <= ' END
                        || kid_bound_literal(b.upper)), '') END
      FROM kid_partition_bounds(parent) AS b, kid_partition_key(parent) AS k
    UNION ALL
    SELECT p.partdefid::regclass, NULL, NULL, false, NULL
      FROM pg_partitioned_table AS p
     WHERE p.partrelid = parent::oid AND p.partdefid <> oid '0';
END;

COMMENT ON FUNCTION kid_partition_key(regclass) IS 'returns the column that a table is partitioned by, and its type';
COMMENT ON FUNCTION kid_bound_at(regtype, timestamptz) IS
    'returns the lowest ID of the time unit that contains an instant, as a bound';
COMMENT ON FUNCTION kid_bound_text(bytea) IS 'returns a bound as PostgreSQL reads it';
COMMENT ON FUNCTION kid_bound_time(bytea) IS 'returns when the time unit of a bound begins';
COMMENT ON FUNCTION kid_bound_literal(bytea) IS 'returns when the time unit of a bound begins, as SQL';
COMMENT ON FUNCTION kid_partition_bounds(regclass) IS 'returns the partitions of a table with their bounds';

-- Locks a table, so that other sessions wait to change its partitions but not to read or write.
CREATE FUNCTION kid_lock_parent(parent regclass) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    owner oid := (SELECT c.relowner FROM pg_class AS c WHERE c.oid = parent);
BEGIN
    IF owner <> (SELECT r.oid FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        RAISE 'must be owner of table %', parent
            USING ERRCODE = 'insufficient_privilege', HINT = format('Use SET ROLE %s.', owner::regrole);
    ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
        -- Otherwise what follows could read a state from before the lock.
        RAISE 'partitions can only be changed at READ COMMITTED' USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
END $$;
COMMENT ON FUNCTION kid_lock_parent(regclass) IS 'locks a table of the caller against other changes of its partitions';

-- PostgreSQL cannot distinguish a detach that was interrupted from one that is running. So a partition that is being
-- detached is neither completed nor dropped.
CREATE FUNCTION kid_report_detaching(parent regclass, partition regclass, is_error boolean) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    message text := format('detaching partition %s from %s is not complete', partition, parent);
    detail text := 'The partition accepts no more rows, but no other partition can take its place until it is '
                   'detached.';
    hint text := format('If no session is still detaching it, run ALTER TABLE %s DETACH PARTITION %s FINALIZE.', parent,
                        partition);
BEGIN
    IF is_error THEN
        RAISE '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
    END IF;
    RAISE WARNING '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
END $$;
COMMENT ON FUNCTION kid_report_detaching(regclass, regclass, boolean) IS
    'warns, or raises an error, because a partition is neither attached nor detached';

-- Returns an unused name, which tells when the partition begins. The width decides the format. One byte is left for the
-- name of the array type, which begins with "_".
CREATE FUNCTION kid_partition_name(parent regclass, width interval, begins timestamptz) RETURNS text
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET TimeZone = 'UTC' AS $$
DECLARE
    seconds numeric := extract(epoch FROM width);
    in_days boolean := extract(month FROM width) + extract(year FROM width) > 0 OR mod(seconds, 86400) = 0;
    suffix text := to_char(begins, CASE WHEN in_days AND begins = date_trunc('day', begins) THEN '"_p"YYYYMMDD'
                                        WHEN (in_days OR mod(seconds, 60) = 0) AND begins = date_trunc('minute', begins)
                                        THEN '"_p"YYYYMMDD_HH24MI'
                                        WHEN begins = date_trunc('second', begins) THEN '"_p"YYYYMMDD_HH24MISS'
                                        ELSE '"_p"YYYYMMDD_HH24MISSUS' END);
    base text;
    home name;
    found text;
    again integer := 0;
BEGIN
    SELECT c.relname, n.nspname INTO base, home
      FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.oid = parent;
    LOOP
        found := base || suffix || CASE WHEN again > 0 THEN '_' || again ELSE '' END;
        IF octet_length(found) >= current_setting('max_identifier_length')::integer THEN
            base := left(base, -1);
        ELSIF to_regclass(format('%I.%I', home, found)) IS NULL
              AND to_regtype(format('%I.%I', home, found)) IS NULL THEN
            RETURN format('%I.%I', home, found);
        ELSE
            again := again + 1;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_partition_name(regclass, interval, timestamptz) IS
    'returns a name for the partition that begins at a time, which no relation and no type has';

CREATE FUNCTION kid_create_partitions(
    parent regclass, width interval, until timestamptz, since timestamptz DEFAULT NULL, at_most integer DEFAULT 100)
    RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC'
    AS $$
DECLARE
    months integer := extract(year FROM width) * 12 + extract(month FROM width);
    seconds numeric := extract(epoch FROM width - make_interval(months => months));
    key record;
    present bytea;
    reach bytea;
    first bytea;                    -- the first bound from which a partition may be missing
    start timestamptz;              -- when the period of that bound begins
    rest regclass;                  -- the default partition
    storage text;
    piece record;
    reported regclass;
    caught boolean;
    partition text;
    left_out timestamptz[] := '{}';
    made integer := 0;
BEGIN
    IF num_nulls(parent, width, until) > 0 THEN
        RAISE 'arguments of kid_create_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT (months > 0 AND seconds = 0 OR months = 0 AND seconds >= 1 AND seconds = trunc(seconds)) THEN
        RAISE 'width of a partition cannot be "%"', width
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = 'A width must be whole months or years, or whole seconds, minutes, hours, days or weeks: '
                           'at least 1 second.';
    ELSIF NOT isfinite(until) OR NOT isfinite(since) THEN
        RAISE 'partitions cannot be created % an infinite time', CASE WHEN isfinite(until) THEN 'since' ELSE 'until' END
            USING ERRCODE = 'invalid_parameter_value';
    ELSIF at_most < 1 THEN
        RAISE 'at_most must be greater than 0' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM kid.kid_partition_key(parent);
    PERFORM kid.kid_lock_parent(parent);
    SELECT k.type, k.name INTO key FROM kid.kid_partition_key(parent) AS k;

    -- If the first partition begins at or before the present, all holes after it are filled. Otherwise the present
    -- period is the first.
    present := kid.kid_bound_at(key.type, now());
    reach := present;
    start := greatest(since, '1970-01-01 00:00:00+00');
    IF since IS NULL THEN
        FOR piece IN SELECT b.lower, b.upper FROM kid.kid_partition_bounds(parent) AS b
                      WHERE NOT b.detaching ORDER BY b.lower LOOP
            EXIT WHEN piece.lower > reach;
            IF piece.upper IS NULL THEN
                RETURN;
            END IF;
            first := piece.upper;
            reach := piece.upper;
        END LOOP;
        start := coalesce(kid.kid_bound_time(first), now());
    END IF;
    -- Months are counted from a January, all other widths from Monday 2001-01-01.
    IF months > 0 THEN
        start := date_trunc('month', start);
        start := start - make_interval(
            months => mod((extract(year FROM start) * 12 + extract(month FROM start) - 1)::integer, months));
    ELSE
        start := date_bin(make_interval(secs => seconds), start, '2001-01-01 00:00:00+00');
    END IF;
    first := coalesce(first, kid.kid_bound_at(key.type, start));
    IF extract(epoch FROM until - start) / extract(epoch FROM width) > 10000 THEN
        RAISE 'more than 10000 partitions of % would be created', parent
            USING ERRCODE = 'program_limit_exceeded',
                  DETAIL = format('That is from %s until %s, each of "%s".', start, until, width);
    END IF;

    SELECT nullif(p.partdefid, 0),
           concat(' USING ' || quote_ident(m.amname), ' TABLESPACE ' || quote_ident(t.spcname)) INTO rest, storage
      FROM pg_class AS c JOIN pg_partitioned_table AS p ON p.partrelid = c.oid
           LEFT JOIN pg_am AS m ON m.oid = c.relam LEFT JOIN pg_tablespace AS t ON t.oid = c.reltablespace
     WHERE c.oid = parent;
    IF (SELECT c.relowner FROM pg_class AS c WHERE c.oid = rest)
       <> (SELECT c.relowner FROM pg_class AS c WHERE c.oid = parent) THEN
        RAISE 'must be owner of table %', rest USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- The points where a period begins, or where a partition begins or ends, cut time into pieces. In each a partition
    -- takes rows, or is missing, or is being detached. If a bound is in the time unit in which a period begins, it
    -- stands for that. Pieces for new rows come first, because at_most may end the call.
    FOR piece IN
        WITH partitions AS (SELECT * FROM kid.kid_partition_bounds(parent)),
             bounds AS (SELECT lower AS id FROM partitions UNION SELECT upper FROM partitions WHERE upper IS NOT NULL),
             periods AS (SELECT kid.kid_bound_at(key.type, p.begins) AS id, p.begins
                           FROM generate_series(start, until + width, width) AS p (begins)),
             points AS (SELECT id, NULL::timestamptz AS begins FROM bounds
                        UNION ALL
                        SELECT p.id, p.begins FROM periods AS p
                         WHERE p.id IN (SELECT b.id FROM bounds AS b)
                            OR kid.kid_bound_time(p.id) NOT IN (SELECT kid.kid_bound_time(b.id)
                                                                  FROM bounds AS b WHERE b.id <> '')),
             pieces AS (SELECT id AS lower, lead(id) OVER (ORDER BY id) AS upper, min(begins) AS begins
                          FROM points GROUP BY id)
        SELECT coalesce(x.begins, kid.kid_bound_time(x.lower)) AS begins, kid.kid_bound_text(x.lower) AS lower,
               kid.kid_bound_text(x.upper) AS upper, p.partition AS detaching,
               x.upper IS NULL OR x.upper = kid.kid_bound_at(key.type, 'infinity') AS is_beyond_range,
               bool_or(coalesce(x.upper > present, true)) OVER (PARTITION BY p.partition) AS is_for_new_rows
          FROM pieces AS x LEFT JOIN partitions AS p ON p.lower <= x.lower AND (p.upper > x.lower OR p.upper IS NULL)
         WHERE x.lower >= first AND x.lower <= kid.kid_bound_at(key.type, until - interval '1 microsecond')
           AND (p.partition IS NULL OR p.detaching)
         ORDER BY coalesce(x.upper > present, true) DESC, x.lower
    LOOP
        IF piece.detaching IS NOT NULL THEN
            -- An error if new rows would find no partition.
            IF piece.detaching IS DISTINCT FROM reported THEN
                PERFORM kid.kid_report_detaching(parent, piece.detaching, piece.is_for_new_rows);
                reported := piece.detaching;
            END IF;
            CONTINUE;
        ELSIF piece.is_beyond_range THEN
            RAISE 'timestamp out of range for type %', key.type
                USING ERRCODE = 'datetime_field_overflow',
                      DETAIL = format('A partition from %s on cannot be as wide as "%s".', piece.begins, width);
        ELSIF rest IS NOT NULL THEN
            EXECUTE format('SELECT EXISTS (SELECT FROM %1$s WHERE %2$I OPERATOR(pg_catalog.>=) %3$L::%5$s '
                           'AND %2$I OPERATOR(pg_catalog.<) %4$L::%5$s)', rest, key.name, piece.lower, piece.upper,
                           CASE WHEN key.type = 'uuid'::regtype THEN 'pg_catalog.uuid' ELSE 'pg_catalog.int8' END)
                INTO caught;
            IF caught THEN
                left_out := left_out || piece.begins;
                CONTINUE;
            END IF;
        END IF;
        IF made = at_most THEN
            RAISE NOTICE 'more partitions of % are missing', parent USING HINT = 'The next call creates them.';
            EXIT;
        END IF;
        -- CREATE TABLE ... PARTITION OF would lock out readers and writers of the parent.
        partition := kid.kid_partition_name(parent, width, piece.begins);
        EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED '
                       'INCLUDING STORAGE INCLUDING COMPRESSION)%s', partition, parent, storage);
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, partition,
                       piece.lower, piece.upper);
        RETURN NEXT partition;
        made := made + 1;
    END LOOP;
    IF left_out <> '{}' THEN
        RAISE WARNING 'rows in default partition % keep partitions of % from being created', rest, parent
            USING ERRCODE = 'object_not_in_prerequisite_state',
                  DETAIL = format('Partitions not created: %s, the first from %s on.', cardinality(left_out),
                                  (SELECT min(l.begins) FROM unnest(left_out) AS l (begins))),
                  HINT = 'Detach the default partition, create the partitions, insert its rows into the parent, and '
                         'attach it again when it is empty.';
    END IF;
END $$;

CREATE FUNCTION kid_drop_partitions(
    parent regclass, older_than timestamptz, dry_run boolean DEFAULT true, at_most integer DEFAULT 100)
    RETURNS SETOF text
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC'
    AS $$
DECLARE
    type regtype;
    dropped record;
    count integer := 0;
BEGIN
    IF num_nulls(parent, older_than, dry_run) > 0 THEN
        RAISE 'arguments of kid_drop_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT isfinite(older_than) THEN
        RAISE 'partitions older than an infinite time cannot be dropped' USING ERRCODE = 'invalid_parameter_value';
    ELSIF at_most < 1 THEN
        RAISE 'at_most must be greater than 0' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    PERFORM kid.kid_partition_key(parent);
    IF NOT dry_run THEN
        PERFORM kid.kid_lock_parent(parent);
    END IF;
    type := (SELECT k.type FROM kid.kid_partition_key(parent) AS k);
    FOR dropped IN
        SELECT b.partition, format('%I.%I', n.nspname, c.relname) AS name, b.detaching,
               CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind
          FROM kid.kid_partition_bounds(parent) AS b
               JOIN pg_class AS c ON c.oid = b.partition JOIN pg_namespace AS n ON n.oid = c.relnamespace
         WHERE b.upper <= kid.kid_bound_at(type, older_than)
         ORDER BY b.lower
    LOOP
        IF dropped.detaching THEN
            PERFORM kid.kid_report_detaching(parent, dropped.partition, false);
            CONTINUE;
        ELSIF count = at_most THEN
            RAISE NOTICE 'more partitions of % are older than %', parent, older_than
                USING HINT = 'The next call drops them.';
            EXIT;
        ELSIF NOT dry_run THEN
            -- A partition cannot be dropped if foreign keys refer to the parent. DETACH checks that they refer to no
            -- row of the partition.
            EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, dropped.name);
            EXECUTE format('DROP %s %s', dropped.kind, dropped.name);
        END IF;
        RETURN NEXT dropped.name;
        count := count + 1;
    END LOOP;
END $$;
