-- Checks a consumer that with_faults ran: it has handled each event once, and in the order of IDs. A consumer that does
-- not know of the horizon has missed some. The last line is `ok:` and what was found, or else `not so:`.
WITH found AS (
    SELECT (SELECT count(*) FROM events) AS rows,
           (SELECT count(*) FROM writers WHERE remaining <= 0) AS writers,
           (SELECT array_agg(id ORDER BY id) FROM events) AS written,
           (SELECT array_agg(id ORDER BY nr) FROM handled) AS handled,
           (SELECT count(*) FROM events WHERE id NOT IN (SELECT id FROM read_by_id)) AS missed,
           (SELECT count(DISTINCT xmin::text) FROM handled) AS batches,
           (SELECT count(DISTINCT what) FROM faults) AS kinds,
           (SELECT string_agg(n || ' of ' || what, ', ' ORDER BY what)
              FROM (SELECT what, count(*) AS n FROM faults GROUP BY what) AS f) AS faults)
SELECT CASE WHEN writers = 4 AND kinds = 3 AND batches > 10 AND written = handled AND missed > 0
            THEN 'ok: ' ELSE 'not so: ' END
       || format('%s events, handled %s beside kills: %s; a consumer by id > last missed %s', rows,
                 CASE WHEN written = handled THEN 'each once and in order' ELSE cardinality(handled)::text END, faults,
                 missed)
  FROM found;
