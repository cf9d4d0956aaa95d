-- DDL works on the newest state of the catalog, and SQL sees that of the snapshot. Under a lock on the parent they differ where a
-- transaction at REPEATABLE READ or above began before others changed its partitions, or itself: error 40001.
CREATE FUNCTION kid_check_snapshot(parent regclass) RETURNS void
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_check_snapshot(regclass) IS
    'an error where the transaction sees an older state of a table or its partitions than DDL works on';
