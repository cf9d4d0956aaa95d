-- Other ways to make IDs, and the clocks as a table

CREATE OR REPLACE FUNCTION kid64_next() RETURNS kid64
    LANGUAGE SQL VOLATILE RETURN kid_next();
COMMENT ON FUNCTION kid64_next() IS 'same as kid_next()';
CREATE OR REPLACE FUNCTION kid64_next(n bigint) RETURNS SETOF kid64
    LANGUAGE SQL VOLATILE STRICT
BEGIN ATOMIC
    SELECT kid_next() FROM generate_series(1, kid_checked_count(n));
END;
COMMENT ON FUNCTION kid64_next(n bigint) IS 'same as kid_next(n)';

CREATE OR REPLACE FUNCTION kid_clocks.kid_new_secrets() RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    clock name;
BEGIN
    FOR clock IN SELECT c.relname FROM pg_class AS c
                  WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname LIKE '%\_clock' LOOP
        EXECUTE format('SELECT kid_clocks.%I(new_secret => true)', replace(clock, '_clock', '_open'));
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_clocks.kid_new_secrets() IS
    'changes the secrets of the logical clocks, also while IDs are made';

CREATE OR REPLACE FUNCTION kid_stats(OUT clock text, OUT last_issued timestamptz, OUT ahead interval)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 3 SET search_path = kid, pg_temp AS $$
BEGIN
    FOR clock IN SELECT c.relname FROM pg_class AS c
                  WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname LIKE '%\_clock' ORDER BY 1 LOOP
        EXECUTE format('SELECT kid_time(%I(%I()))', replace(clock, '_clock', '_micros'),
                       replace(clock, '_clock', '_state')) INTO last_issued;
        ahead := greatest(last_issued - clock_timestamp(), interval '0');
        -- The names that kid_stats() of the extension shows.
        clock := CASE clock WHEN 'kid64_clock' THEN 'kid' WHEN 'kid_uuidv7_clock' THEN 'uuidv7'
                            ELSE replace(clock, '_clock', '') END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_stats() IS 'returns the state of each logical clock of the database';
