// Workers, with replies that the tests make up, and with the server of the PG* environment variables.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, afterEach, before, beforeEach, describe, test } from 'node:test';
import pg from 'pg';
import { flake, kid53, kid64, sno } from 'pgkid';
import { LeaseError, LeaseRefused, layoutOf, NoWindow, Worker } from 'pgkid/worker';
import { vectors } from './vectors.js';

const NOON = 1795867200000; // milliseconds: 2026-11-28 12:00 UTC

/**
 * @param {string} message
 * @param {string} code
 * @param {object} [fields]
 */
const serverError = (message, code, fields = {}) =>
  Object.assign(new Error(message), { severity: 'ERROR', code, ...fields });

/** What kid_lease_worker() replies: rows, errors and notices, which it gives in turn, and the client that asks. */
class Server {
  now = NOON;
  connections = 0;
  ends = 0;
  /** @type {any[]} the parameters of each call */
  asked = [];
  /** Each reply waits for it. @type {Promise<unknown>} */
  gate = Promise.resolve();
  /** @type {Record<string, (said: any) => void>} */
  listeners = {};

  /** @param {any[]} replies */
  constructor(...replies) {
    this.replies = replies;
  }

  connect = () => {
    this.connections++;
    return this;
  };

  /**
   * @param {string} event
   * @param {(said: any) => void} listener
   */
  on(event, listener) {
    this.listeners[event] = listener;
  }

  async end() {
    this.ends++;
  }

  /** @returns {Promise<{ rows: any[] }>} */
  async readClock() {
    return { rows: [{ now: `${this.now}000` }] };
  }

  /**
   * @param {string} text
   * @param {any[]} values
   * @returns {Promise<{ rows: any[] }>}
   */
  async query(text, values = []) {
    if (text.startsWith('SELECT')) return this.readClock();
    this.asked.push(values);
    await this.gate;
    let reply = this.replies.shift();
    if (reply.notice) {
      this.listeners.notice(reply.notice);
      reply = this.replies.shift();
    }
    if (reply instanceof Error) throw reply;
    // As pg returns it.
    const { number, since, until, type = 'flake', lanes = null, epoch = '0' } = reply;
    const row = { number: String(number), since: String(since), until: String(until), type, lanes, epoch };
    return { rows: [{ ...row, token: `token ${this.asked.length}`, now: String(this.now) }] };
  }
}

/**
 * @param {number} number
 * @param {number} since seconds after NOON
 * @param {object} [other]
 */
const window = (number, since = 0, other = {}) =>
  ({ number, since: NOON + 1000 * since, until: NOON + 1000 * since + 10000, ...other });

/**
 * @param {Server} server
 * @param {object} [options]
 */
const flakes = (server, options = {}) =>
  new Worker({ connect: server.connect, pool: 'pods', ids: 'flake', ...options });

/** @param {string} id */
const timeOf = (id) => Number(flake.micros(id) / 1000n) - NOON;
/** @param {string} id */
const numberOf = (id) => flake.parts(id).datacenter * 32 + flake.parts(id).worker;
/** @param {string} id */
const read = (id) => [timeOf(id), numberOf(id), flake.parts(id).sequence];

/** Lets everything run that waits for nothing. */
const settle = () => new Promise((resolve) => { setImmediate(resolve); });

/**
 * Returns the layout for a number, and a window that has one time.
 * @param {any} ids
 * @param {number} number
 * @param {bigint} at
 * @param {object} [other]
 */
function layoutAt(ids, number, at, { type = ids, lanes = null, epoch = null, metabyte = 0 } = {}) {
  const layout = layoutOf(ids, { number, token: '', since: at, until: at, type, lanes, epoch }, metabyte);
  layout.until += 1n;
  return layout;
}

/**
 * Checks that a layout makes an ID, and reads it.
 * @param {ReturnType<typeof layoutOf>} layout
 * @param {bigint} at when its time unit begins
 * @param {bigint} time one in that unit
 * @param {number} sequence
 * @param {string | number} id
 */
function makes(layout, at, time, sequence, id) {
  assert.equal(layout.make(layout.unitAt(time), sequence), id);
  assert.equal(layout.type.micros(id), at);
  assert.equal(layout.contains(id), layout.first <= sequence && sequence <= layout.last);
}

