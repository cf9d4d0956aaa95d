-- A further server, here c, joins servers that replicate to each other, here a and b, while clients write on them.
--
-- c copies the rows of all from one of them, here a. Meanwhile a takes no rows from b, so that the copy ends at a known position of
-- b's WAL. From there c takes the rows of b itself. With more servers, run each statement that names b once for each server but a
-- and c, before the next statement. No client writes on c before the end, or the others never get the row.
--
-- The time for kid_observe() is the one that a returned when it got its lane. If nobody knows that time any more, take
-- the result of SELECT kid_timestamp(kid_next()) on any server that is left: it is later, because each server makes only
-- later IDs.
--
-- test/t/mesh_replication.pl runs the statements, on three servers and on four.

-- c, with kid.lanes = 16 and kid.node = 2 in its file, and the same tables, empty:
SELECT kid_observe(kid64_ceil('2026-11-22 12:00:03.072+00'));       -- the time that b got, too
CREATE PUBLICATION everything FOR TABLE orders WITH (publish = 'insert, update, delete');
CREATE SUBSCRIPTION c_from_b CONNECTION 'host=b dbname=shop' PUBLICATION everything
    WITH (origin = none, copy_data = false, enabled = false);

-- b:
SELECT a.confirmed_flush_lsn >= c.confirmed_flush_lsn               -- repeat it until it is true
  FROM pg_replication_slots AS a, pg_replication_slots AS c
 WHERE a.slot_name = 'a_from_b' AND c.slot_name = 'c_from_b';

-- a:
ALTER SUBSCRIPTION a_from_b DISABLE;
SELECT pid IS NULL FROM pg_stat_subscription WHERE subname = 'a_from_b';     -- repeat it until it is true
SELECT pg_replication_origin_progress('pg_' || oid, true) FROM pg_subscription WHERE subname = 'a_from_b';    -- nothing: take 0/0

-- b:
SELECT pg_replication_slot_advance('c_from_b', greatest('0/1C6F2A8',         -- the position that a returned
           (SELECT confirmed_flush_lsn FROM pg_replication_slots WHERE slot_name = 'a_from_b')));

-- c:
CREATE SUBSCRIPTION c_from_a CONNECTION 'host=a dbname=shop' PUBLICATION everything
    WITH (origin = none);                                           -- a WARNING: the copy has rows of other servers, as it should
SELECT bool_and(srsubstate = 'r') FROM pg_subscription_rel;         -- repeat it until it is true: all is copied
ALTER SUBSCRIPTION c_from_b ENABLE;

-- a:
ALTER SUBSCRIPTION a_from_b ENABLE;
CREATE SUBSCRIPTION a_from_c CONNECTION 'host=c dbname=shop' PUBLICATION everything
    WITH (origin = none, copy_data = false);

-- b:
CREATE SUBSCRIPTION b_from_c CONNECTION 'host=c dbname=shop' PUBLICATION everything
    WITH (origin = none, copy_data = false);
