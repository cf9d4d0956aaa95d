-- When the script runs again, it keeps the worker numbers.

PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
IF to_regclass('kid_workers.numbers') IS NULL THEN
\i workers/tables.sql

END IF;
