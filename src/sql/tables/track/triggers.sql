-- The triggers of kid_track(): creates and drops them, for both editions

-- Takes the arguments of the trigger kid_track as SQL, and the functions of both triggers. `check_row` is null if no
-- rows are rejected: then a trigger from an earlier call is dropped.
--
-- CREATE TRIGGER waits for the transactions that have inserted without it. A WHEN would be prepared in each statement,
-- which takes longer than the function. While CREATE TRIGGER waits, another function can get the name that it was
-- given.
--
-- These commands take only names, so their text is put together.
CREATE FUNCTION @extschema@.kid_track_create(
    tab regclass, col name, arguments text, enter regproc, check_row regproc) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE concat_ws(
        '; ',
        format('CREATE OR REPLACE TRIGGER kid_track BEFORE INSERT OR UPDATE OF %I ON %s FOR EACH STATEMENT '
               'EXECUTE FUNCTION %s(%s)', col, tab, enter, arguments),
        format('ALTER TABLE %s ENABLE ALWAYS TRIGGER kid_track', tab),
        CASE WHEN check_row IS NOT NULL
             THEN format('CREATE OR REPLACE TRIGGER zz_kid_track BEFORE INSERT OR UPDATE OF %1$I ON %2$s FOR EACH ROW '
                         'EXECUTE FUNCTION %3$s(%1$L)', col, tab, check_row)
             WHEN EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname = 'zz_kid_track')
             THEN format('DROP TRIGGER zz_kid_track ON %s', tab) END);
    IF (SELECT count(*) FROM pg_trigger AS t
         WHERE t.tgrelid = tab AND (t.tgname, t.tgfoid) IN (('kid_track', enter), ('zz_kid_track', check_row)))
       <> num_nonnulls(enter, check_row) THEN
        RAISE 'table %, or function %, was renamed while the table was to be tracked', tab, enter
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_create(regclass, name, text, regproc, regproc) IS
    'creates the triggers of `kid_track()`';

-- Drops both triggers, and takes the right to read the sequence `granted` from PUBLIC if that is not null. While DROP
-- TRIGGER waits, another table can get the name that it was given. The commands are text for the same reason.
CREATE FUNCTION @extschema@.kid_track_drop(tab regclass, granted oid) RETURNS void
    LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET client_min_messages = warning AS $$
BEGIN
    EXECUTE format('DROP TRIGGER IF EXISTS kid_track ON %1$s; DROP TRIGGER IF EXISTS zz_kid_track ON %1$s', tab);
    IF EXISTS (SELECT FROM pg_trigger AS t WHERE t.tgrelid = tab AND t.tgname IN ('kid_track', 'zz_kid_track')) THEN
        RAISE 'table % was renamed while its triggers were to be dropped', tab
            USING ERRCODE = 'object_not_in_prerequisite_state';
    END IF;
    IF granted IS NOT NULL THEN
        EXECUTE format('REVOKE SELECT ON SEQUENCE %s FROM PUBLIC', granted::regclass);
    END IF;
END $$;
COMMENT ON FUNCTION @extschema@.kid_track_drop(regclass, oid) IS
    'removes the triggers of `kid_track()` from a table, and a right that it granted';
