// kid with Kysely: the types of columns, in TypeScript and in SQL, their defaults, and times to compare with.
import { sql } from 'kysely';
import { COLUMNS } from './sql.js';

/** @typedef {import('./sql.js').ColumnType} ColumnType */

/**
 * A key for which the database makes IDs: of type kid64, kid96, sno, flake, flax or uuid. A column that refers to it is
 * a `string`.
 * @typedef {import('kysely').Generated<string>} GeneratedId
 */

/**
 * A bigint key for which the database makes IDs, with `kid53_next()`. With pg it is a number after `registerTypes(pool,
 * { numbers: true })`. A column that refers to it is a `number`.
 * @typedef {import('kysely').Generated<number>} GeneratedNumber
 */

/**
 * Returns the type of a column: `addColumn('id', type('kid64'), …)`.
 * @param {ColumnType} name
 */
export function type(name) {
  return sql.raw(COLUMNS[name].type);
}

/**
 * Returns the default of a key: `(column) => column.primaryKey().defaultTo(next('kid64'))`.
 * @param {ColumnType} name
 */
export function next(name) {
  return sql.raw(COLUMNS[name].next);
}

/**
 * Returns a time to compare IDs with: `where('id', '>=', at(time))`. A kid53 is compared with `kid53.floor(time)`.
 * @param {Date} time
 */
export function at(time) {
  return /** @type {import('kysely').RawBuilder<string>} */ (sql`${time}::timestamptz`);
}
