-- What PostgreSQL does not pass on to a new partition: row-level security, replica identity, and what ANALYZE is told
-- of columns

-- A role that uses the parent needs no rights on partitions, and a REVOKE on the parent would not reach them. So this
-- takes away what default privileges grant. Row-level security without a policy hides all rows from a role that reads
-- the partition itself.
--
-- Minor releases of PostgreSQL mark columns by options whose names begin with pg_, which ALTER TABLE does not take.
--
-- The first command sets rights, the second all the rest. They take only names, so their text is put together; the
-- second is null if nothing is to be changed.
CREATE FUNCTION @extschema@.kid_finish_partition(
    parent regclass, partition regclass, type regtype, check_name name, time_check text) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off AS $$
BEGIN
    IF check_name IS NOT NULL AND time_check IS NULL THEN
        RAISE 'IDs of type % cannot have a constraint on their time', type USING ERRCODE = 'feature_not_supported';
    END IF;
    EXECUTE concat_ws('; ', (
        SELECT format('REVOKE ALL ON TABLE %s FROM %s CASCADE; GRANT ALL ON TABLE %1$s TO CURRENT_USER', partition,
                      concat_ws(', ', 'PUBLIC', string_agg(DISTINCT quote_ident(pg_get_userbyid(a.grantee)), ', ')
                                                    FILTER (WHERE a.grantee <> 0)))
          FROM pg_class AS c, aclexplode(c.relacl) AS a WHERE c.oid = partition), (
        SELECT format('ALTER TABLE %s %s', partition, string_agg(v.change, ', '))
          FROM (SELECT 'ENABLE ROW LEVEL SECURITY' FROM pg_class AS c WHERE c.oid = parent AND c.relrowsecurity
                UNION ALL
                SELECT 'FORCE ROW LEVEL SECURITY' FROM pg_class AS c WHERE c.oid = parent AND c.relforcerowsecurity
                UNION ALL
                SELECT format('REPLICA IDENTITY %s', CASE c.relreplident WHEN 'f' THEN 'FULL' ELSE 'NOTHING' END)
                  FROM pg_class AS c WHERE c.oid = parent AND c.relreplident IN ('f', 'n')
                UNION ALL
                SELECT format('REPLICA IDENTITY USING INDEX %I', c.relname)
                  FROM pg_index AS r JOIN pg_inherits AS h ON h.inhparent = r.indexrelid
                       JOIN pg_index AS x ON x.indexrelid = h.inhrelid JOIN pg_class AS c ON c.oid = x.indexrelid
                 WHERE r.indrelid = parent AND r.indisreplident AND x.indrelid = partition
                UNION ALL
                SELECT format('ALTER %I SET %s', a.attname, o.setting)
                  FROM pg_attribute AS a, LATERAL (
                      SELECT 'STATISTICS ' || a.attstattarget WHERE a.attstattarget >= 0
                      UNION ALL
                      SELECT format('(%s)', string_agg(u.option, ', ')) FROM unnest(a.attoptions) AS u (option)
                       WHERE u.option NOT LIKE 'pg\_%' HAVING count(*) > 0) AS o (setting)
                 WHERE a.attrelid = parent AND a.attnum > 0 AND NOT a.attisdropped
                UNION ALL
                SELECT format('ADD CONSTRAINT %I CHECK (%s)', check_name, time_check)
                 WHERE check_name IS NOT NULL)
               AS v (change)
        HAVING count(*) > 0));
END $$;
COMMENT ON FUNCTION @extschema@.kid_finish_partition(regclass, regclass, regtype, name, text) IS
    'gives a new partition the rights and properties of its parent, and a constraint on the time of its IDs';
