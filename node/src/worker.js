// IDs that this process makes itself, with a worker number that PostgreSQL leases. See docs/guides/worker-numbers.md of
// kid. It works with pg (node-postgres).
//
//     const ids = new Worker({ connect, pool: 'orders', ids: 'flake' });
//     await ids.next();    // an ID such as '7532893424771923968'; no other process makes it
//
// kid_lease_worker() gives a process a number and a window, which is a range of times in IDs. The windows of one number
// never overlap. So an ID is unique if its time is in a window of its number, no matter when it is made, and what the
// clock of this machine says. `next()` checks both in each ID. Times are microseconds since 1970, UTC.
import { setTimeout as sleep } from 'node:timers/promises';
import { flakeWith, kid53, kid64, sno } from './ids.js';

/**
 * The types of IDs that a worker makes, and what an ID of each is: the same that a driver returns.
 * @typedef {{ flake: string, sno: string, kid64: string, kid53: number }} Made
 */
/** @typedef {keyof Made} Ids */

/**
 * A client of pg.
 * @typedef {object} Client
 * @property {(text: string, values?: any[]) => Promise<{ rows: any[] }>} query
 * @property {(event: any, listener: (said: any) => void) => unknown} on
 * @property {() => Promise<void>} end
 */

/**
 * @template {Ids} K
 * @typedef {object} Options
 * @property {() => Client | Promise<Client>} connect returns a new client, which is connected, and which the worker
 *   alone uses. It is called for the first ID, and after a connection broke
 * @property {string} pool the name of the pool, which `kid_add_workers()` has filled
 * @property {K} ids the type of the pool's IDs
 * @property {number} [ttl] for how many seconds to lease a number at a time, default 10
 * @property {string} [holder] what `kid_workers()` shows
 * @property {number} [timeout] how many milliseconds to wait for a reply of the server, default 30000
 * @property {number} [metabyte] what each sno contains, default 0
 */

/**
 * What kid_lease_worker() replied: a number, and the window in which this process may use it.
 * @typedef {object} Lease
 * @property {number} number
 * @property {string} token
 * @property {bigint} since
 * @property {bigint} until
 * @property {string} type the type of the IDs that the pool is for, such as flake
 * @property {number | null} lanes the number of lanes, if the type has lanes
 * @property {bigint | null} epoch the epoch of the IDs, if the type is flake
 */

/**
 * Errors that stay the same until somebody changes the program or the database: 0A000, a feature that is missing; 22, a
 * wrong argument, such as a `ttl` above that of the pool; 2D000, a call within a transaction; 42, a missing right, pool
 * or extension.
 */
const PERMANENT = /^(?:0A|22|2D|42)/;

/** There is no lease. `cause` is what failed: an error of the server or of the connection, or the time limit. */
export class LeaseError extends Error {
  /** @param {any} cause */
  constructor(cause) {
    super(`no worker number: ${cause?.message ?? cause}`, { cause });
    this.name = 'LeaseError';
    /** The SQLSTATE of the server's error. @type {string | undefined} */
    this.code = cause?.code;
    /** The DETAIL of the server's error. @type {string | undefined} */
    this.detail = cause?.detail;
    /** The HINT of the server's error, which says what to do. @type {string | undefined} */
    this.hint = cause?.hint;
  }
}

/** This process has no window, and could not get one. Try again later. */
export class NoWindow extends LeaseError {
  /** @param {any} cause */
  constructor(cause) {
    super(cause);
    this.name = 'NoWindow';
  }
}

/** The server refuses to lease a number, and would refuse again: the program, or the database, has to be changed. */
export class LeaseRefused extends LeaseError {
  /** @param {any} cause */
  constructor(cause) {
    super(cause);
    this.name = 'LeaseRefused';
  }
}

/** @param {any} error */
const isPermanent = (error) => Boolean(error?.severity) && PERMANENT.test(error.code);

const ignore = () => {};

