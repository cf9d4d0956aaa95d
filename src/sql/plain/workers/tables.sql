-- When the script runs again, it keeps the worker numbers, and the rights that were granted since.

PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
PERFORM set_config('kid_workers.is_new', (to_regclass('kid_workers.numbers') IS NULL)::text, true);
IF to_regclass('kid_workers.numbers') IS NULL THEN
\i workers/tables.sql

END IF;
