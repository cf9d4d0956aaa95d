-- kid-all for pg_tle, which dumps only those objects that it is told to

\i plain/pg_tle_begin.sql.in
\i scripts/kid-all.sql
\i plain/pg_tle_end.sql
