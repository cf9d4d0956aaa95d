-- When the script runs again, it keeps the keys.

IF to_regclass('kid_seal_internal.keys') IS NULL THEN
\i seal/table.sql

END IF;
