PERFORM pg_catalog.set_config('search_path', path, true);
END $kid$;
