-- What the logical clocks share

CREATE FUNCTION kid_clock_micros() RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
COMMENT ON FUNCTION kid_clock_micros() IS 'returns the system clock, in microseconds since 1970';

CREATE FUNCTION kid_clocks.kid_random() RETURNS bigint
    LANGUAGE SQL VOLATILE
RETURN uuid_hash_extended(gen_random_uuid(), 0) & 9223372036854775807;
COMMENT ON FUNCTION kid_clocks.kid_random() IS 'returns 63 random bits, for a secret';

-- A session draws from this sequence before it takes the lock of a clock: see clock.sql.in.
DO $kid$
BEGIN
    IF pg_catalog.to_regclass('kid_clocks.attempt') IS NULL THEN
        CREATE SEQUENCE kid_clocks.attempt CYCLE;
        COMMENT ON SEQUENCE kid_clocks.attempt IS 'fails where the logical clocks cannot be moved';
    END IF;
END $kid$;

-- A kid64 is a state of its clock.
CREATE FUNCTION kid64_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ((state >> 44) * 1000000 + (state >> 24 & 1048575)) * 1000000
       + least(((state >> 14 & 1023) + 1) * 1024, 1000000);
CREATE FUNCTION kid64_state_of(id kid64) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN id;
CREATE FUNCTION kid64_state_micros(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN kid64_micros(state);

-- A state of the clock of uuids is the milliseconds since 1970, then 14 bits that count. They follow the milliseconds
-- in the uuid: the fraction of the edition in C, and half of its count.
CREATE FUNCTION kid_uuidv7_unit_of(micros bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN micros / 1000 << 14;
CREATE FUNCTION kid_uuidv7_unit_end(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN ((state >> 14) + 1) * 1000;
CREATE FUNCTION kid_uuidv7_state_of(id uuid) RETURNS bigint
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
CREATE FUNCTION kid_uuidv7_state_micros(state bigint) RETURNS bigint
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN (state >> 14) * 1000;
CREATE FUNCTION kid_uuidv7_of(state bigint, random bigint) RETURNS uuid
    LANGUAGE SQL IMMUTABLE PARALLEL SAFE
RETURN encode(int8send((state >> 14 << 16) + 28672 + (state >> 2 & 4095))
              || int8send((8 + (state & 3) << 60) + (random & 1152921504606846975)), 'hex')::uuid;

COMMENT ON FUNCTION kid64_unit_end(bigint) IS 'returns when the time unit of a state ends, in microseconds';
COMMENT ON FUNCTION kid64_state_of(kid64) IS 'returns the state that has an ID';
COMMENT ON FUNCTION kid64_state_micros(bigint) IS 'returns when the time unit of a state begins, in microseconds';
COMMENT ON FUNCTION kid_uuidv7_unit_of(bigint) IS 'returns the first state of the millisecond that contains an instant';
COMMENT ON FUNCTION kid_uuidv7_unit_end(bigint) IS 'returns when the millisecond of a state ends, in microseconds';
COMMENT ON FUNCTION kid_uuidv7_state_of(uuid) IS 'returns the state that has a uuid of version 7';
COMMENT ON FUNCTION kid_uuidv7_state_micros(bigint) IS
    'returns when the millisecond of a state begins, in microseconds';
COMMENT ON FUNCTION kid_uuidv7_of(bigint, bigint) IS
    'returns the uuid of version 7 of a state, with 60 random bits';
