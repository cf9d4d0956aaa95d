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

-- Makes the tables NAME_rows, NAME_block_ranges and NAME_parts. `functions` is what the names of functions on IDs of
-- the column's type begin with, `classes` the same for operator classes, and `makes` an ID of an instant t and a number
-- n. `is_early` is the condition of a policy.
CREATE PROCEDURE make_tables(name text, type text, functions text, classes text, makes text, is_early text)
    LANGUAGE plpgsql AS $$
DECLARE
    border text := format('%s_floor(now() - interval ''300 days'')', functions);
BEGIN
    EXECUTE format('CREATE TABLE %s_rows (id %s, n int)', name, type);
    EXECUTE format('INSERT INTO %s_rows
                    SELECT %s, n FROM generate_series(1, 1000) AS n,
                                      LATERAL (SELECT now() - n * interval ''18 hours'') AS _(t)
                    UNION ALL SELECT %2$s, n FROM times WHERE t BETWEEN ''2016-01-01'' AND ''2049-01-01''',
                   name, makes);
    EXECUTE format('INSERT INTO %s_rows VALUES (NULL, 0), (%s_floor(''-infinity''), 1), (%2$s_ceil(''infinity''), 2)',
                   name, functions);
    EXECUTE format('CREATE INDEX ON %s_rows (id)', name);
    EXECUTE format('CREATE TABLE %s_block_ranges AS SELECT * FROM %1$s_rows ORDER BY n', name);
    EXECUTE format('CREATE INDEX ON %s_block_ranges USING brin (id %s_minmax_multi_ops) WITH (pages_per_range = 1)',
                   name, classes);
    EXECUTE format('CREATE TABLE %s_parts (id %s, n int) PARTITION BY RANGE (id)', name, type);
    EXECUTE format('CREATE TABLE %s_old PARTITION OF %1$s_parts FOR VALUES FROM (MINVALUE) TO (%s)', name, border);
    EXECUTE format('CREATE TABLE %s_new PARTITION OF %1$s_parts FOR VALUES FROM (%s) TO (MAXVALUE)', name, border);
    EXECUTE format('CREATE TABLE %s_null PARTITION OF %1$s_parts DEFAULT', name);
    EXECUTE format('CREATE INDEX ON %s_parts (id, n)', name);
    EXECUTE format('INSERT INTO %s_parts SELECT * FROM %1$s_rows', name);
    EXECUTE format('GRANT SELECT ON %s_rows, %1$s_block_ranges, %1$s_parts TO reader', name);
    EXECUTE format('CREATE POLICY most ON %s_rows TO reader USING (n %% 7 > 0 AND %s)', name, is_early);
    EXECUTE format('ALTER TABLE %s_rows ENABLE ROW LEVEL SECURITY', name);
END $$;
