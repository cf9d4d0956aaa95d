-- Compares what a program answered to requests for sealed IDs, read from psql's input, with what the server holds:
--
--     200 TEXT ID      of each order
--     404 TEXT -       of each wrong text
--
-- The last line is `ok:` and what was found, or else `not so:`.
CREATE TEMPORARY TABLE said (status text, encoded text, id text);
\copy said FROM pstdin (DELIMITER ' ')

WITH expected AS (
    SELECT '200' AS status, encoded, id::text FROM texts
    UNION ALL SELECT '404', encoded, '-' FROM wrong
), compared AS (
    SELECT status, said IS NOT NULL AND expected IS NOT NULL AS good FROM said FULL JOIN expected USING (status, encoded, id)
)
SELECT format('%s found %s, missing %s, wrong answers %s',
              CASE WHEN bool_and(good) AND count(*) > 1000 THEN 'ok:' ELSE 'not so:' END,
              count(*) FILTER (WHERE status = '200'), count(*) FILTER (WHERE status = '404'), count(*) FILTER (WHERE NOT good))
  FROM compared;
