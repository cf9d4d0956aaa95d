--- takes the lock of a transaction for `kid_horizon(table)`
CREATE FUNCTION kid_track_enter() RETURNS trigger
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME';

--- rejects rows whose ID was not made in their transaction
CREATE FUNCTION kid_track_check() RETURNS trigger
    LANGUAGE C VOLATILE AS 'MODULE_PATHNAME';
