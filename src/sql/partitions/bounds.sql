-- Lower is the empty string, below all IDs, for MINVALUE; upper is null for MAXVALUE. The default partition has no row. A partition
-- that DETACH ... CONCURRENTLY is working on, or was interrupted at, is detaching: it takes no more rows, but its bounds are taken.
CREATE FUNCTION kid_partition_bounds(parent regclass, OUT partition regclass, OUT lower bytea, OUT upper bytea, OUT detaching boolean)
    RETURNS SETOF record
    LANGUAGE C STABLE STRICT AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_partition_bounds(regclass) IS
    'partitions but the default one, with their bounds as binary forms of IDs, lower empty for MINVALUE, upper NULL for MAXVALUE, and whether they are being detached';
