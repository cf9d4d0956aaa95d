-- Compares what a client of base32.sql or seal.sql printed, read from psql's input, with what the server holds:
--
--     decoded TEXT BITS      of each order, the unsigned number that the client decoded
--     upper TEXT BITS        the same, from a text in upper case, if `expected_words` has this word
--     found TEXT ID          of each order, the ID that a query by its text found
--     refused TEXT ERROR     of each wrong text, the client's own error
--     wrong TEXT SQLSTATE    the server's error for it
--
-- The last line is `ok:` and what was found, or else `not so:`.
CREATE TEMPORARY TABLE said (word text, encoded text, value text);
\copy said FROM pstdin (DELIMITER ' ')

WITH expected AS (
    SELECT word, encoded,
           CASE word WHEN 'found' THEN id::text
                     ELSE (id::bigint + CASE WHEN id::bigint < 0 THEN 2::numeric ^ 64 ELSE 0 END)::numeric(20, 0)::text END AS value
      FROM texts, expected_words
    UNION ALL SELECT 'wrong', encoded, '22P02' FROM wrong
), compared AS (
    SELECT word, said.value = expected.value OR said.word = 'refused' AND wrong.encoded IS NOT NULL AS good
      FROM said FULL JOIN expected USING (word, encoded) LEFT JOIN wrong USING (encoded)
    UNION ALL SELECT 'refused', (SELECT count(*) FROM said WHERE word = 'refused') = (SELECT count(*) FROM wrong)
), counts AS (
    SELECT word, count(*) AS number, count(*) FILTER (WHERE good IS NOT TRUE) AS bad FROM compared GROUP BY word
)
SELECT CASE WHEN sum(bad) = 0 AND count(*) = 2 + (SELECT count(*) FROM expected_words) AND min(number) > 10 THEN 'ok: ' ELSE 'not so: ' END
       || string_agg(format('%s %s', word, number) || CASE WHEN bad > 0 THEN format(' (%s wrong)', bad) ELSE '' END, ', ' ORDER BY word)
  FROM counts;
