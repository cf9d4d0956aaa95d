-- The end of the statement that begin.sql.in begins

PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
