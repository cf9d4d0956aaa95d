
-- Partitions by time
--
-- An ID orders as its binary form does, so bounds are compared as bytea: one query serves all types. An extension that can be
-- moved to another schema finds its own by the catalog, and nothing else by a search_path that somebody chose.

CREATE FUNCTION kid_partition_key(parent regclass) RETURNS regtype
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    key record;
BEGIN
    SELECT p.partstrat = 'r' AND p.partnatts = 1 AND a.attnum IS NOT NULL AS is_range_of_column, a.attname AS name, a.atttypid AS type
      INTO key
      FROM pg_partitioned_table p LEFT JOIN pg_attribute a ON a.attrelid = p.partrelid AND a.attnum = p.partattrs[0]
     WHERE p.partrelid = parent;
    IF NOT FOUND THEN
        RAISE EXCEPTION '% is not a partitioned table', parent USING ERRCODE = 'wrong_object_type';
    ELSIF NOT key.is_range_of_column THEN
        RAISE EXCEPTION '% is not partitioned by range of one column', parent USING ERRCODE = 'wrong_object_type';
    ELSIF NOT EXISTS (SELECT FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                       WHERE d.classid = 'pg_type'::regclass AND d.objid = key.type AND d.deptype = 'e' AND e.extname = 'kid') THEN
        RAISE EXCEPTION '% is partitioned by column "%" of type %', parent, key.name, key.type::regtype
            USING ERRCODE = 'wrong_object_type', DETAIL = 'The column must be of a type of the extension kid.';
    END IF;
    RETURN key.type;
END $$;

-- Lower is the empty string, below all IDs, for MINVALUE; upper is null for MAXVALUE. The default partition is left out.
-- One that DETACH ... CONCURRENTLY is at, or was broken off at, is detaching: no row goes to it, but its bounds are taken.
CREATE FUNCTION kid_partitions(parent regclass, OUT partition regclass, OUT lower bytea, OUT upper bytea, OUT detaching boolean)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    id_type regtype;
BEGIN
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    RETURN QUERY EXECUTE format(
        $query$
        SELECT c.oid::regclass,
               CASE WHEN b.bounds[1] = 'MINVALUE' THEN '' ELSE b.bounds[1]::%1$s::bytea END,
               CASE WHEN b.bounds[2] <> 'MAXVALUE' THEN b.bounds[2]::%1$s::bytea END,
               i.inhdetachpending
          FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
               regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM [(]''?([^'')]+)''?[)] TO [(]''?([^'')]+)''?[)]') AS b (bounds)
         WHERE i.inhparent = $1 AND b.bounds IS NOT NULL
        $query$, id_type) USING parent;
END $$;

-- PostgreSQL cannot tell a detach that was broken off from one that goes on, so it is not for us to complete it, and less to
-- drop what somebody detaches to keep.
CREATE FUNCTION kid_report_detaching(parent regclass, partition regclass, fails boolean) RETURNS void
    LANGUAGE plpgsql STRICT SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    message text := format('detaching partition %s from %s is not complete', partition, parent);
    detail text := 'It takes no more rows, but until then no other partition can take its place.';
    hint text := format('Unless that is still going on, complete it with ALTER TABLE %s DETACH PARTITION %s FINALIZE.', parent, partition);
BEGIN
    IF fails THEN
        RAISE EXCEPTION '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
    END IF;
    RAISE WARNING '%', message USING ERRCODE = 'object_not_in_prerequisite_state', DETAIL = detail, HINT = hint;
END $$;

-- DDL works on the newest state of the catalog, and SQL sees that of the snapshot. Under a lock on the parent they differ where a
-- transaction at REPEATABLE READ or above began before others changed its partitions, or itself: error 40001.
CREATE FUNCTION kid_check_snapshot(parent regclass) RETURNS void
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

CREATE FUNCTION kid_create_partitions(parent regclass, width interval, until timestamptz) RETURNS SETOF text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    months int := extract(year FROM width) * 12 + extract(month FROM width);
    rest interval := width - make_interval(months => months);
    id_type regtype;
    present bytea;
    reach bytea;
    first bytea;    -- where the first hole may be
    reported regclass;
    start timestamptz;
    piece record;
    base text;
    schema name;
    owner regrole;
    suffix text;
    again int;
    name text;
    partition text;
