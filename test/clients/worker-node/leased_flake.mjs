// IDs of flake-idgen, with a worker number that PostgreSQL leases. The windows of a number, which are ranges of times
// in IDs, never overlap: so an ID is unique if its time is in a window of its number, no matter when it was made.
import { setTimeout as sleep } from 'node:timers/promises';
import FlakeId from 'flake-idgen';

const greatest = 1023;

/** This process has no window, and the server gave it none: `cause` says why. */
export class NoWindow extends Error {}

/** What an ID of flake-idgen contains: its number, and its time in milliseconds since 1970. */
export function read(id, epoch) {
  const bits = id.readBigUInt64BE();
  return { bits, time: Number(bits >> 22n) + epoch, number: Number(bits >> 12n & 1023n) };
}

/** Whether an ID has the number of a window, and a time in it. */
export function isIn({ number, since, until }, made) {
  return made.number === number && since <= made.time && made.time < until;
}

/**
 * Makes IDs. `connect` returns a connected pg.Client for this generator alone, and is called again after a connection
 * broke. The generator leases a number of `pool` for `ttl` seconds at a time. When half of the window is left and an ID
 * is made, it renews the lease in the background.
 *
 * IDs have the time of the database: what it was in its last reply, and what this process has measured since.
 */
export class LeasedFlake {
  #connect;
  #pool;
  #ttl;
  #holder;
  #process; // when this process was started
  #client;
  #warnings;
  #last; // the last lease, which the next one renews
  #windows; // the window in use, and the next one if it is here already
  #asking; // the request that is under way
  #mayAskAt;
  #read; // the time of the database, and of performance.now() then
  #time; // of the last ID
  #bits; // the last ID of this number

  constructor(connect, pool, { ttl = 10, holder = null } = {}) {
    this.#connect = connect;
    this.#pool = pool;
    this.#ttl = ttl;
    this.#holder = holder;
    this.forget();
  }

  /** Forgets the number and its windows, and closes the connection, as if this generator were new. */
  forget() {
    if (this.#process === performance.timeOrigin) this.#client?.end().catch(() => {});
    this.#process = performance.timeOrigin;
    this.#client = undefined;
    this.#last = undefined;
    this.#windows = [];
    this.#asking = undefined;
    this.#mayAskAt = 0;
    this.#read = { now: 0, measured: 0 };
    this.#time = 0;
    this.#bits = 0n;
  }

  /** Resolves to a new ID, a Buffer as flake-idgen makes it. Rejects with NoWindow if the server gives no window. */
  async next() {
    for (;;) {
      // Another process: it was started from a snapshot of the heap (node --build-snapshot). In containers both can be
      // number 1, so the times at which they were started tell them apart.
      if (this.#process !== performance.timeOrigin) this.forget();
      if (this.#windows.length === 0) {
        await this.#ask();
        continue;
      }
      // From here to `return` nothing else runs: JavaScript has one thread, and this awaits nothing.
      const [window] = this.#windows;
      if (this.#windows.length === 1 && 2 * (window.until - this.#now()) <= window.until - window.since &&
        performance.now() >= this.#mayAskAt) this.#ask().catch(() => {});
      const id = this.#make(window);
      if (id === undefined) {
        await sleep(1);
        continue;
      }
      const made = read(id, window.epoch);
      if (!isIn(window, made)) {
        this.#leaveWindow();
      } else if (made.bits > this.#bits) {
        this.#bits = made.bits;
        return id;
      }
    }
  }

  #now() {
    return Math.floor(this.#read.now + performance.now() - this.#read.measured);
  }

  /**
   * Lets the library make an ID. It reads Date.now() before it returns, so for that long Date.now returns the time of
   * the database: no other code runs meanwhile. Returns undefined if the IDs of this millisecond are used up.
   */
  #make({ library, until }) {
    const now = this.#now();
    const time = Math.max(now, this.#time);
    const systemClock = Date.now;
    Date.now = () => time;
    try {
      this.#time = time;
      return library.next();
    } catch (error) {
      if (!error.message.startsWith('Sequence exceeded')) throw error;
      // If the clock of the database went back, IDs are ahead of it anyway.
      if (time > now && time < until) this.#time++;
      return undefined;
    } finally {
      Date.now = systemClock;
    }
  }

  /** Lets the next ID be in the window `#windows[0]`, and if possible later than the last one. */
  #enterWindow() {
    const { since, until } = this.#windows[0];
    this.#time = since <= this.#time && this.#time < until ? this.#time + 1 : since;
    this.#bits = 0n;
  }

  #leaveWindow() {
    this.#windows.shift();
    if (this.#windows.length > 0) this.#enterWindow();
  }

  /** Resolves when the window that is asked for has been appended to `#windows`. One request is under way at a time. */
  #ask() {
    this.#asking ??= this.#appendWindow().finally(() => { this.#asking = undefined; });
    return this.#asking;
  }

  async #appendWindow() {
    const windows = this.#windows;
    this.#mayAskAt = performance.now() + 100 * this.#ttl;
    let row;
    try {
      try {
        row = await this.#call(this.#last);
      } catch (error) {
        // 55000: the window of that number ends too late, because the clock of the database went back; or it is closed.
        if (error.code !== '55000' || !this.#last) throw error;
        row = await this.#call(undefined);
      }
    } catch (cause) {
      throw new NoWindow(`no worker number: ${cause.message}`, { cause });
    }
    const measured = performance.now();
    if (windows !== this.#windows) return; // the generator has forgotten all meanwhile, and this too
    // A bigint is a string to pg.
    const names = ['number', 'since', 'until', 'now', 'epoch'];
    const [number, since, until, now, epoch] = names.map((name) => Number(row[name]));
    // Pools of other types have no epoch. Their numbers can be those of servers that make flakes.
    if (row.epoch === null) throw new RangeError('the pool is not for flake');
    // The library would mask a greater number, and so make it that of another process.
    if (number > greatest) throw new RangeError(`worker number ${number} is above ${greatest}, the greatest of flake`);
    this.#last = { number, token: row.token };
    this.#read = { now, measured };
    // Windows of a number share no millisecond, so that a new library, which begins with sequence 0, repeats nothing.
    windows.push({ number, since, until, epoch, library: new FlakeId({ id: number, epoch }) });
    if (windows.length === 1) this.#enterWindow();
  }

  /** A reply counts only if it came without a warning: that would mean that the lease can be lost with this server. */
  async #call(last) {
    if (!this.#client) {
      const client = await this.#connect();
      client.on('error', () => { if (this.#client === client) this.#client = undefined; });
      client.on('notice', ({ code, message }) => { if (code !== '00000') this.#warnings.push(message); });
      this.#client = client;
    }
    const client = this.#client;
    this.#warnings = [];
    let reply;
    try {
      reply = await client.query(
        `CALL kid_lease_worker($1::text, $2::bigint, $3::uuid, NULL, NULL, NULL, NULL, NULL,
                               ttl => $4::int, holder => $5::text)`,
        [this.#pool, last?.number, last?.token, this.#ttl, this.#holder]);
    } catch (error) {
      // An error that is not the server's is one of the connection.
      if (!error.severity || /^(?:08|57)/.test(error.code)) {
        this.#client = undefined;
        client.end().catch(() => {});
      }
      throw error;
    }
    if (this.#warnings.length > 0) throw new Error(`the reply does not count: ${this.#warnings}`);
    return reply.rows[0];
  }
}
