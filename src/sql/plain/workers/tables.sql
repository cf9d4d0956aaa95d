-- When the script runs again, it keeps the worker numbers. A later version that needs another column has it in
-- workers/tables.sql, and after END IF here, for tables that an earlier version created:
--
--     ALTER TABLE kid_workers.numbers ADD COLUMN IF NOT EXISTS other bigint;

PERFORM set_config('search_path', 'pg_catalog, pg_temp', true);
IF to_regclass('kid_workers.numbers') IS NULL THEN
\i workers/tables.sql

END IF;
