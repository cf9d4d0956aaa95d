-- traits: io order gist time time_casts minus time_comparison time_range range_operators uuid generators
-- storage: INTERNALLENGTH = 12, ALIGNMENT = char

-- flax: what only this type has

COMMENT ON TYPE flax IS
    'k-ordered ID in 12 bytes: 40 bits of time in ms from 2015 to 2049, 56 random bits; as of the Python library Flax ID';

CREATE FUNCTION flax_make(ts timestamptz, random bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_random(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_random';

COMMENT ON FUNCTION flax_next() IS
    'a new flax: the time of the system clock and 56 bits of PostgreSQL''s strong random generator; not ordered within a millisecond, and unique by chance; an error when the system clock is not in 2015 to 2049-11-03';
COMMENT ON FUNCTION flax_next(bigint) IS
    'n new flax, each as flax_next() gives one; an error when n is negative';
COMMENT ON FUNCTION flax_at(timestamptz) IS
    'flax for a row from the past: the given time, 2015 to 2049-11-03, and 56 random bits';
COMMENT ON FUNCTION flax_make(timestamptz, bytea) IS
    'flax of the millisecond that holds an instant, 2015 to 2049-11-03, with 7 bytes as its random part';
COMMENT ON FUNCTION kid_random(flax) IS 'random part, 7 bytes';

CREATE FUNCTION kid_inspect(id flax, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    VALUES ('timestamp', 40, kid_timestamp(id)::text),
           ('random', 56, encode(kid_random(id), 'hex'));
END;
COMMENT ON FUNCTION kid_inspect(flax) IS 'components of an ID, most significant first, with their widths in bits';
