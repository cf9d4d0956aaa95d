-- Rights, whatever the default privileges of the role are
--
-- They are here and not beside each function, as in the extension, because the script can run again. First everybody
-- may call every routine, new ones among them. Then `functions` lists those that nobody may call but the owner, and the
-- roles to which the owner granted it since. A new function that moves a clock or shows what others do has to be added
-- there: test/t/plain.pl compares that with the extension.

GRANT USAGE ON TYPE kid.kid64 TO PUBLIC;
-- Routines on worker numbers have rights of their own: see plain/workers/rights.sql.
FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
             WHERE p.pronamespace = 'kid'::regnamespace AND p.proname !~ 'worker' LOOP
    EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO PUBLIC', what.name);
END LOOP;

private := 'kid_clocks';
schemas := '{kid,kid_clocks}';
-- kid_observe() moves a clock. A role that calls kid64_at() or kid53_at() often can make it repeat IDs for others.
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace
                      AND p.proname IN ('kid_observe', 'kid53_observe', 'kid_observe_all', 'kid64_at', 'kid53_at',
                                        'kid_stats'));
\i revoke_rights.sql
GRANT EXECUTE ON FUNCTION kid.kid_stats() TO pg_read_all_stats;
FOR what IN SELECT c.oid::regclass AS name FROM pg_class AS c
             WHERE c.relnamespace = 'kid_clocks'::regnamespace AND c.relname ~ '_clock$' LOOP
    -- For kid_track(). Nobody can name the clocks, but who knows their OID can read what kid_next() returned.
    EXECUTE format('GRANT SELECT ON SEQUENCE %s TO PUBLIC', what.name);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;
