-- Worker numbers for programs that make IDs of orders and lines themselves. Each window that was granted is noted.
CREATE EXTENSION kid_workers;
SELECT kid_add_workers('orders', 1, 1023, 'flake', fresh => true) AS added \gset

CREATE TABLE granted (pool text, number bigint, since bigint, until bigint, holder text);
CREATE FUNCTION note_window() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO public.granted VALUES (NEW.pool, NEW.number, NEW.since, NEW.until, NEW.holder);
    RETURN NULL;
END $$;
CREATE TRIGGER note_window AFTER UPDATE ON kid_workers.numbers FOR EACH ROW
    WHEN (NEW.until > OLD.until) EXECUTE FUNCTION note_window();

CREATE TABLE orders (id flake PRIMARY KEY);
CREATE TABLE lines (id flake PRIMARY KEY, order_id flake NOT NULL REFERENCES orders, item text);
