-- This is a piece of a block in PL/pgSQL, which declares the variables that it names.
--
-- Takes rights from all roles but the owner: on `schemas` and `functions`, and on all that is in the schema `private`.
-- Outside `private`, other roles than PUBLIC keep what they have on `old_schemas` and `old_functions`, which were
-- there before the script ran: the owner granted it since.
FOR what IN
    WITH objects (kind, home, is_old, name, owner, acl) AS (
        SELECT 'SCHEMA', n.oid, n.oid = ANY (old_schemas), n.nspname::text, n.nspowner, n.nspacl
          FROM pg_namespace AS n WHERE n.nspname = ANY (schemas)
        UNION ALL
        SELECT CASE c.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END, c.relnamespace, false,
               c.oid::regclass::text, c.relowner, c.relacl
          FROM pg_class AS c WHERE c.relnamespace = private AND c.relkind IN ('r', 'S')
        UNION ALL
        SELECT 'ROUTINE', p.pronamespace, p.oid = ANY (old_functions), p.oid::regprocedure::text, p.proowner,
               coalesce(p.proacl, acldefault('f', p.proowner))
          FROM pg_proc AS p WHERE p.pronamespace = private OR p.oid = ANY (functions))
    SELECT DISTINCT o.kind, o.name,
           CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
      FROM objects AS o, aclexplode(o.acl) AS a
     WHERE a.grantee <> o.owner
       AND (o.home = private OR NOT o.is_old OR a.grantee = 0) LOOP
    EXECUTE format('REVOKE ALL ON %s %s FROM %s CASCADE', what.kind, what.name, what.grantee);
END LOOP;
