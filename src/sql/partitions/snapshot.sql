-- DDL works on the newest state of the catalog, and SQL sees that of the snapshot. Under a lock on the parent they differ where a
-- transaction at REPEATABLE READ or above began before others changed its partitions, or itself: error 40001.
CREATE FUNCTION kid_check_snapshot(parent regclass) RETURNS void
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_check_snapshot(regclass) IS
    'an error where the transaction sees an older state of a table or its partitions than DDL works on';

CREATE FUNCTION kid_run_as_owner(relation regclass, command text) RETURNS bigint
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_run_as_owner(regclass, text) IS
    'runs a command as the owner of a table, so that nothing of the owner''s runs as the caller, who must be able to become that owner; returns how many rows it processed';
