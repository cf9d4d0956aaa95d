-- kid64
\set type kid64
\set prefix kid64
\set size 8
\set storage LIKE = bigint

\i extension/traits/io.sql.in
COMMENT ON TYPE kid64 IS
    'k-ordered ID in 8 bytes, with the time from 1970 to 35198 in units of 1.024 ms: the local ID of the Erlang '
    'library uid';

\i extension/traits/base32.sql.in
\i extension/traits/order.sql.in
\i extension/traits/gist.sql.in
\i extension/traits/time.sql.in
\i extension/traits/time_comparison.sql.in
\i extension/traits/time_operators.sql.in
\i extension/traits/time_casts.sql.in
\i within.sql.in
\i extension/traits/bigint.sql.in
\i extension/traits/observe.sql.in

-- kid64: generators, and what else only this type has

CREATE FUNCTION kid_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid64_next';
COMMENT ON FUNCTION kid_next() IS 'makes a kid64 greater than all that the cluster issued before';
CREATE FUNCTION kid_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid64_next_many';
COMMENT ON FUNCTION kid_next(n bigint) IS 'makes n kid64, each greater than the one before it';
CREATE FUNCTION kid64_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
CREATE FUNCTION kid64_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid64_next_many';
COMMENT ON FUNCTION kid64_next(n bigint) IS 'same as kid_next(n)';
CREATE FUNCTION kid64_at(ts timestamptz) RETURNS kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_at(ts timestamptz) IS 'makes a kid64 for a given time in the past';
CREATE FUNCTION kid64_make(ts timestamptz, sequence integer) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_make(ts timestamptz, sequence integer) IS
    'assembles a kid64 from an instant and a sequence, 0 to 16383';

CREATE FUNCTION kid_sequence(kid64) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_sequence';
COMMENT ON FUNCTION kid_sequence(kid64) IS 'returns the sequence of an ID within its time unit, 0 to 16383';
CREATE FUNCTION kid_inspect(id kid64, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text), ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id kid64) IS 'lists the components of an ID, most significant first';

CREATE FUNCTION kid_horizon() RETURNS kid64
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME', 'kid64_horizon';
COMMENT ON FUNCTION kid_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';

-- The edition in plain SQL has these, too. There a kid64 is a bigint.
CREATE FUNCTION kid64_to_text(id kid64) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN id::text;
COMMENT ON FUNCTION kid64_to_text(id kid64) IS 'returns an ID as text, as the cast does';
CREATE FUNCTION kid64_from_text(encoded text) RETURNS kid64
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN encoded::kid64;
COMMENT ON FUNCTION kid64_from_text(encoded text) IS 'reads an ID from text, as the cast does';
