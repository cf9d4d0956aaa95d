-- kid-all as an extension of pg_tle: a call that gives it the script as an argument. Unlike the script alone, it says
-- which sequences and tables a dump has to contain.

\i plain/pg_tle_begin.sql.in
\i scripts/kid-all.sql
\i plain/pg_tle_end.sql
