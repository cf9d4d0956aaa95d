-- kid96
\set type kid96
\set prefix kid96
\set size 12
\set storage INTERNALLENGTH = 12, ALIGNMENT = char
\set setting neighborhood integer

\i extension/traits/io.sql.in
COMMENT ON TYPE kid96 IS
    'k-ordered ID in 12 bytes, a kid64 with a node of 32 bits: the global ID of the Erlang library uid';

\i extension/traits/base32.sql.in
\i extension/traits/order.sql.in
\i extension/traits/gist.sql.in

CREATE FUNCTION kid96_floor(timestamptz) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_floor(timestamptz) IS
    'returns the lowest kid96 of the 2^kid.neighborhood seconds that contain an instant';
CREATE FUNCTION kid96_ceil(timestamptz) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_ceil(timestamptz) IS
    'returns the highest kid96 of the 2^kid.neighborhood seconds that contain an instant';

\i extension/traits/time_with_setting.sql.in

CREATE FUNCTION kid_timestamp(id kid96, neighborhood integer) RETURNS timestamptz
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_timestamp';
COMMENT ON FUNCTION kid_timestamp(id kid96, neighborhood integer) IS
    'returns the beginning of the time unit of an ID that was made with the given neighborhood, 0 to 10';

\i extension/traits/time_comparison_with_setting.sql.in
\i extension/traits/time_operators.sql.in
\i extension/traits/time_casts.sql.in
\i extension/traits/uuid.sql.in
\i extension/traits/observe.sql.in

-- kid96: generators, and what else only this type has

CREATE FUNCTION kid96_next() RETURNS kid96
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_next() IS 'makes a kid96 with the node of this server';
CREATE FUNCTION kid96_next(n bigint) RETURNS SETOF kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid96_next_many';
COMMENT ON FUNCTION kid96_next(n bigint) IS 'makes n kid96, each greater than the one before it';
CREATE FUNCTION kid96_at(ts timestamptz) RETURNS kid96
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_at(ts timestamptz) IS
    'makes a kid96 for a given time in the past, with the node of this server';

-- Its order is coarser than its time, so planner support adds bounds to a comparison with time and keeps a recheck.
CREATE FUNCTION kid96_recheck(id kid96, range tstzrange, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_within';
COMMENT ON FUNCTION kid96_recheck(id kid96, range tstzrange, neighborhood integer) IS
    'planner support: tells exactly whether an ID is in a range of time';
CREATE FUNCTION kid96_recheck(operator text, id kid96, ts timestamptz, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_compare';
COMMENT ON FUNCTION kid96_recheck(operator text, id kid96, ts timestamptz, neighborhood integer) IS
    'planner support: tells exactly whether an ID is <, <=, >= or > an instant';

CREATE FUNCTION kid96_make(ts timestamptz, node bigint, sequence integer, neighborhood integer DEFAULT NULL)
    RETURNS kid96
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid96_make(ts timestamptz, node bigint, sequence integer, neighborhood integer) IS
    'assembles a kid96 from an instant, a node, a sequence and a neighborhood';
CREATE FUNCTION kid_node(kid96) RETURNS bigint
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid96_node';
COMMENT ON FUNCTION kid_node(kid96) IS 'returns the node that made an ID, 0 to 4294967295';
CREATE FUNCTION kid_node(kid96, neighborhood integer) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_node';
COMMENT ON FUNCTION kid_node(kid96, neighborhood integer) IS
    'returns the node that made an ID with the given neighborhood, 0 to 10';

CREATE FUNCTION kid_global(kid64) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_global';
COMMENT ON FUNCTION kid_global(kid64) IS 'returns an ID with the node of this server';
CREATE FUNCTION kid_local(kid96, force boolean DEFAULT false) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';
COMMENT ON FUNCTION kid_local(kid96, force boolean) IS
    'returns an ID without its node, which must be that of this server unless force is true';
CREATE FUNCTION kid96_to_kid64(kid96) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';
COMMENT ON FUNCTION kid96_to_kid64(kid96) IS 'implementation of a cast';

CREATE CAST (kid64 AS kid96) WITH FUNCTION kid_global(kid64) AS ASSIGNMENT;
COMMENT ON CAST (kid64 AS kid96) IS 'same as kid_global()';
CREATE CAST (kid96 AS kid64) WITH FUNCTION kid96_to_kid64(kid96);
COMMENT ON CAST (kid96 AS kid64) IS 'same as kid_local()';

CREATE FUNCTION kid_sequence(kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_sequence';
COMMENT ON FUNCTION kid_sequence(kid96) IS 'returns the sequence of an ID within its time unit, 0 to 16383';
CREATE FUNCTION kid_inspect(id kid96, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text), ('node', 32, kid_node(id)::text),
           ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id kid96) IS 'lists the components of an ID, most significant first';
