// The consumer, with the server of the PG* environment variables.
import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, beforeEach, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { consume, createCursor } from 'pgkid/consumer';
import { plainSql } from './vectors.js';

const pool = new pg.Pool({ max: 12 });
pool.on('error', () => {});
const query = async (/** @type {string} */ text) => (await pool.query(text)).rows;

/** The types of keys, as the server has them, and what makes them. */
const KINDS = /** @type {const} */ ({
  kid64: ['kid64', 'kid_next()'],
  kid53: ['bigint', 'kid53_next()'],
  flake: ['flake', 'flake_next()'],
  uuidv7: ['uuid', 'kid_uuidv7()'],
  tracked: ['bigint', "nextval('consuming.events_id')"],
});

/** @param {keyof typeof KINDS} kind */
async function makeTables(kind) {
  const [type, next] = KINDS[kind];
  await query(`
    SET client_min_messages = warning;
    DROP SCHEMA IF EXISTS consuming CASCADE;
    CREATE SCHEMA consuming;
    CREATE SEQUENCE consuming.events_id;
    CREATE TABLE consuming.events (id ${type} PRIMARY KEY DEFAULT ${next}, payload text, part int DEFAULT 0);
    CREATE TABLE consuming.handled (nr serial, id text, payload text);
    RESET client_min_messages`);
  if (kind === 'tracked') await query("SELECT kid_track('consuming.events')");
  await createCursor({ ...usual, ids: kind });
}

/**
 * Writes events in transactions that commit later than others that began after them.
 * @param {number} rounds
 */
async function write(rounds) {
  const client = await pool.connect();
  for (let round = 0; round < rounds; round++) {
    await client.query("BEGIN; INSERT INTO consuming.events (payload) VALUES ('early'), ('early')");
    await sleep(Math.random() * 20);
    await client.query(`INSERT INTO consuming.events (payload) VALUES ('late'); ${round % 7 ? 'COMMIT' : 'ROLLBACK'}`);
  }
  client.release();
}

/**
 * Returns when a query, which is asked again and again, has as many rows, or after ten seconds.
 * @param {string} text
 * @param {number} count
 */
async function until(text, count) {
  for (let i = 0; i < 1000 && (await query(text)).length !== count; i++) await sleep(10);
  assert.equal((await query(text)).length, count, text);
}

const all = async () => (await query('SELECT id::text FROM consuming.events ORDER BY events.id')).map(({ id }) => id);
const handledIds = async () => (await query('SELECT id FROM consuming.handled ORDER BY nr')).map(({ id }) => id);
const usual = { pool, table: 'consuming.events', cursors: 'consuming.consumers', name: 'billing', wait: 10 };

/**
 * Records rows by a client.
 * @param {any[]} rows
 * @param {any} client
 */
async function record(rows, client) {
  for (const { id, payload } of rows) {
    await client.query('INSERT INTO consuming.handled (id, payload) VALUES ($1, $2)', [String(id), payload]);
  }
}

/**
 * Makes a table one into which a subscription brings rows, as far as catalogs show it.
 * @param {string} table
 */
async function replicateInto(table) {
  const client = await pool.connect();
  await client.query(`
    SET client_min_messages = error;
    CREATE SUBSCRIPTION consuming CONNECTION 'host=/nowhere' PUBLICATION consuming
      WITH (connect = false, slot_name = NONE)`);
  await client.query(`
    SET allow_system_table_mods = on;
    INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)
      SELECT oid, '${table}'::regclass, 'r' FROM pg_subscription WHERE subname = 'consuming'`);
  client.release(true);
}

before(() => query('SET client_min_messages = warning; CREATE EXTENSION IF NOT EXISTS kid'));
beforeEach(() => makeTables('kid64'));
after(async () => {
  await query('SET client_min_messages = warning; DROP SCHEMA consuming CASCADE');
  await pool.end();
});

for (const ids of /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS))) {
  test(`exactly once, in order, whatever connections are lost: ${ids}`, async () => {
    await makeTables(ids);
    let calls = 0;
    let retries = 0;
    const start = () => consume({
      ...usual, ids, batch: 7,
      handle: async (rows, client) => {
        await record(rows, client);
        // After the work, the connection is lost before the commit, or before the cursor is moved.
        if (++calls % 5 === 0) await client.query('SELECT pg_terminate_backend(pg_backend_pid())');
        if (calls % 5 === 3) throw Object.assign(new Error('lost'), { code: 'ECONNRESET' });
      },
      onRetry: () => { retries++; },
    });
    // Two of them, by mistake or for a moment.
    const consumers = [start(), start()];
    await Promise.all([write(20), write(20), write(20)]);
    const written = await all();
    await until('SELECT FROM consuming.handled', written.length);
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    assert.deepEqual(await handledIds(), written);
    assert.ok(retries > 3 && written.length > 100, `${retries} retries`);
  });
}

