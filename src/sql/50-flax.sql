
-- flax: what only this type has

COMMENT ON TYPE flax IS
    'k-ordered ID in 12 bytes: 40 bits of time in ms from 2015 to 2049, 56 random bits; as of the Python library Flax ID';

CREATE FUNCTION flax_make(timestamptz, random bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_random(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_random';

COMMENT ON FUNCTION flax_make(timestamptz, bytea) IS
    'flax of the millisecond that holds an instant, 2015 to 2049-11-03, with 7 bytes as its random part';
COMMENT ON FUNCTION kid_random(flax) IS 'random part, 7 bytes';

CREATE FUNCTION kid_inspect(flax, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 2
BEGIN ATOMIC
    VALUES ('timestamp', 40, kid_timestamp($1)::text),
           ('random', 56, encode(kid_random($1), 'hex'));
END;
COMMENT ON FUNCTION kid_inspect(flax) IS 'components of an ID, most significant first, with their widths in bits';
