-- What names without a schema mean from here on

PERFORM pg_catalog.set_config('search_path', 'kid, pg_temp', true);