/** How IDs of one type are laid out, for the number of one lease. */
class Layout {
  /**
   * @param {Lease} lease
   * @param {object} layout
   * @param {import('./ids.js').IdType<any, any>} layout.type
   * @param {bigint} layout.unit how long its longest time unit is
   * @param {bigint} layout.bits the bits of an ID besides its time and its sequence
   * @param {number} layout.first the least sequence of this number
   * @param {number} layout.last the greatest sequence of this number
   * @param {(parts: any) => number} layout.numberOf returns the number of an ID with these components
   */
  constructor({ number, since, until }, { type, unit, bits, first, last, numberOf }) {
    this.number = number;
    this.since = since;
    this.until = until;
    this.type = type;
    this.unit = unit;
    this.bits = bits;
    this.first = first;
    this.last = last;
    this.numberOf = numberOf;
  }

  /**
   * Returns the time unit that contains a time, as the lowest number of its IDs.
   * @param {bigint} time
   */
  unitAt(time) {
    return this.type.toBigInt(this.type.floor(time));
  }

  /**
   * Returns the time unit after this one.
   * @param {bigint} unit
   */
  nextUnit(unit) {
    // The last unit of a second of kid64 is shorter, and unitAt() rounds the excess away.
    return this.unitAt(this.type.micros(this.type.fromBigInt(unit)) + this.unit);
  }

  /**
   * Returns an ID.
   * @param {bigint} unit
   * @param {number} sequence
   */
  make(unit, sequence) {
    return this.type.fromBigInt(unit | this.bits | BigInt(sequence));
  }

  /**
   * Returns whether an ID has the number of the lease, and a time in its window.
   * @param {any} id
   */
  contains(id) {
    const time = this.type.micros(id);
    return this.numberOf(this.type.parts(id)) === this.number && this.since <= time && time < this.until;
  }
}

/**
 * Refuses what is no lease of a pool for these IDs: its number could be that of a server, or, if it were masked to fit,
 * that of another process.
 * @param {Ids} ids
 * @param {Lease} lease
 * @param {number} top the greatest number
 */
function check(ids, { number, type }, top) {
  if (type !== ids) throw new RangeError(`the pool is for ${type}, not for ${ids}`);
  if (!(number >= 0 && number <= top)) {
    throw new RangeError(`worker number ${number} does not fit: ${ids} has 0 to ${top}`);
  }
}

/**
 * The layout of a type whose numbers divide the sequence among them, as servers with different `kid.node` do.
 * @param {'kid64' | 'kid53'} ids
 * @param {Lease} lease
 * @param {object} options
 * @param {import('./ids.js').IdType<any, any>} options.type
 * @param {bigint} options.unit
 * @param {number} options.sequences how many sequences there are
 * @param {number} options.most how many lanes there can be
 */
function inLane(ids, lease, { type, unit, sequences, most }) {
  const { number } = lease;
  const lanes = lease.lanes ?? 0;
  const width = Math.log2(lanes);
  check(ids, lease, lanes - 1);
  if (!Number.isInteger(width) || lanes > most) throw new RangeError(`${ids} cannot have ${lease.lanes} lanes`);
  // The place of a lane has the bits of its number in reverse order, so that other lanes can be added.
  const place = Number.parseInt([...number.toString(2).padStart(width, '0')].reverse().join(''), 2);
  const length = sequences / lanes;
  const first = place * length;
  const last = first + length - 1;
  /** @param {{ sequence: number }} parts */
  const numberOf = ({ sequence }) => (first <= sequence && sequence <= last ? number : -1);
  return new Layout(lease, { type, unit, bits: 0n, first, last, numberOf });
}

/** @type {Record<Ids, (lease: Lease, metabyte: number) => Layout>} */
const LAYOUTS = {
  flake: (lease) => {
    check('flake', lease, 1023);
    if (lease.epoch === null) throw new RangeError('the lease has no epoch');
    const type = flakeWith(lease.epoch);
    const bits = BigInt(lease.number) << 12n;
    /** @param {{ datacenter: number, worker: number }} parts */
    const numberOf = ({ datacenter, worker }) => datacenter << 5 | worker;
    return new Layout(lease, { type, unit: 1000n, bits, first: 0, last: 4095, numberOf });
  },
  sno: (lease, metabyte) => {
    check('sno', lease, 65535);
    const bits = BigInt(metabyte) << 32n | BigInt(lease.number) << 16n;
    /** @param {{ partition: number }} parts */
    const numberOf = ({ partition }) => partition;
    return new Layout(lease, { type: sno, unit: 4000n, bits, first: 0, last: 65535, numberOf });
  },
  kid64: (lease) => inLane('kid64', lease, { type: kid64, unit: 1024n, sequences: 1 << 14, most: 1024 }),
  kid53: (lease) => inLane('kid53', lease, { type: kid53, unit: 1000n, sequences: 1 << 12, most: 64 }),
};

