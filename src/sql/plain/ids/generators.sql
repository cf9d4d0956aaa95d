-- Other ways to make IDs, and the clocks as a table
--
-- Each clock has a sequence kid_clocks.PREFIX_clock, and functions named PREFIX_state and so on, of clock.sql.in. Those
-- below find the clocks by the names of the sequences, because kid-uuid, with a clock of its own, can be there or not.

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
    sequence_name name;                 -- such as kid64_clock
BEGIN
    FOR sequence_name IN SELECT c.relname FROM pg_class AS c
                          WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname LIKE '%\_clock' LOOP
        EXECUTE format('SELECT kid_clocks.%I(new_secret => true)', replace(sequence_name, '_clock', '_open'));
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_clocks.kid_new_secrets() IS
    'changes the secrets of the logical clocks, also while IDs are made';

CREATE OR REPLACE FUNCTION kid_stats(OUT clock text, OUT last_issued timestamptz, OUT ahead interval)
    RETURNS SETOF record
    LANGUAGE plpgsql VOLATILE SECURITY DEFINER ROWS 3 SET search_path = kid, pg_temp AS $$
DECLARE
    sequence_name name;                 -- such as kid64_clock
BEGIN
    FOR sequence_name IN SELECT c.relname FROM pg_class AS c
                          WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname LIKE '%\_clock'
                          ORDER BY 1 LOOP
        EXECUTE format('SELECT kid_time(%I(%I()))', replace(sequence_name, '_clock', '_micros'),
                       replace(sequence_name, '_clock', '_state')) INTO last_issued;
        ahead := greatest(last_issued - clock_timestamp(), interval '0');
        -- The names that kid_stats() of the extension shows.
        clock := CASE sequence_name WHEN 'kid64_clock' THEN 'kid' WHEN 'kid_uuidv7_clock' THEN 'uuidv7'
                                    ELSE replace(sequence_name, '_clock', '') END;
        RETURN NEXT;
    END LOOP;
END $$;
COMMENT ON FUNCTION kid_stats() IS 'returns the state of each logical clock of the database';
