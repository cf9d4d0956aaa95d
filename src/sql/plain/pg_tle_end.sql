-- Dumps of an extension contain only the sequences that it registers: here the clocks. This comment is part of the
-- script.

\each type
SELECT pg_extension_config_dump('kid_clocks.@prefix@_clock', '');
\end
$pg_tle$);
