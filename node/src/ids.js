// IDs of kid without a server: as text, numbers, bytes, base32 and times.
/**
 * @template {string | number} Id
 * @template {object} Parts
 * @typedef {import('./ids/type.js').IdType<Id, Parts>} IdType
 */
/** @typedef {import('./ids/time.js').Time} Time */

export { InvalidIdError } from './ids/errors.js';
export { flake, flakeWith } from './ids/flake.js';
export { flax } from './ids/flax.js';
export { kid53 } from './ids/kid53.js';
export { sno } from './ids/sno.js';
export { kid64, kid96, kid96With } from './ids/uid.js';
export { uuidv7 } from './ids/uuidv7.js';
