SET LOCAL search_path = pg_catalog, kid, pg_temp;
