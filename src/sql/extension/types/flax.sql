-- traits: io base32 order gist time timestamp time_casts time_comparison range_operators uuid generators
-- storage: INTERNALLENGTH = 12, ALIGNMENT = char
-- clock: NULL
-- stored_as: '@own@', 'uuid'
-- size: 12
-- components: ('timestamp', 40, kid_timestamp(id)::text), ('random', 56, encode(kid_random(id), 'hex'))

-- flax: what only this type has

COMMENT ON TYPE flax IS
    'k-ordered ID in 12 bytes, with the time from 2015 to 2049 in milliseconds and 56 random bits, as the Python '
    'library Flax ID makes it';

CREATE FUNCTION flax_make(ts timestamptz, random bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_make(ts timestamptz, random bytea) IS
    'assembles a flax from an instant and a random part of 7 bytes';
CREATE FUNCTION kid_random(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_random';
COMMENT ON FUNCTION kid_random(flax) IS 'returns the random part of an ID, 7 bytes';

COMMENT ON FUNCTION flax_next() IS
    'makes a flax from the time of the system clock and 56 bits of PostgreSQL''s strong random generator';
COMMENT ON FUNCTION flax_next(bigint) IS 'makes n flax, as flax_next() does';
