-- Checks a client of workers.sql: orders and lines have IDs whose numbers and times are in windows that were granted,
-- and the client was granted several. They are IDs of now. The last line is `ok:` and what was found, or else
-- `not so:`.
WITH ids AS (
    SELECT id, kid_generator(id) AS number, extract(epoch FROM kid_timestamp(id)) * 1000 AS time
      FROM (SELECT id FROM orders UNION ALL SELECT id FROM lines) AS made
), found AS (
    SELECT (SELECT count(*) FROM ids) AS made,
           (SELECT count(*) FROM ids WHERE NOT EXISTS (
                SELECT FROM granted AS g
                 WHERE g.number = ids.number AND ids.time >= g.since AND ids.time < g.until)) AS outside,
           (SELECT count(*) FROM granted AS g WHERE EXISTS (
                SELECT FROM ids WHERE g.number = ids.number AND ids.time >= g.since AND ids.time < g.until)) AS windows,
           (SELECT count(DISTINCT number) FROM granted) AS numbers,
           (SELECT count(DISTINCT holder) FROM granted) AS holders,
           (SELECT max(kid_timestamp(id)) BETWEEN now() - interval '3 s' AND now() FROM orders) AS recent)
SELECT CASE WHEN made > 500 AND outside = 0 AND windows > 2 AND numbers = 1 AND holders = 1 AND recent
            THEN 'ok: ' ELSE 'not so: ' END
       || format('%s IDs, %s of them outside of the windows granted, in %s windows of %s numbers', made, outside,
                 windows, numbers)
  FROM found;
