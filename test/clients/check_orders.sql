-- Compares what a client printed, read from psql's input, with what the server holds. Each line is a word and a value:
--
--     inserted ID      of the row that it inserted, item 'tea'
--     batch ID         of 1000 rows that it inserted at once, item 'batch'
--     found ID         of that row, when it asked for that ID
--     listed ID        three of the batch, when it asked for a list of them
--     recent ID        the first 10 of the last hour, in the order of time
--     bulk ID          of 1000 rows that it loaded, item 'bulk', with IDs that it had asked for before
--     nested ID        of the order that one of its lines refers to, as a relation, in JSON or as text
--     uuid ID          of 1000 rows of payments, whose key is a uuid of version 7, as they were inserted
--     dated ID         the first 10 of them, by time
--     wrong SQLSTATE   of the error when it asked for an invalid ID
--
-- The last line is `ok:` and the words, or `not so:` and the wrong ones. A client may omit listed, bulk, uuid and dated
-- unless the variable `words` lists them.
CREATE TEMPORARY TABLE said (nr serial, word text, value text);
\copy said (word, value) FROM pstdin (DELIMITER ' ')

SET client_min_messages = warning;
CREATE TABLE IF NOT EXISTS payments (id uuid);

CREATE FUNCTION pg_temp.said(w text) RETURNS text[]
    RETURN (SELECT array_agg(value ORDER BY nr) FROM said WHERE word = w);
CREATE FUNCTION pg_temp.set(list text[]) RETURNS text[]
    RETURN (SELECT array_agg(DISTINCT value) FROM unnest(list) AS value);
CREATE FUNCTION pg_temp.held(i text) RETURNS text[]
    RETURN (SELECT array_agg(DISTINCT id::text) FROM orders WHERE item = i);
CREATE FUNCTION pg_temp.payments() RETURNS text[]
    RETURN (SELECT array_agg(id::text ORDER BY id) FROM payments);

-- The plans of queries by time. Only these have `id >=`.
CREATE TEMPORARY TABLE plans AS
SELECT record AS plan, record ~ 'Index Cond: .*id >= ' AND record !~ 'Seq Scan|Filter: ' AS by_index
  FROM regexp_split_to_table(pg_read_file(:'server_log'), E'\n(?!\t)') AS record
 WHERE starts_with(record, current_database() || ' LOG:  duration: ') AND record ~ 'Scan .*on "?(orders|payments)'
   AND (record ~ 'Index Cond: .*id >= ' OR record ~* 'tstzrange|timestamptz|with time zone');

CREATE TEMPORARY TABLE claims AS VALUES
    ('declared',
     (SELECT format_type(atttypid, atttypmod) = 'kid64' AND pg_get_expr(adbin, adrelid) = 'kid_next()'
        FROM pg_attribute LEFT JOIN pg_attrdef ON (adrelid, adnum) = (attrelid, attnum)
       WHERE attrelid = 'orders'::regclass AND attname = 'id')),
    ('inserted', pg_temp.said('inserted') = pg_temp.held('tea') AND cardinality(pg_temp.held('tea')) = 1),
    ('batch', pg_temp.set(pg_temp.said('batch')) = pg_temp.held('batch') AND cardinality(pg_temp.held('batch')) = 1000),
    ('found', pg_temp.said('found') = pg_temp.held('tea')),
    ('listed', pg_temp.set(pg_temp.said('listed')) <@ pg_temp.held('batch')
               AND cardinality(pg_temp.set(pg_temp.said('listed'))) = 3),
    ('recent', pg_temp.said('recent') = (SELECT (array_agg(id::text ORDER BY id))[1:10] FROM orders)),
    ('index', (SELECT bool_and(by_index) FROM plans)),
    ('wrong', pg_temp.said('wrong') = '{22P02}'),
    ('bulk', pg_temp.set(pg_temp.said('bulk')) = pg_temp.held('bulk') AND cardinality(pg_temp.held('bulk')) = 1000),
    ('nested', pg_temp.said('nested') = pg_temp.held('tea')),
    ('uuid', pg_temp.said('uuid') = pg_temp.payments() AND cardinality(pg_temp.payments()) = 1000
             AND (SELECT bool_and(kid_timestamp(id) > '2026-01-01') FROM payments)),
    ('dated', pg_temp.said('dated') = (pg_temp.payments())[1:10]);
DELETE FROM claims WHERE column1 IN ('listed', 'bulk', 'uuid', 'dated') AND pg_temp.said(column1) IS NULL
                     AND column1 <> ALL (string_to_array(:'words', ','));

SELECT format('%s: printed %s, held %s', column1, left(pg_temp.said(column1)::text, 60),
              left(pg_temp.held(column1)::text, 60))
  FROM claims WHERE column2 IS NOT TRUE;
SELECT plan FROM plans WHERE NOT by_index;
SELECT CASE WHEN bool_and(column2 IS TRUE) THEN 'ok: ' || string_agg(column1, ' ')
            ELSE 'not so: ' || string_agg(column1, ' ') FILTER (WHERE column2 IS NOT TRUE) END FROM claims;