/**
 * Returns how IDs of a type are laid out for a lease. Throws a RangeError if the number or the window of the lease is
 * none for these IDs. A program that makes IDs by `Worker` does not need this.
 * @param {Ids} ids
 * @param {Lease} lease
 * @param {number} [metabyte] what each sno contains
 */
export function layoutOf(ids, lease, metabyte = 0) {
  const layout = LAYOUTS[ids](lease, metabyte);
  const { micros, floor } = layout.type;
  // A window begins and ends with a second, and so with a time unit. Beyond the range of the type there is none.
  for (const time of [lease.since, lease.until]) {
    if (micros(floor(time)) !== time) throw new RangeError(`no time unit of ${ids} begins at ${time}`);
  }
  return layout;
}

/** The connection on which leases are made. */
class Lessor {
  #options;
  /** @type {Client | undefined} */
  #client;
  /** @type {string[]} */
  #warnings = [];
  /** @type {(reason: Error) => void} */
  #refuse = ignore;
  /** Rejects when this is closed. @type {Promise<never>} */
  #closed = new Promise((_, reject) => { this.#refuse = reject; });
  isClosed = false;

  /** @param {Required<Pick<Options<any>, 'connect' | 'pool' | 'ttl'>> & { holder?: string }} options */
  constructor(options) {
    this.#options = options;
    this.#closed.catch(ignore);
  }

  /**
   * Renews the last lease, or makes a new one.
   * @param {Lease | undefined} last
   */
  lease(last) {
    return Promise.race([this.#lease(last), this.#closed]);
  }

  /**
   * Closes the connection. A lease that is being made fails for this reason.
   * @param {Error} reason
   */
  close(reason) {
    this.isClosed = true;
    this.#refuse(reason);
    this.#client?.end().catch(ignore);
  }

  /** @param {Lease | undefined} last */
  async #lease(last) {
    try {
      return await this.#call(last);
    } catch (/** @type {any} */ error) {
      // 55000: the window of that number ends too late, because the clock of the database went back.
      if (error?.code !== '55000' || !last) throw error;
      return this.#call(undefined);
    }
  }

  /**
   * Calls kid_lease_worker(). A reply counts only if no warning came with it: a warning means that a wait for a
   * synchronous standby was canceled, and so that the lease can be lost with this server.
   * @param {Lease | undefined} last
   */
  async #call(last) {
    const { pool, ttl, holder } = this.#options;
    const client = this.#client ?? await this.#open();
    this.#warnings = [];
    const { rows: [row] } = await this.#query(client,
      'CALL kid_lease_worker($1::text, $2::bigint, $3::uuid, NULL, NULL, NULL, NULL, NULL, NULL,'
      + ' ttl => $4::int, holder => $5::text)', [pool, last?.number, last?.token, ttl, holder]);
    if (this.#warnings.length > 0) throw new Error(`the reply does not count: ${this.#warnings.join('; ')}`);
    const clock = await this.#readClock(client);
    // To pg a bigint is a string.
    const microsOf = (/** @type {string | number} */ millis) => BigInt(millis) * 1000n;
    /** @type {Lease} */
    const lease = {
      number: Number(row.number),
      token: row.token,
      since: microsOf(row.since),
      until: microsOf(row.until),
      type: row.type,
      lanes: row.lanes === null ? null : Number(row.lanes),
      epoch: row.epoch === null ? null : microsOf(row.epoch),
    };
    return { lease, ...clock };
  }