test('a cursor begins after the rows of now', async () => {
  for (const ids of /** @type {(keyof typeof KINDS)[]} */ (Object.keys(KINDS))) {
    await makeTables(ids);
    await createCursor({ ...usual, ids, name: 'empty' }, { fromNow: true });
    await query("INSERT INTO consuming.events (payload) SELECT 'x' FROM generate_series(1, 12)");
    // After a crash, flake's horizon can leave a time unit only once in 100 ms.
    await sleep(200);
    await createCursor({ ...usual, ids, name: 'late' }, { fromNow: true });
    await createCursor({ ...usual, ids }, { fromNow: true });
    const rows = await query(`
      SELECT name, (SELECT count(*) FROM consuming.events WHERE id > last)::int AS left
        FROM consuming.consumers ORDER BY name`);
    assert.deepEqual(rows.map(({ name, left }) => `${name} ${left}`), ['billing 12', 'empty 12', 'late 0'], ids);
  }
});

test('two programs create the table of cursors at the same time', async () => {
  await query('DROP TABLE consuming.consumers');
  const other = await pool.connect();
  await other.query('BEGIN; CREATE TABLE consuming.consumers (name text PRIMARY KEY, last kid64 NOT NULL)');
  const created = createCursor(usual);
  await until("SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE 'CREATE TABLE IF NOT%'", 1);
  await other.query('COMMIT');
  other.release();
  await created;
  assert.deepEqual(await query('SELECT name FROM consuming.consumers'), [{ name: 'billing' }]);
});

test('the IDs get another type, as by kidctl leave', async () => {
  const ways = /** @type {const} */ ([['exactly once', false], ['exactly once', true], ['at least once', true]]);
  for (const [delivery, isCursorChanged] of ways) {
    await makeTables('kid64');
    await query("INSERT INTO consuming.events (payload) VALUES ('before')");
    /** @type {string[]} */
    const seen = [];
    const consumer = consume({
      ...usual, delivery, handle: (rows) => { seen.push(...rows.map(({ payload }) => payload)); },
    });
    const ended = assert.rejects(consumer.done,
      /^Error: the type of consuming\.events\.id has changed from kid64 to bigint, /);
    await until("SELECT FROM consuming.consumers WHERE last > '...........'", 1);
    await query(`
      ALTER TABLE consuming.events ALTER id DROP DEFAULT, ALTER id TYPE bigint;
      ${isCursorChanged ? 'ALTER TABLE consuming.consumers ALTER last TYPE bigint;' : ''}
      INSERT INTO consuming.events SELECT max(id) + 1, 'after' FROM consuming.events`);
    await Promise.race([ended, sleep(10_000)]);
    await consumer.stop().catch(() => {});
    await ended;
    assert.deepEqual(seen, ['before']);
  }
});

test('rows of several servers, up to the lowest horizon of a table', async () => {
  await query("INSERT INTO consuming.events (payload) VALUES ('of another server'), ('of this one')");
  await replicateInto('consuming.events');
  const reads = (/** @type {any} */ options) => consume({ ...usual, handle: record, ...options });
  await assert.rejects(reads({}).done, /does not cover rows that logical replication brings into consuming\.events/);
  await assert.rejects(createCursor({ ...usual, name: 'late' }, { fromNow: true }), /by the option `horizons`/);

  await query(`
    CREATE TABLE consuming.horizons (server text PRIMARY KEY, id kid64 NOT NULL);
    INSERT INTO consuming.horizons SELECT 'a', max(id) FROM consuming.events;
    INSERT INTO consuming.horizons VALUES ('b', kid_next())`);
  const consumer = reads({ horizons: 'consuming.horizons' });
  await until('SELECT FROM consuming.handled', 1);
  await createCursor({ ...usual, name: 'late', horizons: 'consuming.horizons' }, { fromNow: true });
  const written = await all();
  assert.deepEqual(await query("SELECT last FROM consuming.consumers WHERE name = 'late'"), [{ last: written[0] }]);
  await query("UPDATE consuming.horizons SET id = kid_next() WHERE server = 'a'");
  await until('SELECT FROM consuming.handled', 2);
  await consumer.stop();
  assert.deepEqual(await handledIds(), written);

  // A position that is made here is covered, and so is what a view of the rows below the horizons shows.
  await query(`
    ALTER TABLE consuming.events ADD pos kid64 NOT NULL DEFAULT kid_next();
    CREATE VIEW consuming.below AS
      SELECT * FROM consuming.events WHERE id < (SELECT min(id) FROM consuming.horizons)`);
  for (const options of [{ id: 'pos' }, { table: 'consuming.below' }]) {
    await createCursor({ ...usual, ...options, name: 'again' });
    /** @type {any} */
    const again = reads({ ...options, name: 'again', handle: () => { void again.stop(); } });
    await again.done;
    assert.equal((await query("DELETE FROM consuming.consumers WHERE name = 'again' RETURNING last")).length, 1);
  }
  await query('DROP SUBSCRIPTION consuming');
});