BEGIN
    IF num_nulls(parent, width, until) > 0 THEN
        RAISE EXCEPTION 'arguments of kid_create_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT coalesce(CASE WHEN months = 0 THEN extract(epoch FROM rest) >= 1 AND mod(extract(epoch FROM rest), 1) = 0
                            ELSE months > 0 AND extract(day FROM rest) = 0 AND extract(epoch FROM rest) = 0 END, false) THEN
        RAISE EXCEPTION 'width of a partition cannot be "%"', width
            USING ERRCODE = 'invalid_parameter_value',
                  DETAIL = 'A width is a number of months or years, or of seconds to weeks; at least 1 second, and whole seconds.';
    ELSIF NOT isfinite(until) THEN
        RAISE EXCEPTION 'partitions cannot be created until %', until USING ERRCODE = 'invalid_parameter_value';
    END IF;
    -- That never changes. All else is read under a lock: who else adds partitions waits; readers and writers do not.
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
    EXECUTE format('SELECT %s.kid_check_snapshot($1)', kid) USING parent;

    -- From the first partition on, where that has begun, all holes are filled; otherwise from the period that is now.
    EXECUTE format('SELECT %s_floor(now())::bytea', id_type) INTO present;
    reach := present;
    FOR piece IN EXECUTE format('SELECT lower, upper FROM %s.kid_partitions($1) WHERE NOT detaching ORDER BY lower', kid) USING parent LOOP
        EXIT WHEN piece.lower > reach;
        IF piece.upper IS NULL THEN
            RETURN;
        END IF;
        first := piece.upper;
        reach := piece.upper;
    END LOOP;
    EXECUTE format('SELECT coalesce(%s.kid_timestamp($1::%s), now())', kid, id_type) INTO start USING first;

    -- Periods are counted from a month of January, or from the Monday that began the millennium.
    IF months > 0 THEN
        start := date_trunc('month', start);
        start := start - make_interval(months => mod((extract(year FROM start) * 12 + extract(month FROM start) - 1)::int, months));
    ELSE
        start := date_bin(width, start, '2001-01-01');
    END IF;
    IF first IS NULL THEN
        EXECUTE format('SELECT %s_floor($1)::bytea', id_type) INTO first USING start;
    END IF;
    IF extract(epoch FROM until - start) / extract(epoch FROM width) > 10000 THEN
        RAISE EXCEPTION 'more than 10000 partitions of % would be created', parent
            USING ERRCODE = 'program_limit_exceeded',
                  DETAIL = format('That is from %s until %s, each of "%s".', start, until, width);
    END IF;

    -- Where a period begins and where a partition begins or ends: between two such points either a partition is, or it is missing,
    -- or its place is taken by one that is detaching.
    -- Bounds of a kid96 are no closer than its neighborhood, at most 1024 s.
    FOR piece IN EXECUTE format(
        $query$
        WITH partitions AS (SELECT * FROM %1$s.kid_partitions($1)),
             points AS (SELECT %2$s_floor(begins)::bytea AS id, begins
                          FROM generate_series($2, $3 + $4 + interval '1024 seconds', $4) AS begins
                        UNION ALL SELECT lower, NULL FROM partitions
                        UNION ALL SELECT upper, NULL FROM partitions WHERE upper IS NOT NULL),
             pieces AS (SELECT id AS lower, lead(id) OVER (ORDER BY id) AS upper, min(begins) AS begins FROM points GROUP BY id)
        SELECT coalesce(begins, %1$s.kid_timestamp(pieces.lower::%2$s)) AS begins, pieces.lower::%2$s::text, pieces.upper::%2$s::text,
               pieces.upper IS NULL OR pieces.upper = %2$s_floor('infinity')::bytea AS is_beyond_range,
               p.partition AS detaching, bool_or(coalesce(pieces.upper > $6, true)) OVER (PARTITION BY p.partition) AS is_for_new_rows
          FROM pieces LEFT JOIN partitions p ON p.lower <= pieces.lower AND (p.upper > pieces.lower OR p.upper IS NULL)
         WHERE pieces.lower >= $5 AND pieces.lower <= %2$s_ceil($3 - interval '1 microsecond')::bytea
           AND (p.partition IS NULL OR p.detaching)
         ORDER BY pieces.lower
        $query$, kid, id_type) USING parent, start, until, width, first, present
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
        SELECT c.relname, n.nspname, c.relowner::regrole INTO base, schema, owner
          FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = parent;
        suffix := to_char(piece.begins, CASE piece.begins
                                        WHEN date_trunc('day', piece.begins) THEN '"_p"YYYYMMDD'
                                        WHEN date_trunc('minute', piece.begins) THEN '"_p"YYYYMMDD_HH24MI'
                                        WHEN date_trunc('second', piece.begins) THEN '"_p"YYYYMMDD_HH24MISS'
                                        ELSE '"_p"YYYYMMDD_HH24MISSUS' END);
        -- A partition that was detached keeps its name.
        again := 0;
        LOOP
            name := base || suffix || CASE WHEN again > 0 THEN '_' || again ELSE '' END;
            EXIT WHEN octet_length(name) <= current_setting('max_identifier_length')::int
                  AND to_regclass(format('%I.%I', schema, name)) IS NULL;
            IF octet_length(name) > current_setting('max_identifier_length')::int THEN
                base := left(base, -1);
            ELSE
                again := again + 1;
            END IF;
        END LOOP;
        partition := format('%I.%I', schema, name);
        -- CREATE TABLE ... PARTITION OF would lock out readers and writers of the parent, ATTACH does not.
        EXECUTE format('CREATE TABLE %s (LIKE %s INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING GENERATED INCLUDING STORAGE INCLUDING COMPRESSION)',
                       partition, parent);
        IF owner <> quote_ident(current_user)::regrole THEN
            EXECUTE format('ALTER TABLE %s OWNER TO %s', partition, owner);
        END IF;
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES FROM (%L) TO (%L)', parent, partition, piece.lower, piece.upper);
        RETURN NEXT partition;
    END LOOP;
