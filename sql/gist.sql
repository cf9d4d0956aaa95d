-- GiST indexes, exclusion constraints, and GIN indexes of arrays.
SET TimeZone = 'UTC';
SELECT opcname, amvalidate(oid), opckeytype::regtype, opcdefault FROM pg_opclass
  JOIN pg_depend ON classid = 'pg_opclass'::regclass AND objid = oid AND deptype = 'e'
 WHERE opcmethod = (SELECT oid FROM pg_am WHERE amname = 'gist') ORDER BY opcname;

-- For each operator the index finds the same rows as a sequential scan: for IDs in the table, for IDs next to them, and at the ends of the type.
CREATE TABLE types (name text, makes text);
INSERT INTO types VALUES
    ('kid64', 'kid64_make(t, n % 3)'),
    ('kid96', 'kid96_make(t, n % 5, n % 3)'),
    ('sno', 'sno_make(t, n % 7, n % 3, n % 2)'),
    ('flake', 'flake_make(t, n % 2, n % 3, n % 5)'),
    ('flax', 'flax_make(t, decode(lpad(to_hex(n), 14, ''0''), ''hex''))');
-- The table lists every type that kid defines.
SELECT typname FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
 WHERE typtype = 'b' AND typelem = 0 AND typname <> 'kid_ambiguous' AND typname NOT IN (SELECT name FROM types);
CREATE FUNCTION sums(name text, condition text, scan text, OUT rows bigint, OUT sum bigint, OUT plan text) LANGUAGE plpgsql AS $$
DECLARE
    lines json;
BEGIN
    PERFORM set_config('enable_seqscan', (scan = 'seq')::text, true), set_config('enable_bitmapscan', (scan = 'bitmap')::text, true),
            set_config('enable_indexscan', (scan = 'index')::text, true);
    EXECUTE format('EXPLAIN (FORMAT json) SELECT count(*), sum(n) FROM t_%s WHERE %s', name, condition) INTO lines;
    plan := lines #>> '{0,Plan,Plans,0,Node Type}';
    EXECUTE format('SELECT count(*), sum(n) FROM t_%s WHERE %s', name, condition) INTO rows, sum;
END $$;
CREATE FUNCTION compare(OUT type text, OUT queries bigint, OUT different bigint, OUT plans text) RETURNS SETOF record LANGUAGE plpgsql AS $$
DECLARE
    probes text[];
BEGIN
    FOR type IN SELECT name FROM types ORDER BY name LOOP
        EXECUTE format('SELECT array_agg(DISTINCT id::text) FILTER (WHERE id IS NOT NULL) FROM (SELECT id FROM t_%s WHERE n %% 4000 = 7 UNION SELECT %1$s_floor(kid_timestamp(id) + interval ''1 min'') FROM t_%1$s WHERE n %% 10000 = 9
                        UNION SELECT unnest(ARRAY[%1$s_floor(''-infinity''), %1$s_ceil(''infinity'')])) s', type) INTO probes;
        SELECT count(*), count(*) FILTER (WHERE i.rows <> s.rows OR i.sum IS DISTINCT FROM s.sum OR b.rows <> s.rows OR b.sum IS DISTINCT FROM s.sum), string_agg(DISTINCT i.plan || ', ' || b.plan || ', ' || s.plan, '; ')
          INTO queries, different, plans
          FROM unnest(probes) AS id, unnest('{<,<=,=,>=,>}'::text[]) AS op, LATERAL format('id %s %L', op, id) AS condition,
               sums(type, condition, 'index') i, sums(type, condition, 'bitmap') b, sums(type, condition, 'seq') s;
        RETURN NEXT;
    END LOOP;
