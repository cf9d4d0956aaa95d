-- kid_track() and kid_untrack()

CREATE FUNCTION @extschema@.kid_track(tab regclass, col name DEFAULT NULL, reject boolean DEFAULT false) RETURNS void
    LANGUAGE SQL VOLATILE SET search_path = pg_catalog, pg_temp
BEGIN ATOMIC
    SELECT CASE WHEN p.problem IS NOT NULL
                THEN @extschema@.kid_refuse('55000', format('table %s cannot be tracked: %s', tab, p.problem))
                ELSE @extschema@.kid_track_create(
                         tab, s.attname,
                         -- The arguments of the trigger, which source.sql.in lists
                         concat_ws(', ', tab::oid, s.seq, s.shift, false, CASE WHEN reject THEN true END),
                         '@extschema@.kid_track_enter()'::regprocedure::oid::regproc,
                         CASE WHEN reject THEN '@extschema@.kid_track_check()'::regprocedure::oid::regproc END) END
      FROM @extschema@.kid_track_source(tab::oid, coalesce(col, @extschema@.kid_track_primary_key(tab::oid))) AS s,
           LATERAL @extschema@.kid_track_problem(
               tab::oid, false, s.attname, s.seq, s.shift, NULL::text[]) AS p (problem);
END;
COMMENT ON FUNCTION @extschema@.kid_track(regclass, name, boolean) IS
    'installs a trigger on a table, so that `kid_horizon(table)` knows which open transactions insert rows; with '
    '`reject`, a second trigger raises an error for a row whose ID was not made in its own transaction';

CREATE FUNCTION @extschema@.kid_untrack(tab regclass) RETURNS void
    LANGUAGE SQL VOLATILE STRICT SET search_path = pg_catalog, pg_temp SET client_min_messages = warning
BEGIN ATOMIC
    -- An error if there is no such table
    SELECT @extschema@.kid_track_column(tab::oid);
    SELECT @extschema@.kid_track_drop(tab, NULL::oid);
END;
COMMENT ON FUNCTION @extschema@.kid_untrack(regclass) IS
    'removes the triggers of `kid_track()` from a table';
