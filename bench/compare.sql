-- Times calls against each other: rounds, in each of which every contestant has its turn, so that a change of the machine's
-- speed meets all of them alike.
--
-- Before: a temporary table contestants (name text, call text), the first row being what the others are compared with.
-- Variables: rows, calls in a turn; rounds.
-- After: contestants has columns median, least and most, in milliseconds.
CREATE TEMPORARY TABLE turns (name text, round int, ms float);

CREATE PROCEDURE pg_temp.compare(n int, rounds int) LANGUAGE plpgsql AS $$
DECLARE
    contestant record;
    start timestamptz;
BEGIN
    FOR round IN 0..rounds LOOP
        FOR contestant IN SELECT name, call FROM contestants LOOP
            start := clock_timestamp();
            EXECUTE format('SELECT count(%s) FROM generate_series(1, %s)', contestant.call, n);
            -- Round 0 is for warming up.
            INSERT INTO turns
            SELECT contestant.name, round, extract(epoch FROM clock_timestamp() - start) * 1000 WHERE round > 0;
        END LOOP;
        COMMIT;
        RAISE NOTICE 'round % of %', round, rounds;
    END LOOP;
END $$;

\set QUIET on
SET client_min_messages = notice;
CALL pg_temp.compare(:rows, :rounds);
ALTER TABLE contestants ADD median float, ADD least float, ADD most float;
UPDATE contestants c
   SET (median, least, most) = (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), min(ms), max(ms)
                                  FROM turns t WHERE t.name = c.name);
