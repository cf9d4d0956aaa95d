-- A small schema for make test-schemas: kidctl moves customers, orders and lines, moves notes after findings were
-- accepted, and says why it does not move invoices.

CREATE DOMAIN money_amount AS numeric(12, 2) CHECK (VALUE >= 0);
CREATE TYPE state AS ENUM ('open', 'paid', 'sent');

CREATE TABLE customers (
    id serial PRIMARY KEY,
    email text NOT NULL UNIQUE CHECK (email LIKE '%@%'),
    referred_by integer REFERENCES customers ON DELETE SET NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer_id integer NOT NULL REFERENCES customers ON DELETE CASCADE,
    state state NOT NULL DEFAULT 'open',
    amount money_amount NOT NULL DEFAULT 0,
    gross numeric GENERATED ALWAYS AS (amount * 1.2) STORED,
    placed_on date NOT NULL,
    UNIQUE (customer_id, id)
);
CREATE INDEX ON orders (customer_id) WHERE state <> 'sent';

CREATE TABLE lines (
    id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
    customer_id integer NOT NULL,
    order_id bigint NOT NULL,
    item text NOT NULL,
    FOREIGN KEY (customer_id, order_id) REFERENCES orders (customer_id, id)
);

CREATE TABLE events (
    order_id bigint NOT NULL REFERENCES orders,
    happened_at timestamptz NOT NULL,
    what jsonb NOT NULL DEFAULT '{}',
    PRIMARY KEY (order_id, happened_at)
) PARTITION BY RANGE (happened_at);
CREATE TABLE events_default PARTITION OF events DEFAULT;

CREATE TABLE notes (
    id smallserial PRIMARY KEY,
    order_id bigint REFERENCES orders,
    written_at timestamp,
    text text
);
ALTER TABLE notes ENABLE ROW LEVEL SECURITY;
CREATE POLICY not_the_first ON notes FOR SELECT USING (id <> 1);

CREATE TABLE invoices (id bigserial PRIMARY KEY, order_id bigint NOT NULL UNIQUE REFERENCES orders);

CREATE FUNCTION note_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.events (order_id, happened_at, what)
    VALUES (NEW.id, now(), jsonb_build_object('state', NEW.state));
    RETURN NULL;
END $$;
CREATE TRIGGER note_event AFTER INSERT OR UPDATE OF state ON orders FOR EACH ROW EXECUTE FUNCTION note_event();

CREATE VIEW open_orders AS
 SELECT o.id, c.email, o.gross, json_build_object('order', o.id, 'customer', c.id) AS ids
   FROM orders AS o JOIN customers AS c ON c.id = o.customer_id WHERE o.state <> 'sent';
CREATE MATERIALIZED VIEW sums AS SELECT customer_id, sum(amount) FROM orders GROUP BY customer_id;
CREATE VIEW numbers AS SELECT id + 1000 AS number, order_id FROM invoices;
