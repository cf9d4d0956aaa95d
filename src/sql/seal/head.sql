\echo Use "CREATE EXTENSION kid_seal" to load this file. \quit

SET LOCAL search_path = pg_catalog, pg_temp;

DO $$
BEGIN
    IF NOT pg_has_role((SELECT extowner FROM pg_extension WHERE extname = 'kid_seal'), 'pg_database_owner',
                       'USAGE') THEN
        RAISE 'must be owner of database %', current_database()
            USING ERRCODE = 'insufficient_privilege',
                  DETAIL = 'Its owner can export the keys, and drop them.';
    END IF;
END $$;

CREATE SCHEMA kid_seal_internal;
COMMENT ON SCHEMA kid_seal_internal IS 'keys of sealed IDs, and functions that nobody else calls';