END $$;
CREATE FUNCTION texts(name text, by_index boolean, OUT result text) LANGUAGE plpgsql AS $$
BEGIN
    PERFORM set_config('enable_seqscan', (NOT by_index)::text, true), set_config('enable_indexonlyscan', by_index::text, true);
    EXECUTE format('SELECT count(*) || md5(string_agg(id::text, '' '' ORDER BY id::text COLLATE "C")) FROM t_%s WHERE id >= %1$s_floor(''-infinity'')', name) INTO result;
END $$;
-- Rows inserted in random order split pages. Times repeat, and so do some IDs.
DO $$
DECLARE
    name text;
    makes text;
BEGIN
    FOR name, makes IN SELECT * FROM types LOOP
        EXECUTE format('CREATE TABLE t_%s (id %1$s, n int)', name);
        EXECUTE format('CREATE INDEX t_%s_id ON t_%1$s USING gist (id)', name);
        EXECUTE format('INSERT INTO t_%s SELECT %s, n FROM (SELECT n, timestamptz ''2026-11-01'' + n * 7919 %% 10007 * interval ''97 s'' AS t FROM generate_series(1, 20000) AS n) s', name, makes);
        EXECUTE format('INSERT INTO t_%s SELECT id, 20000 + i FROM t_%1$s, generate_series(1, 500) AS i WHERE n = 777', name);
        EXECUTE format('INSERT INTO t_%s SELECT NULL, n FROM generate_series(1, 100) AS n', name);
        EXECUTE format('INSERT INTO t_%s VALUES (%1$s_floor(''-infinity''), 1), (%1$s_ceil(''infinity''), 2)', name);
        EXECUTE format('ANALYZE t_%s', name);
    END LOOP;
END $$;
SELECT * FROM compare();
-- The index is built at once, by sorting.
REINDEX TABLE t_kid64; REINDEX TABLE t_kid96; REINDEX TABLE t_sno; REINDEX TABLE t_flake; REINDEX TABLE t_flax;
SELECT * FROM compare();
DELETE FROM t_kid64 WHERE n % 3 > 0; DELETE FROM t_kid96 WHERE n % 3 > 0; DELETE FROM t_sno WHERE n % 3 > 0; DELETE FROM t_flake WHERE n % 3 > 0; DELETE FROM t_flax WHERE n % 3 > 0;
VACUUM ANALYZE t_kid64, t_kid96, t_sno, t_flake, t_flax;
INSERT INTO t_kid64 SELECT id, n + 1 FROM t_kid64 WHERE n < 9999; INSERT INTO t_flax SELECT id, n + 1 FROM t_flax WHERE n < 9999;
SELECT * FROM compare();
-- An index-only scan returns the right values.
VACUUM t_kid64, t_kid96, t_sno, t_flake, t_flax;
SET enable_seqscan = off;
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT id FROM t_sno WHERE id > sno_floor('2026-11-05');
SELECT name, texts(name, false) = texts(name, true) AS same FROM types ORDER BY name;
-- Comparison with time, with NULL, and with an empty range.
EXPLAIN (COSTS OFF) SELECT count(*) FROM t_kid64 WHERE id <@ tstzrange('2026-11-05', '2026-11-06');
SELECT count(*), (SELECT count(*) FROM t_kid64 WHERE kid_timestamp(id) >= '2026-11-05' AND kid_timestamp(id) < '2026-11-06') AS same FROM t_kid64 WHERE id <@ tstzrange('2026-11-05', '2026-11-06');
SELECT count(*) FROM t_kid96 WHERE id IS NULL;
SELECT count(*) FROM t_kid96 WHERE id = NULL;
CREATE TABLE empty (id flake);
CREATE INDEX empty_id ON empty USING gist (id);
SELECT count(*) FROM empty WHERE id > 0;

