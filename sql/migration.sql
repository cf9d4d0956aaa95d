-- Which locks the paths of docs/guides/moving-in.md take, and which tables they rewrite. test/t/docs.pl runs the paths themselves.
\set SHOW_CONTEXT never
CREATE TABLE orders (id bigserial PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(), item text);
CREATE TABLE lines (id bigserial PRIMARY KEY, order_id bigint NOT NULL REFERENCES orders);
CREATE INDEX lines_order_id ON lines (order_id);
INSERT INTO orders (item) SELECT 'item' FROM generate_series(1, 1000);
INSERT INTO lines (order_id) SELECT id FROM orders WHERE id < 900;
-- The locks that this transaction holds on the tables, except those for reading.
CREATE VIEW held AS
    SELECT c.relname, string_agg(l.mode, ' ' ORDER BY l.mode) AS modes
      FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
     WHERE l.pid = pg_backend_pid() AND c.relname IN ('orders', 'lines') AND l.mode <> 'AccessShareLock' GROUP BY 1 ORDER BY 1;
CREATE TABLE files AS SELECT oid, relfilenode FROM pg_class WHERE relname IN ('orders', 'lines');
CREATE VIEW rewritten AS SELECT oid::regclass FROM files f JOIN pg_class c USING (oid) WHERE c.relfilenode <> f.relfilenode;
ANALYZE lines;

-- If the key has another type than the columns that refer to it, the foreign key's own query cannot use their index.
EXPLAIN (COSTS OFF) SELECT FROM lines WHERE 5::bigint = order_id;
EXPLAIN (COSTS OFF) SELECT FROM lines WHERE '..........J'::kid64 = order_id;
-- Path 1.
BEGIN;
ALTER TABLE orders ALTER id SET DEFAULT kid_next();
TABLE held;
COMMIT;
INSERT INTO orders (item) VALUES ('new');
SELECT bool_and(new.id > old.id) FROM orders new, orders old WHERE new.item = 'new' AND old.item <> 'new';
-- Path 2.
BEGIN;
ALTER TABLE lines DROP CONSTRAINT lines_order_id_fkey;
ALTER TABLE orders ALTER id TYPE kid64;
ALTER TABLE lines ALTER order_id TYPE kid64;
ALTER TABLE lines ADD CONSTRAINT lines_order_id_fkey FOREIGN KEY (order_id) REFERENCES orders NOT VALID;
COMMIT;
ANALYZE lines;
TABLE rewritten;
BEGIN;
ALTER TABLE lines VALIDATE CONSTRAINT lines_order_id_fkey;
TABLE held;
COMMIT;
EXPLAIN (COSTS OFF) SELECT FROM lines WHERE '..........J'::kid64 = order_id;
-- Path 3: with two statements, and with one.
BEGIN;
ALTER TABLE orders ADD COLUMN new_id kid64;
ALTER TABLE orders ALTER new_id SET DEFAULT kid_next();
TABLE rewritten;
ROLLBACK;
BEGIN;
ALTER TABLE orders ADD COLUMN new_id kid64 DEFAULT kid_next();
TABLE rewritten;
ROLLBACK;
-- Path 4.
BEGIN;
ALTER TABLE orders DROP COLUMN created_at;
TABLE held;
TABLE rewritten;
ROLLBACK;
DROP VIEW held, rewritten;
DROP TABLE lines, orders, files;