test('flake: IDs are those of flake-idgen', () => {
  for (const v of vectors('flake')) {
    const at = BigInt(v.unix_ms) * 1000n;
    const number = Number(v.datacenter) * 32 + Number(v.worker);
    makes(layoutAt('flake', number, at, { epoch: BigInt(v.epoch_ms) * 1000n }), at, at, Number(v.counter), v.dec);
  }
});

test('sno: IDs are those of the Go library', () => {
  for (const v of vectors('sno')) {
    // A generator whose clock went back makes those with the tick.
    if (v.tick_tock === '1') continue;
    const at = BigInt(v.unix_ns) / 1000n;
    makes(layoutAt('sno', Number(v.partition), at, { metabyte: Number(v.meta) }), at, at, Number(v.sequence), v.text);
  }
});

test('kid64 and kid53: IDs are those of the vectors', () => {
  for (const v of vectors('kid64')) {
    const seconds = (BigInt(v.a_mega) * 1000000n + BigInt(v.b_sec)) * 1000000n;
    const [at, time] = [seconds + BigInt(v.decoded_c_micro), seconds + BigInt(v.c_micro)];
    for (const number of [0, 1]) makes(layoutAt('kid64', number, at, { lanes: 2 }), at, time, Number(v.seq), v.text64);
  }
  for (const v of vectors('kid53')) {
    const at = BigInt(v.unix_ms) * 1000n;
    for (const number of [0, 1]) {
      makes(layoutAt('kid53', number, at, { lanes: 2 }), at, at, Number(v.sequence), Number(v.id));
    }
  }
});

test('a window contains no ID of an earlier or a later time, nor of another number', () => {
  const at = BigInt(NOON) * 1000n;
  for (const [layout, other] of [
    [layoutAt('flake', 5, at, { epoch: 0n }), layoutAt('flake', 37, at, { epoch: 0n })],
    [layoutAt('sno', 5, at), layoutAt('sno', 6, at)],
    [layoutAt('kid64', 0, at, { lanes: 4 }), layoutAt('kid64', 2, at, { lanes: 4 })],
    [layoutAt('kid53', 0, at, { lanes: 4 }), layoutAt('kid53', 2, at, { lanes: 4 })],
  ]) {
    const made = (/** @type {bigint} */ time) => layout.make(layout.unitAt(time), layout.last);
    assert.deepEqual([at - 1n, at, at + 5000n].map((time) => layout.contains(made(time))), [false, true, false]);
    assert.equal(layout.contains(other.make(other.unitAt(at), other.first)), false);
  }
});

test('the lanes have the order of the diagram in src/core/lane.hpp', () => {
  const at = BigInt(NOON) * 1000n;
  for (const [place, number] of [0, 4, 2, 6, 1, 5, 3, 7].entries()) {
    assert.equal(layoutAt('kid64', number, at, { lanes: 8 }).first, place * 2048);
    assert.equal(layoutAt('kid53', number, at, { lanes: 8 }).last, place * 512 + 511);
  }
  const only = layoutAt('kid53', 0, at, { lanes: 1 });
  assert.deepEqual([only.first, only.last], [0, 4095]);
  assert.equal(layoutAt('kid64', 1023, at, { lanes: 1024 }).last, 16383);
});

test('the last unit of a second of kid64 is shorter than the others', () => {
  const at = BigInt(NOON) * 1000n;
  const layout = layoutAt('kid64', 0, at, { lanes: 2 });
  assert.equal(layout.nextUnit(layout.unitAt(at - 1n)), layout.unitAt(at));
  assert.equal(layout.nextUnit(layout.unitAt(at)), layout.unitAt(at + 1024n));
  const milliseconds = layoutAt('flake', 0, at, { epoch: 0n });
  assert.equal(milliseconds.nextUnit(milliseconds.unitAt(at)), milliseconds.unitAt(at + 1000n));
  assert.equal(layoutAt('sno', 0, at).unit, 4000n);
  assert.equal(layoutAt('kid53', 0, at, { lanes: 2 }).unit, 1000n);
});

