-- uuid version 7
--
-- It has kid_within() instead of the operator <@, which would interfere with range types over uuid.
\set type uuid
\set prefix kid_uuidv7

CREATE FUNCTION kid_uuidv7() RETURNS uuid
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid_uuidv7_next';
COMMENT ON FUNCTION kid_uuidv7() IS 'makes a uuid of version 7 greater than all that the cluster issued before';
CREATE FUNCTION kid_uuidv7(n bigint) RETURNS SETOF uuid
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid_uuidv7_next_many';
COMMENT ON FUNCTION kid_uuidv7(n bigint) IS 'makes n uuids of version 7, each greater than the one before it';
CREATE FUNCTION kid_uuidv7_at(ts timestamptz) RETURNS uuid
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_at(ts timestamptz) IS 'makes a uuid of version 7 for a given time in the past';

CREATE FUNCTION kid_timestamp(uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME', 'kid_uuidv7_timestamp';
COMMENT ON FUNCTION kid_timestamp(uuid) IS
    'returns the beginning of the millisecond of a uuid of version 7, and NULL for other versions';
CREATE FUNCTION kid_uuidv7_timestamp(uuid) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_timestamp(uuid) IS 'same as kid_timestamp(), under a name that is not overloaded';
CREATE FUNCTION kid_uuidv7_floor(timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_floor(timestamptz) IS
    'returns the lowest uuid of version 7 of the millisecond that contains an instant';
CREATE FUNCTION kid_uuidv7_ceil(timestamptz) RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_ceil(timestamptz) IS
    'returns the highest uuid of version 7 of the millisecond that contains an instant';
CREATE FUNCTION kid_within(uuid, kid_span) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid_uuidv7_within';
COMMENT ON FUNCTION kid_within(uuid, kid_span) IS
    'tells whether a uuid is between the lowest and the highest UUID of version 7 of a range of time; one of another '
    'version can be, too';

CREATE FUNCTION kid_encode(id uuid, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_uuid_encode';
COMMENT ON FUNCTION kid_encode(id uuid, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION kid_uuid_decode(encoded text, prefix text DEFAULT '') RETURNS uuid
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuid_decode(encoded text, prefix text) IS 'reads what kid_encode() wrote with the same prefix';

CREATE FUNCTION kid_uuidv7_horizon() RETURNS uuid
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid_uuidv7_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';
CREATE FUNCTION kid_observe(uuid) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid_uuidv7_observe';
COMMENT ON FUNCTION kid_observe(uuid) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid_observe(uuid) FROM PUBLIC;

\i extension/traits/time_comparison.sql.in
\i extension/traits/time_operators.sql.in
\i within.sql.in
\i inspect_uuid.sql
