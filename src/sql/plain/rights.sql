-- Rights, whatever the default privileges of the role are

GRANT USAGE ON TYPE kid64 TO PUBLIC;
GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA kid TO PUBLIC;
-- Who draws from the sequences of kid64_at() can make it repeat IDs for others.
REVOKE ALL ON FUNCTION kid_stats(), kid64_at(timestamptz) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION kid_stats() TO pg_read_all_stats;

DO $kid$
DECLARE
    what record;
BEGIN
    FOR what IN
        WITH objects AS (
            SELECT 'SCHEMA' AS kind, n.nspname::pg_catalog.text AS name, n.nspacl AS acl
              FROM pg_catalog.pg_namespace AS n WHERE n.nspname IN ('kid', 'kid_clocks')
            UNION ALL
            SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END,
                   c.oid::pg_catalog.regclass::pg_catalog.text, c.relacl
              FROM pg_catalog.pg_class AS c WHERE c.relnamespace = 'kid_clocks'::pg_catalog.regnamespace
            UNION ALL
            SELECT 'FUNCTION', p.oid::pg_catalog.regprocedure::pg_catalog.text,
                   coalesce(p.proacl, pg_catalog.acldefault('f', p.proowner))
              FROM pg_catalog.pg_proc AS p
             WHERE p.pronamespace = 'kid_clocks'::pg_catalog.regnamespace
                OR p.pronamespace = 'kid'::pg_catalog.regnamespace AND p.proname = 'kid_observe')
        SELECT DISTINCT o.kind, o.name,
               CASE a.grantee WHEN 0 THEN 'PUBLIC'
                              ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END AS grantee
          FROM objects AS o, pg_catalog.aclexplode(o.acl) AS a
         WHERE a.grantee <> (SELECT r.oid FROM pg_catalog.pg_roles AS r WHERE r.rolname = current_user) LOOP
        EXECUTE pg_catalog.format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
    END LOOP;
END $kid$;
GRANT USAGE ON SCHEMA kid TO PUBLIC;
