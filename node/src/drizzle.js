// kid with Drizzle: columns, their defaults, and comparisons with a time.
import { and, gte, lt, sql } from 'drizzle-orm';
import { customType } from 'drizzle-orm/pg-core';
import { kid53 as codec } from './ids.js';
import { COLUMNS, OWN_TYPES } from './sql.js';

/** @typedef {import('drizzle-orm').SQL} SQL */
/** @typedef {import('drizzle-orm/pg-core').PgColumn} PgColumn */
/** @typedef {import('./sql.js').ColumnType} ColumnType */

/** @typedef {{ data: string, driverData: string }} Text */
/** @typedef {{ data: number, driverData: string | number }} Numeric */

/** @param {ColumnType} name */
const text = (name) => /** @type {typeof customType<Text>} */ (customType)({ dataType: () => COLUMNS[name].type });

export const kid64 = text('kid64');
export const kid96 = text('kid96');
export const sno = text('sno');
export const flake = text('flake');
export const flax = text('flax');
export const uuidv7 = text('uuidv7');

/** A bigint whose numbers are those of `kid53_next()`. Another number in the column is an error. */
export const kid53 = /** @type {typeof customType<Numeric>} */ (customType)({
  dataType: () => COLUMNS.kid53.type,
  fromDriver: (value) => codec.fromText(String(value)),
});

/**
 * Returns the default of a key: `kid64('id').primaryKey().default(next('kid64'))`.
 * @param {ColumnType} type
 * @returns {SQL}
 */
export function next(type) {
  return sql.raw(COLUMNS[type].next);
}

/** @param {PgColumn} column */
const isKid53 = (column) => column.getSQLType() === COLUMNS.kid53.type;

/**
 * Returns what a column is compared with. No operator compares a bigint with a time.
 * @param {PgColumn} column
 * @param {Date} time
 */
function bound(column, time) {
  return isKid53(column) ? codec.floor(time) : sql`${time.toISOString()}::timestamptz`;
}

/**
 * Returns the condition that the time of an ID is at or after a time.
 * @param {PgColumn} column
 * @param {Date} time
 * @returns {SQL}
 */
export function since(column, time) {
  return gte(column, bound(column, time));
}

/**
 * Returns the condition that the time of an ID is before a time.
 * @param {PgColumn} column
 * @param {Date} time
 * @returns {SQL}
 */
export function before(column, time) {
  return lt(column, bound(column, time));
}

/**
 * Returns the condition that the time of an ID is at or after `from` and before `to`.
 * @param {PgColumn} column
 * @param {Date} from
 * @param {Date} to
 * @returns {SQL}
 */
export function within(column, from, to) {
  return /** @type {SQL} */ (and(since(column, from), before(column, to)));
}

/**
 * Throws a TypeError if a column is a uuid, for which kid_seal has no functions.
 * @param {PgColumn} column
 */
function refuseUuid(column) {
  if (column.getSQLType() !== COLUMNS.uuidv7.type) return;
  throw new TypeError(`column ${column.name} is a uuid: only ${OWN_TYPES.join(', ')} and kid53 can be sealed`);
}

/**
 * Returns the text of an ID for strangers, as `kid_seal()` makes it: `db.select({ id: seal(orders.id, 'ord') })`.
 * Throws a TypeError if the column is a uuid: only a kid64, kid96, sno, flake, flax or kid53 can be sealed.
 * @template {PgColumn} Column
 * @param {Column} column
 * @param {string} prefix
 * @returns {import('drizzle-orm').SQL<Column['_']['notNull'] extends true ? string : string | null>}
 */
export function seal(column, prefix) {
  refuseUuid(column);
  return sql`${sql.raw(isKid53(column) ? 'kid53_seal' : 'kid_seal')}(${column}, ${prefix})`;
}

/**
 * Returns the ID in a sealed text, or NULL if there is none, for a comparison with its column:
 * `where(eq(orders.id, unseal(orders.id, text, 'ord')))`.
 * Throws a TypeError if the column is a uuid, as `seal()` does.
 * @param {PgColumn} column
 * @param {string} text
 * @param {string} prefix
 * @returns {SQL}
 */
export function unseal(column, text, prefix) {
  refuseUuid(column);
  return sql`${sql.raw(isKid53(column) ? 'kid53' : column.getSQLType())}_unseal(${text}, ${prefix}, true)`;
}