test('a consumer without rows writes nothing', async () => {
  const consumer = consume({ ...usual, handle: record });
  const before = await query('SELECT xmin, xmax FROM consuming.consumers');
  await sleep(200);
  await consumer.stop();
  assert.deepEqual(await query('SELECT xmin, xmax FROM consuming.consumers'), before);
});

test('at least once: none is missed, and no transaction is open meanwhile', async () => {
  /** @type {string[]} */
  const seen = [];
  let calls = 0;
  const consumer = consume({
    ...usual, delivery: 'at least once', batch: 7,
    handle: async (rows, client) => {
      assert.equal(client, undefined);
      seen.push(...rows.map(({ id }) => id));
      const open = await query(`
        SELECT FROM pg_stat_activity WHERE state = 'idle in transaction' AND query NOT LIKE '%INSERT INTO consuming%'`);
      assert.equal(open.length, 0);
      if (++calls % 5 === 0) throw Object.assign(new Error('lost'), { code: 'EPIPE' });
    },
    onRetry: () => {},
  });
  await Promise.all([write(20), write(20), write(20)]);
  const written = await all();
  await until(`SELECT FROM consuming.consumers WHERE last = '${written[written.length - 1]}'`, 1);
  await consumer.stop();
  assert.deepEqual([...new Set(seen)], written);
  assert.ok(seen.length > written.length);
});

test('at least once: of two consumers with one name, neither moves the cursor back', async () => {
  await query("INSERT INTO consuming.events (payload) VALUES ('a'), ('b')");
  /** @type {() => void} */
  let go = () => {};
  const gate = new Promise((resolve) => { go = () => resolve(undefined); });
  const slow = consume({ ...usual, delivery: 'at least once', batch: 1, handle: () => gate });
  const fast = consume({ ...usual, delivery: 'at least once', batch: 1, handle: () => {} });
  const written = await all();
  await until(`SELECT FROM consuming.consumers WHERE last = '${written[1]}'`, 1);
  go();
  await Promise.all([slow.stop(), fast.stop()]);
  await until(`SELECT FROM consuming.consumers WHERE last = '${written[1]}'`, 1);
});

test('a notification ends the wait, and also one that comes while rows are handled', async () => {
  const consumer = consume({ ...usual, wait: 60000, listen: 'Events', handle: record });
  await until("SELECT FROM pg_stat_activity WHERE query = 'LISTEN \"Events\"'", 1);
  for (let round = 1; round <= 3; round++) {
    await sleep(50);
    await query("INSERT INTO consuming.events (payload) VALUES ('new')");
    await query('NOTIFY "Events"');
    await until('SELECT FROM consuming.handled', round);
  }
  // The connection that listens is made again when something else wakes the consumer.
  await query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN \"Events\"'");
  await consumer.stop();
});

test('a connection that listens is made again', async () => {
  const consumer = consume({ ...usual, wait: 50, listen: 'events', handle: record });
  const listening = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'LISTEN \"events\"'";
  await until(listening.replace('pg_terminate_backend(pid)', 'pid'), 1);
  await query(listening);
  await sleep(100);
  await until(listening.replace('pg_terminate_backend(pid)', 'pid'), 1);
  await consumer.stop();
});

