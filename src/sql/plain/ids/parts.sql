-- The parts of kid-ids, without what begins and ends a module

\i plain/ids/kid64.sql
\i plain/ids/kid53.sql

\i plain/ids/clock_common.sql
\i plain/ids/clock_kid64.sql
\i plain/ids/clock_kid53.sql
\i plain/ids/generators.sql

\i plain/ids/base32.sql
\i plain/ids/base32_kid53.sql
\i of_bigint.sql
