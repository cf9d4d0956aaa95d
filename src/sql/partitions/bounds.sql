-- Lower is the empty string, below all IDs, for MINVALUE; upper is null for MAXVALUE. The default partition is left out.
-- One that DETACH ... CONCURRENTLY is at, or was broken off at, is detaching: no row goes to it, but its bounds are taken.
CREATE FUNCTION kid_partition_bounds(parent regclass, OUT partition regclass, OUT lower bytea, OUT upper bytea, OUT detaching boolean)
    RETURNS SETOF record
    LANGUAGE plpgsql STABLE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
DECLARE
    kid text := (SELECT extnamespace::regnamespace FROM pg_extension WHERE extname = 'kid');
    id_type regtype;
    prefix text;
    send regproc;
BEGIN
    EXECUTE format('SELECT * FROM %s.kid_partition_key($1)', kid) INTO id_type, prefix, send USING parent;
    RETURN QUERY EXECUTE format(
        $query$
        SELECT c.oid::regclass,
               CASE WHEN b.bounds[1] = 'MINVALUE' THEN '' ELSE %2$s(b.bounds[1]::%1$s) END,
               CASE WHEN b.bounds[2] <> 'MAXVALUE' THEN %2$s(b.bounds[2]::%1$s) END,
               i.inhdetachpending
          FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid,
               regexp_match(pg_get_expr(c.relpartbound, c.oid), 'FROM [(]''?([^'')]+)''?[)] TO [(]''?([^'')]+)''?[)]') AS b (bounds)
         WHERE i.inhparent = $1 AND b.bounds IS NOT NULL
        $query$, id_type, send) USING parent;
END $$;

COMMENT ON FUNCTION kid_partition_bounds(regclass) IS
    'partitions with their bounds, as binary forms of IDs, and whether they take no more rows as they are being detached; lower is empty for MINVALUE, upper null for MAXVALUE; without the default partition';
