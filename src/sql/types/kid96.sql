-- traits: io order gist time time_casts minus time_comparison time_range range_operators setting uuid generators observe
-- storage: INTERNALLENGTH = 12, ALIGNMENT = char
-- setting: neighborhood integer
--     kid.neighborhood says how many bits of the seconds are below the node

-- kid96: what only this type has

COMMENT ON TYPE kid96 IS
    'k-ordered ID in 12 bytes: a kid64 with a node of 32 bits, which sorts before the time within 2^kid.neighborhood seconds; the global identity of the Erlang library uid';

-- Its traits say of its bounds that they are of a time unit; they are of a neighborhood.
COMMENT ON FUNCTION kid96_floor(timestamptz) IS
    'lowest kid96 of the 2^kid.neighborhood seconds that hold an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION kid96_ceil(timestamptz) IS
    'highest kid96 of the 2^kid.neighborhood seconds that hold an instant; the smallest of all before the range of the type, the greatest after it';
COMMENT ON FUNCTION kid96_lowest(tstzrange, integer) IS
    'lowest kid96 of the 2^neighborhood seconds in which a range of time begins; the greatest of all where there is none';
COMMENT ON FUNCTION kid96_highest(tstzrange, integer) IS
    'highest kid96 of the 2^neighborhood seconds in which a range of time ends; the smallest of all where there is none';
COMMENT ON FUNCTION kid96_lowest(text, timestamptz, integer) IS
    'lowest kid96 of the 2^neighborhood seconds that hold one that is <, <=, >= or > an instant; the greatest of all where there is none';
COMMENT ON FUNCTION kid96_highest(text, timestamptz, integer) IS
    'highest kid96 of the 2^neighborhood seconds that hold one that is <, <=, >= or > an instant; the smallest of all where there is none';
COMMENT ON FUNCTION kid96_first(text, timestamptz, integer) IS
    'lowest kid96 of the 2^neighborhood seconds that hold one that is <, <=, >= or > an instant; NULL where there is none';
COMMENT ON FUNCTION kid96_last(text, timestamptz, integer) IS
    'highest kid96 of the 2^neighborhood seconds that hold one that is <, <=, >= or > an instant; NULL where there is none';

-- Its order is coarser than its time, so planner support adds bounds to a comparison with time, and keeps the comparison.
CREATE FUNCTION kid96_recheck(id kid96, range tstzrange, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_within';
CREATE FUNCTION kid96_recheck(operator text, id kid96, ts timestamptz, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME', 'kid96_recheck_time';
CREATE FUNCTION kid96_between(id kid96, first kid64, last kid64, neighborhood integer) RETURNS boolean
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE SUPPORT kid_support_recheck AS 'MODULE_PATHNAME';

COMMENT ON FUNCTION kid96_between(kid96, kid64, kid64, integer) IS 'whether an ID without its node is one of those from the first to the last, both included';
COMMENT ON FUNCTION kid96_recheck(kid96, tstzrange, integer) IS 'whether an ID is in a range of time, exactly';
COMMENT ON FUNCTION kid96_recheck(text, kid96, timestamptz, integer) IS 'whether an ID is <, <=, >= or > an instant, exactly';

CREATE FUNCTION kid96_make(ts timestamptz, node bigint, sequence integer, neighborhood integer DEFAULT NULL) RETURNS kid96
    LANGUAGE C STABLE PARALLEL SAFE AS 'MODULE_PATHNAME';
CREATE FUNCTION kid_node(kid96) RETURNS bigint
    LANGUAGE C STABLE STRICT PARALLEL SAFE SUPPORT kid_support_setting AS 'MODULE_PATHNAME', 'kid96_node';
CREATE FUNCTION kid_node(kid96, neighborhood integer) RETURNS bigint
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_node';
CREATE FUNCTION kid_sequence(kid96) RETURNS integer
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_sequence';

COMMENT ON FUNCTION kid96_next() IS
    'a new kid96: the ID that kid_next() would give, with kid.node; waits and fails as kid_next() does';
COMMENT ON FUNCTION kid96_next(bigint) IS
    'n new kid96, each greater than the one before it; see kid_next(bigint)';
COMMENT ON FUNCTION kid96_at(timestamptz) IS
    'kid96 for a row from the past, as kid64_at, with kid.node';
COMMENT ON FUNCTION kid96_make(timestamptz, bigint, integer, integer) IS
    'kid96 of the time unit that holds an instant, 1970 to 35198, with a node, 0 to 4294967295, and a sequence, 0 to 16383; neighborhood, 0 to 10, NULL for kid.neighborhood';
COMMENT ON FUNCTION kid_timestamp(kid96, integer) IS
    'when the time unit of an ID begins that was made with the given neighborhood, 0 to 10';
COMMENT ON FUNCTION kid_node(kid96) IS 'node that made an ID, 0 to 4294967295';
COMMENT ON FUNCTION kid_node(kid96, integer) IS 'node that made an ID with the given neighborhood, 0 to 10';
COMMENT ON FUNCTION kid_sequence(kid96) IS 'sequence within the time unit, 0 to 16383';
COMMENT ON FUNCTION kid_observe(kid96) IS
    'moves the logical clock of kid64 and kid96 past an ID from elsewhere, whatever its node, so that new ones are later; an error when it is further ahead of the system clock than kid.max_observe, except for superusers';

CREATE FUNCTION kid_inspect(id kid96, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 3
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text),
           ('node', 32, kid_node(id)::text),
           ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(kid96) IS
    'components of an ID with their widths in bits; the last kid.neighborhood bits of the seconds stand between node and sequence';

CREATE FUNCTION kid_global(kid64) RETURNS kid96
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid64_global';
CREATE FUNCTION kid_local(kid96, force boolean DEFAULT false) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';
CREATE FUNCTION kid96_to_kid64(kid96) RETURNS kid64
    LANGUAGE C STABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'kid96_local';

COMMENT ON FUNCTION kid_global(kid64) IS 'the ID with kid.node';
COMMENT ON FUNCTION kid_local(kid96, boolean) IS 'the ID without its node; an error where that is not kid.node, unless forced';
COMMENT ON FUNCTION kid96_to_kid64(kid96) IS 'the ID without its node; an error where that is not kid.node';

CREATE CAST (kid64 AS kid96) WITH FUNCTION kid_global(kid64) AS ASSIGNMENT;
CREATE CAST (kid96 AS kid64) WITH FUNCTION kid96_to_kid64(kid96);

COMMENT ON CAST (kid64 AS kid96) IS 'same as kid_global';
COMMENT ON CAST (kid96 AS kid64) IS 'same as kid_local';