test('stopping: after the rows at work, by a signal, before the start', async () => {
  await query("INSERT INTO consuming.events (payload) SELECT 'x' FROM generate_series(1, 5)");
  /** @type {{ done: Promise<void>, stop: () => Promise<void> }} */
  const consumer = consume({
    ...usual, batch: 2,
    handle: async (rows, client) => {
      void consumer.stop();
      await sleep(50);
      await record(rows, client);
    },
  });
  await consumer.done;
  assert.equal((await handledIds()).length, 2);

  const controller = new AbortController();
  const other = consume({ ...usual, wait: 60000, signal: controller.signal, handle: record });
  await until('SELECT FROM consuming.handled', 5);
  controller.abort();
  await other.done;

  await query("INSERT INTO consuming.events (payload) VALUES ('x')");
  await consume({ ...usual, signal: AbortSignal.abort(), handle: record }).done;
  assert.equal((await handledIds()).length, 5);

  // While it waits to try again.
  let tries = 0;
  const failing = consume({
    ...usual,
    handle: () => { throw Object.assign(new Error('down'), { code: '57P03' }); },
    onRetry: () => { if (++tries === 2) void failing.stop(); },
  });
  await failing.done;
  assert.equal(tries, 2);
});

test('errors that do not pass by themselves', async () => {
  await query("INSERT INTO consuming.events (payload) VALUES ('x')");
  const wrong = async (/** @type {any} */ options) => consume({ ...usual, handle: record, ...options }).done;
  await assert.rejects(wrong({ name: 'nobody' }), /there is no cursor "nobody": call createCursor/);
  await assert.rejects(wrong({ name: 'nobody', delivery: 'at least once' }), /there is no cursor "nobody"/);
  await assert.rejects(wrong({ handle: () => { throw new TypeError('mine'); } }), /^TypeError: mine$/);
  await assert.rejects(wrong({ handle: () => Promise.reject(null) }), (error) => error === null);
  await assert.rejects(wrong({ handle: (/** @type {any} */ _, /** @type {any} */ client) => client.query('SELEC') }),
    { code: '42601' });
  // What went wrong in the transaction cannot be passed over.
  await assert.rejects(wrong({
    handle: (/** @type {any} */ _, /** @type {any} */ client) => client.query('SELECT 1/0').catch(() => {}),
  }), { code: '25P02' });
  await assert.rejects(wrong({ table: 'nowhere' }), { code: '42P01' });
  await assert.rejects(wrong({ ids: 'kid96' }), RangeError);
  await assert.rejects(createCursor(/** @type {any} */ ({ ...usual, ids: 'sno' })), RangeError);
  await assert.rejects(createCursor({ ...usual, ids: 'kid53', name: 'other' }),
    /"consumers" has cursors of another type than bigint: name another table by the option `cursors`$/);
  await assert.rejects(wrong({ delivery: 'once' }), RangeError);
  const elsewhere = new pg.Pool({ options: '-c search_path=consuming' });
  await assert.rejects(wrong({ pool: elsewhere, ids: 'tracked' }), /add the schema of kid to the search_path$/);
  await elsewhere.end();
  assert.deepEqual(await query('SELECT last FROM consuming.consumers'), [{ last: '...........' }]);
});

/**
 * Runs a consumer until it tries again, and returns the error of which it was told. Throws the error otherwise.
 * @param {any} options
 */
async function firstRetry(options) {
  /** @type {any} */
  let first = null;
  const consumer = consume({
    ...usual, handle: record, ...options,
    onRetry: (/** @type {any} */ error) => {
      first = error;
      void consumer.stop();
    },
  });
  await consumer.done;
  return first;
}

/**
 * Returns a pool whose sessions have these settings.
 * @param {string} settings
 */
function poolWith(settings) {
  return new pg.Pool({ options: settings.split(' ').map((setting) => `-c ${setting}`).join(' ') });
}

test('the SQLSTATE decides whether a consumer tries again', async () => {
  await query("INSERT INTO consuming.events (payload) VALUES ('x')");
  const failing = (/** @type {string} */ code) => firstRetry({
    handle: async (/** @type {any} */ rows, /** @type {any} */ client) => {
      await record(rows, client);
      await client.query(`DO $$ BEGIN RAISE 'mine' USING ERRCODE = '${code}'; END $$`);
    },
  });
  // The lists are those of the consumer for Python, in python/tests/package/test_consumer.py.
  const passing = '08006 08P01 25P03 40001 40P01 53100 53300 53400 55P03 57014 57P01 57P03 57P05 58030';
  for (const code of passing.split(' ')) assert.equal((await failing(code))?.code, code);
  const lasting = '0A000 23505 25001 25P02 28000 40002 42501 54000 55000 55006 57P04 58P01 XX000';
  for (const code of lasting.split(' ')) await assert.rejects(failing(code), { code });
  assert.deepEqual(await handledIds(), []);
});

