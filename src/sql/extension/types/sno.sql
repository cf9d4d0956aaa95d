-- sno
\set type sno
\set prefix sno
\set size 10
\set storage INTERNALLENGTH = 10, ALIGNMENT = char

\i extension/traits/io.sql.in
COMMENT ON TYPE sno IS
    'k-ordered ID in 10 bytes, with the time from 2010 to 2079 in units of 4 ms, a metabyte and a partition, as the '
    'Go library sno makes it';

\i extension/traits/base32.sql.in
\i extension/traits/order.sql.in
\i extension/traits/gist.sql.in
\i extension/traits/time.sql.in
\i extension/traits/time_comparison.sql.in
\i extension/traits/time_operators.sql.in
\i extension/traits/time_casts.sql.in
\i extension/traits/uuid.sql.in
\i extension/traits/observe.sql.in

-- sno: generators, and what else only this type has

CREATE FUNCTION sno_next(meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_next(meta integer) IS 'makes a sno with a metabyte, 0 to 255, and the partition of this server';
CREATE FUNCTION sno_next(meta integer, n bigint) RETURNS SETOF sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'sno_next_many';
COMMENT ON FUNCTION sno_next(meta integer, n bigint) IS
    'makes n sno with a metabyte, 0 to 255, each greater than the one before it unless the tick toggles between them';
CREATE FUNCTION sno_at(ts timestamptz, meta integer DEFAULT 0) RETURNS sno
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_at(ts timestamptz, meta integer) IS
    'makes a sno for a given time in the past, with a metabyte, 0 to 255';
CREATE FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean DEFAULT false)
    RETURNS sno
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION sno_make(ts timestamptz, meta integer, partition integer, sequence integer, tick boolean) IS
    'assembles a sno from an instant, a metabyte, a partition, a sequence and a tick';
CREATE FUNCTION kid_tick(sno) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_tick';
COMMENT ON FUNCTION kid_tick(sno) IS
    'returns the tick, by which IDs differ that were made before and after the system clock went back';
CREATE FUNCTION kid_meta(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_meta';
COMMENT ON FUNCTION kid_meta(sno) IS 'returns the metabyte, 0 to 255, that the caller of the generator gave';
CREATE FUNCTION kid_partition(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_partition';
COMMENT ON FUNCTION kid_partition(sno) IS 'returns the partition that made an ID, 0 to 65535';

CREATE FUNCTION kid_sequence(sno) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'sno_sequence';
COMMENT ON FUNCTION kid_sequence(sno) IS 'returns the sequence of an ID within its time unit, 0 to 65535';
CREATE FUNCTION kid_inspect(id sno, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 39, kid_timestamp(id)::text), ('tick', 1, kid_tick(id)::text),
           ('meta', 8, kid_meta(id)::text), ('partition', 16, kid_partition(id)::text),
           ('sequence', 16, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id sno) IS 'lists the components of an ID, most significant first';
