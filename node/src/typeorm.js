// kid with TypeORM: its types, columns, and comparisons with a time.
import typeorm from 'typeorm';
import { COLUMNS, exactNumber, OWN_TYPES } from './sql.js';

const { Raw } = typeorm;

/** @typedef {import('./sql.js').ColumnType} ColumnType */

/**
 * Adds the types of kid to those that TypeORM accepts. Call it before `initialize()`, which rejects others.
 * @template {{ driver: any }} Source
 * @param {Source} source
 */
export function registerTypes(source) {
  const { supportedDataTypes } = source.driver;
  for (const name of OWN_TYPES) if (!supportedDataTypes.includes(name)) supportedDataTypes.push(name);
  return source;
}

/**
 * Returns the options of a column that refers to a key of this type: `@Column(reference('kid64'))`.
 * @param {ColumnType} name
 * @returns {{ type: any, transformer?: import('typeorm').ValueTransformer }}
 */
export function reference(name) {
  const { type } = COLUMNS[name];
  if (name !== 'kid53') return { type };
  // pg returns a bigint as text.
  const from = (/** @type {unknown} */ value) => (typeof value === 'string' ? exactNumber(value) : value);
  return { type, transformer: { from, to: (id) => id } };
}

/**
 * Returns the options of a key: `@PrimaryColumn(key('kid64'))`.
 * @param {ColumnType} name
 * @returns {{ type: any, primary: true, default: () => string, transformer?: import('typeorm').ValueTransformer }}
 */
export function key(name) {
  return { ...reference(name), primary: true, default: () => COLUMNS[name].next };
}

// The names of parameters are those of the whole query, so each one is new.
let names = 0;
const newName = () => `kid_time_${++names}`;

/**
 * Returns the condition that the time of an ID is at or after a time. For kid53 use
 * `MoreThanOrEqual(kid53.floor(time))`.
 * @param {Date} time
 */
export function Since(time) {
  const name = newName();
  return Raw((column) => `${column} >= :${name}::timestamptz`, { [name]: time });
}

/**
 * Returns the condition that the time of an ID is before a time. For kid53 use `LessThan(kid53.floor(time))`.
 * @param {Date} time
 */
export function Before(time) {
  const name = newName();
  return Raw((column) => `${column} < :${name}::timestamptz`, { [name]: time });
}

/**
 * Returns the condition that the time of an ID is at or after `from` and before `to`.
 * @param {Date} from
 * @param {Date} to
 */
export function Within(from, to) {
  const [first, last] = [newName(), newName()];
  return Raw((column) => `${column} >= :${first}::timestamptz AND ${column} < :${last}::timestamptz`,
    { [first]: from, [last]: to });
}
