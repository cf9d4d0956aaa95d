-- What the old server has: for each type a table with each kind of index; partitions by each kind of key; and a view.
CREATE EXTENSION kid;
CREATE FUNCTION pg_temp.table_of(type text, next text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE TABLE t_%s (id %1$s PRIMARY KEY DEFAULT %s, old %1$s, n int)', type, next);
    EXECUTE format('INSERT INTO t_%s (old, n) SELECT %1$s_at(''2026-11-01''::timestamptz + n * interval ''1 min''), n
                    FROM generate_series(1, 20000) AS n', type);
    EXECUTE format('CREATE INDEX ON t_%s USING hash (old)', type);
    EXECUTE format('CREATE INDEX ON t_%s USING brin (old)', type);
    EXECUTE format('CREATE INDEX ON t_%s USING brin (old %1$s_minmax_multi_ops)', type);
    EXECUTE format('CREATE INDEX ON t_%s USING gist (old)', type);
    EXECUTE format('CREATE INDEX ON t_%s (old DESC)', type);
END $$;
SELECT pg_temp.table_of(typname, typname || '_next()')
  FROM pg_type JOIN pg_depend ON classid = 'pg_type'::regclass AND objid = pg_type.oid AND deptype = 'e'
 WHERE typtype = 'b' AND typelem = 0 AND typname <> 'kid_ambiguous';
CREATE TABLE parts (id kid64 PRIMARY KEY DEFAULT kid_next(), n int) PARTITION BY RANGE (id);
CREATE TABLE parts_old PARTITION OF parts FOR VALUES FROM (MINVALUE) TO (kid64_floor('2026-11-10'));
CREATE TABLE parts_new PARTITION OF parts FOR VALUES FROM (kid64_floor('2026-11-10')) TO (MAXVALUE);
INSERT INTO parts (id, n) SELECT old, n FROM t_kid64;
CREATE TABLE uuids (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), n int) PARTITION BY RANGE (id);
CREATE TABLE uuids_old PARTITION OF uuids FOR VALUES FROM (MINVALUE) TO (kid_uuidv7_floor('2026-11-10'));
CREATE TABLE uuids_new PARTITION OF uuids FOR VALUES FROM (kid_uuidv7_floor('2026-11-10')) TO (MAXVALUE);
INSERT INTO uuids (id, n) SELECT kid_uuidv7_at(kid_timestamp(old)), n FROM t_kid64;
CREATE TABLE numbers (id bigint PRIMARY KEY DEFAULT kid53_next(), n int) PARTITION BY RANGE (id);
CREATE TABLE numbers_old PARTITION OF numbers FOR VALUES FROM (MINVALUE) TO (kid53_floor('2026-11-10'));
CREATE TABLE numbers_new PARTITION OF numbers FOR VALUES FROM (kid53_floor('2026-11-10')) TO (MAXVALUE);
INSERT INTO numbers (id, n) SELECT kid53_at(kid_timestamp(old)), n FROM t_kid64;
CREATE VIEW recent AS SELECT * FROM t_kid64 WHERE id > now() - interval '1 day';
-- Some minor versions mark columns with an option that pg_upgrade cannot restore in a version without it.
UPDATE pg_attribute SET attoptions = NULL WHERE attoptions::text LIKE '{pg_attver=%}';
