// What the modules for drivers and ORMs share: names in SQL.

/** The types of a column, and what its default calls. A kid53 is a bigint in the database. */
export const COLUMNS = /** @type {const} */ ({
  kid64: { type: 'kid64', next: 'kid_next()' },
  kid53: { type: 'bigint', next: 'kid53_next()' },
  kid96: { type: 'kid96', next: 'kid96_next()' },
  sno: { type: 'sno', next: 'sno_next()' },
  flake: { type: 'flake', next: 'flake_next()' },
  flax: { type: 'flax', next: 'flax_next()' },
  uuidv7: { type: 'uuid', next: 'kid_uuidv7()' },
});

/** @typedef {keyof typeof COLUMNS} ColumnType */

/** The types that the extension adds. */
export const OWN_TYPES = /** @type {const} */ (['kid64', 'kid96', 'sno', 'flake', 'flax']);

/** A query for the arrays of these types, in whatever schema the extension is. */
export const OWN_ARRAYS = `
  SELECT a.oid::int AS oid
    FROM pg_catalog.pg_extension AS e
    JOIN pg_catalog.pg_depend AS d ON d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.refobjid = e.oid
    JOIN pg_catalog.pg_type AS a ON d.classid = 'pg_catalog.pg_type'::regclass AND a.typelem = d.objid
   WHERE e.extname = 'kid' AND a.typcategory = 'A'`;

/**
 * Returns the elements of an array of IDs, which need no quotes in its text.
 * @param {string} text
 * @returns {(string | null)[]}
 */
export function arrayOf(text) {
  const elements = text.slice(1, -1);
  return elements === '' ? [] : elements.split(',').map((id) => (id === 'NULL' ? null : id));
}

/**
 * Returns the number in the text of a bigint. A number that JavaScript would round is an error.
 * @param {string} text
 */
export function exactNumber(text) {
  const number = Number(text);
  if (!Number.isSafeInteger(number)) throw new RangeError(`a bigint that a number of JavaScript cannot be: ${text}`);
  return number;
}
