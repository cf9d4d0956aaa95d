-- Whether inserting becomes slower as a table grows: batch after batch into one table for each key. The value for a size is
-- that of the last batches before it, four at most.
CREATE TABLE growing AS SELECT name, 'grow ' || name AS place, id FROM generators WHERE name IN ('kid64', 'bigserial', 'uuid v4');
SELECT format('CREATE TABLE %I (id %s PRIMARY KEY, n int)', place, id) FROM growing \gexec
CREATE PROCEDURE grow(batch int, rows_max int) LANGUAGE plpgsql AS $$
DECLARE
    key record;
    start timestamptz;
BEGIN
    FOR number IN 1 .. rows_max / batch LOOP
        FOR key IN SELECT * FROM growing ORDER BY random() LOOP
            start := clock_timestamp();
            EXECUTE format('INSERT INTO %I (n) SELECT generate_series(1, %s)', key.place, batch);
            INSERT INTO turns
            SELECT 'grow', key.name || ' at ' || size * batch, number,
                   extract(epoch FROM clock_timestamp() - start) * 1e6 / batch
              FROM unnest(ARRAY[4, 8, 20, 40, 80, 200]) AS size
             WHERE number BETWEEN size - 3 AND size;
        END LOOP;
        COMMIT;
        IF number % 4 = 0 THEN
            RAISE NOTICE 'grow: % of % rows', number * batch, rows_max;
        END IF;
    END LOOP;
END $$;
CALL grow(:batch, :rows_max);
-- Flat means as fast at each size as at the first.
INSERT INTO comparisons (section, name, rival)
SELECT DISTINCT ON (k.nr, at.size) 'grow', k.name || ' at ' || at.size, k.name || ' at ' || 4 * :batch
  FROM (VALUES (1, 'kid64'), (2, 'bigserial'), (3, 'uuid v4')) AS k (nr, name),
       (SELECT DISTINCT split_part(name, ' at ', 2)::int AS size FROM turns WHERE section = 'grow') AS at
 WHERE at.size > 4 * :batch
 ORDER BY k.nr, at.size;
SELECT format('DROP TABLE %I', place) FROM growing \gexec
