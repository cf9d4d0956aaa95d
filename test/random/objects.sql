-- What random queries are about: tables with IDs of all types, with indexes, partitions and policies.
CREATE EXTENSION kid;
CREATE EXTENSION kid_seal CASCADE;
CREATE EXTENSION kid_workers;

-- Instants at the borders of units and ranges of types, which are also in the rows, and at random.
CREATE TABLE times (n int PRIMARY KEY, t timestamptz, r tstzrange);
INSERT INTO times
SELECT row_number() OVER (), t,
       CASE WHEN t < '100000-01-01' THEN tstzrange(t, t + random() * interval '400 days') END
  FROM (SELECT unnest('{-infinity, infinity, NULL, 0001-01-01 BC, 294276-12-31, 1970-01-01, 2010-01-01, 2015-01-01,
                        2049-11-03 19:53:47.776, 2079-09-07 15:47:35.552, 2109-05-15 07:35:11.104}'::timestamptz[])
        UNION ALL SELECT date_trunc('milliseconds', now() - random() * interval '900 days')
                    FROM generate_series(1, 40)) AS _(t);

CREATE PROCEDURE make_tables(type text, makes text) LANGUAGE plpgsql AS $$
DECLARE
    border text := format('%s_floor(now() - interval ''300 days'')', type);
BEGIN
    EXECUTE format('CREATE TABLE %s_rows (id %1$s, n int)', type);
    EXECUTE format('INSERT INTO %s_rows
                    SELECT %s, n FROM generate_series(1, 1000) AS n, LATERAL (SELECT now() - n * interval ''18 hours'') AS _(t)
                    UNION ALL SELECT %2$s, n FROM times WHERE t BETWEEN ''2016-01-01'' AND ''2049-01-01''', type, makes);
    EXECUTE format('INSERT INTO %s_rows VALUES (NULL, 0), (%1$s_floor(''-infinity''), 1), (%1$s_ceil(''infinity''), 2)', type);
    EXECUTE format('CREATE INDEX ON %s_rows (id)', type);
    EXECUTE format('CREATE TABLE %s_block_ranges AS SELECT * FROM %1$s_rows ORDER BY n', type);
    EXECUTE format('CREATE INDEX ON %s_block_ranges USING brin (id %1$s_minmax_multi_ops) WITH (pages_per_range = 1)',
                   type);
    EXECUTE format('CREATE TABLE %s_parts (id %1$s, n int) PARTITION BY RANGE (id)', type);
    EXECUTE format('CREATE TABLE %s_old PARTITION OF %1$s_parts FOR VALUES FROM (MINVALUE) TO (%2$s)', type, border);
    EXECUTE format('CREATE TABLE %s_new PARTITION OF %1$s_parts FOR VALUES FROM (%2$s) TO (MAXVALUE)', type, border);
    EXECUTE format('CREATE TABLE %s_null PARTITION OF %1$s_parts DEFAULT', type);
    EXECUTE format('CREATE INDEX ON %s_parts (id, n)', type);
    EXECUTE format('INSERT INTO %s_parts SELECT * FROM %1$s_rows', type);
    EXECUTE format('GRANT SELECT ON %s_rows, %1$s_block_ranges, %1$s_parts TO reader', type);
    EXECUTE format('CREATE POLICY most ON %s_rows TO reader USING (n %% 7 > 0 AND id < now() - interval ''10 days'')', type);
    EXECUTE format('ALTER TABLE %s_rows ENABLE ROW LEVEL SECURITY', type);
END $$;
