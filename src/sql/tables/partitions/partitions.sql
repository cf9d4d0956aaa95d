-- kid_partitions(): lists the partitions of a table, for both editions

-- For a partition that is itself partitioned, adds up its partitions. Keeps no lock, because there may be many of them.
CREATE FUNCTION @extschema@.kid_partitions(parent regclass, ids text DEFAULT NULL)
    RETURNS TABLE (partition regclass, begins timestamptz, ends timestamptz, rows bigint, bytes bigint,
                   detaching boolean, missing_check text)
    LANGUAGE SQL STABLE
    SET TimeZone = 'UTC' SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    -- An error even if there are no partitions
    SELECT @extschema@.kid_partition_key(parent, ids);
    WITH RECURSIVE
         below AS (SELECT i.inhrelid AS partition, i.inhrelid AS oid FROM pg_inherits AS i WHERE i.inhparent = parent
                   UNION ALL
                   SELECT b.partition, i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid),
         sums AS (SELECT b.partition, sum(pg_total_relation_size(c.oid)) AS bytes,
                         sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples ELSE pg_stat_get_live_tuples(c.oid) END)
                             FILTER (WHERE c.relkind <> 'p') AS rows
                    FROM below AS b JOIN pg_class AS c ON c.oid = b.oid GROUP BY b.partition),
         listed AS (SELECT b.partition, b.begins, b.ends, b.detaching,
                           @extschema@.kid_time_check(k.type, k.time_of, k.setting, b.lower, b.upper) AS time_check
                      FROM @extschema@.kid_partition_key(parent, ids) AS k,
                           @extschema@.kid_partition_bounds(parent, ids) AS b
                    UNION ALL
                    SELECT p.partdefid::regclass, NULL, NULL, false, NULL
                      FROM pg_partitioned_table AS p WHERE p.partrelid = parent AND p.partdefid <> 0)
    SELECT t.partition, t.begins, t.ends, coalesce(s.rows, 0)::bigint, s.bytes::bigint, t.detaching,
           CASE WHEN NOT EXISTS (SELECT FROM pg_constraint AS c
                                  WHERE c.conrelid = t.partition AND c.contype = 'c' AND c.convalidated
                                    AND c.coninhcount = 0 AND c.conname ~ '^kid_time(_[0-9]+|)$')
                THEN t.time_check END
      FROM listed AS t LEFT JOIN sums AS s ON s.partition = t.partition
     ORDER BY t.begins;
END;
COMMENT ON FUNCTION @extschema@.kid_partitions(regclass, text) IS
    'lists the partitions of a table, the earliest first, with their times, estimated rows and bytes on disk';
