-- Rights, whatever the default privileges of the role are
--
-- They are here and not beside each function, as in the extension, because the script can run again: it gives everybody
-- the rights to all routines, new ones among them, and then takes back those that follow. What is not listed here
-- anybody may call, so a new function that moves a clock or shows what others do has to be added.
-- test/t/plain.pl compares that with the extension.

GRANT USAGE ON TYPE kid.kid64 TO PUBLIC;
FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
             WHERE p.pronamespace = 'kid'::regnamespace
               AND p.proname !~
                   \i plain/workers/names.sql
    LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', what.name);
END LOOP;
-- A role that calls kid64_at() or kid53_at() often can make it repeat IDs for others.
REVOKE ALL ON FUNCTION kid.kid_stats(), kid.kid64_at(timestamptz), kid.kid53_at(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid.kid_stats() TO pg_read_all_stats;

private := 'kid_clocks';
schemas := '{kid,kid_clocks}';
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace
                      AND p.proname IN ('kid_observe', 'kid53_observe', 'kid_observe_all'));
is_new := true;
\i revoke_rights.sql
FOR what IN SELECT c.oid::regclass AS name FROM pg_class AS c
             WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname ~ '_clock$' LOOP
    -- For kid_track(). Nobody can name the clocks, but who knows their OID can read what kid_next() returned.
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;
