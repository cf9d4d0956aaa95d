-- Compares what a client of base32.sql or seal.sql printed, read from psql's input, with what the server holds. The variable
-- `words` lists the words that it must print:
--
--     decoded TEXT BITS      of each order, the unsigned number that the client decoded
--     upper TEXT BITS        the same, from a text in upper case
--     found TEXT ID          of each order, the ID that a query by its text found
--     200 TEXT ID            the same, from the answer to a request
--     refused TEXT ERROR     of each wrong text, the client's own error
--     wrong TEXT SQLSTATE    the server's error for it
--     404 TEXT -             the answer to a request for it
--
-- The last line is `ok:` and what was found, or else `not so:`.
CREATE TEMPORARY TABLE said (word text, encoded text, value text);
\copy said FROM pstdin (DELIMITER ' ')

WITH expected AS (
    SELECT word, encoded,
           CASE WHEN word IN ('found', '200') THEN id::text
                ELSE (id::bigint + CASE WHEN id::bigint < 0 THEN 2::numeric ^ 64 ELSE 0 END)::numeric(20, 0)::text END AS value
      FROM texts, unnest('{decoded,upper,found,200}'::text[]) AS word
    UNION ALL SELECT word, encoded, value FROM wrong, (VALUES ('refused', 'any'), ('wrong', '22P02'), ('404', '-')) AS v (word, value)
), compared AS (
    SELECT word, said.value = expected.value OR expected.value = 'any' AND said.value IS NOT NULL AS good
      FROM said FULL JOIN (SELECT * FROM expected WHERE word = ANY (string_to_array(:'words', ','))) AS expected
           USING (word, encoded)
), counts AS (
    SELECT word, count(*) AS number, count(*) FILTER (WHERE good IS NOT TRUE) AS bad FROM compared GROUP BY word
)
SELECT CASE WHEN sum(bad) = 0 AND count(*) = cardinality(string_to_array(:'words', ',')) AND min(number) > 10 THEN 'ok: ' ELSE 'not so: ' END
       || string_agg(format('%s %s', word, number) || CASE WHEN bad > 0 THEN format(' (%s wrong)', bad) ELSE '' END, ', ' ORDER BY word)
  FROM counts;
