// A consumer that misses nothing: it reads the rows of a table in the order of their IDs, up to the horizon, and keeps
// its cursor in a table. See docs/guides/consumers.md of kid. It works with pg (node-postgres).

/** @typedef {{ rows: any[], rowCount: number | null, fields: { name: string, dataTypeID: number }[] }} Result */

/**
 * A pool of pg.
 * @typedef {object} Pool
 * @property {() => Promise<any>} connect
 * @property {(text: string, values?: any[]) => Promise<Result>} query
 * @property {(event: 'error', listener: (error: Error) => void) => unknown} on
 * @property {(event: 'error') => number} listenerCount
 */

/**
 * What the table's IDs are, which decides what their horizon is. `tracked` is any ascending bigint, after
 * `kid_track(table)`, and `tracked uuidv7` is the same for the IDs of `kid_uuidv7()` in plain SQL.
 * @typedef {'kid64' | 'kid53' | 'flake' | 'uuidv7' | 'tracked' | 'tracked uuidv7'} Ids
 */

/**
 * @template [Row=any] what a row is, for TypeScript
 * @typedef {object} Options
 * @property {Pool} pool of the database with the rows
 * @property {string} table the name of the table, which can begin with its schema
 * @property {string} name of the consumer: a row of the table of cursors, which `createCursor()` makes
 * @property {(rows: Row[], client: any) => unknown} handle handles some rows, in the order of their IDs. With
 *   `exactly once` the client is in the transaction that moves the cursor: what the function writes by it is committed
 *   together with the cursor. With `at least once` there is no client
 * @property {'exactly once' | 'at least once'} [delivery] By default, exactly once: what the function writes by the
 *   client counts once, whatever crashes. What it does elsewhere, and everything with `at least once`, can be repeated
 *   after a crash. `at least once` keeps no transaction open while the function works
 * @property {Ids} [ids] default `kid64`
 * @property {string} [id] the column of the key, default `id`
 * @property {string[]} [columns] the columns to read beside the key, otherwise all
 * @property {string} [where] a condition in SQL, for a consumer that takes a part of the rows
 * @property {Pool} [work] of the database with the table of cursors, if that is another one: then `client` is of this
 * @property {string} [cursors] the table of cursors, with the columns `name` and `last`; default `consumers`. IDs of
 *   another type need another table
 * @property {string} [horizons] a table with the horizons of all servers whose rows logical replication brings into the
 *   table. The consumer reads up to the lowest `id` of this table instead of up to the horizon of its own server
 * @property {number} [batch] how many rows to read at a time, default 1000
 * @property {number} [wait] how many milliseconds to wait for new rows: default 200, or 5000 with `listen`
 * @property {string} [listen] a channel whose notifications end the wait. It takes a connection of `pool`, which must
 *   not go through a pooler that shares sessions
 * @property {AbortSignal} [signal] stops the consumer
 * @property {(error: Error) => void} [onRetry] is told of each lost connection and the like, after which the consumer
 *   tries again; by default a warning of the process
 * @property {() => void} [onResume] is told when the consumer is connected again; by default a warning of the process,
 *   unless there is an `onRetry`
 */

const LEAST_UUID = '00000000-0000-0000-0000-000000000000';
/**
 * For each kind of IDs its horizon in a query, the type of a cursor, and a cursor before all IDs. The horizon of a
 * tracked table is asked for before the query, by a procedure.
 * @type {Record<Ids, { horizon: string, type: string, least: string, procedure?: string }>}
 */
const KINDS = {
  kid64: { horizon: 'kid_horizon()', type: 'kid64', least: '...........' },
  kid53: { horizon: 'kid53_horizon()', type: 'bigint', least: '-1' },
  flake: { horizon: 'flake_horizon()', type: 'flake', least: '0' },
  uuidv7: { horizon: 'kid_uuidv7_horizon()', type: 'uuid', least: LEAST_UUID },
  tracked: { horizon: '$3', type: 'bigint', least: `${-(2n ** 63n)}`, procedure: 'kid_horizon' },
  'tracked uuidv7': { horizon: '$3', type: 'uuid', least: LEAST_UUID, procedure: 'kid_uuidv7_horizon' },
};

/** Milliseconds between two tries: the first, and the longest. Each is twice the last one. */
const RETRY = { first: 100, longest: 5000 };

