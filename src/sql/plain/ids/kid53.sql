-- kid53: a bigint that JavaScript's numbers represent exactly. src/core/types/kid53.hpp draws its bits: milliseconds
-- since 2020 << 12 | sequence.

CREATE OR REPLACE FUNCTION kid53_unit_of(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN greatest(micros - 1577836800000000, 0) / 1000 << 12;
COMMENT ON FUNCTION kid53_unit_of(micros bigint) IS
    'returns the lowest ID of the millisecond that contains an instant, given in microseconds since 1970';
-- An ID is a state of its clock.
CREATE OR REPLACE FUNCTION kid53_micros(id bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN (id >> 12) * 1000 + 1577836800000000;
COMMENT ON FUNCTION kid53_micros(id bigint) IS
    'returns when the millisecond of an ID begins, in microseconds since 1970';
CREATE OR REPLACE FUNCTION kid53_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN ((state >> 12) + 1) * 1000 + 1577836800000000;
COMMENT ON FUNCTION kid53_unit_end(state bigint) IS 'returns when the millisecond of a state ends, in microseconds';

-- Raises an error for a number that is not a kid53.
CREATE OR REPLACE FUNCTION kid53_checked(id bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF id NOT BETWEEN 0 AND 9007199254740991 THEN
        RAISE 'bigint % is out of range for kid53', id
            USING ERRCODE = 'numeric_value_out_of_range', DETAIL = 'The range is 0 to 9007199254740991.';
    END IF;
    RETURN id;
END $$;
COMMENT ON FUNCTION kid53_checked(id bigint) IS 'returns a kid53, and raises an error for other numbers';

CREATE OR REPLACE FUNCTION kid53_timestamp(id bigint) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 0 AND 9007199254740991 THEN kid_time(kid53_micros(id)) END;
COMMENT ON FUNCTION kid53_timestamp(id bigint) IS
    'returns the beginning of the millisecond of a kid53, and NULL for other numbers';
CREATE OR REPLACE FUNCTION kid53_sequence(id bigint) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN CASE WHEN id BETWEEN 0 AND 9007199254740991 THEN (id & 4095)::integer END;
COMMENT ON FUNCTION kid53_sequence(id bigint) IS
    'returns the sequence of a kid53 within its millisecond, 0 to 4095, and NULL for other numbers';
CREATE OR REPLACE FUNCTION kid53_inspect(id bigint, OUT component text, OUT bits integer, OUT value text)
    RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 41, kid53_timestamp(id)::text), ('sequence', 12, kid53_sequence(id)::text);
END;
COMMENT ON FUNCTION kid53_inspect(id bigint) IS 'lists the components of an ID, most significant first';

\set type bigint
\set prefix kid53
\set label kid53
\set unit millisecond
\set greatest 9007199254740991
\set last 4095
\set first_time 2020-01-01 00:00:00+00
\set last_time 2089-09-06 15:47:35.551999+00
\i plain/ids/bounds.sql.in
