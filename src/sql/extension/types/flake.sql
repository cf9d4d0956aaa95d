-- flake
\set type flake
\set prefix flake
\set size 8
\set storage LIKE = bigint
\set setting epoch timestamptz

\i extension/traits/io.sql.in
COMMENT ON TYPE flake IS
    'k-ordered ID in 8 bytes, with 139 years of milliseconds from kid.flake_epoch on, a datacenter and a worker, as '
    'the Node library flake-idgen makes it';

\i extension/traits/base32.sql.in
\i extension/traits/order.sql.in
\i extension/traits/gist.sql.in

CREATE FUNCTION flake_floor(timestamptz) RETURNS flake
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_floor(timestamptz) IS
    'returns the lowest flake of the time unit that contains an instant';
CREATE FUNCTION flake_ceil(timestamptz) RETURNS flake
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_ceil(timestamptz) IS
    'returns the highest flake of the time unit that contains an instant';

\i extension/traits/time_with_setting.sql.in

CREATE FUNCTION kid_timestamp(id flake, epoch timestamptz) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_timestamp';
COMMENT ON FUNCTION kid_timestamp(id flake, epoch timestamptz) IS
    'returns the beginning of the millisecond of an ID that counts from the given epoch';

\i extension/traits/time_comparison_with_setting.sql.in
\i extension/traits/time_operators.sql.in
\i extension/traits/time_casts.sql.in
\i extension/traits/bigint.sql.in
\i extension/traits/observe.sql.in

-- flake: generators, and what else only this type has

CREATE FUNCTION flake_next() RETURNS flake
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_next() IS
    'makes a flake greater than all that the cluster issued with this generator and epoch';
CREATE FUNCTION flake_next(n bigint) RETURNS SETOF flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'flake_next_many';
COMMENT ON FUNCTION flake_next(n bigint) IS 'makes n flake, each greater than the one before it';
CREATE FUNCTION flake_at(ts timestamptz) RETURNS flake
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_at(ts timestamptz) IS 'makes a flake for a given time in the past';
CREATE FUNCTION flake_make(
    ts timestamptz, datacenter integer, worker integer, sequence integer, epoch timestamptz DEFAULT NULL) RETURNS flake
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_make(timestamptz, integer, integer, integer, timestamptz) IS
    'assembles a flake from an instant, a datacenter, a worker, a sequence and an epoch';
CREATE FUNCTION kid_datacenter(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_datacenter';
COMMENT ON FUNCTION kid_datacenter(flake) IS
    'returns the datacenter that made an ID, 0 to 31, the upper half of the generator';
CREATE FUNCTION kid_worker(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_worker';
COMMENT ON FUNCTION kid_worker(flake) IS 'returns the worker that made an ID, 0 to 31, the lower half of the generator';
CREATE FUNCTION kid_generator(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_generator';
COMMENT ON FUNCTION kid_generator(flake) IS
    'returns the generator that made an ID, 0 to 1023: 32 times the datacenter, plus the worker';

CREATE FUNCTION kid_sequence(flake) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'flake_sequence';
COMMENT ON FUNCTION kid_sequence(flake) IS 'returns the sequence of an ID within its time unit, 0 to 4095';
CREATE FUNCTION kid_inspect(id flake, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 42, kid_timestamp(id)::text), ('datacenter', 5, kid_datacenter(id)::text),
           ('worker', 5, kid_worker(id)::text), ('sequence', 12, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id flake) IS 'lists the components of an ID, most significant first';

CREATE FUNCTION flake_horizon() RETURNS flake
    LANGUAGE C STABLE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION flake_horizon() IS
    'returns the horizon: no more rows with smaller IDs will appear, so consumers can read up to it';
