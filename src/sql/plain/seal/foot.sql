-- Rights: only those that the owner grants in the schema kid_seal after the script has run for the first time. To seal
-- is not PUBLIC's either: a role that seals can find the ID of a text by trying the IDs of its time.
PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);

COMMENT ON SCHEMA kid_seal IS 'functions that seal and unseal IDs of kid';
COMMENT ON SCHEMA kid_seal_internal IS 'keys of sealed IDs, and functions that nobody else calls';

private := 'kid_seal_internal';
schemas := '{kid_seal,kid_seal_internal}';
functions := ARRAY(SELECT p.oid FROM pg_proc AS p WHERE p.pronamespace = 'kid_seal'::regnamespace);
\i revoke_rights.sql

members := ARRAY(SELECT p.oid FROM pg_proc AS p
                  WHERE p.pronamespace IN ('kid_seal'::regnamespace, 'kid_seal_internal'::regnamespace));
trusted := '{kid,kid_seal_internal}';
\i made_by_others.sql
