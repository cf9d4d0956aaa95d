-- Rights: the owner of the database grants them to others. To seal is not PUBLIC's either: who can seal can find the ID of a
-- text by trying those of its time.
SET LOCAL search_path = pg_catalog, pg_temp;

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA kid_seal_internal FROM PUBLIC;
DO $$
DECLARE
    f regprocedure;
BEGIN
    FOR f IN SELECT p.oid FROM pg_depend AS d JOIN pg_extension AS e ON e.oid = d.refobjid JOIN pg_proc AS p ON p.oid = d.objid
              WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e'
                AND e.extname = 'kid_seal' AND p.pronamespace <> 'kid_seal_internal'::regnamespace LOOP
        EXECUTE format('REVOKE ALL ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_database_owner WITH GRANT OPTION', f);
    END LOOP;
END $$;

-- What was found by name in the schemas of kid and pgcrypto: only a superuser can have made functions in C and base types.
DO $$
DECLARE
    stranger text := (
        SELECT pg_describe_object(d.refclassid, d.refobjid, 0)
          FROM pg_extension AS e
          JOIN pg_depend AS member ON member.refclassid = 'pg_extension'::regclass AND member.refobjid = e.oid
          JOIN pg_depend AS d ON d.classid = member.classid AND d.objid = member.objid AND d.deptype = 'n'
          LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
          LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
         WHERE e.extname = 'kid_seal' AND member.deptype = 'e' AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_language'::regclass)
           AND NOT EXISTS (SELECT FROM pg_depend AS own WHERE own.classid = d.refclassid AND own.objid = d.refobjid
                              AND own.refclassid = 'pg_extension'::regclass AND own.refobjid = e.oid AND own.deptype = 'e')
           AND p.prolang IS DISTINCT FROM (SELECT oid FROM pg_language WHERE lanname = 'c')
           AND t.typtype IS DISTINCT FROM 'b'
         LIMIT 1);
BEGIN
    IF stranger IS NOT NULL THEN
        RAISE 'kid_seal would depend on %, which is not of kid or pgcrypto', stranger
            USING ERRCODE = 'invalid_object_definition';
    END IF;
END $$;