/** @param {string} name */
const quoted = (name) => `"${name.replaceAll('"', '""')}"`;
/** @param {string} name */
const qualified = (name) => name.split('.').map(quoted).join('.');
const ignore = () => {};

/** What another session that creates the same table at the same time causes, by the table or by its row type. */
const CREATED_MEANWHILE = new Set(['42P07', '42710', '23505']);

/**
 * SQLSTATEs, or their first two characters, of errors after which the same can succeed later: the connection is lost,
 * resources are short, somebody intervened, or the server stops or starts; another transaction was first, or a session
 * was too slow; an error of the operating system. The consumer for Python has the same list.
 */
const PASSING = /^(?:08...|53...|57(?!P04)...|40001|40003|40P01|55P03|25P0[34]|58000|58030)$/;
/** The text is no value of a type. */
const INVALID_TEXT = '22P02';
/** The server accepts no writes: it is a standby, or a setting says so. */
const READ_ONLY = '25006';
/** A socket broke. */
const BROKEN = new Set([
  'ECONNABORTED', 'ECONNREFUSED', 'ECONNRESET', 'EHOSTUNREACH', 'ENETDOWN', 'ENETUNREACH', 'EPIPE', 'ETIMEDOUT',
]);
/** What pg says of a connection that ended, or that a pool did not get in time. */
const LOST = /^Connection terminated|^Client was closed|^Client has encountered a connection error|^timeout exceeded/;

/** What fetch() says, in the cause of its error, of a connection that ended or took too long. */
const UNFETCHED = /^UND_ERR_(?:BODY_TIMEOUT|CONNECT_TIMEOUT|HEADERS_TIMEOUT|SOCKET)$/;

/**
 * Returns whether an error, or the cause of another one, is of a connection or a server that can work again.
 * @param {any} error
 */
function isPassing(error) {
  const { code = '', syscall = '', message = '' } = error ?? {};
  return PASSING.test(code) || BROKEN.has(code) || UNFETCHED.test(code) || syscall === 'connect'
    || syscall === 'getaddrinfo' || LOST.test(message);
}

/**
 * Returns whether the same can succeed later.
 * @param {any} error
 * @param {Pool} work of the database that is written to
 */
async function canPass(error, work) {
  if (error?.code === READ_ONLY) return !await isReadOnlyBySetting(work);
  return isPassing(error) || isPassing(error?.cause);
}

/**
 * Returns whether a setting forbids to write, while a standby becomes writable when it is promoted.
 * @param {Pool} pool
 */
async function isReadOnlyBySetting(pool) {
  const text = "SELECT current_setting('transaction_read_only') = 'on' AND NOT pg_is_in_recovery() AS found";
  try {
    return (await pool.query(text)).rows[0].found;
  } catch {
    return false;
  }
}

class Consumer {
  #options;
  #read;
  #select;
  #update;
  #stopped = false;
  /** Whether there is a horizon that covers the rows. */
  #isChecked = false;
  /** The type of the column of IDs: its name when the consumer began, and its OID in the server at hand. */
  #type = { oid: 0, name: '' };
  /** Whether the next wait is over before it begins, and what ends one that has begun. */
  #isAwake = false;
  #wake = ignore;
  /** @type {any} */
  #listener = null;

  /** @param {Options} options */
  constructor(options) {
    const { pool, table, ids = 'kid64', id = 'id', columns, where, listen, delivery = 'exactly once' } = options;
    const horizon = horizonOf(options);
    if (!['exactly once', 'at least once'].includes(delivery)) throw new RangeError(`delivery: ${delivery}`);
    const defaults = {
      work: pool, batch: 1000, wait: listen ? 5000 : 200, onRetry: warnOfRetry,
      onResume: options.onRetry ? ignore : warnOfResume,
    };
    this.#options = { ...defaults, ...options, ids, id, delivery };

    const key = quoted(id);
    const list = columns ? [id, ...columns.filter((column) => column !== id)].map(quoted).join(', ') : '*';
    this.#read = `SELECT ${list} FROM ${qualified(table)} WHERE ${key} > $1 AND ${key} < ${horizon}`
      + `${where ? ` AND (${where})` : ''} ORDER BY ${key} LIMIT $2`;
    const cursors = qualified(options.cursors ?? 'consumers');
    this.#select = `SELECT last::text AS last FROM ${cursors} WHERE name = $1`;
    this.#update = `UPDATE ${cursors} SET last = $1 WHERE name = $2 AND last = $3`;

    if (options.signal?.aborted) this.#stopped = true;
    options.signal?.addEventListener('abort', () => this.#halt(), { once: true });
    /** Resolves when the consumer has stopped. Rejects when `handle` has failed, or the server has said no. */
    this.done = this.#run();
  }

  /** Stops after the rows that are being handled. Returns `done`. */
  stop() {
    this.#halt();
    return this.done;
  }

  #halt() {
    this.#stopped = true;
    this.#end();
  }

