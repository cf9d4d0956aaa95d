-- traits: io base32 order gist time timestamp time_casts time_comparison range_operators bigint generators horizon
--     observe sequence
-- storage: LIKE = bigint
-- next: kid_next
-- horizon: kid_horizon
-- clock: 'kid'
-- stored_as: '@own@', 'bigint'
-- size: 8
-- bound_of_number: stored::bigint::@own@::text
-- number_of_bound: ltrim(bound::text)::@own@::bigint::text
-- last: 16383
-- components: ('timestamp', 50, kid_timestamp(id)::text), ('sequence', 14, kid_sequence(id)::text)

-- kid64: what only this type has

COMMENT ON TYPE kid64 IS
    'k-ordered ID in 8 bytes, with the time from 1970 to 35198 in units of 1.024 ms: the local ID of the Erlang '
    'library uid';

CREATE FUNCTION kid64_next() RETURNS kid64
    LANGUAGE C VOLATILE PARALLEL RESTRICTED AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
CREATE FUNCTION kid64_next(n bigint) RETURNS SETOF kid64
    LANGUAGE C VOLATILE STRICT PARALLEL RESTRICTED SUPPORT kid_support AS 'MODULE_PATHNAME', 'kid64_next_many';
COMMENT ON FUNCTION kid64_next(n bigint) IS 'same as kid_next(n)';
CREATE FUNCTION kid64_make(ts timestamptz, sequence integer) RETURNS kid64
    LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME';
COMMENT ON FUNCTION kid64_make(ts timestamptz, sequence integer) IS
    'assembles a kid64 from an instant and a sequence, 0 to 16383';

COMMENT ON FUNCTION kid_next() IS 'makes a kid64 greater than all that the cluster issued before';

-- The edition in plain SQL has these, too. There a kid64 is a bigint.
CREATE FUNCTION kid64_to_text(id kid64) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN id::text;
COMMENT ON FUNCTION kid64_to_text(id kid64) IS 'returns an ID as text, as the cast does';
CREATE FUNCTION kid64_from_text(encoded text) RETURNS kid64
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN encoded::kid64;
COMMENT ON FUNCTION kid64_from_text(encoded text) IS 'reads an ID from text, as the cast does';
