-- make demo: shows what kid does, on the private server that start_server() started. psql shows each statement before
-- its result.
\set say '\n\033[1m== '
\set end '\033[0m'

\echo :say'A table whose primary key also serves as an index by time':end
CREATE EXTENSION kid;
CREATE TABLE orders (
    id      kid64 PRIMARY KEY DEFAULT kid_next(),
    session int,
    item    text
);

\echo :say'Four sessions insert 25000 rows each, all at the same time':end
\! echo "INSERT INTO orders (session, item) VALUES (:client_id + 1, 'item ' || ceil(random() * 9));" | PGOPTIONS='-c synchronous_commit=off' pgbench -n -c 4 -j 2 -t 25000 -P 1 -f - 2>&1 | grep -E 'progress|processed'
\set ECHO none
SELECT 'all rows are there'::text FROM orders HAVING 1 / (count(*) = 100000)::int = 1 \g /dev/null
\set ECHO queries

\echo :say'All IDs differ, sort by time, and contain the time at which they were made':end
SELECT count(*) AS rows, count(DISTINCT id) AS different_ids, count(DISTINCT session) AS sessions FROM orders;
SELECT id, kid_timestamp(id), kid_sequence(id), session, item FROM orders ORDER BY id LIMIT 8;

\echo :say'The parts of an ID, and its other forms':end
\set ECHO none
SELECT max(id) AS id FROM orders \gset
\set ECHO queries
SELECT * FROM kid_inspect(:'id'::kid64);
SELECT :'id'::kid64 AS text, :'id'::kid64::bigint AS bigint, :'id'::kid64::bytea AS bytes;

\echo :say'The rows of the first second, found by the primary key':end
\set ECHO none
SELECT kid_timestamp(min(id)) AS start, kid_timestamp(min(id)) + interval '1 second' AS stop FROM orders \gset
\set ECHO queries
SELECT count(*) FROM orders WHERE id <@ tstzrange(:'start', :'stop');
SET enable_bitmapscan = off;
EXPLAIN (COSTS OFF) SELECT count(*) FROM orders WHERE id <@ tstzrange(:'start', :'stop');

\echo :say'A crash: kill -9 ends the server, which starts again. The next ID is greater':end
INSERT INTO orders (item) VALUES ('before the crash') RETURNING id \gset last_
\! kill -9 "$(head -n 1 "$PGDATA/postmaster.pid")"
-- The server cannot start before the last process of the killed one has ended.
\! timeout 60 sh -c 'until pg_ctl -s -l "$PGDATA/../server.log" start 2>/dev/null; do sleep 0.1; done'; grep 'not properly shut down' "$PGDATA/../server.log"
\connect
INSERT INTO orders (item) VALUES ('after the crash') RETURNING id \gset next_
SELECT id, kid_timestamp(id), item FROM orders ORDER BY id DESC LIMIT 2;
\set ECHO none
SELECT 'it is greater, and there was a crash'::text
    WHERE 1 / (:'next_id'::kid64 > :'last_id'::kid64
               AND pg_postmaster_start_time() > kid_timestamp(:'last_id'::kid64))::int = 1 \g /dev/null
\set ECHO queries

\echo :say'Partitions by time: a row goes to the partition of its ID':end
CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), payload text) PARTITION BY RANGE (id);
SELECT kid_create_partitions('events', width => '1 day', until => now() + interval '2 days');
INSERT INTO events (payload) VALUES ('hello') RETURNING tableoid::regclass AS partition, id;

\echo :say'IDs of other libraries: uid (for many nodes), sno, flake-idgen, Flax ID':end
SELECT kid96_next(), sno_next(), flake_next(), flax_next();

\echo :say'How fast: a million IDs of kid, of a sequence, and random UUIDs':end
CREATE SEQUENCE numbers;
\timing on
SELECT count(kid_next()) FROM generate_series(1, 1000000);
SELECT count(nextval('numbers')) FROM generate_series(1, 1000000);
SELECT count(gen_random_uuid()) FROM generate_series(1, 1000000);
\timing off
DROP SEQUENCE numbers;
