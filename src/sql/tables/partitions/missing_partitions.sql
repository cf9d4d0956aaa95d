-- The partitions that a table lacks: the gaps between its partitions, cut where periods begin
--
--     partitions                 [ A )           [ B )
--     gaps          ------------)     [---------)     [-------------------- ...
--     gaps to fill                    [---------)     [-------------------- ...
--     pieces                          [--)[---)[)     [-)[---)[---)[---)
--                                                                 ^ until
--
-- If the first partition begins at or before the present, all gaps after it are filled. Otherwise, or with `since`, all
-- gaps are filled from the period of the present, or of `since`, on. Months are counted from a January, all other
-- widths from Monday 2001-01-01.
--
-- A partition of no IDs is one whose upper bound is below all IDs, for negative numbers: see partition_bounds.sql.
--
-- A gap is cut into pieces where a period begins: at the lowest ID of that instant, or at the bound of the gap if that
-- is in the same time unit. Periods that begin in one time unit, which has up to 1,024 seconds, make one piece. Pieces
-- for new rows come first, because at_most may end the call.

CREATE FUNCTION @extschema@.kid_period(width interval, OUT months integer, OUT seconds numeric)
    LANGUAGE SQL IMMUTABLE
BEGIN ATOMIC
    -- From 17 on a width can be infinite.
    SELECT m.months, extract(epoch FROM width - make_interval(months => m.months))
      FROM (SELECT CASE WHEN isfinite(width)
                        THEN (extract(year FROM width) * 12 + extract(month FROM width))::integer END) AS m (months);
END;
COMMENT ON FUNCTION @extschema@.kid_period(interval) IS
    'returns the months of a width, and its seconds without them, or NULL if it is infinite';

-- Returns the time from which on gaps are filled. `follows` is true if that is the end of a partition, the first one of
-- IDs, and only gaps that begin there or later are filled. Otherwise it is `since` or the present, also within a gap.
CREATE FUNCTION @extschema@.kid_partition_origin(
    parent regclass, ids text, type regtype, since timestamptz, OUT begins timestamptz, OUT follows boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT coalesce(max(p.ends), since, now()), max(p.ends) IS NOT NULL
      FROM (SELECT b.* FROM @extschema@.kid_partition_bounds(parent, ids) AS b
             WHERE NOT b.detaching AND b.upper IS DISTINCT FROM '' ORDER BY b.lower LIMIT 1) AS p
     WHERE since IS NULL AND p.lower <= @extschema@.kid_bound_at(type, now());
END;
COMMENT ON FUNCTION @extschema@.kid_partition_origin(regclass, text, regtype, timestamptz) IS
    'returns the time from which on partitions are wanted, and whether a partition ends there';

-- Returns the gaps to fill, as bounds and times, and when the first period in each begins. The last gap has no upper
-- bound. date_trunc() and extract() are those of UTC, because the caller sets the time zone.
CREATE FUNCTION @extschema@.kid_partition_gaps(
    parent regclass, ids text, type regtype, width interval, since timestamptz)
    RETURNS TABLE (lower name, begins timestamptz, upper name, ends timestamptz, first timestamptz)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- The line "gaps" of the diagram: from each partition to the next one, also if nothing is between them. A partition
    -- of no IDs comes first, so that there is a gap before the others.
    WITH gaps AS (SELECT p.upper AS lower, p.ends AS begins, lead(p.lower) OVER sorted AS upper,
                         coalesce(lead(p.begins) OVER sorted, 'infinity') AS ends
                    FROM (SELECT b.lower, b.upper, b.begins, b.ends
                            FROM @extschema@.kid_partition_bounds(parent, ids) AS b
                          UNION ALL SELECT '', '', '-infinity', '-infinity') AS p
                  WINDOW sorted AS (ORDER BY p.lower, p.ends))
    SELECT g.*, CASE WHEN w.months = 0 THEN date_bin(width, t, '2001-01-01 00:00:00+00')
                     ELSE date_trunc('month', t) - make_interval(months => mod(
                         (extract(year FROM t) * 12 + extract(month FROM t) - 1)::integer, w.months))
                END
      FROM @extschema@.kid_partition_origin(parent, ids, type, since) AS o, gaps AS g,
           @extschema@.kid_period(width) AS w,
           @extschema@.kid_bound_at(type, '-infinity'::timestamptz) AS least_id,
           greatest(g.begins, o.begins, @extschema@.kid_bound_time(type, least_id)) AS t
     -- Nothing comes after a partition to MAXVALUE.
     WHERE g.lower IS NOT NULL AND g.lower IS DISTINCT FROM g.upper AND (g.begins >= o.begins OR NOT o.follows);
END;
COMMENT ON FUNCTION @extschema@.kid_partition_gaps(regclass, text, regtype, interval, timestamptz) IS
    'returns the gaps between the partitions of a table that are to be filled';

-- Returns the partitions that are missing, those for new rows first. `lower` and `upper` are their bounds, `begins` is
-- when the period of a partition begins, or its gap if that is later, and `n` is their order.
--
-- If there would be more than about 10000 of them, returns only the first of each gap, with `are_too_many`, and
-- kid_make_partitions() raises an error for that: counting what would be made takes less time than making its bounds.
-- `is_beyond_range` is true of a partition that would end after the last time of the type, for which that function
-- raises an error as well. The time zone is that of kid_partition_gaps().
CREATE FUNCTION @extschema@.kid_missing_partitions(
    parent regclass, ids text, type regtype, width interval, until timestamptz, since timestamptz)
    RETURNS TABLE (n bigint, begins timestamptz, lower name, upper name, are_too_many boolean, is_beyond_range boolean)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    -- The line "gaps to fill" of the diagram, without gaps whose first period begins after `until`. All of these rows
    -- have the same `are_too_many`: whether they have more than 10000 periods together.
    WITH counted AS (SELECT g.*, sum((extract(epoch FROM least(g.ends, until)) - extract(epoch FROM g.first))
                                     / extract(epoch FROM width)) OVER () > 10000 AS are_too_many
                       FROM @extschema@.kid_partition_gaps(parent, ids, type, width, since) AS g
                      WHERE g.first <= least(g.ends, until)),
         -- Where the pieces of the diagram begin: a row for each time unit in which a period begins. Beyond `until` one
         -- more unit ends the last piece. The longest unit is that of a kid96 with the greatest neighborhood, 1024 s.
         -- For months, and a gap that begins on January 10 and ends on February 20, the rows are:
         --
         --     t            unit         id                          lower               begins
         --     January 1    January 1    the lowest of January 1     that of the gap     January 10
         --     February 1   February 1   the lowest of February 1    the same as id      February 1
         cuts AS (SELECT CASE WHEN unit <= c.begins THEN c.lower ELSE id END AS lower, c.upper, c.are_too_many,
                         coalesce(min(t) FILTER (WHERE unit > c.begins OR id = c.lower), c.begins) AS begins
                    FROM counted AS c,
                         generate_series(c.first, CASE WHEN c.are_too_many THEN c.first
                                                       ELSE least(c.ends, until + width + interval '1024 s') END,
                                         width) AS t,
                         @extschema@.kid_bound_at(type, t) AS id, @extschema@.kid_bound_time(type, id) AS unit
                   WHERE unit < c.ends OR unit <= c.begins
                   GROUP BY 1, c.upper, c.begins, c.are_too_many),
         -- The line "pieces" of the diagram, and pieces that begin at `until` or later
         pieces AS (SELECT c.begins, c.lower, c.are_too_many,
                           coalesce(lead(c.lower) OVER (PARTITION BY c.upper ORDER BY c.lower), c.upper) AS upper
                      FROM cuts AS c)
    SELECT row_number() OVER (ORDER BY coalesce(p.upper > @extschema@.kid_bound_at(type, now()), true) DESC, p.lower),
           p.begins, p.lower, p.upper, p.are_too_many,
           p.upper IS NULL OR p.upper = @extschema@.kid_bound_at(type, 'infinity'::timestamptz)
      FROM pieces AS p
     WHERE p.lower <= @extschema@.kid_bound_at(type, until - interval '1 microsecond');
END;
COMMENT ON FUNCTION @extschema@.kid_missing_partitions(regclass, text, regtype, interval, timestamptz, timestamptz) IS
    'returns the partitions that a table lacks until a time, those for new rows first';

-- Returns an unused name, which says when the partition begins, after `skipped` other unused ones: several partitions
-- can begin in one time unit, but one call of kid_create_partitions() creates at most 10000. For example,
-- parts_p20240101 is a partition of parts; if that name is used, the next one is parts_p20240101_1.
--
-- The width decides which zeros at the end of the digits are omitted. If the name of the table is too long, it is cut,
-- by the cast to type name, which cuts where a character ends. One byte is left for the "_" that the name of the array
-- type begins with. The time zone is that of kid_partition_gaps().
CREATE FUNCTION @extschema@.kid_partition_name(
    parent regclass, width interval, begins timestamptz, skipped bigint) RETURNS text
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    SELECT n.partition
      FROM pg_class AS c, @extschema@.kid_period(width) AS w,
           regexp_replace(to_char(begins, 'YYYYMMDD_HH24MISSUS'),
                          CASE WHEN mod(w.seconds, 86400) = 0 THEN '(_0{12}|0{8}|0{6})$'
                               WHEN mod(w.seconds, 60) = 0 THEN '(0{8}|0{6})$' ELSE '0{6}$' END, '') AS digits,
           -- In FROM, PostgreSQL would store all rows of generate_series() before it reads the first. In the list of a
           -- SELECT it makes one row at a time, until the LIMIT is reached.
           (SELECT generate_series(0, 2147483647)) AS a (again),
           concat('_p', digits, '_' || nullif(a.again, 0)) AS suffix,
           concat(substr(('_' || suffix || c.relname)::name, length(suffix) + 2), suffix) AS n (partition),
           format('%s.%I', c.relnamespace::regnamespace, n.partition) AS full_name
     WHERE c.oid = parent AND to_regclass(full_name) IS NULL AND to_regtype(full_name) IS NULL
    OFFSET least(skipped, 10000) LIMIT 1;
END;
COMMENT ON FUNCTION @extschema@.kid_partition_name(regclass, interval, timestamptz, bigint) IS
    'returns an unused name for the partition of a table that begins at a time';
