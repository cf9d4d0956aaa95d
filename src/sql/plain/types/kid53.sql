-- type: bigint
-- own: bigint
-- clock: 'kid53'
-- stored_as: 'bigint'
-- bound: CASE WHEN bound IS NOT NULL THEN least(ltrim(bound::text)::bigint, 9007199254740991) END
-- timestamp: kid53_timestamp
-- encode: kid53_encode
-- observe: kid53_observe
-- sequence: kid53_sequence
-- inspect: kid53_inspect
-- seal: kid53_seal
-- size: 8
-- to_bytes: int8send(id)
-- from_bytes: ('x'::text || encode(id, 'hex'::text))::bit(64)::bigint
-- state: kid53_checked(id)
-- id: state
-- unit_of: kid53_of_micros
-- greatest: 9007199254740991
-- unit: millisecond
-- first_time: 2020-01-01 00:00:00+00
-- last_time: 2089-09-06 15:47:35.551999+00
-- last: 4095
-- label: kid53
-- sequence_bits: 12
-- last_to_draw: 1023
-- most_sessions: 3072
-- components: ('timestamp', 41, kid53_timestamp(id)::text), ('sequence', 12, kid53_sequence(id)::text)

-- kid53: a bigint that JavaScript's numbers represent exactly. src/core/types/kid53.hpp draws its bits: milliseconds
-- since 2020 << 12 | sequence.

CREATE FUNCTION kid53_of_micros(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN greatest(micros - 1577836800000000, 0) / 1000 << 12;
COMMENT ON FUNCTION kid53_of_micros(micros bigint) IS
    'returns the lowest ID of the millisecond that contains an instant, given in microseconds since 1970';
-- An ID is a state of its clock.
CREATE FUNCTION kid53_micros(id bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN (id >> 12) * 1000 + 1577836800000000;
COMMENT ON FUNCTION kid53_micros(id bigint) IS
    'returns when the millisecond of an ID begins, in microseconds since 1970';
CREATE FUNCTION kid53_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN ((state >> 12) + 1) * 1000 + 1577836800000000;
COMMENT ON FUNCTION kid53_unit_end(state bigint) IS 'returns when the millisecond of a state ends, in microseconds';

-- Raises an error for a number that is not a kid53.
CREATE FUNCTION kid53_checked(id bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF id NOT BETWEEN 0 AND 9007199254740991 THEN
        RAISE 'bigint % is out of range for kid53', id
            USING ERRCODE = 'numeric_value_out_of_range', DETAIL = 'The range is 0 to 9007199254740991.';
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION kid53_checked(id bigint) IS 'returns a kid53, and raises an error for other numbers';

CREATE FUNCTION kid53_timestamp(id bigint) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 0 AND 9007199254740991 THEN kid_time(kid53_micros(id)) END;
COMMENT ON FUNCTION kid53_timestamp(id bigint) IS
    'returns the beginning of the millisecond of a kid53, and NULL for other numbers';
CREATE FUNCTION kid53_sequence(id bigint) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 0 AND 9007199254740991 THEN (id & 4095)::integer END;
COMMENT ON FUNCTION kid53_sequence(id bigint) IS
    'returns the sequence of a kid53 within its millisecond, 0 to 4095, and NULL for other numbers';
