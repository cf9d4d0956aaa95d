CREATE TABLE orders (id kid64 PRIMARY KEY DEFAULT kid_next(), item text NOT NULL, replaces kid64 REFERENCES orders,
    related kid64[]);
