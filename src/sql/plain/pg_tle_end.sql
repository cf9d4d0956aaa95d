-- Dumps of an extension contain only the sequences that it registers: here the clocks. This comment is part of the
-- script.

SELECT pg_extension_config_dump('kid_clocks.kid64_clock', '');
SELECT pg_extension_config_dump('kid_clocks.kid_uuidv7_clock', '');
$pg_tle$);
