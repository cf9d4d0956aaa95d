-- Sizes and rows of a partition that is itself partitioned are those of all below it. No lock is kept: there may be many.
CREATE FUNCTION kid_partitions(parent regclass, OUT partition regclass, OUT begins timestamptz, OUT ends timestamptz,
                               OUT rows bigint, OUT bytes bigint, OUT detaching boolean) RETURNS SETOF record
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    id_type regtype;
BEGIN
    EXECUTE format('SELECT %s.kid_partition_key($1)', kid) INTO id_type USING parent;
    RETURN QUERY EXECUTE format(
        $query$
        WITH RECURSIVE below AS (SELECT inhrelid AS partition, inhrelid AS oid, inhdetachpending FROM pg_inherits WHERE inhparent = $1
                                  UNION ALL
                                 SELECT below.partition, i.inhrelid, below.inhdetachpending FROM below JOIN pg_inherits i ON i.inhparent = below.oid),
             sums AS (SELECT below.partition, inhdetachpending,
                             sum(CASE WHEN c.reltuples >= 0 THEN c.reltuples ELSE pg_stat_get_live_tuples(c.oid) END) FILTER (WHERE c.relkind <> 'p') AS rows,
                             sum(pg_total_relation_size(c.oid)) AS bytes
                        FROM below JOIN pg_class c ON c.oid = below.oid GROUP BY 1, 2)
        SELECT s.partition::regclass,
               CASE b.lower WHEN '' THEN '-infinity' ELSE %1$s.kid_bound_time($2, b.lower) END,
               CASE WHEN b.upper IS NOT NULL THEN %1$s.kid_bound_time($2, b.upper) WHEN b.partition IS NOT NULL THEN 'infinity' END,
               coalesce(s.rows, 0)::bigint, s.bytes::bigint, s.inhdetachpending
          FROM sums s LEFT JOIN %1$s.kid_partition_bounds($1) b ON b.partition = s.partition
         ORDER BY b.lower
        $query$, kid) USING parent, id_type;
END $$;

COMMENT ON FUNCTION kid_partitions(regclass) IS
    'partitions of a table, the earliest first: from when, included, and until when, excluded, their IDs are, -infinity for MINVALUE and infinity for MAXVALUE, both null for the default partition; rows as estimated by ANALYZE, or counted by statistics where it was not run yet; bytes on disk with indexes; and whether a partition is being detached, so that it takes no more rows';
