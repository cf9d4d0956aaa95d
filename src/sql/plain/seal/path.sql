-- Where functions in SQL find those of kid when they are created, as kid_path.sql in the extension

SET LOCAL search_path = pg_catalog, kid, pg_temp;
