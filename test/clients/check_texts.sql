-- Compares what a client of seal.sql printed, read from psql's input, with what the server holds. The variable
-- `words` lists the words that it must print:
--
--     decoded TEXT BITS    of each order, the 64 bits that the client unsealed, in hexadecimal digits
--     200 TEXT ID          its ID, from the answer to a request
--     refused TEXT -       each wrong text, if it is an error to the client
--     404 TEXT -           the answer to a request for it
--
-- The last line is `ok:` and what was found, or else `not so:`.
CREATE TEMPORARY TABLE said (word text, encoded text, value text);
\copy said FROM pstdin (DELIMITER ' ')

WITH expected AS (
    SELECT word, encoded, value
      FROM texts, LATERAL (VALUES ('decoded', encode(id::bytea, 'hex')), ('200', id::text)) AS v (word, value)
    UNION ALL SELECT word, encoded, '-' FROM wrong, (VALUES ('refused'), ('404')) AS v (word)
), compared AS (
    SELECT word, said.value = expected.value AS good
      FROM said FULL JOIN (SELECT * FROM expected WHERE word = ANY (string_to_array(:'words', ','))) AS expected
           USING (word, encoded)
), counts AS (
    SELECT word, count(*) AS number, count(*) FILTER (WHERE good IS NOT TRUE) AS bad FROM compared GROUP BY word
)
SELECT CASE WHEN sum(bad) = 0 AND count(*) = cardinality(string_to_array(:'words', ',')) AND min(number) > 10 THEN 'ok: ' ELSE 'not so: ' END
       || string_agg(format('%s %s', word, number) || CASE WHEN bad > 0 THEN format(' (%s wrong)', bad) ELSE '' END, ', ' ORDER BY word)
  FROM counts;