test('numbers and windows that do not fit, and pools of other types', () => {
  const at = BigInt(NOON) * 1000n;
  const first = 1577836800000000n; // of kid53
  /** @type {[string, number, object, bigint?][]} */
  const wrong = [
    ['flake', 1024, { epoch: 0n }], ['flake', -1, { epoch: 0n }], ['flake', NaN, { epoch: 0n }],
    ['sno', 65536, {}], ['kid64', 8, { lanes: 8 }], ['kid53', 0, { lanes: 6 }], ['kid53', 0, { lanes: 128 }],
    ['kid64', 0, { lanes: 2048 }],
    ['flake', 5, {}], ['kid53', 5, {}],
    ['flake', 5, { epoch: at + 1000n }], ['kid53', 0, { lanes: 1 }, first - 1000n],
    ['kid53', 0, { lanes: 1 }, first + (1000n << 41n)], ['sno', 5, {}, at + 1000n],
  ];
  for (const [ids, number, other, time = at] of wrong) {
    assert.throws(() => layoutAt(ids, number, time, other), RangeError, `${ids} ${number} ${time}`);
  }
  layoutAt('kid53', 0, first, { lanes: 1 });
  // A number of another pool would be that of a server, or of a process with a number of the right pool.
  for (const ids of ['flake', 'sno', 'kid64', 'kid53']) {
    for (const type of ['flake', 'sno', 'kid64', 'kid53', 'kid96', null].filter((each) => each !== ids)) {
      assert.throws(() => layoutAt(ids, 5, at, /** @type {any} */ ({ type, lanes: 16, epoch: 0n })),
        new RangeError(`the pool is for ${type}, not for ${ids}`));
    }
  }
});

test('options', () => {
  const { connect } = new Server();
  for (const options of [{ ids: 'kid96' }, { metabyte: 256 }, { metabyte: -1 }, { metabyte: 0.5 }]) {
    assert.throws(() => new Worker(/** @type {any} */ ({ connect, pool: 'pods', ids: 'sno', ...options })), RangeError);
  }
});

