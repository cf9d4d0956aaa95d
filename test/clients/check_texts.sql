-- Compares what a client of seal.sql printed, read from psql's input, with what the server holds:
--
--     200 TEXT ANSWER   the answer to a request for each order: a JSON array of its headers and its body
--     404 TEXT -        the answer to a request for each wrong text
--
-- An answer has the item of the order, and its ID as the key that seals now seals it. Nowhere does it have the ID in a
-- form that is not sealed.
--
-- The last line is `ok:` and what was found, or else `not so:`.
CREATE TEMPORARY TABLE lines (line text);
\copy lines FROM pstdin (FORMAT csv, DELIMITER E'\001', QUOTE E'\002')
CREATE TEMPORARY TABLE said AS
SELECT f[1] AS word, f[2] AS encoded, f[3] AS value FROM lines, regexp_match(line, '^(\S+) (\S+) (.*)$') AS f;

-- The least and the greatest ID are 0 and -1 as a bigint.
CREATE FUNCTION is_raw_in(id kid64, answer text) RETURNS boolean LANGUAGE sql RETURN
    (SELECT bool_or(strpos(lower(answer), lower(form)) > 0)
       FROM unnest(ARRAY[id::text, id::bigint::text, id::bigint::flake::text, encode(id::bytea, 'hex'),
                         kid_encode(id)]) AS form
      WHERE length(form) > 10);

WITH expected AS (
    SELECT '200' AS word, encoded FROM texts
    UNION ALL SELECT '404', encoded FROM wrong
), compared AS (
    SELECT word,
           CASE word
           WHEN '200' THEN (SELECT said.value::jsonb -> 1
                                   = jsonb_build_object('id', kid_seal(o.id, 'ord'), 'item', o.item)
                                   AND NOT is_raw_in(o.id, said.value)
                              FROM texts JOIN orders AS o USING (id) WHERE texts.encoded = said.encoded)
           ELSE said.value = '-' AND expected IS NOT NULL END AS good
      FROM said FULL JOIN expected USING (word, encoded)
), counts AS (
    SELECT word, count(*) AS number, count(*) FILTER (WHERE good IS NOT TRUE) AS bad FROM compared GROUP BY word
)
SELECT CASE WHEN sum(bad) = 0 AND count(*) = 2 AND min(number) > 10 THEN 'ok: ' ELSE 'not so: ' END
       || string_agg(format('%s %s', word, number) || CASE WHEN bad > 0 THEN format(' (%s wrong)', bad) ELSE '' END,
                     ', ' ORDER BY word)
  FROM counts;
