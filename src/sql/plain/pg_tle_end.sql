SELECT pg_extension_config_dump('kid_clocks.kid64_clock', '');
SELECT pg_extension_config_dump('kid_clocks.kid_uuidv7_clock', '');
$pg_tle$);
