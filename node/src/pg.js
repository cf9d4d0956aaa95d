// kid with pg (node-postgres). A single ID needs nothing: it is a string. This is for arrays, and for kid53.
import { arrayOf, exactNumber, OWN_ARRAYS } from './sql.js';

/**
 * @typedef {object} TypedClient
 * @property {(text: string) => Promise<{ rows: any[] }>} query
 * @property {(oid: any, parser: (text: string) => unknown) => void} setTypeParser
 */

/**
 * @typedef {object} TypedPool
 * @property {(text: string) => Promise<{ rows: any[] }>} query
 * @property {() => Promise<any>} connect
 * @property {(event: 'acquire', listener: (client: any) => void) => unknown} on
 */

const BIGINT = 20;
const BIGINTS = 1016;

/**
 * Tells a client, or all clients of a pool, how the results of this database are read:
 *
 * - an array of IDs is an array of strings, in which NULL is null,
 * - with `numbers`, a `bigint` is a number, as for columns with `kid53_next()`. One that a number cannot be is an
 *   error.
 *
 * @param {TypedClient | TypedPool} db
 * @param {{ numbers?: boolean }} [options]
 */
export async function registerTypes(db, { numbers = false } = {}) {
  const { rows } = await db.query(OWN_ARRAYS);
  const register = (/** @type {TypedClient} */ client) => {
    for (const { oid } of rows) client.setTypeParser(oid, arrayOf);
    if (!numbers) return;
    client.setTypeParser(BIGINT, exactNumber);
    client.setTypeParser(BIGINTS, (text) => arrayOf(text).map((element) => element && exactNumber(element)));
  };
  // A pool has clients already, and makes others.
  if ('setTypeParser' in db) register(db);
  else db.on('acquire', register);
}
