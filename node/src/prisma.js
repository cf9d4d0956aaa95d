// kid with Prisma. In schema.prisma a kid64 is a String, with the default dbgenerated("kid_next()").
import { kid64 } from './ids.js';
import { arrayOf, OWN_ARRAYS } from './sql.js';

/** @typedef {import('./ids.js').Time} Time */

/**
 * Returns what prisma.config.ts needs, so that `prisma db push` and `prisma migrate` leave these tables alone.
 * Otherwise they would make columns of type kid64 text.
 * @param {string[]} tables with their schema, such as `public.orders`
 */
export function externalTables(tables) {
  return { experimental: { externalTables: true }, tables: { external: tables } };
}

/**
 * @param {any} adapter
 * @returns {Promise<unknown[]>}
 */
async function oidsOfArrays(adapter) {
  return (await adapter.queryRaw({ sql: OWN_ARRAYS, args: [], argTypes: [] })).rows.flat();
}

/**
 * Returns options for PrismaPg, with which arrays of IDs can be read: `new PrismaPg(pool, adapterOptions())`. Use them
 * for one database.
 */
export function adapterOptions() {
  /** @type {Promise<unknown[]> | undefined} the OIDs of the arrays, asked for once */
  let arrays;
  return {
    /**
     * @param {number} oid
     * @param {unknown} value
     * @param {any} adapter
     */
    userDefinedTypeParser: async (oid, value, adapter) => {
      if (typeof value !== 'string' || !value.startsWith('{')) return value;
      arrays ??= oidsOfArrays(adapter);
      try {
        return (await arrays).includes(oid) ? arrayOf(value) : value;
      } catch (error) {
        arrays = undefined;
        throw error;
      }
    },
  };
}

/**
 * Returns a filter for the rows whose ID has a time at or after `from` and before `to`, one of which can be missing:
 * `findMany({ where: { id: within(since) } })`.
 * @template {string | number} Id
 * @param {Time | undefined} from
 * @param {Time} [to]
 * @param {{ floor: (time: Time) => Id }} [type] kid64, kid53 or uuidv7
 * @returns {{ gte?: Id, lt?: Id }}
 */
export function within(from, to, type = /** @type {any} */ (kid64)) {
  return {
    ...(from === undefined ? {} : { gte: type.floor(from) }),
    ...(to === undefined ? {} : { lt: type.floor(to) }),
  };
}

/**
 * Returns an extension of the client with which rows have a field with the time of their ID:
 * `prisma.$extends(times({ order: 'createdAt' }))`. A bigint, which is a BigInt in Prisma, can contain the IDs of any
 * type that has its bits.
 * @param {Record<string, string>} fields the new field of each model
 * @param {{ id?: string, type?: { time: (id: any) => Date | null, fromBigInt?: (number: bigint) => any } }} [key] the
 *   field of the key, and its type
 */
export function times(fields, { id = 'id', type = kid64 } = {}) {
  const asId = (/** @type {unknown} */ value) =>
    typeof value === 'bigint' && type.fromBigInt ? type.fromBigInt(value) : value;
  return {
    name: 'pgkid',
    result: Object.fromEntries(Object.entries(fields).map(([model, field]) => [model, {
      [field]: { needs: { [id]: true }, compute: (/** @type {any} */ row) => type.time(asId(row[id])) },
    }])),
  };
}
