-- Checks a consumer that with_writers ran: it has handled each event once, in the order of IDs, and soon. A consumer that does not
-- know of the horizon has missed some. The last line is `ok:` and what was found, or else `not so:`.
WITH found AS (
    SELECT (SELECT count(*) FROM events) AS rows,
           (SELECT array_agg(id ORDER BY id) FROM events) AS written,
           (SELECT array_agg(id ORDER BY nr) FROM handled) AS handled,
           (SELECT count(DISTINCT xmin::text) FROM handled) AS batches,
           (SELECT count(*) FROM events WHERE id NOT IN (SELECT id FROM read_by_id)) AS missed)
SELECT format(CASE WHEN rows > 500 AND written = handled AND batches > 10 AND missed > 0 THEN 'ok: ' ELSE 'not so: ' END ||
              '%s events, handled %s in %s batches; a consumer by id > last missed %s',
              rows, CASE WHEN written = handled THEN 'each once and in order' ELSE cardinality(handled)::text END, batches, missed)
  FROM found;
