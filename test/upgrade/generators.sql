-- Makes IDs, and compares them with those that are there.
INSERT INTO t_kid64 (n) VALUES (0) RETURNING id > (SELECT max(id) FROM t_kid64);
SELECT kid96_next() IS NOT NULL, sno_next() IS NOT NULL, flake_next() IS NOT NULL, flax_next() IS NOT NULL;
INSERT INTO uuids (n) VALUES (0) RETURNING id > (SELECT id FROM uuids ORDER BY id DESC LIMIT 1);
INSERT INTO numbers (n) VALUES (0) RETURNING id > (SELECT id FROM numbers ORDER BY id DESC LIMIT 1);
INSERT INTO parts (n) VALUES (0) RETURNING tableoid::regclass;
SELECT count(*) > 0 FROM recent;
