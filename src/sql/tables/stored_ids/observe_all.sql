-- kid_observe_all(): moves the logical clocks past the IDs that tables contain

-- `observe` and `past` are names of functions of kid, and `home` is the OID of its schema. The call is text, so that
-- PostgreSQL looks them up when it runs: a role needs EXECUTE on kid_observe() only if its columns have IDs.
--
-- A superuser locks the name of kid's schema. The error KID00, which the function raises and catches, rolls back the
-- subtransaction, and so gives back the lock. The clock stays where kid_observe() has moved it: neither shared memory
-- nor, in plain SQL, a sequence is rolled back.
CREATE FUNCTION @extschema@.kid_move_clock(home oid, observe text, past text, moved_to timestamptz) RETURNS void
    LANGUAGE plpgsql VOLATILE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    IF (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user) THEN
        PERFORM FROM pg_namespace AS n WHERE n.oid = home FOR KEY SHARE;
    END IF;
    EXECUTE format('SELECT %1$I.%2$I(%1$I.%3$I($1))', (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home),
                   observe, past) USING moved_to;
    RAISE SQLSTATE 'KID00';
EXCEPTION WHEN SQLSTATE 'KID00' THEN
    NULL;
END $$;
COMMENT ON FUNCTION @extschema@.kid_move_clock(oid, text, text, timestamptz) IS
    'moves a logical clock past a time; a part of kid_observe_all()';

-- Moves a clock past the whole time unit of the greatest ID, because later IDs of the unit may have been issued. The
-- greatest kid96 of a neighborhood need not be the latest, so the clock moves past the neighborhood. That is the time
-- `latest` of kid_stored_ids(). IDs beyond the time `farthest` do not count, because kid_observe() rejects them, and so
-- they have rows of their own. Of all columns of a clock, the one with the latest IDs decides.
--
-- A column with IDs is not in the result for its problem, which then is only that it has strangers, too.
CREATE FUNCTION @extschema@.kid_observe_all()
    RETURNS TABLE (clock text, id text, issued timestamptz, relation regclass, column_name text, problem text)
    LANGUAGE SQL VOLATILE COST 10000 ROWS 10 SET search_path = pg_catalog, pg_temp SET jit = off
BEGIN ATOMIC
    SELECT @extschema@.kid_refuse('25006', 'cannot execute kid_observe_all() during recovery')
     WHERE pg_is_in_recovery();
    WITH farthest AS MATERIALIZED (SELECT @extschema@.kid_farthest() AS time),
         stored AS MATERIALIZED (
             SELECT s.* FROM farthest AS t, @extschema@.kid_stored_ids(t.time, NULL::text, NULL::regclass) AS s),
         deciding AS (
             SELECT DISTINCT ON (s.clock) s.*, least(s.latest, t.time) AS moved_to
               FROM stored AS s, farthest AS t WHERE s.id IS NOT NULL ORDER BY s.clock, least(s.latest, t.time) DESC),
         moved AS MATERIALIZED (
             SELECT d.*, @extschema@.kid_move_clock(p.pronamespace, o.observe, d.past, d.moved_to)
               FROM deciding AS d
                    JOIN (SELECT DISTINCT f.past, f.observe FROM @extschema@.kid_stored_forms() AS f) AS o
                      ON o.past = d.past,
                    pg_proc AS p
              WHERE p.oid = '@extschema@.kid_stored_forms()'::regprocedure)
    SELECT o.clock, o.id, o.issued, o.relation, o.column_name, o.problem
      FROM (SELECT f.clock, m.id, m.issued, m.relation, m.column_name, NULL AS problem
              FROM (SELECT DISTINCT f.clock FROM @extschema@.kid_stored_forms() AS f WHERE f.clock IS NOT NULL) AS f
                   LEFT JOIN moved AS m ON m.clock = f.clock
            UNION ALL
            SELECT s.clock, NULL, NULL, s.relation, s.column_name, s.problem
              FROM stored AS s WHERE s.problem IS NOT NULL AND s.id IS NULL
            UNION ALL
            SELECT s.clock, s.later, s.later_issued, s.relation, s.column_name,
                   'it has IDs that are further ahead than kid_observe() accepts; this is the greatest'
              FROM stored AS s WHERE s.later IS NOT NULL) AS o
     ORDER BY o.problem IS NOT NULL, o.clock, o.relation::text, o.column_name;
END;
COMMENT ON FUNCTION @extschema@.kid_observe_all() IS
    'moves each logical clock past the IDs that are stored in this database, so that new IDs are later';
REVOKE ALL ON FUNCTION @extschema@.kid_observe_all() FROM PUBLIC;
