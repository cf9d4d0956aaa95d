-- Moves the logical clocks past the IDs that are stored in a database

-- PARALLEL UNSAFE, because it examines each table in a subtransaction.
CREATE FUNCTION kid_observe_all(
    OUT clock text, OUT id text, OUT issued timestamptz, OUT relation regclass, OUT column_name text, OUT problem text)
    RETURNS SETOF record
    LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE COST 10000 ROWS 10 AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid_observe_all() IS
    'moves each logical clock past the IDs that are stored in this database, so that new IDs are later';

REVOKE ALL ON FUNCTION kid_observe_all() FROM PUBLIC;
