-- Where functions in SQL find those of kid when they are created

SET LOCAL search_path = pg_catalog, pg_temp;
SELECT set_config('search_path', format('pg_catalog, %I, pg_temp', nspname), true)
  FROM pg_extension JOIN pg_namespace AS n ON n.oid = extnamespace WHERE extname = 'kid';