  /** Ends the wait, or the next one. */
  #end() {
    this.#isAwake = true;
    this.#wake();
  }

  async #run() {
    for (const pool of [this.#options.pool, this.#options.work]) {
      // Otherwise a connection that is lost while nobody uses it ends the process.
      if (pool.listenerCount('error') === 0) pool.on('error', ignore);
    }
    // How long the last wait after an error was, or 0 if there was none since a success.
    let pause = 0;
    try {
      while (!this.#stopped) {
        try {
          await this.#listen();
          this.#isAwake = false;
          let handled = 1;
          while (!this.#stopped && handled > 0) {
            handled = await this.#handleBatch();
            if (pause > 0) this.#options.onResume();
            pause = 0;
          }
          await this.#sleep(this.#options.wait);
        } catch (error) {
          // An ID in the text of the earlier type is no value of another one.
          if (/** @type {any} */ (error)?.code === INVALID_TEXT) await this.#checkType();
          if (!await canPass(error, this.#options.work)) throw error;
          this.#options.onRetry(/** @type {Error} */ (error));
          this.#isAwake = false;
          pause = Math.min(Math.max(2 * pause, RETRY.first), RETRY.longest);
          await this.#sleep(pause);
        }
      }
    } finally {
      this.#forget();
    }
  }

  /**
   * Waits, unless a notification came since the last look.
   * @param {number} millis
   */
  async #sleep(millis) {
    if (this.#isAwake || this.#stopped) return;
    await /** @type {Promise<void>} */ (new Promise((resolve) => {
      const timer = setTimeout(resolve, millis);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    }));
    this.#wake = ignore;
  }

  /** Listens for notifications, if that is wanted and not done yet. */
  async #listen() {
    const { listen, pool } = this.#options;
    if (!listen || this.#listener) return;
    const listener = await pool.connect();
    this.#listener = listener;
    listener.on('error', () => this.#forget());
    listener.on('notification', () => this.#end());
    try {
      await listener.query(`LISTEN ${quoted(listen)}`);
    } catch (error) {
      this.#forget();
      throw error;
    }
  }

  /** Ends the connection that listens. */
  #forget() {
    const listener = this.#listener;
    this.#listener = null;
    listener?.release(true);
  }

  /** Handles the next rows, and returns how many there were. */
  #handleBatch() {
    return this.#options.delivery === 'exactly once' ? this.#handleOnce() : this.#handleAgain();
  }

  /** Handles rows and moves the cursor in one transaction. */
  async #handleOnce() {
    const { work, name, handle } = this.#options;
    const { last, rows } = await this.#look();
    if (rows.length === 0) return 0;
    const client = await work.connect();
    client.on('error', ignore);
    let failed = true;
    try {
      await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
      // Looking has locked nothing. Another consumer of this name may have handled these rows meanwhile.
      if (cursorIn(await client.query(`${this.#select} FOR UPDATE`, [name]), name) === last) {
        await handle(rows, client);
        await client.query(this.#update, [this.#lastOf(rows), name, last]);
      }
      await client.query('COMMIT');
      failed = false;
      return rows.length;
    } finally {
      // A connection that ends takes its transaction back.
      if (!failed) client.off('error', ignore);
      client.release(failed);
    }
  }

  /** Handles rows, then moves the cursor, unless another consumer of this name has moved it. */
  async #handleAgain() {
    const { work, name, handle } = this.#options;
    const { last, rows } = await this.#look();
    if (rows.length === 0) return 0;
    await handle(rows, undefined);
    await work.query(this.#update, [this.#lastOf(rows), name, last]);
    return rows.length;
  }

  /** Returns the cursor, and the rows after it that the horizon has passed. It locks and writes nothing. */
  async #look() {
    const { pool, work, name, batch } = this.#options;
    const last = cursorIn(await work.query(this.#select, [name]), name);
    if (!this.#isChecked) {
      await this.#checkType();
      await checkHorizon(this.#options);
    }
    this.#isChecked = true;
    const { rows, fields } = await pool.query(this.#read, [last, batch, ...await trackedHorizon(this.#options)]);
    const key = fields.find((field) => field.name === this.#options.id);
    if (key?.dataTypeID !== this.#type.oid) await this.#checkType();
    return { last, rows };
  }

  /**
   * Throws an error if the type of the column of IDs is not the same as when the consumer began: the IDs may then come
   * from elsewhere, as after `kidctl leave`.
   */
  async #checkType() {
    const { pool, table, id } = this.#options;
    const now = await columnType(pool, table, id);
    if (![now.name, ''].includes(this.#type.name)) {
      throw new Error(`the type of ${table}.${id} has changed from ${this.#type.name} to ${now.name}, so the horizon`
        + ' may not cover new IDs any more: start another consumer, and say what makes the IDs, by the option `ids`; or'
        + ' read without kid');
    }
    this.#type = now;
  }

  /** @param {any[]} rows */
  #lastOf(rows) {
    return String(rows[rows.length - 1][this.#options.id]);
  }
}

/** @param {Ids} ids */
function kindOf(ids) {
  if (!Object.hasOwn(KINDS, ids)) throw new RangeError(`ids: ${ids}`);
  return KINDS[ids];
}

/**
 * Returns the horizon as an expression of SQL.
 * @param {Pick<Options, 'ids' | 'horizons'>} options
 */
function horizonOf({ ids = 'kid64', horizons }) {
  const { horizon } = kindOf(ids);
  return horizons ? `(SELECT min(id) FROM ${qualified(horizons)})` : horizon;
}

/**
 * Throws an error that says what to do if the horizon of this server does not cover the rows, or if the function that
 * returns it does not exist.
 * @param {Pick<Options, 'pool' | 'table' | 'ids' | 'id' | 'horizons'>} options
 */
async function checkHorizon({ pool, table, ids = 'kid64', id = 'id', horizons }) {
  if (horizons) return;
  if (await isReplicatedInto(pool, table, id)) {
    throw new Error(`the horizon of this server does not cover rows that logical replication brings into ${table}:`
      + ' name a table with the horizons of all servers by the option `horizons`, or read on the publisher');
  }
  const { horizon, procedure, type } = kindOf(ids);
  if (procedure) return;
  const { rows } = await pool.query('SELECT to_regprocedure($1) AS found', [horizon]);
  if (rows[0].found === null) {
    const tracked = type === 'uuid' ? 'tracked uuidv7' : 'tracked';
    throw new Error(`${horizon} was not found: with kid in plain SQL, call kid_track('${table}') and pass`
      + ` ids: '${tracked}'; with the extension, add the schema of kid to the search_path`);
  }
}

/**
 * Returns the type of the column of IDs, and of a domain the type below it.
 * @param {Pool} pool
 * @param {string} table
 * @param {string} id
 * @returns {Promise<{ oid: number, name: string }>}
 */
async function columnType(pool, table, id) {
  const { rows } = await pool.query(`
    SELECT b.oid, regexp_replace(format_type(b.oid, NULL), '^.*\\.', '') AS name
      FROM pg_attribute AS a JOIN pg_type AS t ON t.oid = a.atttypid
           JOIN pg_type AS b ON b.oid = coalesce(nullif(t.typbasetype, 0), t.oid)
     WHERE attrelid = $1::regclass AND attname = $2 AND NOT attisdropped`, [qualified(table), id]);
  if (rows.length === 0) throw new Error(`${table} has no column ${id}`);
  return rows[0];
}

/**
 * Returns whether logical replication brings rows with their IDs. A position, which the subscriber itself makes, is in
 * no primary key.
 * @param {Pool} pool
 * @param {string} table
 * @param {string} id
 */
async function isReplicatedInto(pool, table, id) {
  const { rows } = await pool.query(`
    SELECT FROM pg_subscription_rel
     WHERE (srrelid = $1::regclass OR srrelid IN (SELECT relid FROM pg_partition_tree($1::regclass)))
       AND EXISTS (SELECT FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY (indkey)
                    WHERE indrelid = $1::regclass AND indisprimary AND attname = $2)`, [qualified(table), id]);
  return rows.length > 0;
}

/**
 * Returns the horizon of a tracked table in a list, which is empty for others. It is valid for later statements.
 * @param {Pick<Options, 'pool' | 'table' | 'ids' | 'horizons'>} options
 * @returns {Promise<string[]>}
 */
async function trackedHorizon({ pool, table, ids = 'kid64', horizons }) {
  const { procedure } = kindOf(ids);
  if (!procedure || horizons) return [];
  try {
    return [(await pool.query(`CALL ${procedure}($1, NULL)`, [qualified(table)])).rows[0].horizon];
  } catch (error) {
    if (/** @type {any} */ (error)?.code !== '42883') throw error;
    throw new Error(`${procedure}(table) was not found: add the schema of kid to the search_path`, { cause: error });
  }
}

/**
 * @param {{ rows: any[] }} result
 * @param {string} name
 * @returns {string}
 */
function cursorIn({ rows }, name) {
  if (rows.length === 0) throw new Error(`there is no cursor ${JSON.stringify(name)}: call createCursor()`);
  return rows[0].last;
}

/** @param {Error} error */
function warnOfRetry(error) {
  process.emitWarning(`a consumer tries again after: ${error.message}`, 'KidConsumer');
}

function warnOfResume() {
  process.emitWarning('a consumer is connected again', 'KidConsumer');
}

/**
 * Runs a CREATE TABLE IF NOT EXISTS, again if another session has created the table at the same time.
 * @param {Pool} pool
 * @param {string} statement
 */
async function createTable(pool, statement) {
  try {
    await pool.query(statement);
  } catch (error) {
    if (!CREATED_MEANWHILE.has(/** @type {any} */ (error)?.code)) throw error;
    await pool.query(statement);
  }
}

/**
 * Creates the cursor of a consumer, and its table, unless they exist. The consumer begins before all rows, or with
 * `fromNow` after those that are below the horizon.
 * @param {Pick<Options, 'pool' | 'work' | 'table' | 'name' | 'ids' | 'id' | 'cursors' | 'horizons'>} options
 *   those of `consume()`
 * @param {{ fromNow?: boolean }} [start]
 */
export async function createCursor(options, { fromNow = false } = {}) {
  const { pool, work = pool, table, name, ids = 'kid64', id = 'id' } = options;
  const { type, least } = kindOf(ids);
  await checkHorizon(options);
  const cursors = qualified(options.cursors ?? 'consumers');
  // A role that may not create tables can use one that exists.
  if ((await work.query('SELECT to_regclass($1) AS found', [cursors])).rows[0].found === null) {
    await createTable(work, `CREATE TABLE IF NOT EXISTS ${cursors} (name text PRIMARY KEY, last ${type} NOT NULL)`);
  }
  let last = least;
  if (fromNow) {
    const key = quoted(id);
    const values = await trackedHorizon(options);
    const { rows } = await pool.query(
      `SELECT ${key}::text AS last FROM ${qualified(table)} WHERE ${key} < ${horizonOf(options).replace('$3', '$1')}`
      + ` ORDER BY ${qualified(table)}.${key} DESC LIMIT 1`, values);
    if (rows.length > 0) last = rows[0].last;
  }
  try {
    await work.query(`INSERT INTO ${cursors} (name, last) VALUES ($1, $2) ON CONFLICT DO NOTHING`, [name, last]);
  } catch (error) {
    if (/** @type {any} */ (error)?.code !== INVALID_TEXT) throw error;
    throw new Error(`the table ${cursors} has cursors of another type than ${type}: name another table by the option`
      + ' `cursors`', { cause: error });
  }
}

/**
 * Starts a consumer, which reads the rows of a table in the order of their IDs and misses none.
 * @template [Row=any]
 * @param {Options<Row>} options
 * @returns {{ done: Promise<void>, stop: () => Promise<void> }}
 */
export function consume(options) {
  return new Consumer(options);
}
