// kid with Drizzle: columns, their defaults, and comparisons with a time.
import { and, gte, lt, sql } from 'drizzle-orm';
import { customType } from 'drizzle-orm/pg-core';
import { kid53 as codec } from './ids.js';
import { COLUMNS } from './sql.js';

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

/**
 * Returns what a column is compared with. No operator compares a bigint with a time.
 * @param {PgColumn} column
 * @param {Date} time
 */
function bound(column, time) {
  return column.getSQLType() === COLUMNS.kid53.type ? codec.floor(time) : sql`${time.toISOString()}::timestamptz`;
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
