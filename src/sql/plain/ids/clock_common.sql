-- What the logical clocks share

CREATE OR REPLACE FUNCTION kid_clock_micros() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN (date_part('epoch', clock_timestamp()) * 1000000)::bigint;
COMMENT ON FUNCTION kid_clock_micros() IS 'returns the system clock, in microseconds since 1970';

CREATE OR REPLACE FUNCTION kid_clocks.kid_random() RETURNS bigint
    LANGUAGE SQL VOLATILE RETURN uuid_hash_extended(gen_random_uuid(), 0) & 9223372036854775807;
COMMENT ON FUNCTION kid_clocks.kid_random() IS 'returns 63 random bits, for a secret';

-- A session draws from this sequence before it takes the lock of a clock: see clock.sql.in.
IF to_regclass('kid_clocks.attempt') IS NULL THEN
    CREATE SEQUENCE kid_clocks.attempt CYCLE;
    COMMENT ON SEQUENCE kid_clocks.attempt IS 'fails where the logical clocks cannot be moved';
END IF;

CREATE OR REPLACE FUNCTION kid_checked_count(n bigint) RETURNS bigint
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF n < 0 THEN
        RAISE 'number of IDs must not be negative' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    RETURN n;
END $$;
COMMENT ON FUNCTION kid_checked_count(n bigint) IS
    'returns how many IDs to make, and raises an error if it is negative';