describe('what a worker makes of replies', () => {
  let clock = 0;
  beforeEach(() => {
    clock = Math.ceil(performance.now());
    performance.now = () => clock;
  });
  afterEach(() => Reflect.deleteProperty(performance, 'now'));

  test('an ID has the time of the database', async () => {
    const server = new Server(window(5));
    server.now += 400;
    const ids = flakes(server);
    const made = [await ids.next(), await ids.next()];
    clock += 7;
    made.push(await ids.next());
    assert.deepEqual(made.map(read), [[400, 5, 0], [400, 5, 1], [407, 5, 0]]);
    assert.deepEqual(server.asked, [['pods', undefined, undefined, 10, undefined]]);
  });

  test('the time of the database is that of the middle of a round trip, however late the lease is', async () => {
    const server = new Server(window(5));
    const began = clock;
    server.gate = Promise.resolve().then(() => { clock += 65; });
    server.readClock = async () => {
      clock += 2;
      const now = NOON + clock - began;
      clock += 2;
      return { rows: [{ now: `${now}000` }] };
    };
    const id = await flakes(server).next();
    assert.deepEqual([timeOf(id), clock - began], [69, 69]);
  });

  test('sno has the metabyte, kid53 is a number, and kid64 begins a megasecond', async () => {
    const { connect } = new Server(window(7, 0, { type: 'sno', epoch: null }));
    assert.deepEqual(sno.parts(await new Worker({ connect, pool: 'pods', ids: 'sno', metabyte: 9 }).next()),
      { tick: false, meta: 9, partition: 7, sequence: 0 });

    const other = new Server(window(1, 0, { type: 'kid53', epoch: null, lanes: 4 }));
    const id = await new Worker({ connect: other.connect, pool: 'pods', ids: 'kid53' }).next();
    assert.deepEqual([kid53.time(id).getTime(), kid53.parts(id).sequence], [NOON, 2048]);

    // A kid64 counts megaseconds and seconds: the first unit after a megasecond is not the last one plus one.
    const begin = 1796000000000;
    const late = new Server({ number: 1, since: begin, until: begin + 10000, type: 'kid64', lanes: 2, epoch: null });
    late.now = begin - 5;
    const first = await new Worker({ connect: late.connect, pool: 'pods', ids: 'kid64' }).next();
    assert.deepEqual([kid64.time(first).getTime(), kid64.parts(first).sequence], [begin, 8192]);
  });

  test('it renews at half, and uses the next window when the first one ends', async () => {
    const server = new Server(window(5), window(5, 10));
    const ids = flakes(server, { ttl: 10, holder: 'pod-7' });
    await ids.next();
    clock += 4999;
    await ids.next();
    assert.equal(server.asked.length, 1);
    server.now += 5000;
    clock += 1;
    await ids.next();
    await settle();
    assert.deepEqual(server.asked[1], ['pods', 5, 'token 1', 10, 'pod-7']);
    clock += 4999;
    assert.deepEqual(read(await ids.next()), [9999, 5, 0]);
    clock += 1;
    assert.deepEqual(read(await ids.next()), [10000, 5, 0]);
    assert.equal(server.asked.length, 2);
  });

  test('after a pause it leaves a window that has ended, and makes no ID before the reply', async () => {
    const server = new Server(window(5), window(6, 60));
    const ids = flakes(server);
    await ids.next();
    clock += 60000;
    server.now += 60000;
    assert.deepEqual(read(await ids.next()), [60000, 6, 0]);
  });

  test('IDs rise in the windows of a number, though the clock of the database goes back', async () => {
    const server = new Server(window(5), window(5, 10));
    const ids = flakes(server);
    clock += 1;
    const made = [await ids.next()];
    clock += 9990;
    server.now += 5000;
    made.push(await ids.next());
    await settle();
    for (let i = 0; i < 5000; i++) made.push(await ids.next());
    assert.deepEqual([...new Set(made)].sort(flake.compare), made);
    assert.ok(new Set(made.map(timeOf)).size > 1);
  });

  test('another number goes on after the last ID, though the clock of the database goes back', async () => {
    const server = new Server(window(5), serverError('it is too early', '55000'), window(6, 5));
    const ids = flakes(server);
    await ids.next();
    let open = () => {};
    server.gate = new Promise((resolve) => { open = () => resolve(undefined); });
    clock += 9990;
    assert.deepEqual([read(await ids.next()), read(await ids.next())], [[9990, 5, 0], [9990, 5, 1]]);
    await settle();
    assert.equal(server.asked.length, 2);
    clock += 10;
    const next = ids.next();
    server.now += 7000;
    open();
    assert.deepEqual(read(await next), [9991, 6, 0]);
  });

  test('without a window there is an error, and the next call asks again', async () => {
    const cause = serverError('no worker number is free', '53400', { detail: 'Free at 12:00.', hint: 'Try again.' });
    const server = new Server(cause, window(5));
    const ids = flakes(server);
    await assert.rejects(ids.next(), (error) => {
      assert.ok(error instanceof NoWindow);
      assert.deepEqual([error.name, error.message, error.cause],
        ['NoWindow', 'no worker number: no worker number is free', cause]);
      assert.deepEqual([error.code, error.detail, error.hint], ['53400', 'Free at 12:00.', 'Try again.']);
      return true;
    });
    assert.deepEqual(read(await ids.next()), [0, 5, 0]);
    assert.deepEqual([server.connections, server.ends], [1, 0]);
  });

  test('an error that stays is told from one that passes', async () => {
    const stays = ['0A000', '22003', '22004', '2D000', '42501', '42704', '42883'];
    const passes = ['08006', '25006', '40001', '53300', '53400', '55000', '57014', '57P01', 'XX000'];
    for (const code of [...stays, ...passes]) {
      const ids = flakes(new Server(serverError('as the test says', code, { hint: 'Do it.' }), window(5)));
      await assert.rejects(ids.next(), (error) => {
        const isRefused = error instanceof LeaseRefused;
        assert.deepEqual([isRefused, error instanceof NoWindow, error instanceof LeaseError, error.name],
          stays.includes(code) ? [true, false, true, 'LeaseRefused'] : [false, true, true, 'NoWindow'], code);
        assert.deepEqual([error.code, error.hint], [code, 'Do it.']);
        return true;
      });
      assert.equal(numberOf(await ids.next()), 5);
    }
    // What is not of the server, and has a code that begins so.
    const odd = Object.assign(new Error('of the network'), { code: '42' });
    await assert.rejects(flakes(new Server(odd)).next(), NoWindow);
  });

  test('a window that cannot be renewed is used to its end, and no longer', async () => {
    const gone = new Error('Connection terminated');
    const server = new Server(window(5), gone, gone, window(6, 10));
    const ids = flakes(server);
    await ids.next();
    clock += 9000;
    await ids.next();
    await settle();
    assert.deepEqual([server.asked.length, server.ends], [2, 1]);
    // It tries again after a tenth of ttl.
    clock += 999;
    assert.deepEqual(read(await ids.next()), [9999, 5, 0]);
    await settle();
    assert.equal(server.asked.length, 2);
    clock += 1;
    await assert.rejects(ids.next(), NoWindow);
    server.now += 10000;
    assert.equal(numberOf(await ids.next()), 6);
    assert.equal(server.connections, 3);
  });

  test('a renewal that failed is tried again, in the background', async () => {
    const server = new Server(window(5), serverError('the server is stopping', '57P01'), window(5, 10));
    const ids = flakes(server);
    await ids.next();
    clock += 5000;
    await ids.next();
    await settle();
    clock += 1000;
    server.now += 6000;
    await ids.next();
    await settle();
    clock += 4000;
    assert.deepEqual([read(await ids.next()), server.asked.length, server.connections], [[10000, 5, 0], 3, 2]);
  });

  test('if a renewal is refused, as by an owner who closed the number, it leases another number', async () => {
    const server = new Server(window(5), serverError('it is too early', '55000'), window(6, -60));
    const ids = flakes(server);
    await ids.next();
    server.now -= 60000;
    clock += 10000;
    assert.deepEqual(read(await ids.next()), [-60000, 6, 0]);
    assert.deepEqual(server.asked.map(([, number]) => number), [undefined, 5, undefined]);
    // The first lease is not refused for that reason.
    const other = new Server(serverError('another database', '55000'), window(5));
    await assert.rejects(flakes(other).next(), NoWindow);
    assert.equal(other.asked.length, 1);
  });

  test('the reply after a canceled wait for a standby is no lease', async () => {
    const warning = { notice: { code: '01000', message: 'canceling wait' } };
    const notice = { notice: { code: '00000', message: 'something else' } };
    const server = new Server(warning, window(5), notice, window(6));
    const ids = flakes(server);
    await assert.rejects(ids.next(), /the reply does not count: canceling wait/);
    assert.equal(numberOf(await ids.next()), 6);
  });

  test('a sequence that is used up: it waits for the next time unit', async () => {
    const ids = flakes(new Server(window(5)));
    const made = [];
    for (let i = 0; i < 4096; i++) made.push(await ids.next());
    assert.deepEqual([read(made[0]), read(made[4095])], [[0, 5, 0], [0, 5, 4095]]);
    /** @type {string[]} */
    const more = [];
    const next = ids.next().then((id) => more.push(id));
    await sleep(20);
    assert.deepEqual(more, []);
    clock += 1;
    await next;
    assert.deepEqual(more.map(read), [[1, 5, 0]]);
  });

  test('a pool of another type is a RangeError, each time', async () => {
    const server = new Server(window(1024), window(5, 0, { type: 'sno', epoch: null }));
    const ids = flakes(server);
    for (let call = 1; call <= 2; call += 1) {
      await assert.rejects(ids.next(), /^RangeError: worker number 1024 does not fit: flake has 0 to 1023$/);
      assert.equal(server.asked.length, 1, 'it takes no more numbers while the first one is taken');
    }
    clock += 10_000;
    await assert.rejects(ids.next(), /^RangeError: the pool is for sno, not for flake$/);
  });

  test('calls at the same time share a request, and its error', async () => {
    const server = new Server(serverError('no worker number is free', '53400'), window(5));
    const ids = flakes(server);
    const results = await Promise.allSettled([ids.next(), ids.next()]);
    assert.deepEqual(results.map(({ status }) => status), ['rejected', 'rejected']);
    assert.equal(server.asked.length, 1);
    const timer = setInterval(() => { clock += 1; }, 5);
    const made = await Promise.all(Array.from({ length: 5000 }, () => ids.next()));
    clearInterval(timer);
    assert.equal(new Set(made).size, 5000);
    assert.equal(server.asked.length, 2);
  });

  test('a server that does not reply is given up, and its late reply counts for nothing', async () => {
    const server = new Server(window(5), window(6));
    let open = () => {};
    server.gate = new Promise((resolve) => { open = () => resolve(undefined); });
    const ids = flakes(server, { timeout: 10 });
    await assert.rejects(ids.next(), /no worker number: the server does not reply within 10 ms/);
    open();
    await settle();
    assert.equal(numberOf(await ids.next()), 6);
    assert.deepEqual([server.connections, server.ends], [2, 1]);
    // The one that has replied is not.
    await sleep(20);
    assert.equal(server.ends, 1);
  });

  test('a server that accepts no connection is given up, and a late one is closed', async () => {
    const server = new Server(window(5));
    let open = () => {};
    const late = new Promise((resolve) => { open = () => resolve(server); });
    const ids = flakes(server, { timeout: 10, connect: () => late });
    await assert.rejects(ids.next(), NoWindow);
    open();
    await settle();
    assert.equal(server.ends, 1);
    assert.equal(numberOf(await ids.next()), 5);
  });

  test('a connection that breaks while nobody uses it is made again', async () => {
    const server = new Server(window(5), window(5, 10));
    const ids = flakes(server);
    await ids.next();
    server.listeners.error(new Error('Connection terminated unexpectedly'));
    clock += 5000;
    server.now += 5000;
    await ids.next();
    await settle();
    assert.deepEqual([server.connections, server.asked[1][2]], [2, 'token 1']);
  });

  test('forget(): also while a call waits, which then asks anew', async () => {
    const server = new Server(window(5), window(6), window(7));
    const ids = flakes(server);
    assert.equal(numberOf(await ids.next()), 5);
    ids.forget();
    assert.equal(server.ends, 1);
    let open = () => {};
    server.gate = new Promise((resolve) => { open = () => resolve(undefined); });
    const next = ids.next();
    await settle();
    ids.forget();
    await settle();
    open();
    assert.equal(numberOf(await next), 7);
    assert.deepEqual(server.asked.map(([, number, token]) => [number, token]), Array(3).fill([undefined, undefined]));
    assert.deepEqual([server.connections, server.ends], [3, 2]);
  });

  test('a process that was started from a snapshot of the heap leases its own number', async () => {
    const server = new Server(window(5), window(6));
    const ids = flakes(server);
    assert.equal(numberOf(await ids.next()), 5);
    Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + 1, configurable: true });
    try {
      assert.equal(numberOf(await ids.next()), 6);
      // The connection is that of the process that was copied.
      assert.deepEqual([server.asked[1].slice(1, 3), server.connections, server.ends], [[undefined, undefined], 2, 0]);
    } finally {
      Reflect.deleteProperty(performance, 'timeOrigin');
    }
    ids.forget();
    assert.equal(server.ends, 0);
    assert.throws(() => structuredClone(ids).next(), TypeError);
  });
});

