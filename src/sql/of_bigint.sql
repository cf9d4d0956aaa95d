-- Functions for columns of type bigint, for both editions. A name that is overloaded over the types of IDs cannot tell
-- which IDs a bigint is, so the scheme stands in these names.
--
-- If a function for a range were STRICT, or named an argument twice, PostgreSQL would not inline it for every argument,
-- and a condition would not become a range of the key.
--
-- An instant after the range of kid53 has the greatest number as its floor, which no generator makes.
CREATE FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= coalesce(kid53_floor(since), 0)
       AND id < coalesce(nullif(kid53_floor(until), 9007199254740991), 9007199254740992);
COMMENT ON FUNCTION kid53_within(id bigint, since timestamptz, until timestamptz) IS
    'returns true if the time of a kid53 is at or after "since" and before "until"; NULL means no limit';

-- A kid64 with a time from 18584-01-10 03:33:20 on is negative as a bigint. For such a time the function returns the
-- greatest bigint.
CREATE FUNCTION kid64_number(ts timestamptz, is_end boolean) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN CASE WHEN ts IS NULL AND NOT is_end THEN 0
            WHEN kid64_floor(ts)::bigint BETWEEN 0 AND 9223372036854775806
            THEN kid64_floor(ts)::bigint - is_end::integer
            ELSE 9223372036854775807 END;
COMMENT ON FUNCTION kid64_number(ts timestamptz, is_end boolean) IS
    'returns the lowest kid64 of an instant, or the number before, as a bigint; a part of kid64_within()';
CREATE FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) RETURNS boolean
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id >= kid64_number(since, false) AND id <= kid64_number(until, true);
COMMENT ON FUNCTION kid64_within(id bigint, since timestamptz, until timestamptz) IS
    'returns true if the time of the kid64 in a bigint is at or after "since" and before "until"; NULL means no limit';
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
