-- Rights, whatever the default privileges of the role are

GRANT USAGE ON TYPE kid64 TO PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA kid TO PUBLIC;
-- A role that calls kid64_at() often can make it repeat IDs for others.
REVOKE ALL ON FUNCTION kid_stats(), kid64_at(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_stats() TO pg_read_all_stats;

FOR what IN
    WITH objects AS (
        SELECT 'SCHEMA' AS kind, n.nspname::text AS name, n.nspacl AS acl
          FROM pg_namespace AS n WHERE n.nspname IN ('kid', 'kid_clocks')
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.oid::regclass::text, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = 'kid_clocks'::regnamespace
        UNION ALL
        SELECT 'FUNCTION', p.oid::regprocedure::text, coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p
         WHERE p.pronamespace = 'kid_clocks'::regnamespace
            OR p.pronamespace = 'kid'::regnamespace AND p.proname IN ('kid_observe', 'kid_observe_all'))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> me LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;
GRANT USAGE ON SCHEMA kid TO PUBLIC;
