-- Finds partitions that evade rights and policies of their parent, for kid_check()
--
-- PostgreSQL checks the rights and the policies of the table that a query names, and of no partition below it. Foreign
-- tables have no row-level security. On a default partition FORCE would hide rows from kid_create_partitions().

CREATE FUNCTION @extschema@.kid_check_partitions(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL STABLE
BEGIN ATOMIC
    WITH RECURSIVE
    below (oid) AS (
        SELECT i.inhrelid FROM pg_inherits AS i WHERE i.inhparent = relation::oid
        UNION SELECT i.inhrelid FROM below AS b JOIN pg_inherits AS i ON i.inhparent = b.oid
    ),
    partitions AS (SELECT c.oid, c.oid::regclass AS name, c.relowner, c.relacl, t.oid AS parent,
                          t.oid::regclass AS parent_name, t.relowner AS parent_owner,
                          t.relrowsecurity AND c.relkind = "char" 'f' AS evades_policies,
                          t.relrowsecurity AND c.relkind <> "char" 'f' AND NOT c.relrowsecurity AS lacks_policies,
                          t.relrowsecurity AND t.relforcerowsecurity AND c.relkind <> "char" 'f'
                          AND NOT c.relforcerowsecurity
                          AND NOT EXISTS (SELECT FROM pg_partitioned_table AS d WHERE d.partdefid = c.oid)
                          AS lacks_force
                     FROM below AS b JOIN pg_class AS c ON c.oid = b.oid AND c.relispartition
                          JOIN pg_class AS t ON t.oid = relation::oid),
    -- Rights on tables, and on columns: those have a number.
    grants AS (SELECT p.oid, p.relacl AS acl, NULL::smallint AS parent_num FROM partitions AS p
               UNION ALL
               SELECT p.oid, c.attacl, u.attnum
                 FROM partitions AS p JOIN pg_attribute AS c ON c.attrelid = p.oid AND c.attacl IS NOT NULL
                      JOIN pg_attribute AS u ON u.attrelid = p.parent AND u.attname = c.attname),
    -- To take back what another role than the owner granted, the owner takes the right from that role, with CASCADE.
    strangers AS (SELECT p.name, p.parent_name, bool_or(r.oid = a.grantee) AS has_more,
                         CASE r.oid WHEN '0'::oid THEN text 'PUBLIC' ELSE quote_ident(pg_get_userbyid(r.oid)::text) END
                         AS role
                    FROM partitions AS p JOIN grants AS g ON g.oid = p.oid, aclexplode(g.acl) AS a,
                         LATERAL (VALUES (concat(a.privilege_type,
                                                 CASE WHEN a.is_grantable THEN ' WITH GRANT OPTION' END)))
                                 AS o (privilege),
                         LATERAL (VALUES (a.grantor), (a.grantee)) AS r (oid)
                   WHERE a.grantee <> p.relowner AND r.oid <> p.relowner
                     AND (p.evades_policies
                          OR NOT CASE WHEN g.parent_num IS NULL
                                      THEN has_table_privilege(a.grantee, p.parent, o.privilege)
                                      ELSE has_column_privilege(a.grantee, p.parent, g.parent_num, o.privilege) END)
                   GROUP BY p.name, p.parent_name, r.oid)
    SELECT p.name, NULL::text, f.problem, f.remedy
      FROM partitions AS p,
           LATERAL (VALUES
               (NOT pg_has_role(p.relowner, p.parent_owner, text 'USAGE'),
                format('it belongs to another role than %s', p.parent_name),
                format('ALTER TABLE %s OWNER TO %I;', p.name, pg_get_userbyid(p.parent_owner))),
               (p.lacks_policies,
                format('it lacks the row-level security of %s: roles with rights on it see all rows', p.parent_name),
                format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY;', p.name)),
               (p.lacks_force,
                format('it does not force row-level security as %s does: its owner sees all rows', p.parent_name),
                format('ALTER TABLE %s FORCE ROW LEVEL SECURITY;', p.name)))
               AS f (is_found, problem, remedy)
     WHERE f.is_found
    UNION ALL
    SELECT s.name, NULL::text,
           format('roles have rights on it that they do not have through %s: %s', s.parent_name,
                  string_agg(s.role, text ', ' ORDER BY s.role) FILTER (WHERE s.has_more)),
           format('REVOKE ALL ON TABLE %s FROM %s CASCADE;', s.name, string_agg(s.role, text ', ' ORDER BY s.role))
      FROM strangers AS s GROUP BY s.name, s.parent_name;
END;
COMMENT ON FUNCTION @extschema@.kid_check_partitions(regclass) IS
    'returns the partitions that evade rights and policies of their parent; a part of kid_check()';