-- Together with another column.
CREATE TABLE visits (room kid64, guest sno, during tsrange);
CREATE INDEX visits_when ON visits USING gist (room, during);
INSERT INTO visits SELECT kid64_make(timestamptz '2026-11-01' + n * 7919 % 100 * interval '1 s', 0), sno_make('2026-11-01', 0, n, 0), tsrange(timestamp '2026-11-01' + n / 100 * interval '1 h', timestamp '2026-11-01' + n / 100 * interval '1 h' + interval '50 min') FROM generate_series(0, 9999) AS n;
ANALYZE visits;
EXPLAIN (COSTS OFF) SELECT * FROM visits WHERE room = kid64_make('2026-11-01 00:00:07', 0) AND during && '[2026-11-02 10:45,2026-11-02 11:15]';
SELECT count(*) FROM visits WHERE room = kid64_make('2026-11-01 00:00:07', 0) AND during && '[2026-11-02 10:45,2026-11-02 11:15]';
SELECT count(*) FROM visits WHERE room < kid64_make('2026-11-01 00:00:07', 0) AND during && '[2026-11-02 10:45,2026-11-02 11:15]';
RESET enable_seqscan;
RESET enable_bitmapscan;
ALTER TABLE visits ADD CONSTRAINT one_guest EXCLUDE USING gist (room WITH =, during WITH &&);
INSERT INTO visits VALUES (kid64_make('2026-11-01 00:00:07', 0), NULL, '[2026-11-02 10:55,2026-11-02 11:00)');
INSERT INTO visits VALUES (kid64_make('2026-11-01 00:00:07', 0), NULL, '[2026-11-02 10:52,2026-11-02 10:58)');
INSERT INTO visits VALUES (kid64_make('2026-11-01 00:00:07', 1), NULL, '[2026-11-02 10:45,2026-11-02 11:00)'), (NULL, NULL, '[2026-11-02 10:45,2026-11-02 11:00)');
-- Exclusion constraints for each type.
\set VERBOSITY terse
DO $$
DECLARE
    name text;
BEGIN
    FOR name IN SELECT t.name FROM types t ORDER BY 1 LOOP
        EXECUTE format('CREATE TEMPORARY TABLE e (id %s, during tsrange, EXCLUDE USING gist (id WITH =, during WITH &&))', name);
        EXECUTE format('INSERT INTO e SELECT id, tsrange(''2026-11-01'', ''2026-11-02'') FROM (SELECT DISTINCT id FROM t_%s WHERE n <= 500) s', name);
        BEGIN
            INSERT INTO e SELECT id, '[2026-11-02,2026-11-03)' FROM e;
            INSERT INTO e SELECT id, '[2026-11-01 12:00,2026-11-01 13:00)' FROM e WHERE id IS NOT NULL LIMIT 1;
            RAISE NOTICE '%: twice', name;
        EXCEPTION WHEN exclusion_violation THEN RAISE NOTICE '%: %', name, substring(SQLERRM, '.*constraint');
        END;
        DROP TABLE e;
    END LOOP;
END $$;
\set VERBOSITY default

-- GIN indexes arrays of IDs by means of their btree operator class.
CREATE TABLE carts (n int, orders kid64[], guests sno[]);
INSERT INTO carts SELECT n, ARRAY[kid64_make('2026-11-01', n % 10), kid64_make('2026-11-01', 10 + n % 7)], ARRAY[sno_make('2026-11-01', 0, n % 10, 0)] FROM generate_series(1, 1000) AS n;
CREATE INDEX carts_ids ON carts USING gin (orders, guests);
SET enable_seqscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM carts WHERE orders @> ARRAY[kid64_make('2026-11-01', 3), kid64_make('2026-11-01', 12)];
SELECT count(*) FROM carts WHERE orders @> ARRAY[kid64_make('2026-11-01', 3), kid64_make('2026-11-01', 12)];
SELECT count(*) FROM carts WHERE guests && ARRAY[sno_make('2026-11-01', 0, 3, 0), sno_make('2026-11-01', 0, 4, 0)];
RESET enable_seqscan;

DROP TABLE types, t_kid64, t_kid96, t_sno, t_flake, t_flax, empty, visits, carts;
DROP FUNCTION sums, compare, texts;
