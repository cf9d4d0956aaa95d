-- Names without a schema are those of pg_catalog from here on, to the end of the parts of worker numbers.

SET LOCAL search_path = pg_catalog, pg_temp;

\i tables/workers.sql