END $$;

CREATE FUNCTION kid_drop_partitions(parent regclass, older_than timestamptz, dry_run boolean DEFAULT true) RETURNS SETOF text
    LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET TimeZone = 'UTC' AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    id_type regtype;
    dropped record;
BEGIN
    IF num_nulls(parent, older_than, dry_run) > 0 THEN
        RAISE EXCEPTION 'arguments of kid_drop_partitions must not be null' USING ERRCODE = 'null_value_not_allowed';
    ELSIF NOT isfinite(older_than) THEN
        RAISE EXCEPTION 'partitions older than % cannot be dropped', older_than USING ERRCODE = 'invalid_parameter_value';
    END IF;
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    IF NOT dry_run THEN
        EXECUTE format('LOCK TABLE ONLY %s IN SHARE UPDATE EXCLUSIVE MODE', parent);
        EXECUTE format('SELECT %s.kid_check_snapshot($1)', kid) USING parent;
    END IF;
    FOR dropped IN EXECUTE format(
        $query$
        SELECT p.partition, p.partition::text AS name, p.detaching, CASE c.relkind WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END AS kind
          FROM %s.kid_partitions($1) AS p JOIN pg_class c ON c.oid = p.partition
         WHERE p.upper <= %s_floor($2)::bytea
         ORDER BY p.lower
        $query$, kid, id_type) USING parent, older_than
    LOOP
        IF dropped.detaching THEN
            EXECUTE format('SELECT %s.kid_report_detaching($1, $2, false)', kid) USING parent, dropped.partition;
            CONTINUE;
        ELSIF NOT dry_run THEN
            -- Foreign keys that refer to the parent let no partition be dropped. Detaching it checks that no row is referred to.
            EXECUTE format('ALTER TABLE %s DETACH PARTITION %s', parent, dropped.name);
            EXECUTE format('DROP %s %s', dropped.kind, dropped.name);
        END IF;
        RETURN NEXT dropped.name;
    END LOOP;
END $$;

COMMENT ON FUNCTION kid_partition_key(regclass) IS
    'type of the ID that a table is partitioned by; an error where it is not by range of one';
COMMENT ON FUNCTION kid_partitions(regclass) IS
    'partitions with their bounds, as binary forms of IDs, and whether they take no more rows as they are being detached; lower is empty for MINVALUE, upper null for MAXVALUE; without the default partition';
COMMENT ON FUNCTION kid_report_detaching(regclass, regclass, boolean) IS
    'warns, or fails, because a partition is neither attached nor detached';
COMMENT ON FUNCTION kid_check_snapshot(regclass) IS
    'an error where the transaction sees an older state of a table or its partitions than DDL works on';
COMMENT ON FUNCTION kid_create_partitions(regclass, interval, timestamptz) IS
    'creates the partitions, named for the UTC time they begin, that are missing until a time, from the first existing one or from now; returns their names; width: months or years, or seconds to weeks';
COMMENT ON FUNCTION kid_drop_partitions(regclass, timestamptz, boolean) IS
    'drops the partitions all of whose IDs are older than a time, unless dry_run; returns their names';
