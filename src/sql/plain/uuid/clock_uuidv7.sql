-- uuid version 7: the states of its logical clock, and IDs for old rows

-- A state of the clock of uuids is the milliseconds since 1970, then 14 bits that count. They follow the milliseconds
-- in the uuid: the fraction of the edition in C, and half of its count.
CREATE OR REPLACE FUNCTION kid_uuidv7_unit_of(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN micros / 1000 << 14;
COMMENT ON FUNCTION kid_uuidv7_unit_of(micros bigint) IS
    'returns the first state of the millisecond that contains an instant';
CREATE OR REPLACE FUNCTION kid_uuidv7_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN ((state >> 14) + 1) * 1000;
COMMENT ON FUNCTION kid_uuidv7_unit_end(state bigint) IS
    'returns when the millisecond of a state ends, in microseconds';
CREATE OR REPLACE FUNCTION kid_uuidv7_state_of(id uuid) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
DECLARE
    bytes bytea := uuid_send(id);
BEGIN
    IF kid_timestamp(id) IS NULL THEN
        RAISE 'uuid "%" is not of version 7', id USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN (kid_uuidv7_millis(id) << 14) + ((get_byte(bytes, 6) & 15) << 10) + (get_byte(bytes, 7) << 2)
           + (get_byte(bytes, 8) >> 4 & 3);
END $$;
COMMENT ON FUNCTION kid_uuidv7_state_of(id uuid) IS 'returns the state that has a uuid of version 7';
CREATE OR REPLACE FUNCTION kid_uuidv7_micros(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE RETURN (state >> 14) * 1000;
COMMENT ON FUNCTION kid_uuidv7_micros(state bigint) IS
    'returns when the millisecond of a state begins, in microseconds';
CREATE OR REPLACE FUNCTION kid_uuidv7_of(state bigint, random bigint) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN encode(int8send((state >> 14 << 16) + 28672 + (state >> 2 & 4095))
              || int8send((8 + (state & 3) << 60) + (random & 1152921504606846975)), 'hex')::uuid;
COMMENT ON FUNCTION kid_uuidv7_of(state bigint, random bigint) IS
    'returns the uuid of version 7 of a state, with 60 random bits';

\set type uuid
\set prefix kid_uuidv7
\set label uuid version 7
\set greatest 4611686018427387903
\set sequence_bits 14
\set last_to_draw 8191
\set most_sessions 8192
\set observe kid_observe
\set state kid_uuidv7_state_of(id)
\set generator kid_uuidv7
\set id kid.kid_uuidv7_of(state, pg_catalog.uuid_hash_extended(pg_catalog.gen_random_uuid(), 0))
\i plain/ids/clock.sql.in
\i plain/ids/generator.sql.in

CREATE OR REPLACE FUNCTION kid_uuidv7_at(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF ts < kid_uuidv7_first() OR ts > kid_uuidv7_last() THEN
        RAISE 'timestamp out of range for uuid version 7'
            USING ERRCODE = 'datetime_field_overflow',
                  DETAIL = 'The range is 1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655999+00.';
    END IF;
    RETURN kid_uuidv7_of(kid_uuidv7_unit_of(kid_micros(ts)) + (uuid_hash_extended(gen_random_uuid(), 0) & 16383),
                         uuid_hash_extended(gen_random_uuid(), 0));
END $$;
COMMENT ON FUNCTION kid_uuidv7_at(ts timestamptz) IS 'makes a uuid of version 7 for a given time in the past';
