-- flax
\set type flax
\set prefix flax
\set size 12
\set storage INTERNALLENGTH = 12, ALIGNMENT = char

\i extension/traits/io.sql.in
COMMENT ON TYPE flax IS
    'k-ordered ID in 12 bytes, with the time from 2015 to 2049 in milliseconds and 56 random bits, as the Python '
    'library Flax ID makes it';

\i extension/traits/base32.sql.in
\i extension/traits/order.sql.in
\i extension/traits/gist.sql.in
\i extension/traits/time.sql.in
\i extension/traits/time_comparison.sql.in
\i extension/traits/time_operators.sql.in
\i extension/traits/time_casts.sql.in
\i extension/traits/uuid.sql.in

-- flax: generators, and what else only this type has

CREATE FUNCTION flax_next() RETURNS flax
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_next() IS
    'makes a flax from the time of the system clock and 56 bits of PostgreSQL''s strong random generator';
CREATE FUNCTION flax_next(n bigint) RETURNS SETOF flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'flax_next_many';
COMMENT ON FUNCTION flax_next(n bigint) IS 'makes n flax, as flax_next() does';
CREATE FUNCTION flax_at(ts timestamptz) RETURNS flax
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_at(ts timestamptz) IS 'makes a flax for a given time in the past';
CREATE FUNCTION flax_make(ts timestamptz, random bytea) RETURNS flax
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flax_make(ts timestamptz, random bytea) IS
    'assembles a flax from an instant and a random part of 7 bytes';
CREATE FUNCTION kid_random(flax) RETURNS bytea
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flax_random';
COMMENT ON FUNCTION kid_random(flax) IS 'returns the random part of an ID, 7 bytes';

CREATE FUNCTION kid_inspect(id flax, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 40, kid_timestamp(id)::text), ('random', 56, encode(kid_random(id), 'hex'));
END;
COMMENT ON FUNCTION kid_inspect(id flax) IS 'lists the components of an ID, most significant first';
