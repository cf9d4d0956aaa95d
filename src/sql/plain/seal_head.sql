-- kid_seal for the edition in plain SQL. That edition and pgcrypto must be there. docs/managed-servers.md describes it.
--
-- Run this script as the role that ran that of kid. The functions go into the schema kid_seal, where nobody else may
-- call them until this role says so. The keys go into the schema kid_seal_internal. To upgrade, run the script again:
-- keys and rights stay.

BEGIN;
SET LOCAL search_path = pg_catalog, pg_temp;

DO $kid$
BEGIN
    IF to_regprocedure('kid.kid_uuid_decode(text, text)') IS NULL THEN
        RAISE 'kid in plain SQL is not installed' USING ERRCODE = 'object_not_in_prerequisite_state';
    ELSIF NOT EXISTS (SELECT FROM pg_extension AS e WHERE e.extname = 'pgcrypto') THEN
        RAISE 'extension "pgcrypto" is not installed'
            USING ERRCODE = 'object_not_in_prerequisite_state', HINT = 'CREATE EXTENSION pgcrypto.';
    END IF;
    -- Read at the end of the script.
    PERFORM set_config('kid_seal.is_new', (to_regnamespace('kid_seal') IS NULL)::text, true);
END $kid$;
