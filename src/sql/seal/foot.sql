-- Rights: the owner of the database grants them to others. PUBLIC may not even seal: a role that seals can find the ID
-- of a text by trying the IDs of its time.
SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
DECLARE
    members oid[] := ARRAY(SELECT d.objid FROM pg_extension AS e
                             JOIN pg_depend AS d ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
                            WHERE e.extname = 'kid_seal' AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e');
    -- For made_by_others.sql
    trusted regnamespace[] := '{kid_seal_internal}';
    -- For revoke_rights.sql
    private regnamespace := 'kid_seal_internal';
    schemas name[] := '{kid_seal_internal}';
    functions oid[] := members;
    is_new boolean := true;
    what record;
BEGIN
    \i made_by_others.sql
    -- Besides PUBLIC, the roles to which ALTER DEFAULT PRIVILEGES of the superuser gives rights.
    \i revoke_rights.sql
    FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
                 WHERE p.oid = ANY (members) AND p.pronamespace <> 'kid_seal_internal'::regnamespace LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_database_owner WITH GRANT OPTION', what.name);
    END LOOP;
    -- The owner of the database can dump and restore the forgotten keys.
    GRANT USAGE ON SCHEMA kid_seal_internal TO pg_database_owner;
    GRANT SELECT, INSERT ON kid_seal_internal.forgotten TO pg_database_owner;
    PERFORM pg_extension_config_dump('kid_seal_internal.forgotten', '');
END $$;
