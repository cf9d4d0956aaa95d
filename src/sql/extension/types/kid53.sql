-- kid53: a bigint that JavaScript's numbers represent exactly
--
-- Every function has kid53 in its name, and no operator compares a bigint with a time. So kid changes the meaning of no
-- query on numbers. That is also why this file uses no template of extension/traits.

CREATE FUNCTION kid53_next() RETURNS bigint
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_next() IS
    'makes a bigint from 0 to 2^53 - 1 that is greater than all that this function returned in the cluster before';
CREATE FUNCTION kid53_next(n bigint) RETURNS SETOF bigint
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid53_next_many';
COMMENT ON FUNCTION kid53_next(n bigint) IS 'makes n kid53, each greater than the one before it';
CREATE FUNCTION kid53_at(ts timestamptz) RETURNS bigint
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_at(ts timestamptz) IS 'makes a kid53 for a given time in the past';
CREATE FUNCTION kid53_make(ts timestamptz, sequence integer) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_make(ts timestamptz, sequence integer) IS
    'assembles a kid53 from an instant and a sequence, 0 to 4095';

CREATE FUNCTION kid53_timestamp(bigint) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE LEAKPROOF AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_timestamp(bigint) IS
    'returns the beginning of the millisecond of a kid53, and NULL for other numbers';
CREATE FUNCTION kid53_floor(timestamptz) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_floor(timestamptz) IS 'returns the lowest kid53 of the millisecond that contains an instant';
CREATE FUNCTION kid53_ceil(timestamptz) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_ceil(timestamptz) IS 'returns the highest kid53 of the millisecond that contains an instant';

CREATE FUNCTION kid53_sequence(bigint) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_sequence(bigint) IS
    'returns the sequence of a kid53 within its millisecond, 0 to 4095, and NULL for other numbers';
CREATE FUNCTION kid53_inspect(id bigint, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 41, kid53_timestamp(id)::text), ('sequence', 12, kid53_sequence(id)::text);
END;
COMMENT ON FUNCTION kid53_inspect(id bigint) IS 'lists the components of an ID, most significant first';

CREATE FUNCTION kid53_encode(id bigint, prefix text DEFAULT '') RETURNS text
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_encode(id bigint, prefix text) IS 'writes an ID in Crockford''s base32, after a prefix';
CREATE FUNCTION kid53_decode(encoded text, prefix text DEFAULT '') RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_decode(encoded text, prefix text) IS 'reads what kid53_encode() wrote with the same prefix';

CREATE FUNCTION kid53_horizon() RETURNS bigint
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';
CREATE FUNCTION kid53_observe(bigint) RETURNS void
    LANGUAGE C VOLATILE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid53_observe(bigint) IS 'moves the logical clock past an ID from elsewhere';
REVOKE ALL ON FUNCTION kid53_observe(bigint) FROM PUBLIC;
