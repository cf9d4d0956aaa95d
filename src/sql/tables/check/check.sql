-- kid_check(): finds what is wrong with the IDs of a table, and with the rights on its partitions, for both editions
--
-- Names in texts have their schema: the search_path has none.

CREATE FUNCTION @extschema@.kid_check(relation regclass)
    RETURNS TABLE (relation_name regclass, column_name text, problem text, remedy text)
    LANGUAGE SQL VOLATILE STRICT COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET jit = off
BEGIN ATOMIC
    WITH found (n, relation_name, column_name, problem, remedy) AS (
        SELECT 1, c.* FROM @extschema@.kid_check_defaults(relation) AS c
        UNION ALL
        SELECT 2, c.* FROM @extschema@.kid_check_foreign_keys(relation) AS c
        UNION ALL
        -- kid_stored_ids() runs twice: with null for IDs with times in the first 30 days of the type, and with the
        -- latest time that kid_observe() accepts for IDs that are later than that.
        SELECT 3, s.relation, s.column_name, f.problem, f.remedy
          FROM (VALUES (NULL), (@extschema@.kid_farthest())) AS a (after),
               LATERAL @extschema@.kid_stored_ids(a.after, NULL::text, relation) AS s,
               LATERAL (VALUES
                   (a.after IS NULL AND s.id IS NOT NULL,
                    format('IDs up to %s have times up to %s: they were plain numbers before', s.id, s.issued),
                    format('Do not use the times of these IDs, or give the rows, and the rows that refer to them, new '
                           'IDs with %s_at().', s.prefix)),
                   (a.after IS NOT NULL AND s.later IS NOT NULL,
                    format('IDs up to %s have times up to %s, further ahead of the system clock than '
                           'kid_observe() accepts', s.later, s.later_issued),
                    'Delete or correct these rows. If new IDs are as late, the clock was wrong: in the extension, see '
                    'kid_reset_clock().'),
                   (a.after IS NOT NULL AND s.stranger IS NOT NULL,
                    format('it contains numbers that are no %s and have no time, such as %s', s.prefix, s.stranger),
                    format('Correct or delete the rows of SELECT * FROM %s WHERE %I %s;', s.relation,
                           s.column_name, CASE s.prefix WHEN 'kid53' THEN 'NOT BETWEEN 0 AND 9007199254740991'
                                                        ELSE '< 0' END)),
                   (a.after IS NOT NULL AND s.problem IS NOT NULL AND s.id IS NULL AND s.stranger IS NULL,
                    format('its IDs were not examined: %s', s.problem),
                    format('As %s, look at the least and the greatest ID.',
                           CASE WHEN row_security_active(s.relation::oid)
                                THEN 'a superuser or a role with BYPASSRLS' ELSE 'the owner of the table' END)))
                   AS f (is_found, problem, remedy)
         WHERE f.is_found
        UNION ALL
        SELECT 4, c.* FROM @extschema@.kid_check_partitions(relation) AS c
    )
    SELECT f.relation_name, f.column_name, f.problem, f.remedy FROM found AS f
     ORDER BY f.n, f.relation_name::text, f.column_name, f.problem;
END;
COMMENT ON FUNCTION @extschema@.kid_check(regclass) IS
    'returns a row for each problem with the IDs and the partitions of a table, with its remedy';
