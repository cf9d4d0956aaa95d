-- A table of events, as docs/guides/consumers.md has it, with procedures that write to it and read from it.
CREATE TABLE events (id kid64 PRIMARY KEY DEFAULT kid_next(), payload text);
CREATE TABLE handled (nr serial, id kid64, payload text);
CREATE TABLE faults (what text);

-- Writes as many events as a writer still has to, in transactions that commit later than others that made their IDs
-- after them. Some roll back.
CREATE TABLE writers (nr serial, remaining int);
CREATE PROCEDURE write_events(writer int) LANGUAGE plpgsql AS $$
BEGIN
    WHILE (SELECT remaining > 0 FROM writers WHERE nr = writer) LOOP
        INSERT INTO events (payload) SELECT 'early' FROM generate_series(1, 50);
        PERFORM pg_sleep(random() * 0.1);
        INSERT INTO events (payload) SELECT 'late' FROM generate_series(1, 50);
        UPDATE writers SET remaining = remaining - 100 WHERE nr = writer;
        IF random() < 0.1 THEN ROLLBACK; ELSE COMMIT; END IF;
        PERFORM pg_sleep(random() * 0.02);
    END LOOP;
END $$;

-- A consumer that does not know of the horizon.
CREATE TABLE read_by_id (id kid64);
CREATE PROCEDURE read_by_id() LANGUAGE plpgsql AS $$
DECLARE
    last kid64 := coalesce(max(id), '...........') FROM read_by_id;
BEGIN
    LOOP
        WITH batch AS (INSERT INTO read_by_id SELECT id FROM events WHERE id > last RETURNING id)
        SELECT coalesce(max(id), last) INTO last FROM batch;
        COMMIT;
        EXIT WHEN (SELECT payload = 'the end' FROM events WHERE id = last);
        PERFORM pg_sleep(0.02);
    END LOOP;
END $$;
