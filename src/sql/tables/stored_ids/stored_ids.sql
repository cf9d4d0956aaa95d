-- kid_stored_ids(): the greatest IDs that tables contain, for both editions
--
-- As a superuser these functions run no code that an owner of a table wrote. Even planning a query can run such code,
-- because PostgreSQL evaluates the constant parts of index expressions, of predicates, and of statistics. So
-- kid_lock_column() first takes locks that keep the table, its indexes, its statistics and its name from being changed.
-- Then it refuses tables with objects that depend on code of others. The settings of kid_read_columns() keep
-- constraints from being evaluated and policies from being applied. Functions of kid and operators on IDs are named
-- with their schema, and operands have exactly their types, so that nothing of others in that schema fits better: a
-- cast removes domains.

-- Returns a row for each column of IDs that move a clock, of `parent` and of its partitions, or of the whole database
-- if `parent` is null; with `only_clock`, of that clock alone. If `after` is null, the end of the first 30 days of the
-- type takes its place: keys of a sequence below 10^13 have such times.
--
--     clock, past, prefix   those of the type in kid_stored_forms()
--     relation, column_name
--     id, issued            the greatest ID up to the end of the time unit of `after`, and its time
--     latest                no ID up to `id` has a later time. Of most types it is the end of the time unit of `id`
--     later, later_issued   the greatest ID with a time after `after`, and its time
--     stranger              a number in a column of kid53 that is negative or above all of them
--     problem               why IDs of the column were not read, or null
--     passing               whether the problem passes, so that a later call could succeed
CREATE FUNCTION @extschema@.kid_stored_ids(
    after timestamptz, only_clock text DEFAULT NULL, parent regclass DEFAULT NULL)
    RETURNS TABLE (clock text, past text, prefix text, relation regclass, column_name text, id text, issued timestamptz,
                   latest timestamptz, later text, later_issued timestamptz, stranger text, problem text,
                   passing boolean)
    LANGUAGE SQL VOLATILE COST 10000 ROWS 10
    SET search_path = pg_catalog, pg_temp SET quote_all_identifiers = off
BEGIN ATOMIC
    -- With the snapshot of an earlier statement, a query could see an index, or rows, as they were before the lock.
    SELECT @extschema@.kid_check_isolation('stored IDs can only be read at READ COMMITTED');
    SELECT r.clock, r.past, r.prefix, r.relation, r.column_name, r.id, r.issued, r.latest, r.later, r.later_issued,
           r.stranger, r.problem, r.passing
      -- p has the schema of kid.
      FROM pg_proc AS p,
           @extschema@.kid_read_columns(p.pronamespace, (
               SELECT jsonb_agg(to_jsonb(c))
                 FROM (SELECT row_number() OVER (ORDER BY c.relation, c.attnum) AS n, c.clock, c.type::oid, c.prefix,
                              c.past, c.stored_as::oid, c.relation::oid, c.attname, c.attnum, c.atttypid, c.problem,
                              coalesce(after, @extschema@.kid_bound_time(
                                  c.type, @extschema@.kid_bound_at(c.type, '-infinity'::timestamptz))
                                  + interval '30 days') AS since
                         FROM @extschema@.kid_id_columns(only_clock, parent) AS c) AS c)) AS r
     WHERE p.oid = '@extschema@.kid_stored_forms()'::regprocedure;
END;
COMMENT ON FUNCTION @extschema@.kid_stored_ids(timestamptz, text, regclass) IS
    'returns for each column of IDs the highest ID up to a time, the highest later ID, and a number that is no ID';
