-- The bounds of partitions, as times and as a condition on the time

-- Returns all partitions but the default one. A bound is as in forms.sql, but empty for what is below all IDs:
-- MINVALUE, or a negative number. `upper` is null for MAXVALUE.
CREATE FUNCTION @extschema@.kid_partition_bounds(parent regclass, ids text)
    RETURNS TABLE (partition regclass, lower name, upper name, begins timestamptz, ends timestamptz, detaching boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- pg_get_expr() returns a text such as FOR VALUES FROM ('-5') TO ('100') or FOR VALUES FROM (MINVALUE) TO ('100').
    -- The regular expression takes both bounds out of it, without quotes, and matches no default partition.
    SELECT i.inhrelid::regclass, b.lower, b.upper,
           CASE WHEN b.lower = '' THEN '-infinity' ELSE @extschema@.kid_bound_time(k.type, b.lower) END,
           CASE WHEN b.upper = '' THEN '-infinity'
                ELSE coalesce(@extschema@.kid_bound_time(k.type, b.upper), 'infinity') END, i.inhdetachpending
      FROM @extschema@.kid_partition_key(parent, ids) AS k,
           pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid,
           regexp_match(pg_get_expr(c.relpartbound, c.oid),
                        'FROM [(]''*([^'')]+)''*[)] TO [(]''*([^'')]+)''*[)]') AS t (text),
           LATERAL (SELECT CASE WHEN t.text[1] ~ '^(MINVALUE|-[0-9]+)$' THEN ''
                                ELSE @extschema@.kid_bound_of(k.type, k.stored_as, t.text[1]) END,
                           CASE WHEN t.text[2] ~ '^-[0-9]+$' THEN ''
                                WHEN t.text[2] <> 'MAXVALUE'
                                THEN @extschema@.kid_bound_of(k.type, k.stored_as, t.text[2]) END)
                   AS b (lower, upper)
     WHERE i.inhparent = parent AND t.text IS NOT NULL;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_bounds(regclass, text) IS
    'returns the partitions of a table with their bounds and times';

-- Returns for example kid.kid_timestamp(id) >= '2021-01-01 00:00:00+00'::timestamptz AND kid.kid_timestamp(id) < ...
--
-- `time_of` is the call that returns the time of an ID, as SQL. Returns null if the time depends on a setting. A lower
-- bound made by hand can have components that no ID has. Then IDs above the bound have earlier times than the bound,
-- and the result is null, too.
CREATE FUNCTION @extschema@.kid_time_check(type regtype, time_of text, setting text, lower name, upper name)
    RETURNS text
    LANGUAGE SQL STABLE SET TimeZone = 'UTC' SET DateStyle = 'ISO' SET quote_all_identifiers = off
BEGIN ATOMIC
    SELECT nullif(concat_ws(
               ' AND ',
               CASE WHEN t.begins IS NOT NULL THEN format('%s >= %L::timestamptz', time_of, t.begins) END,
               CASE WHEN t.ends IS NOT NULL
                    THEN format('%s %s %L::timestamptz', time_of,
                                CASE WHEN upper = @extschema@.kid_bound_at(type, t.ends) THEN '<' ELSE '<=' END,
                                t.ends) END), '')
      FROM (SELECT @extschema@.kid_bound_time(type, nullif(lower, '')),
                   @extschema@.kid_bound_time(type, nullif(upper, '')))
           AS t (begins, ends)
     WHERE setting IS NULL
           AND (lower = '' OR @extschema@.kid_bound_at(type, t.begins - interval '1 microsecond') <= lower);
END;
COMMENT ON FUNCTION @extschema@.kid_time_check(regtype, text, text, name, name) IS
    'returns the condition on the time of the IDs between two bounds, as SQL';
