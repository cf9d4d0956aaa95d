-- When the script runs again, it keeps the keys. A later version changes tables of an earlier one after END IF, as
-- plain/workers/tables.sql says.

IF to_regclass('kid_seal_internal.keys') IS NULL THEN
\i seal/table.sql

END IF;
