-- Rights: the owner of the database grants them to others. PUBLIC may not even seal: a role that seals can find the ID
-- of a text by trying the IDs of its time.
SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
DECLARE
    seal oid := (SELECT oid FROM pg_extension WHERE extname = 'kid_seal');
    what record;
BEGIN
    -- Besides PUBLIC, the roles to which ALTER DEFAULT PRIVILEGES of the superuser gives rights.
    FOR what IN
        WITH objects AS (
            SELECT 'SCHEMA' AS kind, nspname::text AS name, nspowner AS owner,
                   coalesce(nspacl, acldefault('n', nspowner)) AS acl
              FROM pg_namespace WHERE oid = 'kid_seal_internal'::regnamespace
            UNION ALL
            SELECT 'TABLE', c.oid::regclass::text, relowner, coalesce(relacl, acldefault('r', relowner))
              FROM pg_class AS c WHERE c.oid = 'kid_seal_internal.keys'::regclass
            UNION ALL
            SELECT 'FUNCTION', p.oid::regprocedure::text, proowner, coalesce(proacl, acldefault('f', proowner))
              FROM pg_proc AS p JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
             WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = seal AND d.deptype = 'e')
        SELECT DISTINCT kind, name,
               CASE grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(grantee)) END AS grantee
          FROM objects, aclexplode(acl) WHERE grantee <> owner LOOP
        EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
    END LOOP;
    FOR what IN SELECT p.oid::regprocedure AS name FROM pg_proc AS p
                  JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
                 WHERE d.refclassid = 'pg_extension'::regclass AND d.refobjid = seal AND d.deptype = 'e'
                   AND p.pronamespace <> 'kid_seal_internal'::regnamespace LOOP
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_database_owner WITH GRANT OPTION', what.name);
    END LOOP;
END $$;

-- What was found by name in the schemas of kid and pgcrypto: only a superuser can have made functions in C and base
-- types.
DO $$
DECLARE
    stranger text := (
        SELECT pg_describe_object(d.refclassid, d.refobjid, 0)
          FROM pg_extension AS e
          JOIN pg_depend AS member ON member.refclassid = 'pg_extension'::regclass AND member.refobjid = e.oid
          JOIN pg_depend AS d ON d.classid = member.classid AND d.objid = member.objid AND d.deptype = 'n'
          LEFT JOIN pg_proc AS p ON d.refclassid = 'pg_proc'::regclass AND p.oid = d.refobjid
          LEFT JOIN pg_type AS t ON d.refclassid = 'pg_type'::regclass AND t.oid = d.refobjid
         WHERE e.extname = 'kid_seal' AND member.deptype = 'e'
           AND d.refclassid NOT IN ('pg_namespace'::regclass, 'pg_language'::regclass)
           AND NOT EXISTS (SELECT FROM pg_depend AS own WHERE own.classid = d.refclassid AND own.objid = d.refobjid
                              AND own.refclassid = 'pg_extension'::regclass AND own.refobjid = e.oid
                              AND own.deptype = 'e')
           AND p.prolang IS DISTINCT FROM (SELECT oid FROM pg_language WHERE lanname = 'c')
           AND t.typtype IS DISTINCT FROM 'b'
         LIMIT 1);
BEGIN
    IF stranger IS NOT NULL THEN
        RAISE 'kid_seal would depend on %, which is not of kid or pgcrypto', stranger
            USING ERRCODE = 'invalid_object_definition';
    END IF;
END $$;
