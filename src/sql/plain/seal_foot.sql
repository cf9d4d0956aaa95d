-- Rights: only those that the owner grants in the schema kid_seal after the script has run for the first time. To seal
-- is not PUBLIC's either: a role that seals can find the ID of a text by trying the IDs of its time.
PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);

COMMENT ON SCHEMA kid_seal IS 'functions that seal and unseal IDs of kid';
COMMENT ON SCHEMA kid_seal_internal IS 'keys of sealed IDs, and functions that nobody else calls';

FOR what IN
    WITH objects AS (
        SELECT 'SCHEMA' AS kind, n.oid AS home, n.nspname::text AS name, n.nspacl AS acl
          FROM pg_namespace AS n WHERE n.nspname IN ('kid_seal', 'kid_seal_internal')
        UNION ALL
        SELECT 'TABLE', c.relnamespace, c.oid::regclass::text, c.relacl
          FROM pg_class AS c WHERE c.oid = 'kid_seal_internal.keys'::regclass
        UNION ALL
        SELECT 'FUNCTION', p.pronamespace, p.oid::regprocedure::text,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p
         WHERE p.pronamespace IN ('kid_seal'::regnamespace, 'kid_seal_internal'::regnamespace))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> me
       AND (current_setting('kid_seal.is_new')::boolean OR a.grantee = 0 OR o.home = 'kid_seal_internal'::regnamespace) LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;

-- What was found by name in the schema of pgcrypto: only a superuser can have made functions in C.
FOR what IN SELECT found.oid::regprocedure AS name
              FROM pg_proc AS p
              JOIN pg_depend AS d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid
              JOIN pg_proc AS found ON d.refclassid = 'pg_proc'::regclass AND found.oid = d.refobjid
             WHERE p.pronamespace IN ('kid_seal'::regnamespace, 'kid_seal_internal'::regnamespace)
               AND found.pronamespace NOT IN ('kid'::regnamespace, 'kid_seal_internal'::regnamespace)
               AND found.prolang <> (SELECT oid FROM pg_language WHERE lanname = 'c') LOOP
    RAISE 'kid_seal would depend on function %, which is not of pgcrypto', what.name
        USING ERRCODE = 'invalid_object_definition';
END LOOP;