  /**
   * Returns the time of the database, in microseconds, and performance.now() then. The database has read its clock at
   * some time between the question and the reply, so in the middle the error is at most half of the round trip. `now`
   * of a lease would be as late as its reply was.
   * @param {Client} client
   */
  async #readClock(client) {
    const asked = performance.now();
    const { rows: [{ now }] } = await this.#query(client,
      'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS now');
    return { now: BigInt(now), measured: (asked + performance.now()) / 2 };
  }

  /**
   * @param {Client} client
   * @param {string} text
   * @param {any[]} [values]
   */
  async #query(client, text, values) {
    try {
      return await client.query(text, values);
    } catch (/** @type {any} */ error) {
      // An error that is not the server's is one of the connection.
      if (!error?.severity || /^(?:08|57)/.test(error.code)) this.#drop(client);
      throw error;
    }
  }

  async #open() {
    const client = await this.#options.connect();
    if (this.isClosed) {
      client.end().catch(ignore);
      throw new Error('closed');
    }
    client.on('error', () => this.#drop(client));
    // Notices have the code of success, warnings have others.
    client.on('notice', ({ code, message }) => { if (code !== '00000') this.#warnings.push(message); });
    this.#client = client;
    return client;
  }

  /** @param {Client} client */
  #drop(client) {
    if (this.#client === client) this.#client = undefined;
    client.end().catch(ignore);
  }
}

/**
 * Makes IDs of one type. It leases a number for `ttl` seconds at a time. When half of the window is left and an ID is
 * made, it renews the lease in the background. An idle worker renews nothing.
 *
 * IDs have the time of the database: what it was after the last lease, and what this process has measured since. It is
 * exact to half of a round trip to the server. So two IDs of different processes are in the order in which they were
 * made if more than a round trip and a time unit lie between them. The IDs of a worker rise as long as its number stays
 * the same.
 *
 * Threads of `worker_threads` and processes of `cluster` have a worker each. A process that was started from a snapshot
 * of the heap (`node --build-snapshot`) leases a number of its own. If the memory of the process will be copied in
 * another way, as by a snapshot of a virtual machine, call `forget()` before.
 *
 * @template {Ids} K
 */
export class Worker {
  #newLessor;
  #ids;
  #metabyte;
  #ttl;
  #timeout;
  /** When this process was started. In containers two processes can have the same number, but not this. */
  #process = performance.timeOrigin;
  /** @type {Lessor} */
  #lessor;
  /** The window in use, and the next one if it is here already. @type {Layout[]} */
  #windows = [];
  /** @type {Lease | undefined} */
  #last;
  /**
   * Resolves when the request that is under way has ended, to its error if it has failed.
   * @type {Promise<{ error: any } | undefined> | undefined}
   */
  #asking;
  #mayAskAt = 0;
  /**
   * The error of a window that could not be used, as for IDs of another type, while that lasts. Others would take more
   * numbers.
   * @type {{ error: any, until: number } | undefined}
   */
  #refused;
  /** The time of the database, and that of performance.now() then. */
  #read = { now: 0n, measured: 0 };
  /** Time unit and sequence of the last ID. */
  #unit = -1n;
  #sequence = -1;

  /** @param {Options<K>} options */
  constructor({ connect, pool, ids, ttl = 10, holder, timeout = 30000, metabyte = 0 }) {
    if (!Object.hasOwn(LAYOUTS, ids)) throw new RangeError(`ids: ${ids}`);
    if (!Number.isInteger(metabyte) || metabyte < 0 || metabyte > 255) throw new RangeError(`metabyte: ${metabyte}`);
    this.#newLessor = () => new Lessor({ connect, pool, ttl, holder });
    this.#ids = ids;
    this.#metabyte = metabyte;
    this.#ttl = ttl;
    this.#timeout = timeout;
    this.#lessor = this.#newLessor();
  }

  /**
   * Resolves to a new ID. Waits if the sequence of a time unit is used up, and if there is no window.
   *
   * Rejects with NoWindow if the server gives none, or does not reply within `timeout` milliseconds. Rejects with
   * LeaseRefused if it gives none and a further attempt would not help, as without the right to lease. Their `detail`
   * and `hint` are those of the server's error. The next call asks the server again. Rejects with a RangeError if the
   * pool is for another type, or if the number does not fit the IDs. This takes a number, so the server is asked again
   * after `ttl` seconds.
   * @returns {Promise<Made[K]>}
   */
  async next() {
    for (;;) {
      if (this.#process !== performance.timeOrigin) this.#begin();
      if (this.#windows.length === 0) {
        await this.#waitForWindow();
        continue;
      }
      // From here to `return` nothing else runs: JavaScript has one thread, and this awaits nothing.
      const [window] = this.#windows;
      if (this.#windows.length === 1 && 2n * (window.until - this.#now()) <= window.until - window.since) this.#ask();
      const { unit, sequence } = this.#step(window);
      if (sequence > window.last) {
        await sleep(1);
        continue;
      }
      const made = window.make(unit, sequence);
      if (window.contains(made)) {
        this.#unit = unit;
        this.#sequence = sequence;
        return made;
      }
      this.#leaveWindow();
    }
  }

  /**
   * Forgets the number and its windows, and closes the connection, as if this worker were new. What it has made stays
   * unique.
   */
  forget() {
    const lessor = this.#lessor;
    const isOwn = this.#process === performance.timeOrigin;
    this.#begin();
    if (isOwn) lessor.close(new Error('the worker has forgotten its number'));
  }

  /** Begins anew. Leaves the connection open, as it can be that of the process that was copied. */
  #begin() {
    this.#process = performance.timeOrigin;
    this.#lessor = this.#newLessor();
    this.#windows = [];
    this.#last = undefined;
    this.#asking = undefined;
    this.#mayAskAt = 0;
    this.#refused = undefined;
    this.#unit = -1n;
    this.#sequence = -1;
  }

  /** Returns the time of the database. The order of IDs depends on it, not their uniqueness. */
  #now() {
    const { now, measured } = this.#read;
    return now + BigInt(Math.floor((performance.now() - measured) * 1000));
  }

  /**
   * Returns time unit and sequence of an ID that is greater than the last one. If those of the present unit are used
   * up, the sequence is too great.
   * @param {Layout} window
   */
  #step(window) {
    const now = window.unitAt(this.#now());
    const unit = now > this.#unit ? now : this.#unit;
    const sequence = unit === this.#unit ? this.#sequence + 1 : window.first;
    // The clock of the database went back, and IDs are ahead of it anyway.
    if (sequence > window.last && unit > now) return { unit: window.nextUnit(unit), sequence: window.first };
    return { unit, sequence };
  }

  /** Lets the next ID be in the window `#windows[0]`, and if possible be greater than the last one. */
  #enterWindow() {
    const [window] = this.#windows;
    const before = window.unitAt(window.since - 1n);
    if (!(before < this.#unit && this.#unit < window.unitAt(window.until))) this.#unit = before;
    // The sequence of the last ID may belong to another number.
    this.#sequence = window.last;
  }

  #leaveWindow() {
    this.#windows.shift();
    if (this.#windows.length > 0) this.#enterWindow();
  }

  async #waitForWindow() {
    const refused = this.#refused && performance.now() < this.#refused.until ? this.#refused : undefined;
    if (!this.#asking && !refused) {
      this.#mayAskAt = 0;
      this.#ask();
    }
    const failure = await this.#asking ?? refused;
    // Without an error, forget() was called meanwhile, or there is a window.
    if (!failure) return;
    const { error } = failure;
    if (error instanceof RangeError) throw error;
    throw isPermanent(error) ? new LeaseRefused(error) : new NoWindow(error);
  }

  /** Asks for a window, unless that is under way, or has failed just now. */
  #ask() {
    if (this.#asking || performance.now() < this.#mayAskAt) return;
    const lessor = this.#lessor;
    const silent = new Error(`the server does not reply within ${this.#timeout} ms`);
    const timer = setTimeout(() => lessor.close(silent), this.#timeout);
    this.#asking = this.#appendWindow(lessor).finally(() => clearTimeout(timer));
  }

  /**
   * Gets a window, or returns why there is none.
   * @param {Lessor} lessor
   */
  async #appendWindow(lessor) {
    /** @type {{ error: any } | undefined} */
    let failure;
    let reply;
    let window;
    try {
      reply = await lessor.lease(this.#last);
      window = layoutOf(this.#ids, reply.lease, this.#metabyte);
    } catch (error) {
      failure = { error };
    }
    // Otherwise this worker has begun anew, and the reply is for what it was before.
    if (lessor !== this.#lessor) return undefined;
    this.#asking = undefined;
    if (lessor.isClosed) this.#lessor = this.#newLessor();
    if (!reply || !window) {
      this.#mayAskAt = performance.now() + 100 * this.#ttl;
      if (reply) {
        this.#mayAskAt = performance.now() + 1000 * this.#ttl;
        this.#refused = { error: failure?.error, until: this.#mayAskAt };
      }
      return failure;
    }
    this.#last = reply.lease;
    this.#read = reply;
    this.#windows.push(window);
    if (this.#windows.length === 1) this.#enterWindow();
    return undefined;
  }
}
