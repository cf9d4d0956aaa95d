-- traits: io base32 order gist time timestamp time_casts time_comparison range_operators setting uuid generators
--     observe sequence
-- storage: INTERNALLENGTH = 12, ALIGNMENT = char
-- setting: neighborhood integer
-- setting_name: kid.neighborhood
-- clock: 'kid'
-- past: kid64_ceil
-- stored_as: '@own@', 'uuid'
-- size: 12
-- last: 16383
-- components: ('timestamp', 50, kid_timestamp(id)::text), ('node', 32, kid_node(id)::text),
--     ('sequence', 14, kid_sequence(id)::text)

-- kid96: what only this type has

COMMENT ON TYPE kid96 IS
    'k-ordered ID in 12 bytes, a kid64 with a node of 32 bits: the global ID of the Erlang library uid';

-- The comments of the traits say that bounds are those of a time unit. Those of kid96 are of a neighborhood.
COMMENT ON FUNCTION kid96_floor(timestamptz) IS
    'returns the lowest kid96 of the 2^kid.neighborhood seconds that contain an instant';
COMMENT ON FUNCTION kid96_ceil(timestamptz) IS
    'returns the highest kid96 of the 2^kid.neighborhood seconds that contain an instant';

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

COMMENT ON FUNCTION kid96_next() IS 'makes a kid96 with the node of this server';
COMMENT ON FUNCTION kid96_at(timestamptz) IS 'makes a kid96 with the time of an old row and the node of this server';
COMMENT ON FUNCTION kid_timestamp(kid96, integer) IS
    'returns the beginning of the time unit of an ID that was made with the given neighborhood, 0 to 10';

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
