-- The version, functions that show the logical clocks and the server, and kid_own_ids_trigger()

CREATE FUNCTION kid_version() RETURNS text
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_version() IS 'returns the version of the library that the session has loaded';

CREATE FUNCTION kid_stats(
    OUT clock text, OUT last_issued timestamptz, OUT ahead interval, OUT waits bigint, OUT backward_steps bigint,
    OUT ticks bigint, OUT safe_mark timestamptz, OUT lease_until timestamptz, OUT renewals bigint, OUT waiting bigint,
    OUT waiting_for interval, OUT held_by integer, OUT held_for interval, OUT problem text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE ROWS 5 AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_stats() IS
    'returns the state of each logical clock of the cluster, and its counters since the server started';

REVOKE ALL ON FUNCTION kid_stats() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_stats() TO pg_read_all_stats;

CREATE FUNCTION kid_own_ids_trigger() RETURNS trigger
    LANGUAGE C AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_own_ids_trigger() IS
    'rejects a row whose ID, in the column that the trigger names, was not made in this transaction';

CREATE FUNCTION kid_identity(
    OUT node bigint, OUT partition bigint, OUT generator bigint, OUT lane bigint, OUT lanes bigint)
    RETURNS record
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_identity() IS
    'returns what this server puts into IDs: the node of kid96, the partition of sno, the generator of flake, and the '
    'lane of kid64, kid96 and kid53';
