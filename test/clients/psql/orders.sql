-- Orders with kid64 keys, in psql.
INSERT INTO orders (item) VALUES ('tea') RETURNING id \gset
\echo inserted :id

INSERT INTO orders (item) SELECT 'batch' FROM generate_series(1, 1000) RETURNING 'batch', id;

SELECT 'found', id FROM orders WHERE id = :'id';

SELECT array_agg(id) AS some FROM (SELECT id FROM orders WHERE item = 'batch' LIMIT 3) AS batch \gset
SELECT 'listed', id FROM orders WHERE id = ANY (:'some');

SELECT 'recent', id FROM orders WHERE id >= now() - interval '1 hour' ORDER BY id LIMIT 10;

\copy (SELECT kid_next(1000), 'bulk') TO 'orders.tsv'
\copy orders (id, item) FROM 'orders.tsv'
\! sed 's/^\(.*\)\t\(.*\)/\2 \1/' orders.tsv

INSERT INTO lines (order_id, note) VALUES (:'id', 'with milk');
SELECT 'nested', to_jsonb(lines) ->> 'order_id' FROM lines;

SELECT id FROM orders WHERE id = '12345';
\echo wrong :SQLSTATE
