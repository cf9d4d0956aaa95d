-- Dumps of an extension contain only the sequences and tables that it registers: here the clocks and the worker
-- numbers. This comment is part of the script.

\each type
SELECT pg_extension_config_dump('kid_clocks.@prefix@_clock', '');
\end
SELECT pg_extension_config_dump('kid_workers.pools', '');
SELECT pg_extension_config_dump('kid_workers.numbers', '');
$pg_tle$);
