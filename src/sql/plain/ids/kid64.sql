-- kid64: the bits of the type in C, as a bigint, until the sign bit would be set, in 18584. src/core/types/kid64.hpp
-- draws them: megaseconds << 44 | seconds << 24 | microseconds >> 10 << 14 | sequence.

IF to_regtype('kid.kid64') IS NULL THEN
    CREATE DOMAIN kid64 AS bigint;
END IF;
COMMENT ON DOMAIN kid64 IS
    'k-ordered ID in 8 bytes, with the time from 1970 to 18584 in units of 1.024 ms: the local ID of the Erlang '
    'library uid';

-- Conversions of times, in microseconds since 1970. The name 'UTC' would be an abbreviation, to which PostgreSQL 18
-- gives the meaning that it has in the time zone of the session, such as 'UTC+5'.

CREATE OR REPLACE FUNCTION kid_micros(ts timestamptz) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN date_part('epoch', date_trunc('second', ts AT TIME ZONE interval '0'))::bigint * 1000000
       + date_part('microseconds', ts AT TIME ZONE interval '0')::bigint % 1000000;
COMMENT ON FUNCTION kid_micros(ts timestamptz) IS 'returns the microseconds since 1970 of an instant';
CREATE OR REPLACE FUNCTION kid_time(micros bigint) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN (date '1970-01-01' + (micros / 86400000000)::integer + micros % 86400000000 * interval '1 us')
       AT TIME ZONE interval '0';
COMMENT ON FUNCTION kid_time(micros bigint) IS 'returns the instant that is so many microseconds after 1970';

CREATE OR REPLACE FUNCTION kid64_unit_of(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN (micros / 1000000000000 << 44) + (micros / 1000000 % 1000000 << 24) + (micros % 1000000 >> 10 << 14);
COMMENT ON FUNCTION kid64_unit_of(micros bigint) IS 'returns the lowest ID of the time unit that contains an instant';
CREATE OR REPLACE FUNCTION kid64_micros(id bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN ((id >> 44) * 1000000 + (id >> 24 & 1048575)) * 1000000 + (id >> 14 & 1023) * 1024;
COMMENT ON FUNCTION kid64_micros(id bigint) IS 'returns when the time unit of an ID begins, in microseconds since 1970';
-- An ID is a state of its clock.
CREATE OR REPLACE FUNCTION kid64_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ((state >> 44) * 1000000 + (state >> 24 & 1048575)) * 1000000
       + least(((state >> 14 & 1023) + 1) * 1024, 1000000);
COMMENT ON FUNCTION kid64_unit_end(state bigint) IS 'returns when the time unit of a state ends, in microseconds';

CREATE OR REPLACE FUNCTION kid_timestamp(id kid64) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_time(kid64_micros(id));
COMMENT ON FUNCTION kid_timestamp(id kid64) IS 'returns the beginning of the time unit of an ID';
CREATE OR REPLACE FUNCTION kid64_timestamp(id kid64) RETURNS timestamptz
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN kid_time(kid64_micros(id));
COMMENT ON FUNCTION kid64_timestamp(id kid64) IS 'same as kid_timestamp(), under a name that is not overloaded';
CREATE OR REPLACE FUNCTION kid_sequence(id kid64) RETURNS integer
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE RETURN (id & 16383)::integer;
COMMENT ON FUNCTION kid_sequence(id kid64) IS 'returns the sequence of an ID within its time unit, 0 to 16383';
CREATE OR REPLACE FUNCTION kid_inspect(id kid64, OUT component text, OUT bits integer, OUT value text)
    RETURNS SETOF record
    LANGUAGE SQL STABLE STRICT PARALLEL SAFE ROWS 5
BEGIN ATOMIC
    VALUES ('timestamp', 50, kid_timestamp(id)::text), ('sequence', 14, kid_sequence(id)::text);
END;
COMMENT ON FUNCTION kid_inspect(id kid64) IS 'lists the components of an ID, most significant first';

-- The text form of the type in C: base64 with another alphabet, in ASCII order.

CREATE OR REPLACE FUNCTION kid64_to_text(id kid64) RETURNS text
    LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN translate(encode(int8send(id), 'base64'),
                 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=',
                 '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz');
COMMENT ON FUNCTION kid64_to_text(id kid64) IS 'returns an ID in the text form of the type in C';

-- The collation is that of the argument otherwise, and may equate upper and lower case.
CREATE OR REPLACE FUNCTION kid64_from_text(encoded text) RETURNS kid64
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    id bigint;
BEGIN
    IF encoded COLLATE "C" ~ '^[.0-9A-U][.0-9A-Z_a-z]{10}$' THEN
        id := ('x' || encode(decode(translate(encoded COLLATE "C",
                                              '.0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz',
                                              'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/')
                                    || '=', 'base64'), 'hex'))::bit(64)::bigint;
        -- The last character has two bits that no ID has.
        IF kid64_to_text(id) COLLATE "C" = encoded COLLATE "C" THEN
            RETURN id;
        END IF;
    END IF;
    RAISE 'invalid input syntax for type kid64: "%"', encoded
        USING ERRCODE = 'invalid_text_representation',
              DETAIL = 'An ID until 18584 has 11 characters of .0-9A-Z_a-z, the first from "." to "U".';
END $$;
COMMENT ON FUNCTION kid64_from_text(encoded text) IS 'returns the ID that kid64_to_text() wrote';

\set type kid64
\set prefix kid64
\set label type kid64
\set unit time unit
\set greatest 9223372036854775807
\set last 16383
\set first_time 1970-01-01 00:00:00+00
\set last_time 18584-01-10 03:33:19.999999+00
\i plain/ids/bounds.sql.in
\i within.sql.in
