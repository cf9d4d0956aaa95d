-- Worker numbers: rights, whatever the default privileges of the superuser are
--
-- Any role may call the functions that kid_lease_worker() calls. They check that their caller may call
-- kid_lease_worker(). The owner of the database grants that right, and can dump and restore the tables.

DO $$
DECLARE
    -- For made_by_others.sql
    members oid[] := ARRAY(SELECT d.objid FROM pg_extension AS e
                             JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                            WHERE e.extname = 'kid_workers' AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e');
    trusted regnamespace[] := '{kid_workers}';
    -- For revoke_rights.sql
    private regnamespace := 'kid_workers';
    schemas name[] := '{kid_workers}';
    functions oid[] := members;
    is_new boolean := true;
    what record;
BEGIN
    \i made_by_others.sql
    \i revoke_rights.sql
    FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
                 WHERE p.oid = ANY (members) AND p.pronamespace <> 'kid_workers'::regnamespace LOOP
        EXECUTE format('GRANT EXECUTE ON ROUTINE %s TO pg_database_owner WITH GRANT OPTION', what.name);
    END LOOP;
    GRANT EXECUTE ON FUNCTION @extschema@.kid_workers() TO pg_read_all_stats;
    GRANT SELECT, INSERT ON kid_workers.pools, kid_workers.numbers TO pg_database_owner;
    \i workers/rights_of_steps.sql
    PERFORM pg_extension_config_dump('kid_workers.pools', '');
    PERFORM pg_extension_config_dump('kid_workers.numbers', '');
END $$;
