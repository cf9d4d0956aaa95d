-- Worker numbers: rights, whatever the default privileges of the role are. Rights that it gave since stay.

private := 'kid_workers';
schemas := '{kid_workers}';
functions := ARRAY(SELECT p.oid FROM pg_proc AS p
                    WHERE p.pronamespace = 'kid'::regnamespace AND p.proname ~ 'worker');
\i revoke_rights.sql
GRANT EXECUTE ON FUNCTION kid.kid_workers() TO pg_read_all_stats;
\i workers/rights_of_steps.sql
GRANT USAGE ON SCHEMA kid TO PUBLIC;
COMMENT ON SCHEMA kid_workers IS 'worker numbers, and functions that kid_lease_worker() calls';
