-- A table of events, as docs/guides/consumers.md has it, with procedures that write to it and read from it.
CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), payload text);
CREATE TABLE consumers (name text PRIMARY KEY, last kid64 NOT NULL DEFAULT '...........');
INSERT INTO consumers (name) VALUES ('billing');
CREATE TABLE handled (nr serial, id kid64, payload text);

-- Transactions that commit later than others that made their IDs after them. Some roll back.
CREATE PROCEDURE write_events() LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. 80 LOOP
        INSERT INTO events (payload) VALUES ('early'), ('early');
        PERFORM pg_sleep(random() * 0.1);
        INSERT INTO events (payload) VALUES ('late');
        IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
        PERFORM pg_sleep(random() * 0.02);
    END LOOP;
END $$;

-- A consumer that does not know of the horizon.
CREATE TABLE read_by_id (id kid64);
CREATE PROCEDURE read_by_id() LANGUAGE plpgsql AS $$
DECLARE
    last kid64 := '...........';
BEGIN
    WHILE NOT EXISTS (SELECT FROM events WHERE payload = 'the end') LOOP
        WITH batch AS (INSERT INTO read_by_id SELECT id FROM events WHERE id > last RETURNING id)
        SELECT coalesce(max(id), last) INTO last FROM batch;
        COMMIT;
        PERFORM pg_sleep(0.02);
    END LOOP;
END $$;