test('a mistake that lasts ends a consumer with an error that says what to do', async () => {
  await makeTables('tracked');
  await query("INSERT INTO consuming.events (payload) VALUES ('x')");
  const mistakes = [
    { options: { pool: poolWith('default_transaction_isolation=serializable') }, code: '55000', hint: /READ COMM/ },
    { options: { pool: poolWith('default_transaction_read_only=on') }, code: '25006' },
    { options: { pool: new pg.Pool({ user: 'consuming_nobody' }) }, code: '28000' },
    { options: { pool: new pg.Pool({ database: 'consuming_nothing' }) }, code: '3D000' },
    { options: { pool: poolWith('work_mem=x') }, code: '22023' },
  ];
  for (const { options, ...expected } of mistakes) {
    await assert.rejects(firstRetry({ ...options, ids: 'tracked' }), expected);
    await options.pool.end();
  }
  await query("SELECT kid_untrack('consuming.events')");
  await assert.rejects(firstRetry({ ids: 'tracked' }), { code: '55000', hint: /Call kid_track\(\)/ });
});

test('a consumer tries again if there is no server, or a standby that is not promoted yet', async () => {
  await query(`
    INSERT INTO consuming.events (payload) VALUES ('x');
    CREATE FUNCTION consuming.pg_is_in_recovery() RETURNS boolean LANGUAGE sql RETURN true`);
  const standby = poolWith('default_transaction_read_only=on search_path=consuming,pg_catalog,public');
  assert.equal((await firstRetry({ pool: standby })).code, '25006');
  await standby.end();
  const nowhere = new pg.Pool({ host: '/nowhere' });
  assert.equal((await firstRetry({ pool: nowhere })).code, 'ENOENT');
  await nowhere.end();
});

test('columns, a part of the rows, and names that need quotes', async () => {
  await query(`
    ALTER TABLE consuming.events RENAME TO "My ""Events";
    ALTER TABLE consuming."My ""Events" RENAME id TO "Key";
    INSERT INTO consuming."My ""Events" (payload, part) SELECT 'x', n % 2 FROM generate_series(1, 6) AS n`);
  /** @type {any[]} */
  const seen = [];
  const consumer = consume({
    ...usual, table: 'consuming.My "Events', id: 'Key', columns: ['part', 'Key'], where: 'part = 1 OR false',
    handle: (rows) => { seen.push(...rows); },
  });
  for (let i = 0; i < 500 && seen.length < 3; i++) await sleep(10);
  await consumer.stop();
  assert.deepEqual(seen.map(Object.keys), Array(3).fill(['Key', 'part']));
  assert.deepEqual(seen.map(({ part }) => part), [1, 1, 1]);
});

test('a role that may not create tables uses those that exist', async () => {
  await query(`
    DO $$ BEGIN IF to_regrole('consuming_role') IS NULL THEN CREATE ROLE consuming_role; END IF; END $$;
    GRANT USAGE ON SCHEMA consuming TO consuming_role;
    GRANT SELECT ON consuming.events TO consuming_role;
    ALTER TABLE consuming.consumers ADD turn bigint NOT NULL DEFAULT 0;
    GRANT SELECT, INSERT, UPDATE ON consuming.consumers TO consuming_role;
    INSERT INTO consuming.events (payload) VALUES ('x')`);
  const restricted = { ...usual, pool: new pg.Pool({ options: '-c role=consuming_role' }), name: 'restricted' };
  await createCursor(restricted);
  /** @type {any[]} */
  const seen = [];
  const consumer = consume({ ...restricted, handle: (rows) => { seen.push(...rows); } });
  for (let i = 0; i < 500 && seen.length < 1; i++) await sleep(10);
  await consumer.stop();
  assert.deepEqual(seen.map(({ payload }) => payload), ['x']);
  await assert.rejects(createCursor({ ...restricted, cursors: 'consuming.others' }), { code: '42501' });
  await restricted.pool.end();
});

