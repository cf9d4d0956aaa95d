-- Reads the IDs of columns, one column after the other, each in a subtransaction that gives back its locks

-- Takes rows of kid_id_columns(), with two more columns: `n`, in the order of which they are read, and `since`, up to
-- which the greatest ID is sought. Returns what kid_stored_ids() returns.
--
-- `home` is the OID of kid's schema. A superuser locks the row of that schema, so that nobody can give its name to
-- another one while a query names it. The query is text because of that name, which can change between two columns.
--
-- The error KID00, which the function raises and catches, rolls back the subtransaction, and so gives back the locks.
-- The settings make each query read an index in its order, and keep constraints and policies from being evaluated.
CREATE FUNCTION @extschema@.kid_read_columns(home oid, columns jsonb)
    RETURNS TABLE (clock text, type regtype, prefix text, past text, relation regclass, column_name text, id text,
                   issued timestamptz, latest timestamptz, later text, later_issued timestamptz, stranger text,
                   problem text, passing boolean)
    LANGUAGE plpgsql VOLATILE COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off SET row_security = off
    SET constraint_exclusion = off SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off
    SET jit = off
    -- Longer than deadlock_timeout by default, so that autovacuum gives way.
    SET lock_timeout = '1500ms' AS $$
DECLARE
    -- The setting is_superuser does not tell, because a SECURITY DEFINER function does not change it.
    can_lock boolean := (SELECT r.rolsuper FROM pg_roles AS r WHERE r.rolname = current_user);
    locked regclass := 0;               -- the last table that was locked; a table can have 1600 columns
    source record;
BEGIN
    FOR source IN
        SELECT c.* FROM jsonb_to_recordset(columns) AS c (
            n bigint, clock text, type oid, prefix text, past text, stored_as oid, relation oid, attname text,
            attnum smallint, atttypid oid, since timestamptz, problem text)
         ORDER BY c.n
    LOOP
        SELECT source.clock, source.type, source.prefix, source.past, source.relation, source.attname,
               CASE WHEN source.relation = locked THEN 'the table is locked' ELSE source.problem END,
               source.relation = locked
          INTO clock, type, prefix, past, relation, column_name, problem, passing;
        id := NULL; issued := NULL; latest := NULL; later := NULL; later_issued := NULL;
        stranger := NULL;
        IF problem IS NOT NULL THEN
            RETURN NEXT;
            CONTINUE;
        END IF;
        BEGIN
            IF can_lock THEN
                PERFORM FROM pg_namespace AS n WHERE n.oid = home FOR KEY SHARE;
            END IF;
            EXECUTE format('SELECT r.id, r.issued, r.latest, r.later, r.later_issued, r.stranger, '
                           'coalesce(l.problem, r.problem), l.passing FROM %1$I.kid_lock_column($1, $2) AS l, '
                           'LATERAL %1$I.kid_read_ids($3, $1, l.option) AS r',
                           (SELECT n.nspname FROM pg_namespace AS n WHERE n.oid = home))
                INTO id, issued, latest, later, later_issued, stranger, problem, passing
                USING to_jsonb(source), can_lock, home;
            RAISE SQLSTATE 'KID00';
        EXCEPTION
            WHEN SQLSTATE 'KID00' THEN
                NULL;
            WHEN lock_not_available THEN
                problem := 'the table is locked';
                passing := true;
                locked := relation;
            WHEN OTHERS THEN
                problem := 'it cannot be read: ' || SQLERRM;
                -- Deadlocks and damage.
                passing := SQLSTATE ~ '^(40|XX|58)';
        END;
        IF EXISTS (SELECT FROM pg_class AS c WHERE c.oid = relation) THEN
            RETURN NEXT;
        END IF;
    END LOOP;
END $$;
COMMENT ON FUNCTION @extschema@.kid_read_columns(oid, jsonb) IS
    'returns the highest ID up to a time in each of the given columns, a later one, and a number that is no ID';
