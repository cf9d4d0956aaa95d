CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text);
CREATE TABLE lines (order_id kid64 REFERENCES orders, note text);
CREATE TABLE payments (id uuid PRIMARY KEY DEFAULT kid_uuidv7(), order_id kid64 REFERENCES orders);
