-- Times queries against each other: rounds, in each of which every contestant has its turn, so that a change of the machine's
-- speed meets all of them alike.
--
-- Before: a temporary table contestants (name text, query text). Variable: rounds.
-- After: contestants has columns median, least and most, in milliseconds.
CREATE TEMPORARY TABLE turns (name text, round int, ms float);

CREATE PROCEDURE pg_temp.compare(rounds int) LANGUAGE plpgsql AS $$
DECLARE
    contestant record;
    start timestamptz;
BEGIN
    FOR round IN 0..rounds LOOP
        FOR contestant IN SELECT name, query FROM contestants LOOP
            start := clock_timestamp();
            EXECUTE contestant.query;
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
CALL pg_temp.compare(:rounds);
ALTER TABLE contestants ADD median float, ADD least float, ADD most float;
UPDATE contestants c
   SET (median, least, most) = (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY ms), min(ms), max(ms)
                                  FROM turns t WHERE t.name = c.name);
DROP TABLE turns;
DROP PROCEDURE pg_temp.compare;
