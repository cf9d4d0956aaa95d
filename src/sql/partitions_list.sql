-- The list of partitions, and what both editions say about partitions
--
-- kid_partitions() is bound when it is created, as kid_check() is. Its functions and operators match exactly.

-- For a partition that is itself partitioned, adds up its partitions. Keeps no lock, because there may be many of them.
CREATE FUNCTION kid_partitions(
    parent regclass, OUT partition regclass, OUT begins timestamptz, OUT ends timestamptz, OUT rows bigint,
    OUT bytes bigint, OUT detaching boolean, OUT missing_check text)
    RETURNS SETOF record
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
         below AS (SELECT i.inhrelid AS partition, i.inhrelid AS oid FROM pg_inherits i WHERE i.inhparent = parent::oid
                   UNION ALL
                   SELECT b.partition, i.inhrelid FROM below b JOIN pg_inherits i ON i.inhparent = b.oid),
         sums AS (SELECT b.partition, sum(pg_total_relation_size(c.oid::regclass)) AS bytes,
                         sum(CASE WHEN c.reltuples >= real '0' THEN c.reltuples ELSE pg_stat_get_live_tuples(c.oid) END)
                             FILTER (WHERE c.relkind <> 'p') AS rows
                    FROM below b JOIN pg_class c ON c.oid = b.oid GROUP BY b.partition)
    SELECT t.partition, t.begins, t.ends, coalesce(s.rows, double precision '0')::bigint, s.bytes::bigint, t.detaching,
           CASE WHEN NOT EXISTS (SELECT FROM pg_constraint c
                                  WHERE c.conrelid = t.partition::oid AND c.contype = "char" 'c' AND c.convalidated
                                    AND c.coninhcount = 0 AND c.conname ~ text '^kid_time(_[0-9]+)?$')
                THEN t.time_check END
      FROM kid_partition_times(parent) AS t LEFT JOIN sums s ON s.partition = t.partition::oid
     ORDER BY t.begins;
END;

COMMENT ON FUNCTION kid_create_partitions(regclass, interval, timestamptz, timestamptz, integer) IS
    'creates the missing partitions of a table until a time, and returns their names';
COMMENT ON FUNCTION kid_drop_partitions(regclass, timestamptz, boolean, integer) IS
    'drops the partitions whose IDs are all older than a time, unless dry_run is true, and returns their names';
COMMENT ON FUNCTION kid_partition_times(regclass) IS
    'returns the partitions of a table with the times of their IDs, from begins, included, until ends, excluded';
COMMENT ON FUNCTION kid_partitions(regclass) IS
    'lists the partitions of a table, the earliest first, with their times, estimated rows and bytes on disk';
