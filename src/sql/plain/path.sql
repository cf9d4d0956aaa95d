PERFORM set_config('search_path', 'kid, pg_temp', true);
