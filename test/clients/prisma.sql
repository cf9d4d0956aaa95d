CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text NOT NULL);
CREATE TABLE lines (id kid64 PRIMARY KEY DEFAULT kid_next(), order_id kid64 NOT NULL REFERENCES orders, note text NOT NULL);
CREATE TABLE parcels (id kid64 PRIMARY KEY DEFAULT kid_next(), orders kid64[]);
