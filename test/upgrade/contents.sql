-- Prints rows, indexes, partitions and defaults.
SELECT format('SELECT %L, count(*), min(id), max(id), min(old), max(old),
                      md5(string_agg(concat(id, old, n), '','' ORDER BY id)) FROM %I', relname, relname)
  FROM pg_class WHERE relname ~ '^t_[a-z0-9]+$' AND relkind = 'r' ORDER BY 1 \gexec
SELECT tableoid::regclass, count(*), md5(string_agg(concat(id, n), ',' ORDER BY id)) FROM parts
 GROUP BY 1 ORDER BY tableoid::regclass::text;
SELECT tableoid::regclass, count(*), md5(string_agg(concat(id, n), ',' ORDER BY id)) FROM uuids
 GROUP BY 1 ORDER BY tableoid::regclass::text;
SELECT tableoid::regclass, count(*), md5(string_agg(concat(id, n), ',' ORDER BY id)) FROM numbers
 GROUP BY 1 ORDER BY tableoid::regclass::text;
SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1, 2;
SELECT adrelid::regclass, pg_get_expr(adbin, adrelid) FROM pg_attrdef ORDER BY adrelid::regclass::text;
