-- Dumps of an extension contain only the sequences and tables that it registers: here the clocks and the worker
-- numbers. This comment is part of the script.

SELECT pg_extension_config_dump('kid_clocks.kid64_clock', '');
SELECT pg_extension_config_dump('kid_clocks.kid_uuidv7_clock', '');
SELECT pg_extension_config_dump('kid_clocks.kid53_clock', '');
SELECT pg_extension_config_dump('kid_workers.pools', '');
SELECT pg_extension_config_dump('kid_workers.numbers', '');
$pg_tle$);
