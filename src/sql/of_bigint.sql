-- Functions for columns of type bigint, for both editions. A name that is overloaded over the types of IDs cannot tell
-- which IDs a bigint is, so the scheme stands in these names.
--
-- If a function for a range were STRICT, PostgreSQL would not inline it, and a condition would not become a range of
-- the key.

-- An instant after the range has no ID: kid53_floor() returns the greatest number, which begins no millisecond, and
-- kid64_floor() a number that begins no time unit, or is negative.
CREATE FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= CASE WHEN since IS NULL THEN 0
                  WHEN kid53_floor(since) = 9007199254740991 THEN 9007199254740992 ELSE kid53_floor(since) END
       AND id < coalesce(nullif(kid53_floor(until), 9007199254740991), 9007199254740992);
COMMENT ON FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) IS
    'tells whether a kid53 has a time at or after since and before until; NULL is no limit';

CREATE FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= CASE WHEN since IS NULL THEN 0
                  WHEN kid64_floor(since)::bigint < 0 THEN 9223372036854775807 ELSE kid64_floor(since)::bigint END
       AND id <= CASE WHEN kid64_floor(until)::bigint BETWEEN 0 AND 9223372036854775806
                      THEN kid64_floor(until)::bigint - 1 ELSE 9223372036854775807 END;
COMMENT ON FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) IS
    'tells whether the kid64 in a bigint has a time at or after since and before until; NULL is no limit';
CREATE FUNCTION kid64_sequence(id bigint) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_sequence(id::kid64);
COMMENT ON FUNCTION kid64_sequence(id bigint) IS 'same as kid_sequence(), for the kid64 in a bigint';
CREATE FUNCTION kid64_encode(id bigint, prefix text DEFAULT '') RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_encode(id::kid64, prefix);
COMMENT ON FUNCTION kid64_encode(id bigint, prefix text) IS 'same as kid_encode(), for the kid64 in a bigint';
CREATE FUNCTION kid64_inspect(id bigint, OUT component text, OUT bits integer, OUT value text) RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    SELECT * FROM kid_inspect(id::kid64);
END;
COMMENT ON FUNCTION kid64_inspect(id bigint) IS 'same as kid_inspect(), for the kid64 in a bigint';
