-- The triggers of kid_track() in C, and what kid_horizon(table) reads first

CREATE FUNCTION kid_track_enter() RETURNS trigger
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_track_enter() IS 'takes the lock of a transaction for `kid_horizon(table)`';

CREATE FUNCTION kid_track_check() RETURNS trigger
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_track_check() IS 'rejects rows whose ID was not made in their transaction';

-- Takes the sequence from the default of the column, not from the argument, which only the edition in plain SQL needs.
CREATE FUNCTION kid_track_last(tab oid, col text, seq oid) RETURNS bigint
    LANGUAGE C VOLATILE STRICT AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_track_last(tab oid, col text, seq oid) IS
    'returns the last value of what a tracked column draws from, to those who may read the table';
