-- Other ways to make IDs, and the clocks as a table

CREATE FUNCTION kid64_next() RETURNS kid64
    LANGUAGE SQL VOLATILE
RETURN kid_next();
CREATE FUNCTION kid64_next(n bigint) RETURNS SETOF kid64
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid_next() FROM generate_series(1, n);
END;

COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
COMMENT ON FUNCTION kid64_next(bigint) IS 'same as kid_next(n)';

DO $kid$
BEGIN
    IF pg_catalog.to_regclass('kid_clocks.kid64_at_sequence') IS NULL THEN
        CREATE SEQUENCE kid_clocks.kid64_at_sequence MINVALUE 0 MAXVALUE 16383 START 0 CYCLE;
        COMMENT ON SEQUENCE kid_clocks.kid64_at_sequence IS 'the sequences of kid64_at()';
    END IF;
END $kid$;

CREATE FUNCTION kid64_at(ts timestamptz) RETURNS kid64
    LANGUAGE plpgsql VOLATILE STRICT SECURITY DEFINER SET search_path = kid, pg_temp AS $$
BEGIN
    RETURN kid64_make(ts, nextval('kid_clocks.kid64_at_sequence')::integer);
END $$;
CREATE FUNCTION kid_uuidv7_at(ts timestamptz) RETURNS uuid
    LANGUAGE plpgsql VOLATILE STRICT PARALLEL SAFE SET search_path = kid, pg_temp AS $$
BEGIN
    IF ts < timestamptz '1970-01-01 00:00:00+00' OR ts >= timestamptz '10889-08-02 05:31:50.656+00' THEN
        RAISE 'timestamp out of range for type uuid version 7'
            USING ERRCODE = 'datetime_field_overflow',
                  DETAIL = 'The range is 1970-01-01 00:00:00+00 to 10889-08-02 05:31:50.655999+00.';
    END IF;
    RETURN encode(overlay(set_byte(b, 6, 112 + (get_byte(b, 6) & 15))
                          PLACING substr(uuid_send(kid_uuidv7_floor(ts)), 1, 6) FROM 1), 'hex')::uuid
      FROM uuid_send(gen_random_uuid()) AS b;
END $$;

COMMENT ON FUNCTION kid64_at(timestamptz) IS
    'makes a kid64 for an old row, with the given time: no two of 16384 calls in a row are equal';
COMMENT ON FUNCTION kid_uuidv7_at(timestamptz) IS
    'makes a uuid of version 7 for an old row, from the millisecond of the given time and 74 random bits';

CREATE FUNCTION kid_clocks.kid_new_secrets() RETURNS void
    LANGUAGE SQL VOLATILE
BEGIN ATOMIC
    SELECT kid_clocks.kid64_open(new_secret => true);
    SELECT kid_clocks.kid_uuidv7_open(new_secret => true);
END;
COMMENT ON FUNCTION kid_clocks.kid_new_secrets() IS
    'changes the secrets of the logical clocks, also while IDs are made';

CREATE FUNCTION kid_stats(OUT clock text, OUT last_issued timestamptz, OUT ahead interval) RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 2 SET search_path = kid, pg_temp AS $$
BEGIN
    RETURN QUERY SELECT c.name, kid_time(c.micros), greatest(kid_time(c.micros) - clock_timestamp(), interval '0')
      FROM (VALUES ('kid', kid64_state_micros(kid64_state())),
                   ('uuidv7', kid_uuidv7_state_micros(kid_uuidv7_state()))) AS c (name, micros);
END $$;
COMMENT ON FUNCTION kid_stats() IS 'returns the state of each logical clock of the database';