describe('with the server', () => {
  const pool = new pg.Pool();
  const query = async (/** @type {string} */ text, /** @type {any[]} */ values = []) =>
    (await pool.query({ text, values, rowMode: 'array' })).rows;
  const connect = async () => {
    const client = new pg.Client();
    await client.connect();
    return client;
  };

  before(() => pool.query(`
    SET client_min_messages = warning;
    CREATE EXTENSION IF NOT EXISTS kid_workers CASCADE;
    SELECT kid_add_workers(type, 4, 15, type, lanes, max_ttl => 2, margin => 0, fresh => true)
      FROM (VALUES ('flake', NULL), ('sno', NULL), ('kid64', 16), ('kid53', 16)) AS v (type, lanes)`));
  after(() => pool.end());

  /** What the server reads in IDs: the number. Of a sequence, the first bits are the lane's, in reverse order. */
  const NUMBERS = {
    flake: 'kid_generator(id::flake)',
    sno: 'kid_partition(id::sno)',
    kid64: "reverse((kid_sequence(id::kid64) >> 10)::bit(4)::text)::bit(4)::int",
    kid53: "reverse((kid53_sequence(id::bigint) >> 8)::bit(4)::text)::bit(4)::int",
  };
  const TIMES = {
    flake: 'kid_timestamp(id::flake)',
    sno: 'kid_timestamp(id::sno)',
    kid64: 'kid_timestamp(id::kid64)',
    kid53: 'kid53_timestamp(id::bigint)',
  };
  for (const ids of /** @type {(keyof typeof NUMBERS)[]} */ (Object.keys(NUMBERS))) {
    test(`${ids}: the server reads the number and the time of the database in each ID`, async () => {
      const worker = new Worker({ connect, pool: ids, ids, ttl: 1, holder: 'the test' });
      const [[start]] = await query('SELECT clock_timestamp()');
      const made = [];
      for (let i = 0; i < 300; i++) {
        made.push(await worker.next());
        if (i % 2) await sleep(10);
      }
      const sorted = [...made].sort((a, b) => (a < b ? -1 : 1));
      assert.deepEqual([new Set(made).size, made], [300, sorted]);
      const [[number, min, max, windows]] = await query(`
        SELECT array_agg(DISTINCT ${NUMBERS[ids]}), min(${TIMES[ids]}) - $2 > '-5ms',
               max(${TIMES[ids]}) - clock_timestamp() < '50ms', count(DISTINCT date_trunc('s', ${TIMES[ids]})) > 1
          FROM unnest($1::text[]) AS id`, [made, start]);
      const [[granted]] = await query(
        "SELECT array_agg(number::int) FROM kid_workers() WHERE pool = $1 AND holder = 'the test'", [ids]);
      assert.deepEqual([number, min, max, windows], [granted, true, true, true]);
      worker.forget();
    });
  }

  test('an owner who closed the number gets no more IDs of it than those of its windows', async () => {
    const worker = new Worker({ connect, pool: 'flake', ids: 'flake', ttl: 1 });
    const number = numberOf(await worker.next());
    await query('SELECT kid_close_workers($1, $2, $2)', ['flake', number]);
    // On a slow disk a lease can take longer than its window, of which the worker then makes no ID.
    const later = [];
    for (let i = 0; i < 100 && (later.at(-1) ?? number) === number; i++) {
      await sleep(50);
      later.push(numberOf(await worker.next()));
    }
    for (let i = 0; i < 10; i++) later.push(numberOf(await worker.next()));
    const other = later.slice(later.findIndex((each) => each !== number));
    assert.deepEqual([other.length > 10, other.includes(number)], [true, false]);
    worker.forget();
  });

  test('lost connections, and a transaction', { timeout: 60000 }, async () => {
    /** @type {any[]} */
    const clients = [];
    const worker = new Worker({
      connect: async () => {
        clients.push(await connect());
        return clients[clients.length - 1];
      },
      pool: 'flake', ids: 'flake', ttl: 1,
    });
    const number = numberOf(await worker.next());
    const lost = new Promise((resolve) => { clients[0].once('end', resolve); });
    // A window of a second is often renewed at once. A request that is under way would fail, and with it an ID.
    while ((await query(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE pid = $1 AND state = 'idle' AND query LIKE 'SELECT floor%'`, [clients[0].processID])).length === 0) {
      await sleep(5);
    }
    await lost;
    for (let i = 0; i < 25; i++) {
      await worker.next();
      await sleep(50);
    }
    assert.deepEqual([clients.length, numberOf(await worker.next())], [2, number]);
    worker.forget();

    const busy = new Worker({
      pool: 'flake', ids: 'flake',
      connect: async () => {
        const client = await connect();
        await client.query('BEGIN');
        return client;
      },
    });
    await assert.rejects(busy.next(), (/** @type {any} */ error) =>
      error instanceof LeaseRefused && error.code === '2D000');
    busy.forget();

    const long = new Worker({ connect, pool: 'flake', ids: 'flake', ttl: 3 });
    await assert.rejects(long.next(), (/** @type {any} */ error) => error instanceof LeaseRefused
      && error.code === '22003' && error.detail === 'Windows of pool "flake" have 1 to 2 seconds.'
      && error.hint.startsWith('Ask for such a window.'));
    long.forget();
  });
});
