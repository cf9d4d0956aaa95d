-- Worker numbers: the tables
--
-- A process that makes IDs itself needs a number that no other process has: the generator of flake, the partition of
-- sno, a lane of kid64 or kid53, or the node of kid96. It leases one. A lease is not a right to act for a while,
-- because a process that was paused cannot know that it has lost such a right. It is a window of times in IDs: with
-- this number the process makes only IDs whose time is at or after `since`, and before `until`. The windows of a number
-- never overlap, so no pause, clock or lost message lets two processes make the same ID.
-- docs/guides/worker-rules.md has the rules for clients and the proof. Those for the server are:
--
--   1. `until` of a number is the end of all windows that were ever granted of it. It only rises. A number is closed,
--      never deleted. A new number begins when windows that an earlier table may have granted have ended, unless nobody
--      ever had it. The same holds for a number that was closed and is opened again.
--   2. A grant locks the row of the number, then reads the clock. Its window begins at the later of `until` and now.
--      Windows begin and end with whole seconds, which begin time units of all types.
--   3. A renewal is a grant of the next window, with a new token. No reply is given twice: of two copies of a
--      process, one gets another number.
--   4. A transaction that comes after the one that granted a window returns the window. If replication is synchronous,
--      another commit comes between them, because the first returns with a mere warning if its wait for a standby is
--      canceled.
--   5. If the table is in another database than the one that granted, granting is an error until the owner adopts it.
--      On another timeline of WAL, windows may be missing, so all numbers are postponed first, in a transaction of its
--      own.
--   6. No number that is granted is one with which this server makes IDs.
--   7. The type of IDs, lanes, epoch, the greatest ttl and the margin belong to the pool, and never change.
--   8. Roles have no rights on the tables. A role has at most so many numbers of a pool at a time.
--
-- Times are milliseconds since 1970, as bigint, because drivers cut fractions of a timestamp.

CREATE TABLE kid_workers.pools (
    pool text PRIMARY KEY CHECK (pool <> ''),
    type text NOT NULL,
    lanes integer,
    epoch bigint,
    max_ttl integer NOT NULL CHECK (max_ttl BETWEEN 1 AND 3600),
    margin integer NOT NULL CHECK (margin BETWEEN 0 AND 3600),
    per_role integer NOT NULL CHECK (per_role > 0),
    history text NOT NULL
);
COMMENT ON TABLE kid_workers.pools IS 'pools of worker numbers: what their IDs are, and how many a role may lease';
COMMENT ON COLUMN kid_workers.pools.epoch IS 'from when a flake counts, in milliseconds since 1970';
COMMENT ON COLUMN kid_workers.pools.max_ttl IS 'the longest window, in seconds';
COMMENT ON COLUMN kid_workers.pools.margin IS
    'by how many seconds the clocks of a former and a new primary can differ at an asynchronous failover';
COMMENT ON COLUMN kid_workers.pools.history IS 'the database and the timeline that granted the windows';

-- A renewal changes no indexed column, and finds space on its page, so that it is a HOT update.
CREATE TABLE kid_workers.numbers (
    pool text NOT NULL REFERENCES kid_workers.pools,
    number bigint NOT NULL,
    until bigint NOT NULL CHECK (until % 1000 = 0),
    since bigint,
    token uuid,
    xid xid8,
    role name,
    holder text,
    closed boolean NOT NULL DEFAULT false,
    PRIMARY KEY (pool, number)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
CREATE INDEX numbers_role ON kid_workers.numbers (pool, role) WHERE role IS NOT NULL;
COMMENT ON TABLE kid_workers.numbers IS 'worker numbers, each with the last window that was granted of it';
COMMENT ON COLUMN kid_workers.numbers.until IS
    'the end of all windows that were ever granted, or 0, in milliseconds since 1970';
COMMENT ON COLUMN kid_workers.numbers.since IS 'when the last window begins, or null if it was postponed';
COMMENT ON COLUMN kid_workers.numbers.token IS 'lets the holder of the last window lease the next one';
COMMENT ON COLUMN kid_workers.numbers.xid IS 'the transaction that granted the last window';
COMMENT ON COLUMN kid_workers.numbers.role IS 'the role that leased the number last';

-- Sessions of one role wait for each other, so that its numbers can be counted. Advisory locks would not do: any role
-- can take them. The rows are good for nothing but locks, so they are neither logged nor published.
CREATE UNLOGGED TABLE kid_workers.roles (pool text, role name, PRIMARY KEY (pool, role)) WITH (fillfactor = 50);
COMMENT ON TABLE kid_workers.roles IS 'a row for each role that has leased from a pool, to be locked';