test('the work goes to another database', async () => {
  await query('DROP DATABASE IF EXISTS consuming_work');
  await query('CREATE DATABASE consuming_work');
  const work = new pg.Pool({ database: 'consuming_work' });
  await work.query(`
    CREATE TABLE consumers (name text PRIMARY KEY, last text COLLATE "C" NOT NULL DEFAULT '...........');
    INSERT INTO consumers (name) VALUES ('billing');
    CREATE TABLE handled (id text)`);
  await query("INSERT INTO consuming.events (payload) SELECT 'x' FROM generate_series(1, 20)");
  const consumer = consume({
    ...usual, work, cursors: 'consumers', batch: 3,
    handle: async (rows, client) => {
      for (const { id } of rows) await client.query('INSERT INTO handled VALUES ($1)', [id]);
    },
  });
  const written = await all();
  for (let i = 0; i < 500 && (await work.query('SELECT FROM handled')).rowCount !== 20; i++) await sleep(10);
  await consumer.stop();
  const { rows } = await work.query('SELECT id FROM handled ORDER BY id COLLATE "C"');
  assert.deepEqual(rows.map(({ id }) => id), written);
  await work.end();
  await query('DROP DATABASE consuming_work');
});

test('kid in plain SQL: what a consumer needs, and that it is enough', async () => {
  await query('DROP DATABASE IF EXISTS consuming_plain');
  await query('CREATE DATABASE consuming_plain');
  const plain = new pg.Pool({ database: 'consuming_plain', options: '-c search_path=public,kid' });
  await plain.query(plainSql());
  const kinds = /** @type {const} */ ([['kid64', 'tracked'], ['kid53', 'tracked'], ['uuidv7', 'tracked uuidv7']]);
  for (const [kind, tracked] of kinds) {
    const options = { pool: plain, table: `events_${kind}`, name: kind, cursors: `cursors_${kind}`, wait: 10 };
    const [type, next] = KINDS[kind];
    await plain.query(`CREATE TABLE ${options.table} (id ${type} PRIMARY KEY DEFAULT ${next}, payload text)`);
    const advice = new RegExp(`call kid_track\\('${options.table}'\\) and pass ids: '${tracked}';`);
    await assert.rejects(createCursor({ ...options, ids: kind }), advice);
    await plain.query(`SELECT kid_track('${options.table}')`);
    await plain.query(`INSERT INTO ${options.table} (payload) VALUES ('one'), ('two')`);
    await createCursor({ ...options, ids: tracked });
    /** @type {any[]} */
    const seen = [];
    await assert.rejects(consume({ ...options, ids: kind, handle: () => {} }).done, advice);
    const consumer = consume({ ...options, ids: tracked, handle: (rows) => { seen.push(...rows); } });
    for (let i = 0; i < 500 && seen.length < 2; i++) await sleep(10);
    await consumer.stop();
    assert.deepEqual(seen.map(({ payload }) => payload), ['one', 'two']);
  }
  await plain.end();
  await query('DROP DATABASE consuming_plain');
});

test('a web service that refuses a connection is called again', async () => {
  await query("INSERT INTO consuming.events (payload) VALUES ('x')");
  const refusing = createServer();
  await new Promise((resolve) => { refusing.listen(0, '127.0.0.1', () => resolve(undefined)); });
  const { port } = /** @type {import('node:net').AddressInfo} */ (refusing.address());
  await new Promise((resolve) => { refusing.close(resolve); });
  let calls = 0;
  const consumer = consume({
    ...usual, delivery: 'at least once', onRetry: () => {},
    handle: async () => { if (++calls <= 2) await fetch(`http://127.0.0.1:${port}/`); },
  });
  await until("SELECT FROM consuming.consumers WHERE last > '...........'", 1);
  await consumer.stop();
  assert.equal(calls, 3);
});

test('each retry is a warning, and so is its end, unless the program wants to be told', async () => {
  await query("INSERT INTO consuming.events (payload) VALUES ('x')");
  /** @type {string[]} */
  const warned = [];
  const listener = (/** @type {Error} */ warning) => { warned.push(String(warning)); };
  process.on('warning', listener);
  for (const options of [{}, { onRetry: () => {} }]) {
    await query("UPDATE consuming.consumers SET last = '...........'");
    let calls = 0;
    const consumer = consume({
      ...usual, ...options,
      handle: () => { if (++calls <= 2) throw Object.assign(new Error('gone'), { syscall: 'connect' }); },
    });
    await until("SELECT FROM consuming.consumers WHERE last > '...........'", 1);
    await consumer.stop();
  }
  await sleep(10);
  process.off('warning', listener);
  const gone = 'KidConsumer: a consumer tries again after: gone';
  assert.deepEqual(warned, [gone, gone, 'KidConsumer: a consumer is connected again']);
});
