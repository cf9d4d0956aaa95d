-- Orders whose IDs a client decodes, the smallest and the greatest among them, and texts that are no IDs of orders.
CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next());
INSERT INTO orders SELECT FROM generate_series(1, 500);
INSERT INTO orders SELECT ((-1)::bigint - (2 ^ n)::bigint)::kid64 FROM generate_series(0, 62) AS n;
INSERT INTO orders VALUES ('...........'), ('zzzzzzzzzzw');

CREATE TABLE wrong (encoded text);
INSERT INTO wrong VALUES ('ord_00w1knarhfg0'), ('ord_00w1knarhfg010'), ('ord_00w1knarhfg0u'), ('ord_00w1knarhfg0i'),
    ('ord_00w1knarhfgl1'), ('ord_o0w1knarhfg01'), ('ord_g000000000000'), ('ord_Z000000000000'), ('usr_00w1knarhfg01'),
    ('ORD_00w1knarhfg01'), ('00w1knarhfg01'), ('_00w1knarhfg01'), ('ord_00w1-narhfg01'), (U&'ord_00w1\212Anarhfg01');

CREATE VIEW texts AS SELECT id, kid_encode(id, 'ord') AS encoded FROM orders;
